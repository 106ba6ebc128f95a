import OpshNetworking
package import Operations
package import ShellLanguage
import ShellOutput

/// A moment of the log that jobs are shown as of.
package struct PastMoment: Sendable {
  /// Up to where the log is read.
  package let limit: LogPosition.Limit
  /// The time of the moment, where it was given; else that of the last event.
  package let instant: ContinuousClock.Instant?

  package init(_ limit: LogPosition.Limit, at instant: ContinuousClock.Instant?) {
    (self.limit, self.instant) = (limit, instant)
  }

  /// The latest time that belongs to it; nil if it is a position.
  fileprivate var end: ContinuousClock.Instant? {
    if case .time(let end) = limit { end } else { nil }
  }

  /// Whether it is a time, and something was created by then.
  fileprivate func has(_ created: ContinuousClock.Instant?) -> Bool {
    end.map { end in created.map { $0 <= end } ?? false } ?? false
  }

  /// Whether it comes before what a log has all of.
  fileprivate func isBefore(_ lives: WholeLives) -> Bool {
    switch limit {
    case .position(let number): number < lives.position
    case .time(let time): time < lives.time
    case .end, .entry: false
    }
  }
}

/// What shows how jobs were at a moment, while it is asked for.
final class PastWorld: Sendable {
  private let fold: WorldFold
  /// When it was.
  let instant: ContinuousClock.Instant
  /// The operations that there are now.
  let present: OperationRegistry

  init(_ fold: WorldFold, at instant: ContinuousClock.Instant, of present: OperationRegistry) {
    (self.fold, self.instant, self.present) = (fold, instant, present)
  }

  // What has not finished keeps its queue, and is kept by it.
  deinit { fold.abandon() }
}

/// The jobs that commands on this thread work with, if they are those of an earlier moment.
enum CurrentPast {
  private static let slot = ThreadSlot<Jobs>()

  static var value: Jobs? { slot.value }

  /// Runs `body` with commands and names on this thread as of a moment.
  static func with<Result>(_ jobs: Jobs, _ body: () throws -> Result) rethrows -> Result {
    try slot.with(jobs, body)
  }
}

extension Invocation {
  /// Runs the command that an argument holds as of an earlier moment.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - moment: The moment.
  /// - Returns: False if the session did not exist then.
  /// - Throws: What the command throws.
  package func show(_ command: Block, asOf moment: PastMoment) throws -> Bool {
    let origin = OperationRegistry.Origin(source: call.source, range: call.range)
    if !jobs.engine.log.isWhole { try refuseDropped(moment) }
    guard let past = jobs.past(moment, origin: origin) else { return false }
    try CurrentPast.with(past) { _ = try context.runAlone(command) }
    return true
  }

  /// Refuses a moment of which the log no longer has all.
  private func refuseDropped(_ moment: PastMoment) throws {
    guard let lives = jobs.wholeLives else {
      throw call.failure(
        .momentDropped, "the log no longer has the beginning of an operation that goes on",
        help: "when it has finished, 'at' works again; 'set keep N' keeps more")
    }
    guard !moment.isBefore(lives) else {
      let time = TransitionText.time(jobs.clock.elapsed(lives.time)).drop { $0 == " " }
      throw call.failure(
        .momentDropped, "the log no longer has all of that moment: it goes back to \(time)",
        help: "'set keep N' keeps more from now on")
    }
  }

  /// Whether it shows an earlier moment.
  package var isOfPast: Bool { jobs.past != nil }

  /// Runs what is due now, so that what is shown is settled; at an earlier moment all is.
  package func settle() {
    if jobs.past == nil { run.mode.runDueCalls() }
  }
}

extension Jobs {
  /// The error of a name that is that of an operation now, and was not then; nil for another name.
  func laterOperation(_ name: String) -> UnplacedError? {
    guard past?.present.operation(named: name) != nil else { return nil }
    return UnplacedError(
      .unknownOperation, "there was no operation '\(name)' at that moment",
      help: "'show \(name)' says when it was created, 'log' when it was renamed")
  }

  /// The same operation as these jobs show it; nil if they do not have it.
  func shown(_ operation: ObservableOperation) -> ObservableOperation? {
    past == nil || operation.engine === engine ? operation : operations.operation(id: operation.id)
  }

  /// The same queue as these jobs show it; nil if they do not have it.
  func shown(_ queue: InspectableQueue) -> InspectableQueue? {
    past == nil || queue.engine === engine ? queue : allQueues.first { $0.id == queue.id }
  }

  /// Returns the jobs as they were at a moment of the log.
  ///
  /// It takes time in proportion to the log up to there and to the operations.
  ///
  /// - Parameters:
  ///   - moment: The moment.
  ///   - origin: The statement that asks, in place of those that built operations whose records were
  ///     dropped.
  /// - Returns: The jobs, in which nothing runs; nil if there was no queue yet.
  func past(_ moment: PastMoment, origin: OperationRegistry.Origin) -> Jobs? {
    let fold = fold()
    if !engine.log.isWhole { beginQueues(of: fold) }
    fold.follow(engine.log, to: moment.limit)
    let position = fold.position.number
    let instant = max(moment.instant ?? fold.instant, fold.instant)
    let created = operations.all.filter { moment.has($0.timestamps.created) }
    for operation in created { _ = try? fold.operation(operation.id) }
    fold.end(at: instant - engine.startInstant)
    let registry = OperationRegistry()
    (registry.limit, registry.sizeLimit) = (nil, nil)
    for id in fold.operations.keys.sorted() {
      guard let operation = fold.operations[id] else { continue }
      let original = operations.operation(id: id)
      guard original != nil || operations.wasDropped(id) else { continue }
      guard
        operation.state != .created || operation is GroupOperation
          || fold.destinations[id] != nil || moment.has(original?.timestamps.created)
      else { continue }
      if let original {
        try? fold.set(OperationRemainder(of: original), of: id)
        operation.retryPolicy = original.retryPolicy
      }
      registry.add(operation, origin: original.flatMap(operations.origin) ?? origin)
    }
    for (id, queue) in fold.destinations {
      guard let held = registry.operation(id: id), held.state == .created,
        let queue = fold.queues[queue]
      else { continue }
      registry.hold(held, for: queue)
    }
    let world = PastWorld(fold, at: instant, of: operations)
    let groups = Set(
      fold.operations.values.compactMap { ($0 as? GroupOperation)?.innerQueue.id })
    let lasting = fold.queues.values.filter { !groups.contains($0.id) }
    guard let queues = queues.past(at: position, by: moment.end, lasting) else { return nil }
    return Jobs(
      of: world, engine: fold.engine, operations: registry, queues: queues,
      bodies: bodies.past(at: position, by: moment.end, engine: fold.engine), like: self)
  }

  /// From where on the log has all of what had not finished; nil where it never has.
  var wholeLives: WholeLives? {
    engine.log.wholeLives(of: operations.unfinished.filter { $0.state != .created })
  }

  /// Creates the queues of which the log does not have the beginning any more.
  private func beginQueues(of fold: WorldFold) {
    let changes = engine.log.changes(from: 0, limit: .max).changes
    let created = Set(
      changes.compactMap { change -> EventLog.Change.Subject? in
        if case .width(old: nil, _) = change.event { change.subject } else { nil }
      })
    let finished = wholeLives?.finished ?? [:]
    for queue in queues.all where !created.contains(.queue(queue.id)) {
      let beginning = QueueBeginning(
        of: queue, before: changes, finishedSince: finished[queue.id] ?? 0)
      try? fold.begin(queue.id, as: beginning)
    }
  }

  /// A fold of the log, of operations that show what these are called and how they were built.
  private func fold() -> WorldFold {
    let registry = operations
    func identity(of original: ObservableOperation?, _ known: OperationIdentity)
      -> OperationIdentity
    {
      guard !known.isNamed, let original else { return known }
      return OperationIdentity(
        id: known.id, name: registry.firstName(of: original), kind: original.kind)
    }
    return WorldFold(
      of: engine.log, keepingLog: true,
      makeOperation: { known, engine in
        let original = registry.operation(id: known.id)
        let identity = identity(of: original, known)
        if let metrics = original?.networkMetrics {
          return PastRequest(identity, metrics, in: registry, engine: engine)
        }
        return PastOperation(identity, in: registry, engine: engine)
      },
      makeGroup: { known, queue, engine in
        GroupOperation(
          folded: identity(of: registry.operation(id: known.id), known), queue: queue,
          engine: engine)
      })
  }
}

extension ObservableOperation {
  /// The operation that it shows, if it shows how one was; else itself.
  package var actual: ObservableOperation { (self as? PastOperation)?.original ?? self }
}

extension ErrorPage {
  package static let momentDropped = ErrorPage(
    "moment-dropped", "The log no longer has the moment",
    "The event log keeps some 20,000 events, and five for each operation that 'set keep' keeps. "
      + "'at' needs all events of the operations that had not finished at the moment.",
    help: "'set keep N' keeps more from now on",
    wrong: "set keep 10\ndelay 1ms --count 6000\nwait\nat 0 ops",
    right: "delay 1ms --name a\nwait\nat a.started ops", proof: .unproven)
}
