/// What the life of each operation went to: the spans between the changes of its first blocker.
///
/// It follows a log, asks the world after each event what keeps the operations that the event concerns
/// (the same rules that ``ObservableOperation/waitReasons()`` follows), and keeps what changed. What
/// is the same for all ready operations of a queue is kept once, for the queue.
///
/// ```swift
/// let account = LifeAccount(of: engine.log, until: engine.now)
/// for span in account.spans(of: operation.id) { print(span.cause, span.duration) }
/// ```
///
/// One thread uses it at a time.
public final class LifeAccount {
  /// When the log was read: the end of all that lasts.
  public private(set) var now: ContinuousClock.Instant
  private let log: EventLog
  let fold: WorldFold
  private(set) var lives: [Int: Life] = [:]
  private(set) var queues: [Int: QueueLife] = [:]
  /// The operations that wait for exclusive names outside of the order of starting.
  private var aside: Set<Int> = []
  /// The operations that wait behind a barrier, by its number.
  private var behind: [Int: [Int]] = [:]
  /// The member of each group that finished last.
  private var lastMembers: [Int: Int] = [:]
  private var pauses = RequestedPauses()
  /// What has begun since it was taken; nil if it is not taken.
  private var news: [SpanNews]?
  /// Of queues only what lasts counts: between two operations a slot is free for a moment.
  private var queueNews: [Int: SpanNews] = [:]
  private var told: [Int: (cause: Cause?, holders: [Int])] = [:]

  /// What is known of an operation.
  final class Life {
    var track = CauseTrack()
    var added: Int64 = 0
    var finished: Int64 = 0
    var queue: Int?
    /// The last of its spans that was taken, or will be.
    var told: SpanNews?
  }

  /// What is known of a queue.
  final class QueueLife {
    var track = CauseTrack()
    /// Which operations gave a slot back, in order.
    var ends: [(time: Int64, id: Int)] = []
    var readyCount = 0
  }

  /// Reads a log.
  ///
  /// It takes time in proportion to the events that the log keeps.
  ///
  /// - Parameters:
  ///   - log: The log.
  ///   - now: The present time.
  public init(of log: EventLog, until now: ContinuousClock.Instant) {
    (self.log, self.now) = (log, now)
    fold = WorldFold(of: log)
    fold.observer = self
    update(until: now)
  }

  deinit { fold.observer = nil }

  /// Creates an account of a log of which no event was read; ``follow(_:)`` reads them.
  package init(following log: EventLog) {
    (self.log, now) = (log, log.engine.startInstant)
    fold = WorldFold(of: log)
    news = []
    fold.observer = self
  }

  /// Reads the next event of the log.
  package func follow(_ event: EventLog.Event) { fold.follow(event) }

  /// Reads on to the end of the log.
  ///
  /// - Parameter now: The present time.
  public func update(until now: ContinuousClock.Instant) {
    fold.follow(log)
    advance(to: now)
  }

  /// Has the time that is read to be a later one, at which nothing has changed yet.
  package func advance(to now: ContinuousClock.Instant) {
    fold.engine.virtualClock.skip(to: now)
    self.now = now
  }

  /// Takes the spans that have begun since the last call, in order.
  ///
  /// - Parameter isUpToDate: Whether the log has no further events at present.
  /// - Returns: The spans.
  package func takeNews(isUpToDate: Bool) -> [SpanNews] {
    let time = presentTime
    for (id, span) in queueNews.sorted(by: { $0.key < $1.key })
    where isUpToDate || time - span.start > Self.shortestSpan {
      queueNews[id] = nil
      news?.append(span)
    }
    defer { news = [] }
    return news ?? []
  }

  /// What is shorter is the time between two steps of the engine.
  private static let shortestSpan: Int64 = 1_000

  /// The life of an operation; nil if the log does not have its beginning.
  public func life(of id: Int) -> OperationLife? {
    guard let life = lives[id], let operation = fold.operations[id] else {
      return nil
    }
    let start = fold.engine.start
    return OperationLife(
      identity: operation.identity, added: start.instant(at: life.added),
      finished: life.finished > 0 ? start.instant(at: life.finished) : nil)
  }

  /// The time of the latest event, or the present one.
  var presentTime: Int64 { fold.engine.virtualClock.nanoseconds }
}

@available(*, unavailable)
extension LifeAccount: Sendable {}

extension LifeAccount: WorldObserver {
  func changed(
    _ event: EventLog.Change.Event, of operation: ObservableOperation, at time: Int64,
    in state: inout EngineState
  ) {
    switch event {
    case .pause(let duration): pauses.plan(duration, of: operation.id)
    case .hostPause(_, let duration):
      pauses.request(until: time.addingClamped(duration.wholeNanoseconds), by: operation.id)
    case .dependency(let other, _, nil), .stopped(let other?):
      look(at: operation, owed: other, time, in: state)
    case .setAside(let name):
      if name != nil { aside.insert(operation.id) } else { aside.remove(operation.id) }
      look(at: operation, time, in: state)
    default: look(at: operation, time, in: state)
    }
    if let queue = operation.core.queue { look(at: queue, time, in: state) }
  }

  func changed(
    _ event: EventLog.Change.Event, of queue: InspectableQueue, at time: Int64,
    in state: inout EngineState
  ) {
    look(at: queue, time, in: state)
    if event == .began, let group = queue.core.membership?.group {
      look(at: group, time, in: state)
    }
  }

  func passed(
    _ entry: WorldFold.Entry, of operation: ObservableOperation, at time: Int64,
    in state: inout EngineState
  ) {
    let id = operation.id
    guard entry.event == .transition else {
      if entry.event == .pause { pauses.begin(of: id, reason: entry.reason, at: time) }
      return look(at: operation, time, in: state)
    }
    switch entry.to {
    case .pending where entry.from == .created, .ready where entry.from == .created:
      let life = Life()
      (life.added, life.queue) = (time, operation.core.queue?.id)
      lives[id] = life
    case .executing: lookAside(at: operation.exclusiveNamesInTransaction, time, in: state)
    case .finished: finished(operation, entry, time, in: state)
    default: break
    }
    look(at: operation, owed: entry.to == .finished ? lastMembers[id] : nil, time, in: state)
    guard let queue = operation.core.queue else { return }
    let life = life(of: queue)
    let couldStart = life.readyCount > 0
    life.readyCount += (entry.to == .ready ? 1 : 0) - (entry.from == .ready ? 1 : 0)
    if entry.to == .executing { handOver(on: queue, time) }
    look(
      at: queue, couldStart: couldStart, gaveBack: entry.from == .executing ? id : nil, time,
      in: state)
  }

  private func life(of queue: InspectableQueue) -> QueueLife {
    if let known = queues[queue.id] { return known }
    let life = QueueLife()
    queues[queue.id] = life
    return life
  }

  private func finished(
    _ operation: ObservableOperation, _ entry: WorldFold.Entry, _ time: Int64,
    in state: EngineState
  ) {
    let id = operation.id
    lives[id]?.finished = time
    aside.remove(id)
    lookAside(at: operation.exclusiveNamesInTransaction, owed: id, time, in: state)
    for position in 0..<operation.core.downstream.count {
      guard let dependent = operation.core.downstream.operation(at: position) else { continue }
      look(at: dependent, owed: id, time, in: state)
    }
    guard let queue = operation.core.queue else { return }
    // One that was cancelled or skipped before it ran gives no slot back that it worked in.
    if entry.from == .executing { life(of: queue).ends.append((time, id)) }
    if let group = queue.core.membership?.group {
      lastMembers[group.id] = id
    }
    for waiting in behind.removeValue(forKey: id) ?? [] {
      guard let waiting = fold.operations[waiting] else { continue }
      look(at: waiting, owed: id, time, in: state)
    }
    if let barrier = queue.core.firstBarrier { look(at: barrier, owed: id, time, in: state) }
  }

  // MARK: Looks

  /// Asks what keeps an operation, and begins a span if that has changed.
  private func look(
    at operation: ObservableOperation, owed: Int? = nil, _ time: Int64, in state: EngineState
  ) {
    guard let life = lives[operation.id] else { return }
    var blocker = operation.ownBlocker(at: time, in: state)
    if blocker?.cause == .backoff || blocker?.cause == .hostPause,
      case let asker?? = pauses.lasting[operation.id]
    {
      blocker = (.hostPause, asker)
    }
    if blocker?.cause == .barrier, let culprit = blocker?.culprit,
      life.track.last?.culprit != culprit
    {
      behind[culprit, default: []].append(operation.id)
    }
    let hasBegun = life.track.begin(
      blocker?.cause, culprit: blocker?.culprit, owed: owed, at: time)
    guard news != nil else { return }
    // One that its queue has kept is kept by nothing from its end on.
    let isOver = operation.core.state == .finished
    var span = SpanNews(
      subject: .operation(operation.id), start: time, cause: blocker?.cause,
      culprit: blocker?.culprit, owed: hasBegun || isOver ? owed : nil,
      isShared: blocker == nil && !isOver, continues: !hasBegun && !isOver)
    // Of a wait that lasts a page tells the present dependency; in the end the last one counts.
    if blocker?.cause == .dependency { span.culprit = operation.firstUnmetDependency?.id }
    if span.isShared { span.rank = Rank(operation).number }
    guard !span.continues || span.culprit != life.told?.culprit || span.rank != life.told?.rank
    else { return }
    life.told = span
    news?.append(span)
  }

  /// Asks what keeps the ready operations of a queue; `gaveBack` is the operation that has just given
  /// its slot back.
  private func look(
    at queue: InspectableQueue, couldStart: Bool? = nil, gaveBack: Int? = nil, _ time: Int64,
    in state: EngineState
  ) {
    let life = life(of: queue)
    let wasFree = life.track.last?.cause == nil
    let cause = queue.core.blockers(at: time).first
    let culprit =
      cause == .group
      ? queue.core.membership?.group?.id
      : cause == .threadPool ? queue.core.poolHolders.first : nil
    life.track.begin(
      cause, culprit: culprit, couldStart: couldStart ?? (life.readyCount > 0), at: time)
    if queue.core.blockedCount > 0, wasFree != (cause == nil) {
      for id in aside.sorted() where fold.operations[id]?.core.queue === queue {
        if let operation = fold.operations[id] { look(at: operation, time, in: state) }
      }
    }
    guard news != nil else { return }
    // The holders of the slots are in the words.
    let holders =
      cause == .queueFull
      ? queue.core.slots.compactMap { $0?.id }
      : cause == .threadPool ? queue.core.poolHolders : []
    guard told[queue.id]?.cause != cause || told[queue.id]?.holders != holders else { return }
    told[queue.id] = (cause, holders)
    let first = queueNews[queue.id]
    queueNews[queue.id] = SpanNews(
      subject: .queue(queue.id), start: first?.start ?? time, cause: cause,
      culprit: holders.first ?? culprit,
      owed: first?.owed ?? gaveBack, isShared: false)
  }

  /// Asks what keeps the operations that wait for one of some names.
  private func lookAside(
    at names: [String], owed: Int? = nil, _ time: Int64, in state: EngineState
  ) {
    guard !names.isEmpty, !aside.isEmpty else { return }
    for id in aside.sorted() {
      guard let operation = fold.operations[id],
        operation.exclusiveNamesInTransaction.contains(where: names.contains)
      else { continue }
      look(at: operation, owed: owed, time, in: state)
    }
  }

  /// A slot that stays free longer was not wanted, or its successor was kept by something else.
  static let longestHandover: Int64 = 10_000_000

  /// Has the time in which a slot is handed over from one operation to the next count as that of a
  /// full queue.
  private func handOver(on queue: InspectableQueue, _ time: Int64) {
    guard let track = queues[queue.id]?.track, let last = track.last, last.cause == nil,
      last.couldStart, time - last.start < Self.longestHandover,
      track.stretches.dropLast().last?.cause == .queueFull
    else { return }
    queues[queue.id]?.track.dropLast()
  }
}
