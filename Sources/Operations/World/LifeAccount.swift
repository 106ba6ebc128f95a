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
  private var position = LogPosition()
  private(set) var lives: [Int: Life] = [:]
  private(set) var queues: [Int: QueueLife] = [:]
  /// Which operations had an exclusive name, one after the other.
  private(set) var names: [String: CauseTrack] = [:]
  /// The operations that wait behind a barrier, by its number.
  private var behind: [Int: [Int]] = [:]
  /// The member of each group that finished last.
  private var lastMembers: [Int: Int] = [:]
  private var pauses = RequestedPauses()

  /// What is known of an operation.
  struct Life {
    var track = CauseTrack()
    var added: Int64 = 0
    var finished: Int64 = 0
    var queue: Int?
  }

  /// What is known of a queue.
  struct QueueLife {
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

  /// Reads on to the end of the log.
  ///
  /// - Parameter now: The present time.
  public func update(until now: ContinuousClock.Instant) {
    fold.follow(log, from: &position)
    fold.engine.virtualClock.advance(to: now)
    self.now = now
  }

  /// The life of an operation; nil if the log does not have its beginning.
  public func life(of id: Int) -> OperationLife? {
    guard let life = lives[id], life.added > 0, let operation = fold.operations[id] else {
      return nil
    }
    let start = fold.engine.start
    return OperationLife(
      identity: operation.identity, added: start.instant(at: life.added),
      finished: life.finished > 0 ? start.instant(at: life.finished) : nil)
  }

  var presentTime: Int64 { max(fold.engine.virtualClock.nanoseconds, 0) }
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
    case .dependency(let other, _, nil): look(at: operation, owed: other, time, in: state)
    default: look(at: operation, time, in: state)
    }
    if let queue = operation.core.queue { look(at: queue, time) }
  }

  func changed(
    _ event: EventLog.Change.Event, of queue: InspectableQueue, at time: Int64,
    in state: inout EngineState
  ) {
    look(at: queue, time)
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
    case .pending where entry.from == .created:
      lives[id, default: Life()].added = time
      lives[id]?.queue = operation.core.queue?.id
    case .executing: pass(namesOf: operation, to: id, time)
    case .finished: finished(operation, entry, time, in: state)
    default: break
    }
    look(at: operation, owed: entry.to == .finished ? lastMembers[id] : nil, time, in: state)
    guard let queue = operation.core.queue else { return }
    let couldStart = queues[queue.id]?.readyCount ?? 0 > 0
    if entry.from == .ready { queues[queue.id]?.readyCount -= 1 }
    if entry.to == .ready { queues[queue.id, default: QueueLife()].readyCount += 1 }
    if entry.to == .executing { handOver(on: queue, time) }
    look(at: queue, couldStart: couldStart, time)
  }

  private func finished(
    _ operation: ObservableOperation, _ entry: WorldFold.Entry, _ time: Int64,
    in state: EngineState
  ) {
    let id = operation.id
    lives[id, default: Life()].finished = time
    pass(namesOf: operation, to: nil, time)
    for position in 0..<operation.core.downstream.count {
      guard let dependent = operation.core.downstream.operation(at: position) else { continue }
      look(at: dependent, owed: id, time, in: state)
    }
    guard let queue = operation.core.queue else { return }
    // One that was cancelled or skipped before it ran gives no slot back that it worked in.
    if entry.from == .executing {
      queues[queue.id, default: QueueLife()].ends.append((time, id))
    }
    if let group = queue.core.membership?.group {
      lastMembers[group.id] = id
    }
    for waiting in behind.removeValue(forKey: id) ?? [] {
      guard let waiting = fold.operations[waiting] else { continue }
      look(at: waiting, owed: id, time, in: state)
    }
    if let barrier = queue.core.firstBarrier { look(at: barrier, owed: id, time, in: state) }
  }

  private func pass(namesOf operation: ObservableOperation, to holder: Int?, _ time: Int64) {
    for name in operation.exclusiveNamesInTransaction {
      // A later holder may have the name already.
      guard holder != nil || names[name]?.last?.culprit == operation.id else { continue }
      names[name, default: CauseTrack()].begin(
        holder == nil ? nil : .exclusive, culprit: holder, at: time)
    }
  }

  // MARK: Looks

  /// Asks what keeps an operation, and begins a span if that has changed.
  private func look(
    at operation: ObservableOperation, owed: Int? = nil, _ time: Int64, in state: EngineState
  ) {
    guard var life = lives.removeValue(forKey: operation.id), life.added > 0 else { return }
    defer { lives[operation.id] = life }
    var blocker = operation.ownBlocker(in: state)
    if blocker?.cause == .backoff, case let asker?? = pauses.lasting[operation.id] {
      blocker = (.hostPause, asker)
    }
    if blocker?.cause == .barrier, let culprit = blocker?.culprit,
      life.track.last?.culprit != culprit
    {
      behind[culprit, default: []].append(operation.id)
    }
    life.track.begin(blocker?.cause, culprit: blocker?.culprit, owed: owed, at: time)
  }

  private func look(at queue: InspectableQueue, couldStart: Bool? = nil, _ time: Int64) {
    var life = queues.removeValue(forKey: queue.id) ?? QueueLife()
    let cause = queue.core.blockers(at: time).first
    life.track.begin(
      cause, culprit: cause == .group ? queue.core.membership?.group?.id : nil,
      couldStart: couldStart ?? (life.readyCount > 0), at: time)
    queues[queue.id] = life
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

/// The pauses that servers asked for.
struct RequestedPauses {
  private var planned: [Int: Int64] = [:]
  private var requested: [(end: Int64, id: Int)] = []
  /// Whose response asked for the pause of each operation that pauses; nil for none.
  private(set) var lasting: [Int: Int?] = [:]

  /// How far the times of the same pause are apart that a server and an operation tell of.
  private static let tolerance: Int64 = 20_000_000
  private static let recent = 100

  mutating func plan(_ duration: Duration, of id: Int) {
    planned[id] = duration.wholeNanoseconds
  }

  mutating func request(until end: Int64, by id: Int) { requested.append((end, id)) }

  mutating func begin(of id: Int, reason: String, at time: Int64) {
    let end = planned.removeValue(forKey: id).map { time.addingClamped($0) }
    // What is random in it must not hide that the response to the operation asked for it.
    let asksItself = reason.contains(RetryDecision.requestedPauseNote)
    lasting[id] = asksItself ? id : end.flatMap { asker(ofPauseUntil: $0) }
  }

  /// The operation whose response asked for a pause that ends at a time.
  private func asker(ofPauseUntil end: Int64) -> Int? {
    let known = requested.suffix(Self.recent).map { (id: $0.id, distance: abs($0.end - end)) }
    let nearest = known.min { $0.distance < $1.distance }
    return nearest.flatMap { $0.distance <= Self.tolerance ? $0.id : nil }
  }
}
