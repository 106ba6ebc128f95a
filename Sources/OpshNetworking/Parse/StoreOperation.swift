import OpshLocking
public import Operations

/// Holds the result of one operation until another one starts.
final class Input<Value: Sendable>: Sendable {
  private let value = Locked<Value?>(nil)

  func put(_ new: Value) { value.withLock { $0 = new } }

  /// Removes and returns it, so that it is released after use.
  func take() -> Value? {
    value.withLock { value in
      defer { value = nil }
      return value
    }
  }
}

/// Saves the result of another operation in a store, on a thread that may block.
///
/// Cancelling has an effect until writing starts, also while it waits for another process to end
/// writing.
public final class StoreOperation<Given: Sendable, Stored: Sendable>: BlockingOperation,
  @unchecked Sendable
{
  // @unchecked because `droppedSummary` is locked, and the rest is constant.
  private let describe: @Sendable (Stored) -> String
  /// The description of a value that was dropped.
  private let droppedSummary = Locked<String?>(nil)

  /// Creates an operation that is on no queue.
  ///
  /// - Parameters:
  ///   - kind: What it does.
  ///   - engine: Its engine, the one of its queue.
  ///   - source: The operation with the value to save; if it does not succeed, this one is skipped.
  ///   - describe: Describes what was saved.
  ///   - store: Saves the value.
  /// - Throws: `DependencyError` if the dependency can't be added.
  public init(
    kind: String, engine: OperationEngine, source: ConcurrentOperation<Given>,
    describe: @escaping @Sendable (Stored) -> String,
    store: @escaping @Sendable (Given) throws -> Stored
  ) throws(DependencyError) {
    self.describe = describe
    let input = Input<Given>()
    super.init(kind: kind, engine: engine) { operation in
      guard !operation.isCancelled else { return nil }
      guard let given = input.take() else { throw NetworkError.missingData }
      // Another process may lock the store for longer than the caller waits.
      return try StoreWait.endsEarly(when: { operation.isCancelled }) { try store(given) }
    }
    try depend(on: source, policy: .skip) { input.put($0) }
  }

  /// The saved value, if it succeeded.
  public var stored: Stored? { resultValue as? Stored }

  /// Describes what was saved, also after the value was dropped.
  public override var outcomeSummary: String? {
    stored.map(describe) ?? droppedSummary.withLock { $0 }
  }

  /// Releases the saved value, and keeps its description.
  public override func releaseValue() {
    let summary = stored.map(describe)
    droppedSummary.withLock { $0 = summary }
    super.releaseValue()
  }
}
