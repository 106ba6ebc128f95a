import Foundation
import OpshLocking
package import Operations
import ShellOutput
import OpshSystemCalls

/// Simulates the life cycle of an app: foreground, background with limited time for essential
/// operations, and termination.
package final class AppLife: Sendable {
  package enum Phase: String, Sendable {
    case foreground, background, terminated
  }

  private struct State {
    var phase = Phase.foreground
    var essential: Set<Int> = []
    /// When the background time ends; nil while no essential operation needs it.
    var deadline: ContinuousClock.Instant?
    /// What was cancelled since the app left the foreground, because it left or ended.
    var cancelled: [ObservableOperation] = []
    /// Counts the moves to the background, so that a countdown can detect that it is out of date.
    var generation = 0
  }

  private let state = Locked(State())
  /// The queue that shows the countdown, because output may take long.
  private let queue = DispatchQueue(label: "opsh.app")
  private let clock: SessionClock
  private let engine: OperationEngine
  private let operations: OperationRegistry
  private let wakeUp: WakeUp

  init(engine: OperationEngine, operations: OperationRegistry, wakeUp: WakeUp) {
    self.engine = engine
    self.operations = operations
    self.wakeUp = wakeUp
    clock = SessionClock(engine: engine)
  }

  package var phase: Phase { state.withLock { $0.phase } }

  /// The remaining background time.
  package var remaining: Duration? {
    state.withLock { $0.deadline }.map { max(.zero, $0 - clock.now) }
  }

  /// Marks an operation as essential: it gets background time to finish.
  package func noteEssential(_ operation: ObservableOperation) {
    _ = state.withLock { $0.essential.insert(operation.id) }
  }

  /// Whether the operation, or a group that contains it, is essential.
  package func isEssential(_ operation: ObservableOperation) -> Bool {
    let ids = [operation.id] + operation.enclosingGroups.map(\.id)
    return state.withLock { state in ids.contains { state.essential.contains($0) } }
  }

  /// The identifiers of unfinished operations that the end of the time in the background will cancel.
  package var expiring: Set<Int> {
    guard remaining != nil else { return [] }
    return Set(operations.unfinished.filter { isEssential($0) }.map(\.id))
  }

  /// Enters the background: cancels operations that are not essential and starts the countdown.
  ///
  /// - Parameters:
  ///   - grace: The time that essential operations have left.
  ///   - screen: Where the countdown is shown.
  /// - Returns: The number of cancelled operations, and the operations that have time left.
  package func enterBackground(
    grace: Duration, on screen: Screen
  ) -> (cancelled: Int, essential: [ObservableOperation]) {
    let unfinished = operations.unfinished
    let essential = unfinished.filter { isEssential($0) }
    // A group that contains an essential operation stays: cancelling it would cancel its members.
    let kept = Set(essential.flatMap { [$0.id] + $0.enclosingGroups.map(\.id) })
    let others = unfinished.filter { !kept.contains($0.id) }
    let generation = state.withLock { state in
      state.phase = .background
      state.generation += 1
      state.deadline = essential.isEmpty ? nil : clock.now + grace
      return state.generation
    }
    cancel(others, by: "'app background'")
    if !essential.isEmpty { scheduleLook(screen, generation, after: min(grace, .seconds(1))) }
    return (others.count, essential)
  }

  /// Returns to the foreground: running operations have no time limit any more, and those that
  /// waited for it go on.
  ///
  /// - Returns: The operations that waited, and those that were cancelled since the app left.
  package func enterForeground() -> (
    waiting: [ObservableOperation], cancelled: [ObservableOperation]
  ) {
    let cancelled = state.withLock { state in
      defer { state.cancelled = [] }
      state.phase = .foreground
      state.generation += 1
      state.deadline = nil
      return state.cancelled
    }
    let waiting = waiting
    engine.withoutStarting {
      for operation in waiting { operation.awaitsForeground = false }
    }
    return (waiting, cancelled)
  }

  /// The operations that wait for the foreground.
  package var waiting: [ObservableOperation] {
    operations.unfinished.filter { $0.awaitsForeground && !$0.isCancelled }
  }

  /// Has operations that are about to be added wait for the foreground, unless the app is there or
  /// they are essential.
  ///
  /// What is in a group waits with the group. A queue that Foundation runs knows no such wait.
  ///
  /// - Parameters:
  ///   - built: The operations.
  ///   - queue: Their queue.
  ///   - groups: The groups around the queue.
  package func hold(
    _ built: [ObservableOperation], for queue: InspectableQueue, in groups: [GroupOperation]
  ) {
    guard phase == .background, queue.driver == nil,
      !groups.contains(where: {
        $0.state == .created || $0.awaitsForeground || isEssential($0)
      })
    else { return }
    let held = built.filter { !isEssential($0) }
    for operation in held { operation.awaitsForeground = true }
    // The body of an operation may just have brought the app to the foreground.
    guard phase != .background else { return }
    for operation in held { operation.awaitsForeground = false }
  }

  private func cancel(_ others: [ObservableOperation], by requester: String) {
    state.withLock { state in state.cancelled += others.filter { !$0.isCancelled } }
    ObservableOperation.cancelAll(others, by: requester)
  }

  /// Terminates the app: cancels every operation, essential or not.
  ///
  /// - Returns: The number of cancelled operations.
  package func terminate() -> Int {
    state.withLock { state in
      state.phase = .terminated
      state.generation += 1
      state.deadline = nil
    }
    let left = operations.unfinished.filter { !$0.isCancelled }
    cancel(left, by: "'app terminate'")
    return left.count
  }

  // MARK: The countdown

  private func scheduleLook(_ screen: Screen, _ generation: Int, after time: Duration) {
    engine.perform(after: max(.zero, time)) { [weak self, weak screen] in
      guard let self else { return }
      engine.perform(on: queue) { [weak self, weak screen] in
        guard let self, let screen else { return }
        look(screen, generation)
      }
    }
  }

  /// Ends the countdown, because nothing is unfinished.
  func endIdleCountdown() {
    end(state.withLock { $0.generation })
  }

  private func look(_ screen: Screen, _ generation: Int) {
    let deadline = state.withLock { $0.generation == generation ? $0.deadline : nil }
    guard let deadline else { return }
    let left = operations.unfinished.filter { isEssential($0) }
    guard !left.isEmpty else {
      screen.tell("app", "app: all that is essential has finished; it sleeps now")
      return end(generation)
    }
    let remaining = deadline - clock.now
    let names = OperationList.names(left)
    guard remaining > .zero else {
      screen.tell("app", "app: the time in the background is over; cancelling \(names)")
      cancel(left, by: "the end of the time in the background")
      // Only now: until then a wait can count on it.
      return end(generation)
    }
    let seconds = Int((remaining / .seconds(1)).rounded())
    screen.tell("app", "app: \(max(1, seconds)) s left for \(names)")
    scheduleLook(screen, generation, after: min(remaining, .seconds(1)))
  }

  private func end(_ generation: Int) {
    state.withLock { state in
      if state.generation == generation { state.deadline = nil }
    }
    // A wait that counted on it looks again.
    wakeUp.signal()
  }
}
