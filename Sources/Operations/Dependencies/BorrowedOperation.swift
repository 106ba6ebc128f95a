/// A reference to an operation that does not count.
///
/// ``DownstreamList`` says what it buys. The code that has such a reference must know why the
/// operation is still there.
struct BorrowedOperation: Hashable {
  private let reference: Unmanaged<ObservableOperation>

  init(_ operation: ObservableOperation) {
    reference = .passUnretained(operation)
  }

  /// The operation as an ordinary reference.
  ///
  /// Another reference must keep it alive; see ``ifAlive`` for where that is not known.
  var operation: ObservableOperation { reference.takeUnretainedValue() }

  /// The offset of an operation's core from the start of the operation, in bytes.
  private static let coreOffset: Int = {
    let operation = ObservableOperation(engine: OperationEngine(logCapacity: 0))
    let start = UnsafeRawPointer(Unmanaged.passUnretained(operation).toOpaque())
    return withUnsafePointer(to: &operation.core) { UnsafeRawPointer($0) - start }
  }()

  /// What the operation is made of, to be read under the lock of the engine.
  ///
  /// The way there leads around the operation itself. A reference that the compiler counts for a
  /// moment could become the last one in that moment, and the `deinit` would wait for the lock that
  /// this thread has.
  private var core: UnsafePointer<OperationCore> {
    (UnsafeRawPointer(reference.toOpaque()) + Self.coreOffset)
      .assumingMemoryBound(to: OperationCore.self)
  }

  /// Whether the operation has finished.
  ///
  /// It is asked for under the lock of the engine, and the memory of the operation must still be there.
  var isFinished: Bool { core.pointee.state == .finished }

  /// Whether a queue keeps the operation, which it does from adding it until it has finished.
  ///
  /// It is asked for under the lock of the engine, and the memory of the operation must still be there.
  var isKeptByQueue: Bool {
    switch core.pointee.state {
    case .created, .finished: false
    case .pending, .ready, .executing: core.pointee.queue != nil
    }
  }

  /// The operation as an ordinary reference, or nil if its last one has gone and its `deinit` has
  /// begun or is about to.
  ///
  /// It is asked for under the lock of the engine, and the memory of the operation must still be there.
  /// The answer may be the last reference, of which the caller must let go outside the lock.
  var ifAlive: ObservableOperation? {
    if isKeptByQueue { return operation }
    let operation = operation
    // Ours is let go after the answer was made: it would be the last where another thread has just
    // let go of its own. Where the `deinit` has begun, ours counts for nothing.
    return withExtendedLifetime(operation) { WeakOperation(operation).operation }
  }

  /// Calls `body` with the operation without counting a reference.
  ///
  /// Another reference must keep it alive, as `body` may count one.
  @inline(__always) func look<Result>(_ body: (ObservableOperation) -> Result) -> Result {
    reference._withUnsafeGuaranteedRef(body)
  }

  static func == (left: BorrowedOperation, right: BorrowedOperation) -> Bool {
    left.reference.toOpaque() == right.reference.toOpaque()
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(reference.toOpaque())
  }
}

/// Tells whether an operation is alive.
///
/// A weak reference to an object whose `deinit` has begun is nil from the start, in one atomic step
/// of the runtime. It moves the count of references into an allocation of its own, through which
/// every later use of the object takes its way; that is why it is only made in doubt.
private final class WeakOperation {
  private weak var reference: ObservableOperation?

  @inline(never) init(_ operation: ObservableOperation) {
    reference = operation
  }

  var operation: ObservableOperation? {
    @inline(never) get { reference }
  }
}
