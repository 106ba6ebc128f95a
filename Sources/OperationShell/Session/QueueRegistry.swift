import Foundation
import Locking
import Operations

/// The queues of the session but those of groups, in the order they were made, and which of them is in use.
final class QueueRegistry: Sendable {
  private struct State {
    var queues: [InspectableQueue]
    var inUse: InspectableQueue
    /// Where operations of a kind go by themselves.
    var routes: [String: InspectableQueue] = [:]
  }

  static let defaultName = "network"
  /// For work that is none of the user's (`queue route`).
  static let systemName = "system"
  /// For all that keeps quotes; made when it is first named.
  private static let quotesName = "quotes"
  /// The names that mean a queue in every session.
  static let standingNames: [String] = [defaultName, systemName, quotesName]
  static let defaultWidth = 2
  /// What can be given a queue of its own.
  static let routeKinds: [String] = [
    "questions", "answers", "tweets", "quotes", "requests", "downloads", "programs",
  ]
  static let reservedNames: [String] = [
    "all", "last", "on", "off", "new", "none", "unlimited", "auto",
  ]

  private let state: Locked<State>
  private let log: EventLog

  init(log: EventLog) {
    self.log = log
    let network = InspectableQueue(
      name: Self.defaultName, maxConcurrentOperationCount: Self.defaultWidth, log: log)
    let system = InspectableQueue(
      name: Self.systemName, maxConcurrentOperationCount: Self.defaultWidth, log: log)
    state = Locked(State(queues: [network, system], inUse: network))
  }

  var all: [InspectableQueue] { state.withLock { $0.queues } }

  var names: [String] { all.map(\.name) }

  /// The queue that is meant where no name is given.
  var inUse: InspectableQueue { state.withLock { $0.inUse } }

  func queue(named name: String) -> InspectableQueue? {
    state.withLock { $0.queues.first { $0.name == name } }
  }

  /// The queue that somebody means by a name, which may be made by that.
  func queue(meant name: String) -> InspectableQueue? {
    queue(named: name) ?? (name == Self.quotesName ? try? quotesQueue() : nil)
  }

  func use(_ queue: InspectableQueue) {
    state.withLock { $0.inUse = queue }
  }

  /// Makes a queue.
  ///
  /// - Throws: `NameError` where the name is no name, reserved, or taken.
  func make(name: String, width: Int) throws(NameError) -> InspectableQueue {
    try NameError.check(name, reserved: Self.reservedNames)
    let log = log
    return try state.withLock { state throws(NameError) in
      guard !state.queues.contains(where: { $0.name == name }) else { throw .taken(name) }
      let queue = InspectableQueue(name: name, maxConcurrentOperationCount: width, log: log)
      state.queues.append(queue)
      return queue
    }
  }

  /// The queue for all that keeps quotes, one at a time, and soon, because somebody waits for it.
  ///
  /// Whoever never names it has it in no list.
  func quotesQueue() throws(NameError) -> InspectableQueue {
    if let queue = queue(named: Self.quotesName) { return queue }
    let queue: InspectableQueue
    do throws(NameError) {
      queue = try make(name: Self.quotesName, width: 1)
    } catch {
      // Another thread was faster.
      guard let made = self.queue(named: Self.quotesName) else { throw error }
      return made
    }
    queue.qualityOfService = .userInitiated
    return queue
  }

  /// Forgets a queue.
  ///
  /// Whoever removes the one in use goes back to the default queue.
  func remove(_ queue: InspectableQueue) {
    state.withLock { state in
      state.queues.removeAll { $0 === queue }
      state.routes = state.routes.filter { $0.value !== queue }
      if state.inUse === queue, let first = state.queues.first { state.inUse = first }
    }
  }

  // MARK: Routes

  /// Which of those an operation of a kind is.
  static func routeKind(of kind: String) -> String {
    switch kind {
    case "get", "head", "post", "put", "patch", "delete": "requests"
    case "download": "downloads"
    case "run": "programs"
    default: kind.split(separator: " ").last.map(String.init) ?? kind
    }
  }

  /// Where operations of a kind go by themselves, if that was set.
  func route(of kind: String) -> InspectableQueue? { state.withLock { $0.routes[kind] } }

  /// Sets where operations of a kind go by themselves; nil takes it back.
  func setRoute(of kind: String, to queue: InspectableQueue?) {
    state.withLock { $0.routes[kind] = queue }
  }
}
