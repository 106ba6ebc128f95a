import Foundation
import Operations

/// The states of all queues, rebuilt from nothing but the log, and a judgement of each start.
struct LogReplay {
  struct Life: Equatable {
    var state = OperationState.created
    var isCancelled = false
    var priority = Operation.QueuePriority.normal
    var upstream: [Int: FailurePolicy] = [:]
    var isBarrier = false
    var names: [String] = []
    /// The name that it waits for outside of the order of starting.
    var aside: String?
    var isDelayed = false
    var delay = Duration.zero
    var queue: Int?
    /// When it was added, and its rank among equals, both as numbers of its queue.
    var added = 0
    var order = 0
    var outcome: OperationOutcome?
  }

  struct Queue: Equatable {
    var width = 0
    var isSuspended = false
    var pace = Duration.zero
    var lastStart: ContinuousClock.Instant?
    /// The entry that a step starts.
    var step: Int?
    var lastOrder = 0
    /// The unfinished operations in the order of adding.
    var members: [Int] = []
    var finished = 0
  }

  private(set) var lives: [Int: Life] = [:]
  private(set) var queues: [Int: Queue] = [:]
  private(set) var problems: [String] = []
  private(set) var starts = 0

  /// How many things an operation waits for.
  func unmet(_ life: Life) -> Int {
    life.upstream.keys.count { lives[$0]?.state != .finished } + (life.isDelayed ? 1 : 0)
  }

  mutating func apply(_ change: EventLog.Change) {
    switch change.subject {
    case .queue(let id): apply(change.event, toQueue: id, before: change.position)
    case .operation(let id): apply(change.event, to: id)
    }
  }

  private mutating func apply(
    _ event: EventLog.Change.Event, toQueue id: Int, before entry: Int
  ) {
    var queue = queues[id] ?? Queue()
    switch event {
    case .width(let old, let new):
      check(old ?? 0, queue.width, event)
      queue.width = new
    case .suspended(let isSuspended):
      check(queue.isSuspended, !isSuspended, event)
      queue.isSuspended = isSuspended
    case .pace(let old, let new):
      check(old, queue.pace, event)
      queue.pace = new
    case .step:
      check(queue.isSuspended, true, event)
      queue.step = entry
    default: problems.append("\(event) of a queue")
    }
    queues[id] = queue
  }

  private mutating func apply(_ event: EventLog.Change.Event, to id: Int) {
    var life = lives[id] ?? Life()
    switch event {
    case .priority(let old, let new):
      check(old, life.priority, event)
      life.priority = new
      if let queue = life.queue { life.order = nextOrder(of: queue) }
    case .dependency(let other, let old, let new):
      check(old, life.upstream[other], event)
      life.upstream[other] = new
    case .barrier: life.isBarrier = true
    case .exclusiveNames(let old, let new):
      check(old, life.names, event)
      life.names = new
    case .setAside(let name?):
      check(life.aside, nil, event)
      check(life.state, .ready, event)
      check(life.names.contains(name), true, event)
      life.aside = name
    case .setAside(nil):
      check(life.aside != nil, true, event)
      life.aside = nil
    case .startDelay(let old, let new):
      check(old, life.delay, event)
      life.delay = new
    case .delayEnded:
      check(life.isDelayed, true, event)
      life.isDelayed = false
    default: problems.append("\(event) of an operation")
    }
    lives[id] = life
  }

  private mutating func check<Value: Equatable>(
    _ old: Value, _ known: Value, _ event: EventLog.Change.Event
  ) {
    if old != known { problems.append("\(event), but it was \(known)") }
  }

  private mutating func nextOrder(of queue: Int) -> Int {
    queues[queue, default: Queue()].lastOrder += 1
    return queues[queue]?.lastOrder ?? 0
  }

  mutating func apply(_ entry: EventLog.Entry) {
    let id = entry.operation.id
    var life = lives[id] ?? Life()
    if entry.from != life.state { problems.append("\(entry.sequence): it was \(life.state)") }
    if entry.event == .transition {
      switch entry.to {
      case .pending:
        guard let queue = entry.queueID else { return problems.append("added to no queue") }
        life.queue = queue
        life.order = nextOrder(of: queue)
        life.added = life.order
        life.isDelayed = life.delay > .zero && !entry.isCancelled
        queues[queue]?.members.append(id)
      case .executing: judgeStart(of: id, life, entry)
      case .finished:
        if let queue = life.queue {
          queues[queue]?.members.removeAll { $0 == id }
          queues[queue]?.finished += 1
        }
        life.outcome = entry.outcome
      case .created, .ready: break
      }
    }
    life.state = entry.to
    life.isCancelled = entry.isCancelled
    lives[id] = life
  }

  // MARK: Starts

  /// Says what forbids a start, by the rules of the queue.
  private mutating func judgeStart(of id: Int, _ life: Life, _ entry: EventLog.Entry) {
    starts += 1
    guard let number = life.queue, let queue = queues[number] else {
      return problems.append("\(entry.sequence): started without a queue")
    }
    let isStep = queue.step == entry.sequence
    let members = queue.members.compactMap { member in lives[member].map { (member, $0) } }
    var faults: [String] = []
    if !isStep, queue.isSuspended { faults.append("the queue is suspended") }
    if !isStep, let last = queue.lastStart, queue.pace > .zero,
      entry.time - last < queue.pace - .microseconds(50)
    {
      faults.append("only \(entry.time - last) after the last start")
    }
    if queue.width >= 0, members.count(where: { $0.1.state == .executing }) >= queue.width {
      faults.append("no slot is free")
    }
    if life.isCancelled { faults.append("it is cancelled") }
    if let name = life.aside { faults.append("it waits for '\(name)'") }
    if unmet(life) > 0 { faults.append("\(unmet(life)) things are unmet") }
    if isBusy(life.names, besides: id) { faults.append("another one has its name") }
    if !isInTurn(life, members) { faults.append("there is a barrier") }
    let better = members.filter { other, rival in
      other != id && mayStart(rival, members) && rival.aside == nil
        && (-rival.priority.rawValue, rival.order) < (-life.priority.rawValue, life.order)
    }
    if !better.isEmpty { faults.append("\(better.map(\.0)) come first") }
    if queue.pace > .zero { queues[number]?.lastStart = entry.time }
    problems += faults.map { "\(entry.sequence), operation \(id): \($0)" }
  }

  private func isBusy(_ names: [String], besides id: Int) -> Bool {
    guard !names.isEmpty else { return false }
    return lives.contains { other, life in
      other != id && life.state == .executing && !Set(life.names).isDisjoint(with: names)
    }
  }

  private func isInTurn(_ life: Life, _ members: [(Int, Life)]) -> Bool {
    members.allSatisfy { $0.1.added >= life.added || !life.isBarrier && !$0.1.isBarrier }
  }

  private func mayStart(_ life: Life, _ members: [(Int, Life)]) -> Bool {
    // A dependency may have stopped it, so that it is about to end without running.
    let isStopped = life.upstream.contains { other, policy in
      policy != .run && lives[other]?.state == .finished && lives[other]?.outcome != .succeeded
    }
    return life.state == .ready && !life.isCancelled && !isStopped && unmet(life) == 0
      && isInTurn(life, members)
  }
}
