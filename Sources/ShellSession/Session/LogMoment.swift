import Locking
package import Operations
import ShellLanguage

/// The states of all operations as they were right after one entry of the event log.
///
/// An expectation checks a condition after every event, but its thread is later than those that cause
/// the events: an operation may have started and finished in between. So the expectation
/// walks along the log and evaluates the condition as of each entry. Properties that no entry
/// records, such as the bytes received, have their present value.
package final class LogMoment: Sendable {
  /// The state of an operation according to the entries passed so far.
  private struct Known {
    var state: OperationState
    var isCancelled: Bool
  }

  private struct State {
    var known: [Int: Known] = [:]
    /// Other operations are looked up; entries of theirs after this time had not happened yet.
    var horizon: ContinuousClock.Instant
    /// The time of the moment itself.
    var instant: ContinuousClock.Instant
    /// Number of operations in each state, by queue; nil if queues have their present counts.
    var queues: QueueCounts?
  }

  private let state: Locked<State>

  package init(at time: ContinuousClock.Instant) {
    state = Locked(State(horizon: time, instant: time))
  }

  /// The time of the moment; live times count up to it.
  package var instant: ContinuousClock.Instant { state.withLock { $0.instant } }

  /// Keeps the counts of queues entry by entry from here on.
  package func follow(_ queues: QueueCounts?) {
    state.withLock { $0.queues = queues }
  }

  /// Returns how many operations of a queue were in a state, if counts are kept.
  func count(_ property: String, of queue: InspectableQueue) -> Int? {
    guard let state = OperationState(rawValue: property) else { return nil }
    return self.state.withLock { $0.queues?.count(state, of: queue) }
  }

  /// Saves the known state before a batch of entries is passed.
  package func begin(_ entries: [EventLog.Entry]) {
    state.withLock { state in
      for entry in entries where state.known[entry.operation.id] == nil {
        state.known[entry.operation.id] = Known(
          state: entry.from, isCancelled: entry.isCancelled && entry.event != .cancelling)
      }
      if let last = entries.last { state.horizon = max(state.horizon, last.time) }
    }
  }

  /// Advances to a later time at which nothing has changed yet.
  package func advance(to time: ContinuousClock.Instant) {
    state.withLock { $0.instant = max($0.instant, time) }
  }

  /// Advances to the moment after an entry.
  package func pass(_ entry: EventLog.Entry) {
    state.withLock { state in
      state.instant = max(state.instant, entry.time)
      state.known[entry.operation.id] = Known(state: entry.to, isCancelled: entry.isCancelled)
      state.queues?.pass(entry)
    }
  }

  func state(of operation: ObservableOperation) -> OperationState {
    let (known, time) = state.withLock { ($0.known[operation.id], $0.horizon) }
    if let known { return known.state }
    let times = operation.timestamps
    func hasCome(_ instant: ContinuousClock.Instant?) -> Bool {
      instant.map { $0 <= time } ?? false
    }
    if hasCome(times.finished) { return .finished }
    if hasCome(times.executing) { return .executing }
    if hasCome(times.ready) { return .ready }
    return hasCome(times.pending) ? .pending : .created
  }

  /// Whether the operation existed at the moment.
  func has(_ operation: ObservableOperation) -> Bool {
    operation.timestamps.created.map { $0 <= instant } ?? true
  }

  /// Returns a property as of the moment; nil if it was the same as now.
  func value(of property: String, for operation: ObservableOperation) -> Value? {
    switch property {
    case "state": return .string(state(of: operation).rawValue)
    case "cancelled": return isCancelled(operation).map(Value.boolean)
    case "attempts": return precedes("started", of: operation) ? .integer(0) : nil
    default: return precedes(property, of: operation) ? .null : nil
    }
  }

  /// Whether the operation did not have the property yet.
  func precedes(_ property: String, of operation: ObservableOperation) -> Bool {
    // A result can be there before the end.
    if property == "result", operation.state != .finished { return false }
    guard let first = OperationProperty.named(property)?.firstState else { return false }
    return OperationState.allCases.prefix { $0 != first }.contains(state(of: operation))
  }

  /// Whether the operation was cancelled at the moment; nil if that is as now.
  func isCancelled(_ operation: ObservableOperation) -> Bool? {
    state.withLock { $0.known[operation.id]?.isCancelled }
  }
}

/// Number of operations in each state by queue, kept entry by entry.
///
/// Queues that were created later start with no operations.
package struct QueueCounts {
  private struct Counts {
    /// Nil for a queue of which only the name is known.
    weak var queue: InspectableQueue?
    var counts: [OperationState: Int] = [:]
  }

  private var byName: [String: Counts] = [:]

  package init(_ queues: [InspectableQueue] = []) {
    for queue in queues {
      let snapshot = queue.snapshot
      byName[queue.name] = Counts(
        queue: queue,
        counts: [
          .pending: snapshot.pending, .ready: snapshot.ready, .executing: snapshot.executing,
          .finished: snapshot.finished,
        ])
    }
  }

  /// Returns nil for a queue that reuses the name of an earlier one.
  func count(_ state: OperationState, of queue: InspectableQueue) -> Int? {
    guard let known = byName[queue.name] else { return 0 }
    guard known.queue == nil || known.queue === queue else { return nil }
    return known.counts[state, default: 0]
  }

  mutating func pass(_ entry: EventLog.Entry) {
    guard entry.event == .transition, let name = entry.queue else { return }
    byName[name, default: Counts()].counts[entry.from, default: 0] -= 1
    byName[name, default: Counts()].counts[entry.to, default: 0] += 1
  }
}

/// The moment that expressions on this thread refer to, if it is not the present.
package enum CurrentMoment {
  private static let slot = ThreadSlot<LogMoment>()

  static var value: LogMoment? { slot.value }

  /// Runs `body` with expressions on this thread evaluated as of a moment; nil is the present.
  package static func with<Result>(_ moment: LogMoment?, _ body: () throws -> Result) rethrows
    -> Result
  {
    try slot.with(moment, body)
  }
}
