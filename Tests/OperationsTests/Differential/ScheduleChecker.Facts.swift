import Foundation
import OpshLocking
import Operations

extension ScheduleChecker {
  /// An entry of the log, reduced to what is checked; also made by hand to check the checker.
  struct Event: Sendable {
    var sequence: Int
    var operation: Int
    var queue: String? = "q"
    var kind: EventLog.Entry.Event = .transition
    var from: OperationState
    var to: OperationState
    var isCancelled: Bool = false
    var outcome: OperationOutcome?
    /// When it happened; nil where that does not matter.
    var time: ContinuousClock.Instant?
  }

  /// When something was done that the log does not tell: after the entries before `lowerBound`,
  /// and before the entries from `upperBound` on.
  typealias Window = Range<Int>

  /// A change of priority, of one operation after another.
  struct Change: Sendable {
    let operation: Int
    let priority: Int
    let window: Window
  }

  /// A dependency.
  struct Edge: Sendable {
    let operation: Int
    let upstream: Int
    var policy: FailurePolicy = .run
    /// When it was made.
    var window: Window = 0..<0
  }

  /// What the log does not say and the rule needs to know.
  struct Facts: Sendable {
    /// The width of each queue; below 0 for no limit.
    var widths: [String: Int] = [:]
    /// The priority that each operation was added with; normal if it is not in here.
    var priorities: [Int: Int] = [:]
    /// In the order in which they were made; setting the same priority again is none.
    var changes: [Change] = []
    var edges: [Edge] = []
    /// What each operation must have for itself while it executes.
    var names: [Int: Set<String>] = [:]
    /// How long after it was added an operation may start at the earliest.
    var delays: [Int: Duration] = [:]
    var barriers: Set<Int> = []
    /// The groups, by the name of their inner queue.
    var groups: [String: Int] = [:]
    /// Whether the order of starts is checked.
    ///
    /// Who hears of a start before it happens delays it, and others that are decided on later may
    /// overtake it.
    var isOrderChecked = true
  }
}

/// Steers operations while they run, and keeps what a checker has to know about that.
final class ScheduleRecorder: Sendable {
  private struct State {
    var facts: ScheduleChecker.Facts
    var now: [Int: Int] = [:]
  }
  private let engine: OperationEngine
  private let state: Locked<State>

  init(engine: OperationEngine, widths: [String: Int]) {
    self.engine = engine
    state = Locked(State(facts: ScheduleChecker.Facts(widths: widths)))
  }

  var facts: ScheduleChecker.Facts { state.withLock { $0.facts } }

  /// Keeps what else is to be known.
  func note(_ change: (inout ScheduleChecker.Facts) -> Void) {
    state.withLock { change(&$0.facts) }
  }

  /// Sets the priority of an operation that is on no queue yet.
  func begin(_ operation: ObservableOperation, with priority: Operation.QueuePriority) {
    operation.queuePriority = priority
    state.withLock { state in
      state.facts.priorities[operation.id] = priority.rawValue
      state.now[operation.id] = priority.rawValue
    }
  }

  func depend(
    _ operation: ObservableOperation, on upstream: ObservableOperation, policy: FailurePolicy = .run
  ) throws(DependencyError) {
    let first = engine.log.count
    try operation.depend(on: upstream, policy: policy)
    let window = first..<engine.log.count
    state.withLock { state in
      state.facts.edges.append(
        ScheduleChecker.Edge(
          operation: operation.id, upstream: upstream.id, policy: policy, window: window))
    }
  }

  /// Changes a priority, or sometimes cancels, as a random number wants it.
  func steer(_ operation: ObservableOperation, _ order: UInt64, cancellingOneIn share: UInt64) {
    // What is on no queue yet would be ranked by its adding, which nothing here knows.
    guard operation.state != .created else { return }
    if order.isMultiple(of: share) {
      operation.cancel()
    } else {
      prioritize(operation, GraphScript.levels[Int(order >> 8 & 0xFFFF) % 5])
    }
  }

  /// Changes the priority of one that is on a queue.
  ///
  /// This is done under a lock, so that the order of the changes is known; the engine calls no
  /// handler for this that would take the lock too.
  func prioritize(_ operation: ObservableOperation, _ priority: Operation.QueuePriority) {
    state.withLock { state in
      guard state.now[operation.id] != priority.rawValue else { return }
      state.now[operation.id] = priority.rawValue
      let first = engine.log.count
      operation.queuePriority = priority
      state.facts.changes.append(
        ScheduleChecker.Change(
          operation: operation.id, priority: priority.rawValue, window: first..<engine.log.count))
    }
  }
}
