import Foundation

extension ObservableOperation {
  /// The stage of life it is in.
  public var state: OperationState { read { $0.state } }

  /// How it ended; nil until it has finished.
  public var outcome: OperationOutcome? { read { $0.outcome } }

  /// The error it ended with: its failure or, if its outcome is cancelled, an error with the code
  /// `cancelled` that says who cancelled; nil until it has finished, and for other outcomes.
  public var error: OperationFailure? {
    engine.guarded {
      if core.ending == .cancelled {
        return OperationFailure(code: OperationError.cancelled.code, message: cancellationText)
      }
      return core.outcome?.failure
    }
  }

  /// When it entered each state.
  public var timestamps: StateTimestamps {
    read { StateTimestamps($0.times, start: engine.start) }
  }

  /// The queue that it is on, or was on when it finished.
  ///
  /// A finished operation does not keep the queue: nil also if the queue is gone by then.
  public var queue: InspectableQueue? { read { $0.queue ?? $0.queueTrace?.queue } }

  /// The name of the queue that it is on, or was on when it finished, also if that is gone.
  public var queueName: String? { read { $0.queueTrace?.label.name } }

  /// How many attempts at its work have begun: 0 before it executes.
  public var attempts: Int { read { $0.attempts } }

  /// Its name, which always exists.
  public var displayName: String { identity.name }

  /// Its identity, as data that outlives it.
  public var identity: OperationIdentity {
    engine.guarded { identityInTransaction }
  }

  var identityInTransaction: OperationIdentity {
    OperationIdentity(id: id, label: core.label)
  }

  @inline(__always) func read<Value>(_ body: (borrowing OperationCore) -> Value) -> Value {
    engine.guarded { body(core) }
  }

  /// Records a further attempt at the work inside `executing`, such as a retry.
  ///
  /// - Parameter reason: Why, such as `attempt 2 after invalid-status-code(503)`.
  public func noteAttempt(reason: String) {
    engine.transact { state in
      guard core.state == .executing, !core.isFinishing else { return }
      beginAttempt(reason: reason, in: &state)
    }
    outer?.noteAttempt(reason: reason)
  }

  /// Records something about the work inside `executing`, as a transition to the same state.
  ///
  /// A completion handler may use it too: the operation is not seen as finished before that returns.
  ///
  /// - Parameter reason: What, such as `30 questions at hand, asking again`.
  public func noteProgress(reason: String) {
    engine.transact { state in
      guard core.state == .executing else { return }
      state.record(self, .attempt, from: .executing, cause: .text(reason))
      endPause(at: state.time())
    }
    outer?.noteProgress(reason: reason)
  }

  /// Records that a change was refused which has no way to throw.
  package func noteRefusal(_ reason: String) {
    engine.transact { state in
      state.record(self, .refusal, from: core.state, cause: .text(reason))
    }
  }

  func beginAttempt(reason: String, in state: inout EngineState) {
    state.decide(.attempt(core.attempts + 1), of: self)
    state.record(self, .attempt, from: .executing, cause: .text(reason))
    endPause(at: state.time())
  }

  /// Changes an observable property: announces, changes, and notes the change for the observers.
  func change<Value: Equatable>(
    _ key: ObservedKey, to value: Value, from present: (borrowing OperationCore) -> Value,
    by set: (inout OperationCore, Value) -> Void, as wrap: (Value) -> PropertyValue,
    afterwards: (_ old: Value, inout EngineState) -> Void = { _, _ in }
  ) {
    if read({ present($0) != value }) { announce([key]) }
    engine.transact { state in
      let old = present(core)
      guard old != value else { return }
      set(&core, value)
      core.observers?.note(key, old: { wrap(old) }, new: { wrap(value) }, in: &state)
      afterwards(old, &state)
    }
  }

  func setName(_ name: String?) {
    change(
      .name, to: name, from: { $0.givenName }, by: { $0.givenName = $1 },
      as: { [id, kind] in .name(OperationLabel(kind: kind, givenName: $0).name(id: id)) },
      afterwards: { old, state in
        state.note(.renamed(old: old, new: name), of: self)
        nameChanged(in: &state)
      })
  }

  func setPriority(_ priority: Operation.QueuePriority) {
    change(
      .queuePriority, to: priority, from: { $0.priority }, by: { _, _ in },
      as: { .priority($0) },
      afterwards: { old, state in
        state.decide(.priority(old: old, new: priority), of: self)
        Scheduler.rankAgain(self, in: &state)
      })
  }

  func setQuality(_ quality: QualityOfService) {
    change(
      .qualityOfService, to: quality, from: { $0.quality }, by: { _, _ in },
      as: { .quality($0) },
      afterwards: { old, state in state.decide(.quality(old: old, new: quality), of: self) })
  }

  /// How far it is, from 0 to 1; nil if that is not known.
  ///
  /// The subclass that does the work sets it. Values out of range are brought into it.
  public var progress: Double? {
    get { read { $0.progress } }
    set {
      let fraction = newValue.flatMap { $0.isNaN ? nil : min(max($0, 0), 1) }
      // It is set often, and mostly it is not observed.
      let isDone = engine.guarded { () -> Bool in
        guard core.observers == nil else { return false }
        core.progress = fraction
        return true
      }
      guard !isDone else { return }
      change(
        .progress, to: fraction, from: { $0.progress }, by: { $0.progress = $1 },
        as: { .fraction($0) })
    }
  }

  /// Waits until it has finished.
  ///
  /// Waiting for oneself would never end and is refused.
  ///
  /// - Parameter timeout: How long to wait at most; nil for ever.
  /// - Returns: Whether it has finished.
  @discardableResult
  public func waitUntilFinished(timeout: Duration?) -> Bool {
    if Self.isInside(where: { $0 === self }) { return false }
    let semaphore = DispatchSemaphore(value: 0)
    let waiter = Waiter { semaphore.signal() }
    guard addWaiter(waiter) else { return true }
    let isSignalled =
      timeout == nil
      ? waitInBody { Waiter.block(on: semaphore, timeout: nil) }
      : Waiter.block(on: semaphore, timeout: timeout)
    if isSignalled { return true }
    removeWaiter(waiter)
    return state == .finished
  }

  /// Adds a waiter to resume when the operation finishes.
  ///
  /// - Returns: False if it has finished already; the waiter is then not resumed.
  func addWaiter(_ waiter: Waiter) -> Bool {
    engine.guarded {
      guard core.state != .finished else { return false }
      core.withExtras { $0.waiters.append(waiter) }
      return true
    }
  }

  func removeWaiter(_ waiter: Waiter) {
    engine.guarded { core.extras?.waiters.removeAll { $0 === waiter } }
  }
}
