import Foundation

extension InspectableQueue {
  /// What the queue decided in one step.
  public struct Decision: Sendable {
    /// What it started.
    public let operation: OperationIdentity
    /// The slot that the operation was given, from 1.
    public let slot: Int
    /// Why it was this operation's turn, in words, without a full stop.
    public let reason: String
    /// Whether it was cancelled, and only ends.
    let isOfCancelled: Bool
  }

  /// Has a suspended queue start its next operations, and says which and why.
  ///
  /// It decides as it would if it were running: the width counts, and priorities, barriers and
  /// exclusive names; the pace does not. The queue stays suspended, so that after a step nothing
  /// else moves but what was started. While observers are notified that an operation is about to
  /// become ready, nothing starts. A decision is made when everything has ended that ends because
  /// of the one before.
  ///
  /// - Parameter count: How many decisions to make.
  /// - Returns: The decisions that were made; fewer than `count` if nothing else can start.
  /// - Throws: ``QueueError/notSuspended(queue:)`` if it runs.
  @discardableResult
  public func step(_ count: Int = 1) throws(QueueError) -> [Decision] {
    engine.virtualClock.endHold()
    var decisions: [Decision] = []
    while true {
      let isOver = try engine.transact { (state) throws(QueueError) -> Bool in
        try decide(count, &decisions, in: &state)
      }
      if isOver || !waitUntilSettled() { return decisions }
    }
  }

  /// Makes decisions as long as everything is settled.
  ///
  /// - Returns: Whether no further one can be made.
  private func decide(
    _ count: Int, _ decisions: inout [Decision], in state: inout EngineState
  ) throws(QueueError) -> Bool {
    guard !core.isDriven else {
      throw .driver(queue: core.name, reason: "OperationQueue has no single steps")
    }
    guard core.isSuspended else { throw .notSuspended(queue: core.name) }
    var readyCounts: [Int]?
    while decisions.count < count {
      state.endStopped()
      guard state.isSettled else { return false }
      guard let decision = Scheduler.step(self, knowing: &readyCounts, in: &state) else {
        return true
      }
      decisions.append(decision)
      // Its end may have made others ready.
      if decision.isOfCancelled { readyCounts = nil }
    }
    return true
  }

  /// Waits until what follows from the last decision has ended, which other threads may do.
  ///
  /// - Returns: Whether that took no longer than a tenth of a second.
  private func waitUntilSettled() -> Bool {
    for _ in 0..<500 {
      if engine.guardedState({ $0.isSettled }) { return true }
      if engine.virtualClock.isInUse { return false }
      usleep(200)
    }
    return false
  }

  /// The shortest time between two starts; zero for none.
  ///
  /// With a pace the queue starts at most one operation in that time, so that one can watch it.
  /// The first one starts at once. A cancelled operation ends without using up a start.
  public var pace: Duration {
    get { read { .nanoseconds($0.pace) } }
    set { setPace(newValue) { true } }
  }

  /// Sets the pace if a condition holds at that moment.
  ///
  /// - Parameters:
  ///   - pace: The shortest time between two starts.
  ///   - isPresent: The condition; called with the engine's lock.
  package func setPace(_ pace: Duration, if isPresent: () -> Bool) {
    let pace = max(0, pace.wholeNanoseconds)
    engine.transact { state in
      guard core.pace != pace, isPresent() else { return }
      state.decide(.pace(old: .nanoseconds(core.pace), new: .nanoseconds(pace)), of: self)
      state.needsScheduling(self)
    }
  }

  /// Looks at that time what can start then.
  func startPaceTimer(at deadline: Int64) {
    _ = engine.timers.schedule(at: deadline) { [weak self] in
      guard let self else { return }
      engine.transact { state in
        // With another pace there was another timer, and this one has no more say.
        guard self.core.paceTimer == deadline else { return }
        self.core.paceTimer = 0
        state.needsScheduling(self)
      }
    }
  }
}
