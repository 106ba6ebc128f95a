public import Operations
import Locking

/// Holds what one operation gives another until that one begins.
final class Input<Value: Sendable>: Sendable {
  private let value = Locked<Value?>(nil)

  func put(_ new: Value) { value.withLock { $0 = new } }

  /// Takes it out, so that it is let go when it has been used.
  func take() -> Value? {
    value.withLock { value in
      defer { value = nil }
      return value
    }
  }
}

/// Puts what another operation gives into a store, on a thread that may block.
///
/// Cancelling has an effect until it has begun to write, also while it waits for another process to
/// end writing.
public final class StoreOperation<Given: Sendable, Stored: Sendable>: BlockingOperation,
  @unchecked Sendable
{
  // @unchecked because `droppedSummary` is locked, and the rest is constant.
  private let describe: @Sendable (Stored) -> String
  /// What there was to say of a value that was dropped.
  private let droppedSummary = Locked<String?>(nil)

  /// Creates an operation that is on no queue.
  ///
  /// - Parameters:
  ///   - name: The name; nil for one made of the kind and the number.
  ///   - kind: What it does.
  ///   - log: The log of its transitions.
  ///   - source: Gives what is to be stored; if it does not succeed, this is skipped.
  ///   - describe: Says in a few words what was stored.
  ///   - store: Stores it.
  /// - Throws: `DependencyError` where the two can't be joined.
  public init(
    name: String? = nil, kind: String, log: EventLog, source: ConcurrentOperation<Given>,
    describe: @escaping @Sendable (Stored) -> String,
    store: @escaping @Sendable (Given) throws -> Stored
  ) throws(DependencyError) {
    self.describe = describe
    let input = Input<Given>()
    super.init(name: name, kind: kind, log: log) { operation in
      guard !operation.isCancelled else { return nil }
      guard let given = input.take() else { throw NetworkError.missingData }
      // Another process may hold the store for longer than anybody waits for this.
      return try StoreWait.endsEarly(when: { operation.isCancelled }) { try store(given) }
    }
    try depend(on: source, policy: .skip) { input.put($0) }
  }

  /// What was stored, if it succeeded.
  public var stored: Stored? { resultValue as? Stored }

  /// Says what was stored, also after the value was dropped.
  public override var outcomeSummary: String? {
    stored.map(describe) ?? droppedSummary.withLock { $0 }
  }

  /// Releases what was stored, and keeps the words for it.
  public override func releaseValue() {
    let summary = stored.map(describe)
    droppedSummary.withLock { $0 = summary }
    super.releaseValue()
  }
}
