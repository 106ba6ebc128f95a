import OpshJSON
import OpshLocking
package import Operations
import ShellLanguage
import ShellOutput

/// The operations and queues as they were at a position of the event log.
///
/// An expectation checks a condition after every event, but its thread is later than those that cause
/// the events: an operation may have started and finished in between. So the expectation
/// walks along the log and evaluates the condition as of each entry. What no event tells, such as the
/// bytes received, has its present value.
package final class Moment: Sendable {
  private struct State {
    var fold: WorldFold
    /// The time of the moment.
    var instant: ContinuousClock.Instant
  }

  private let log: EventLog
  private let state: Locked<State>

  /// Creates the moment before an entry.
  ///
  /// - Parameters:
  ///   - sequence: The sequence number of the entry.
  ///   - log: The log.
  ///   - time: The time of the moment.
  package init(before sequence: Int, in log: EventLog, at time: ContinuousClock.Instant) {
    self.log = log
    state = Locked(State(fold: log.takeFold(at: sequence), instant: time))
  }

  deinit { log.keep(state.withLock { $0.fold }) }

  /// The time of the moment; live times count up to it.
  package var instant: ContinuousClock.Instant { state.withLock { $0.instant } }

  /// Advances to a later time at which nothing has changed yet.
  package func advance(to time: ContinuousClock.Instant) {
    state.withLock { $0.instant = max($0.instant, time) }
  }

  /// Advances to the moment after an entry.
  package func pass(_ entry: EventLog.Entry) {
    state.withLock { state in
      state.instant = max(state.instant, entry.time)
      state.fold.follow(log, to: .entry(entry.sequence + 1))
    }
  }

  /// The operation as it was; nil if the log has nothing about it up to the moment.
  private func folded(_ operation: ObservableOperation) -> ObservableOperation? {
    state.withLock { $0.fold.operations[operation.id] }
  }

  func state(of operation: ObservableOperation) -> OperationState {
    if let folded = folded(operation) { return folded.state }
    if state.withLock({ $0.fold.hasForgotten(operation.id) }) { return .finished }
    // Of what the log does not have the beginning of, nothing has changed since.
    return log.isWhole ? .created : operation.state
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
  func isCancelled(_ operation: ObservableOperation) -> Bool? { folded(operation)?.isCancelled }

  /// A property of a queue that its events tell; nil for another one, or if the log has not the
  /// beginning of the queue.
  func value(of property: String, for queue: InspectableQueue) -> Value? {
    guard
      ["pending", "ready", "executing", "finished", "width", "paused", "qos"].contains(property),
      log.isWhole
    else { return nil }
    let folded = state.withLock { $0.fold.queues[queue.id] }
    guard let folded else {
      return ["width", "paused", "qos"].contains(property) ? nil : .integer(0)
    }
    return folded.fields.members.first { $0.name == property }.map { Value(json: $0.value) }
  }
}

/// The moment that expressions on this thread refer to, if it is not the present.
package enum CurrentMoment {
  private static let slot = ThreadSlot<Moment>()

  static var value: Moment? { slot.value }

  /// Runs `body` with expressions on this thread evaluated as of a moment; nil is the present.
  package static func with<Result>(_ moment: Moment?, _ body: () throws -> Result) rethrows
    -> Result
  {
    try slot.with(moment, body)
  }
}
