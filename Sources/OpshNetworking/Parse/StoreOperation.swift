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
/// Cancelling has an effect until all is written, also while it waits for another process to end
/// writing: the store is as it was before. An operation that is held at the phase `saving` is held in
/// the middle: what has been written until then is taken back, so that nothing keeps the store locked,
/// and is written again when it continues.
public final class StoreOperation<Given: Sendable, Stored: Sendable>: ConcurrentOperation<Stored>,
  @unchecked Sendable
{
  // @unchecked because what changes is locked, and the rest is constant.
  private let describe: @Sendable (Stored) -> String
  private let store: @Sendable (Given) throws -> Stored
  private let isDivided: Bool
  private let input: Input<Given>
  /// The description of a value that was dropped.
  private let droppedSummary = Locked<String?>(nil)
  /// Whether a thread writes.
  private let isWriting = Locked(false)

  /// Creates an operation that is on no queue.
  ///
  /// - Parameters:
  ///   - kind: What it does.
  ///   - engine: Its engine, the one of its queue.
  ///   - source: The operation with the value to save; if it does not succeed, this one is skipped.
  ///   - isDivided: Whether the store tells of its progress, with ``StoreWait/note(done:of:)``.
  ///   - describe: Describes what was saved.
  ///   - store: Saves the value.
  /// - Throws: `DependencyError` if the dependency can't be added.
  public init(
    kind: String, engine: OperationEngine, source: ConcurrentOperation<Given>,
    isDivided: Bool = false, describe: @escaping @Sendable (Stored) -> String,
    store: @escaping @Sendable (Given) throws -> Stored
  ) throws(DependencyError) {
    (self.describe, self.store, self.isDivided) = (describe, store, isDivided)
    let input = Input<Given>()
    self.input = input
    super.init(kind: kind, engine: engine)
    try depend(on: source, policy: .skip) { input.put($0) }
  }

  /// Writes.
  public override func execute() {
    guard let given = input.take() else {
      finish(.failure(NetworkError.missingData))
      return
    }
    // A hold is in the middle of the transaction, but must not keep it open.
    if isDivided, isAsked(at: .saving) { return write(given, untilMiddle: true) }
    let write: @Sendable () -> Void = { [self] in self.write(given) }
    if enter(PhaseProgress(.saving), then: write) { write() }
  }

  /// Saving.
  public override var phases: Set<OperationPhase> { [.saving] }

  /// Whether the store may still be writing, which ends as soon as it notices.
  public override var endsAfterInterruption: Bool { isWriting.withLock { $0 } }

  private func write(_ given: Given, untilMiddle: Bool = false) {
    isWriting.withLock { $0 = true }
    runBody { [self] in
      let middle = Locked<PhaseProgress?>(nil)
      let result = Result {
        // Another process may lock the store for longer than the caller waits.
        try StoreWait.endsEarly(when: { [self] in isInterrupted }) {
          try store(given)
        } progress: { done, total in
          guard untilMiddle, done >= total / 2 else { return true }
          middle.withLock { $0 = PhaseProgress(.saving, done: done, of: total) }
          return false
        }
      }
      guard let progress = middle.withLock({ $0 }), !isInterrupted else {
        finish(isInterrupted ? .failure(interruption) : result)
        return
      }
      isWriting.withLock { $0 = false }
      let again: @Sendable () -> Void = { [self] in self.write(given) }
      let note = "rolled back, and written again when it continues"
      if enter(progress, note: note, then: again) { again() }
    }
  }

  private var isInterrupted: Bool { isCancelled || isOverTime }

  private var interruption: any Error {
    isCancelled ? OperationError.cancelled : OperationError.timedOut(limit: timeLimit ?? .zero)
  }

  /// The saved value, if it succeeded.
  public var stored: Stored? {
    guard case .success(let value) = result else { return nil }
    return value
  }

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
