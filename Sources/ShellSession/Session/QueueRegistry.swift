package import Foundation
import OpshLocking
package import Operations
package import ShellLanguage

/// The queues of the session but those of groups, in the order they were made, and which of them is in use.
package final class QueueRegistry: Sendable {
  private struct State {
    private(set) var queues: [InspectableQueue] = []
    /// The same by name; the name of a queue does not change.
    private(set) var byName: [String: InspectableQueue] = [:]
    var inUse: InspectableQueue
    /// The queues that are set for kinds of operations.
    var routes: [String: InspectableQueue] = [:]
    /// Which queue came into use, and which was removed.
    var history: [(moment: LogMoment, event: Event)] = []

    enum Event {
      case used(Int)
      case removed(Int)
    }

    init(queues: [InspectableQueue], inUse: InspectableQueue) {
      self.inUse = inUse
      history = [(LogMoment(position: 0, time: inUse.engine.startInstant), .used(inUse.id))]
      for queue in queues { add(queue) }
    }

    mutating func add(_ queue: InspectableQueue) {
      queues.append(queue)
      byName[queue.name] = queue
    }

    mutating func use(_ queue: InspectableQueue) {
      inUse = queue
      history.append((LogMoment(of: queue.engine), .used(queue.id)))
    }

    mutating func remove(_ queue: InspectableQueue) {
      history.append((LogMoment(of: queue.engine), .removed(queue.id)))
      queues.removeAll { $0 === queue }
      if byName[queue.name] === queue { byName[queue.name] = nil }
    }
  }

  package static let defaultName = "network"
  /// The queue for internal work that the user did not ask for (`queue route`).
  package static let systemName = "system"
  /// The queue whose operations run on the interpreter's thread, one at a time.
  package static let mainName = "main"
  /// The queue for operations that cache quotes; created when it is first named.
  private static let quotesName = "quotes"
  /// Names that mean a queue in every session.
  static let standingNames: [String] = [defaultName, systemName, mainName, quotesName]
  package static let defaultWidth = 2
  package static let reservedNames: [String] = [
    "all", "last", "main", "on", "off", "new", "none", "unlimited", "auto",
  ]

  private let state: Locked<State>
  private let engine: OperationEngine
  /// How many events the log had when the queues of every session had been created.
  private let origin: Int

  /// - Parameters:
  ///   - engine: The engine of the queues.
  ///   - mainExecutor: Runs operations on the interpreter's thread.
  init(engine: OperationEngine, mainExecutor: @escaping InspectableQueue.Executor) {
    self.engine = engine
    let network = InspectableQueue(
      name: Self.defaultName, maxConcurrentOperationCount: Self.defaultWidth, engine: engine)
    let system = InspectableQueue(
      name: Self.systemName, maxConcurrentOperationCount: Self.defaultWidth, engine: engine)
    let main = InspectableQueue(
      name: Self.mainName, maxConcurrentOperationCount: 1, engine: engine, executor: mainExecutor)
    state = Locked(State(queues: [network, system, main], inUse: network))
    origin = engine.log.position
  }

  var all: [InspectableQueue] { state.withLock { $0.queues } }

  package var names: [String] { all.map(\.name) }

  /// The default queue for commands without a queue name.
  package var inUse: InspectableQueue { state.withLock { $0.inUse } }

  package func queue(named name: String) -> InspectableQueue? {
    state.withLock { $0.byName[name] }
  }

  /// Returns the queue of a name; may create a predefined queue.
  func queue(meant name: String) -> InspectableQueue? {
    queue(named: name) ?? (name == Self.quotesName ? try? quotesQueue() : nil)
  }

  package func use(_ queue: InspectableQueue) {
    state.withLock { $0.use(queue) }
  }

  /// Creates a queue.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - width: How many of its operations may execute at once.
  ///   - quality: Its class of service.
  ///   - link: The process that runs it; nil for a queue of opsh.
  /// - Returns: The queue.
  /// - Throws: `UnplacedError` if the name is invalid, reserved, or taken.
  package func make(
    name: String, width: Int, quality: QualityOfService = .default, link: FoundationLink? = nil
  ) throws(UnplacedError) -> InspectableQueue {
    try UnplacedError.check(name: name, reserved: Self.reservedNames)
    let engine = engine
    return try state.withLock { state throws(UnplacedError) in
      guard state.byName[name] == nil else { throw .taken(name) }
      let queue = InspectableQueue(
        name: name, maxConcurrentOperationCount: width, qualityOfService: quality,
        engine: engine, driver: link)
      state.add(queue)
      return queue
    }
  }

  /// The queue for operations that cache quotes: one at a time, with high priority because the user
  /// waits for them.
  ///
  /// It appears in lists only after a command has named it.
  package func quotesQueue() throws(UnplacedError) -> InspectableQueue {
    if let queue = queue(named: Self.quotesName) { return queue }
    let queue: InspectableQueue
    do throws(UnplacedError) {
      queue = try make(name: Self.quotesName, width: 1, quality: .userInitiated)
    } catch {
      // Another thread created the queue first.
      guard let made = self.queue(named: Self.quotesName) else { throw error }
      return made
    }
    return queue
  }

  /// Removes a queue.
  ///
  /// Removing the queue in use makes the default queue the one in use.
  func remove(_ queue: InspectableQueue) {
    state.withLock { state in
      state.remove(queue)
      state.routes = state.routes.filter { $0.value !== queue }
      if state.inUse === queue, let first = state.queues.first { state.use(first) }
    }
  }

  /// Replaces all queues by those of a recording.
  func replace(by queues: [InspectableQueue], inUse: InspectableQueue?) {
    state.withLock { state in
      guard let first = queues.first else { return }
      let inUse = inUse ?? queues.first { $0.name == state.inUse.name }
      state = State(queues: queues, inUse: inUse ?? first)
    }
  }

  // MARK: The past

  /// Creates a registry that shows queues of a moment.
  private init(showing queues: [InspectableQueue], inUse: InspectableQueue) {
    engine = inUse.engine
    origin = 0
    state = Locked(State(queues: queues, inUse: inUse))
  }

  /// Returns the queues as they were when the log had so many events.
  ///
  /// - Parameters:
  ///   - position: How many.
  ///   - end: When it was at the latest; nil for right after the last of them.
  ///   - queues: All queues of the session that had been created by then, as they were.
  /// - Returns: Those that had not been removed; nil if there were none yet.
  func past(
    at position: Int, by end: ContinuousClock.Instant?, _ queues: [InspectableQueue]
  ) -> QueueRegistry? {
    let history = state.withLock { $0.history }.prefix { $0.moment.isIn(position, by: end) }
    var (inUse, removed): (Int?, Set<Int>) = (nil, [])
    for entry in history {
      switch entry.event {
      case .used(let id): inUse = id
      case .removed(let id): removed.insert(id)
      }
    }
    guard position >= origin else { return nil }
    let kept = queues.filter { !removed.contains($0.id) }.sorted { $0.id < $1.id }
    return (kept.first { $0.id == inUse } ?? kept.first).map {
      QueueRegistry(showing: kept, inUse: $0)
    }
  }

  // MARK: Routes

  /// Returns the queue that is set for a kind of operation, if there is one.
  package func route(of kind: String) -> InspectableQueue? { state.withLock { $0.routes[kind] } }

  /// Sets the queue for a kind of operation; nil removes the setting.
  package func setRoute(of kind: String, to queue: InspectableQueue?) {
    state.withLock { $0.routes[kind] = queue }
  }
}
