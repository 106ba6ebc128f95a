/// A reference to an operation that does not count.
///
/// Counting up and down in a search that visits operations all over the memory took more than half
/// of its time. Whoever has such a reference must know why the operation is still there.
struct BorrowedOperation: Equatable {
  private let reference: Unmanaged<ObservableOperation>

  init(_ operation: ObservableOperation) {
    reference = .passUnretained(operation)
  }

  /// The operation as an ordinary reference.
  ///
  /// Somebody else must keep it alive; see ``ifAlive`` for where that is not known.
  var operation: ObservableOperation { reference.takeUnretainedValue() }

  /// Whether a queue keeps the operation, which it does from adding it until it has finished.
  ///
  /// It is asked for under the lock of the log, and the memory of the operation must still be there.
  var isKeptByQueue: Bool {
    // Not a property of the core, all of which is then copied.
    look { $0.core.queue != nil && $0.core.state != .created && $0.core.state != .finished }
  }

  /// The operation as an ordinary reference, or nil if its last one has gone and its `deinit` has
  /// begun or is about to.
  ///
  /// It is asked for under the lock of the log, and the memory of the operation must still be there.
  var ifAlive: ObservableOperation? {
    isKeptByQueue ? operation : Doubtful(self).operation
  }

  /// Calls `body` with the operation without counting a reference.
  @inline(__always) func look<Result>(_ body: (ObservableOperation) -> Result) -> Result {
    reference._withUnsafeGuaranteedRef(body)
  }

  static func == (left: BorrowedOperation, right: BorrowedOperation) -> Bool {
    left.reference.toOpaque() == right.reference.toOpaque()
  }
}

/// Tells whether an operation is alive.
///
/// A weak reference to an object whose `deinit` has begun is nil from the start, in one atomic step
/// of the runtime. It moves the count of references into an allocation of its own, through which
/// every later use of the object takes its way; that is why it is only made in doubt.
private final class Doubtful {
  private weak var reference: ObservableOperation?

  @inline(never) init(_ borrowed: BorrowedOperation) {
    reference = borrowed.operation
  }

  var operation: ObservableOperation? {
    @inline(never) get { reference }
  }
}
