/// What the life of each operation went to, as the event log tells it.
///
/// It is made from the log alone, in one pass over its entries and changes, so that it can be read
/// at any moment and costs the operations nothing while they run. Times of different threads follow
/// the order of the log.
///
/// ```swift
/// let history = LifeHistory(of: engine.log, until: engine.now)
/// for span in history.spans(of: operation.id) { print(span.cause, span.duration) }
/// ```
public struct LifeHistory: Sendable {
  /// When it was read: the end of all that lasts.
  public let now: ContinuousClock.Instant
  private(set) var lives: [Int: OperationLife] = [:]
  private(set) var queues: [Int: QueueConditions] = [:]
  /// Which operations are groups, and their queues.
  private var groupQueues: [Int: Int] = [:]
  /// Which operations had an exclusive name, in order of their starts.
  private(set) var holders: [String: [Int]] = [:]
  /// The pauses that servers asked for.
  private var hostPauses: [(end: ContinuousClock.Instant, id: Int)] = []
  private var plannedPauses: [Int: Duration] = [:]

  /// Reads a log.
  ///
  /// It takes time in proportion to the entries and changes that the log keeps.
  ///
  /// - Parameters:
  ///   - log: The log.
  ///   - now: The present time.
  public init(of log: EventLog, until now: ContinuousClock.Instant) {
    self.now = now
    let entries = log.entries(from: 0, limit: .max).entries
    let changes = log.changes(from: 0, limit: .max).changes
    var next = changes.startIndex
    for entry in entries {
      while next < changes.endIndex, changes[next].position <= entry.sequence {
        apply(changes[next])
        next += 1
      }
      apply(entry)
    }
    for change in changes[next...] { apply(change) }
  }

  /// The life of an operation; nil if the log has nothing about it.
  public func life(of id: Int) -> OperationLife? { lives[id] }

  /// The members of a group, in the order of adding.
  func members(of group: Int) -> [Int] {
    groupQueues[group].flatMap { queues[$0]?.members } ?? []
  }

  func isGroup(_ id: Int) -> Bool { groupQueues[id] != nil }

  // MARK: Changes

  private mutating func apply(_ change: EventLog.Change) {
    switch change.subject {
    case .queue(let id):
      // What was written before the log's first entry of the queue is kept as well.
      apply(change.event, toQueue: id, at: change.time)
    case .operation(let id):
      apply(change.event, to: id, at: change.time)
    }
  }

  private mutating func apply(
    _ event: EventLog.Change.Event, toQueue id: Int, at time: ContinuousClock.Instant
  ) {
    var queue = queues.removeValue(forKey: id) ?? QueueConditions()
    switch event {
    case .width(_, let new): queue.width = new
    case .suspended(let isSuspended): queue.isSuspended = isSuspended
    case .pace(_, let new): queue.hasPace = new > .zero
    case .group(let group):
      queue.group = group
      groupQueues[group] = id
    default: break
    }
    queue.update(at: time)
    queues[id] = queue
  }

  private mutating func apply(
    _ event: EventLog.Change.Event, to id: Int, at time: ContinuousClock.Instant
  ) {
    switch event {
    case .pause(let duration):
      plannedPauses[id] = duration
    case .hostPause(_, let duration):
      hostPauses.append((time + duration, id))
    case .dependency(let other, _, let policy):
      change(id) { life in
        if policy == nil {
          for index in life.edges.indices where life.edges[index].id == other {
            life.edges[index].removed = life.edges[index].removed ?? time
          }
        } else if !life.edges.contains(where: { $0.id == other && $0.removed == nil }) {
          life.edges.append((other, time, nil))
        }
      }
    case .barrier: change(id) { $0.isBarrier = true }
    case .exclusiveNames(_, let names): change(id) { $0.exclusiveNames = names }
    case .startDelay(_, let delay): change(id) { $0.hasDelay = delay > .zero }
    default: break
    }
  }

  private mutating func change(_ id: Int, _ body: (inout OperationLife) -> Void) {
    body(&lives[id, default: OperationLife(id: id)])
  }

  // MARK: Entries

  private mutating func apply(_ entry: EventLog.Entry) {
    let id = entry.operation.id
    switch entry.event {
    case .transition:
      passTransition(entry)
    case .pause:
      let end = plannedPauses.removeValue(forKey: id).map { entry.time + $0 }
      // What is random in it must not hide that the answer to the operation asked for it.
      let asksItself = entry.reason.contains(RetryDecision.requestedPauseNote)
      let asker = asksItself ? id : end.flatMap { self.asker(ofPauseUntil: $0) }
      change(id) { $0.changes.append((entry.time, asker == nil ? .backoff : .hostPause, asker)) }
    case .attempt:
      change(id) { life in
        // The first word of an attempt ends a pause; what follows tells of the same work.
        guard let last = life.changes.last, last.cause != .work else { return }
        life.changes.append((entry.time, .work, nil))
      }
    case .awaitsFinish:
      change(id) { $0.changes.append((entry.time, .awaitsFinish, nil)) }
    case .cancelling:
      change(id) { $0.cancelled = $0.cancelled ?? entry.time }
    case .refusal, .completion:
      break
    }
    lives[id]?.identity = entry.operation
  }

  private mutating func passTransition(_ entry: EventLog.Entry) {
    let (id, time) = (entry.operation.id, entry.time)
    var life = lives.removeValue(forKey: id) ?? OperationLife(id: id)
    switch entry.to {
    case .created: break
    case .pending:
      life.added = time
      life.queueID = entry.queueID
      if let queue = entry.queueID {
        life.turn =
          queues[queue, default: QueueConditions()].add(id, isBarrier: life.isBarrier)
      }
    case .ready: life.ready = time
    case .executing:
      life.started = time
      for name in life.exclusiveNames { holders[name, default: []].append(id) }
    case .finished: life.finished = time
    }
    lives[id] = life
    if let queue = entry.queueID {
      queues[queue, default: QueueConditions()].pass(id, from: entry.from, to: entry.to, at: time)
    }
    if entry.to == .executing, let queue = groupQueues[id] {
      queues[queue]?.groupHasBegun = true
      queues[queue]?.update(at: time)
    }
  }

  /// How far the times of the same pause are apart that a server and an operation tell of.
  private static let pauseTolerance = Duration.milliseconds(20)
  private static let recentPauses = 100

  /// The operation whose answer asked for a pause that ends at a time.
  private func asker(ofPauseUntil end: ContinuousClock.Instant) -> Int? {
    let known = hostPauses.suffix(Self.recentPauses).map {
      (id: $0.id, distance: $0.end > end ? $0.end - end : end - $0.end)
    }
    let nearest = known.min { $0.distance < $1.distance }
    return nearest.flatMap { $0.distance <= Self.pauseTolerance ? $0.id : nil }
  }
}
