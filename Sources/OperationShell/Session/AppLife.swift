import Foundation
import Locking
import Operations

/// The life of an app that the session plays: in the foreground, in the background with some time
/// left for what must finish, or terminated.
final class AppLife: Sendable {
  enum Phase: String, Sendable {
    case foreground, background, terminated
  }

  private struct State {
    var phase = Phase.foreground
    var essential: Set<Int> = []
    /// When the time in the background is over; nil while nobody needs it.
    var deadline: ContinuousClock.Instant?
    /// Counts the times it went to the background, so that an old countdown knows that it is.
    var generation = 0
  }

  private let state = Locked(State())
  /// Where the countdown shows itself, which may take long.
  private let queue = DispatchQueue(label: "opsh.app")
  private let clock: SessionClock
  private let log: EventLog

  init(log: EventLog) {
    self.log = log
    clock = SessionClock(log: log)
  }

  var phase: Phase { state.withLock { $0.phase } }

  /// How much of the time in the background is left.
  var remaining: Duration? {
    state.withLock { $0.deadline }.map { max(.zero, $0 - clock.now) }
  }

  /// Notes that an operation must be given time to finish.
  func noteEssential(_ operation: ObservableOperation) {
    _ = state.withLock { $0.essential.insert(operation.id) }
  }

  /// Whether an operation, or a group that it is in, must be given time to finish.
  func isEssential(_ operation: ObservableOperation) -> Bool {
    let ids = [operation.id] + operation.enclosingGroups.map(\.id)
    return state.withLock { state in ids.contains { state.essential.contains($0) } }
  }

  /// Goes to the background: cancels what is not essential and counts the rest's time down.
  ///
  /// - Parameters:
  ///   - session: Whose operations.
  ///   - grace: How long the essential ones have.
  /// - Returns: How many were cancelled, and which have time left.
  func enterBackground(
    _ session: Session, grace: Duration
  ) -> (cancelled: Int, essential: [ObservableOperation]) {
    let unfinished = session.operations.unfinished
    let essential = unfinished.filter { isEssential($0) }
    // A group that holds something essential goes on, for its end would be that of all in it.
    let kept = Set(essential.flatMap { [$0.id] + $0.enclosingGroups.map(\.id) })
    let others = unfinished.filter { !kept.contains($0.id) }
    let generation = state.withLock { state in
      state.phase = .background
      state.generation += 1
      state.deadline = essential.isEmpty ? nil : clock.now + grace
      return state.generation
    }
    ObservableOperation.cancelAll(others, by: "'app background'")
    if !essential.isEmpty { scheduleLook(session, generation, after: min(grace, .seconds(1))) }
    return (others.count, essential)
  }

  /// Comes back; what still runs goes on without a limit.
  func enterForeground() {
    state.withLock { state in
      state.phase = .foreground
      state.generation += 1
      state.deadline = nil
    }
  }

  /// Ends: everything is cancelled, essential or not.
  ///
  /// - Returns: How many were.
  func terminate(_ session: Session) -> Int {
    state.withLock { state in
      state.phase = .terminated
      state.generation += 1
      state.deadline = nil
    }
    let unfinished = session.operations.unfinished
    ObservableOperation.cancelAll(unfinished, by: "'app terminate'")
    return unfinished.count
  }

  // MARK: The countdown

  private func scheduleLook(_ session: Session, _ generation: Int, after time: Duration) {
    log.perform(after: max(.zero, time)) { [weak self, weak session] in
      guard let self else { return }
      log.perform(on: queue) { [weak self, weak session] in
        guard let self, let session else { return }
        look(session, generation)
      }
    }
  }

  private func look(_ session: Session, _ generation: Int) {
    let deadline = state.withLock { $0.generation == generation ? $0.deadline : nil }
    guard let deadline else { return }
    let left = session.operations.unfinished.filter { isEssential($0) }
    guard !left.isEmpty else {
      end(generation)
      return session.tell("app", "app: all that is essential has finished; it sleeps now")
    }
    let remaining = deadline - clock.now
    let names = OperationTable.names(left)
    guard remaining > .zero else {
      end(generation)
      session.tell("app", "app: the time in the background is over; cancelling \(names)")
      return ObservableOperation.cancelAll(left, by: "the end of the time in the background")
    }
    let seconds = Int((remaining / .seconds(1)).rounded())
    session.tell("app", "app: \(max(1, seconds)) s left for \(names)")
    scheduleLook(session, generation, after: min(remaining, .seconds(1)))
  }

  private func end(_ generation: Int) {
    state.withLock { state in
      if state.generation == generation { state.deadline = nil }
    }
  }
}
