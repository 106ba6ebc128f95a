import Foundation
import Locking
import Operations
import Synchronization

/// The states of all operations as they were right after one entry of the event log.
///
/// An expectation looks at what is true after every event, but the thread that looks is behind the
/// threads on which things happen: an operation may have started and finished in between. So it
/// walks along the log, and asks what was true then. What no entry tells of, such as the bytes
/// received, is as it is now.
final class LogMoment: Sendable {
  private struct State {
    /// The states that entries told of.
    var states: [Int: OperationState] = [:]
    /// Others are looked up; what they entered later than this had not happened yet.
    var time: ContinuousClock.Instant
  }

  private let state: Locked<State>

  init(at time: ContinuousClock.Instant) {
    state = Locked(State(time: time))
  }

  /// Takes note of entries that are about to be walked along.
  func begin(_ entries: [EventLog.Entry]) {
    state.withLock { state in
      for entry in entries where state.states[entry.operation.id] == nil {
        state.states[entry.operation.id] = entry.from
      }
      if let last = entries.last { state.time = max(state.time, last.time) }
    }
  }

  /// Goes on to the moment after an entry.
  func pass(_ entry: EventLog.Entry) {
    state.withLock { $0.states[entry.operation.id] = entry.to }
  }

  /// Forgets what entries told, because the log has lost some.
  func reset(at time: ContinuousClock.Instant) {
    state.withLock { $0 = State(time: time) }
  }

  func state(of operation: ObservableOperation) -> OperationState {
    let (known, time) = state.withLock { ($0.states[operation.id], $0.time) }
    if let known { return known }
    let times = operation.timestamps
    func hasCome(_ instant: ContinuousClock.Instant?) -> Bool {
      instant.map { $0 <= time } ?? false
    }
    if hasCome(times.finished) { return .finished }
    if hasCome(times.executing) { return .executing }
    if hasCome(times.ready) { return .ready }
    return hasCome(times.pending) ? .pending : .created
  }

  /// Whether an operation had no such property yet.
  func precedes(_ property: String, of operation: ObservableOperation) -> Bool {
    switch property {
    case "finished", "outcome", "error": return state(of: operation) != .finished
    case "result": return operation.state == .finished && state(of: operation) != .finished
    case "started", "duration": return [.created, .pending, .ready].contains(state(of: operation))
    case "ready": return [.created, .pending].contains(state(of: operation))
    default: return false
    }
  }
}

/// The moment that expressions on this thread are about, if it is not the present.
enum CurrentMoment {
  private static let key = "opsh.moment"
  /// How many threads have one: looking into a thread's dictionary is not for every property.
  private static let count = Atomic(0)

  static var value: LogMoment? {
    guard count.load(ordering: .relaxed) > 0 else { return nil }
    return Thread.current.threadDictionary[key] as? LogMoment
  }

  /// Runs `body` with expressions on this thread being about a moment.
  static func with<Result>(_ moment: LogMoment, _ body: () throws -> Result) rethrows -> Result {
    let before = Thread.current.threadDictionary[key]
    Thread.current.threadDictionary[key] = moment
    count.add(1, ordering: .relaxed)
    defer {
      count.subtract(1, ordering: .relaxed)
      Thread.current.threadDictionary[key] = before
    }
    return try body()
  }
}
