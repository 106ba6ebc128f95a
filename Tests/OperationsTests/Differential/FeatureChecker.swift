import Operations

/// Checks what exclusive names, delays, barriers and groups promise, by a log alone.
///
/// It finds two at once that need the same name, one that passes a barrier of its queue, one that
/// starts before its delay is over or its group executes, and a group that ends before what is in
/// it.
struct FeatureChecker {
  private struct Life {
    var state: OperationState = .created
    var queue: String?
    /// The entry with which it was added, and its time.
    var added = 0
    var time: ContinuousClock.Instant?
  }

  private let facts: ScheduleChecker.Facts
  private var lives: [Int: Life] = [:]
  /// The unfinished operations of each queue, in the order of adding.
  private var unfinished: [String: [Int]] = [:]
  /// Who has each name.
  private var holders: [String: Int] = [:]

  init(_ facts: ScheduleChecker.Facts) {
    self.facts = facts
  }

  /// Takes in the next entry.
  ///
  /// - Returns: What is wrong with it.
  mutating func read(_ event: ScheduleChecker.Event) -> [String] {
    guard event.kind == .transition else { return [] }
    var life = lives[event.operation] ?? Life()
    var problems: [String] = []
    switch event.to {
    case .pending where event.from == .created:
      (life.queue, life.added, life.time) = (event.queue, event.sequence, event.time)
      if let queue = event.queue { unfinished[queue, default: []].append(event.operation) }
    case .executing:
      problems = start(event, life)
    case .finished:
      problems = finish(event, life)
    case .created, .pending, .ready:
      break
    }
    life.state = event.to
    lives[event.operation] = life
    return problems
  }

  private mutating func start(_ event: ScheduleChecker.Event, _ life: Life) -> [String] {
    var problems = passed(by: event.operation, life)
    for name in facts.names[event.operation] ?? [] {
      if let holder = holders[name] { problems.append("\(holder) has the name \(name)") }
      holders[name] = event.operation
    }
    if let delay = facts.delays[event.operation], let added = life.time, let now = event.time,
      now - added < delay
    {
      problems.append("started after \(now - added) where the delay is \(delay)")
    }
    if let group = group(around: life), lives[group]?.state != .executing {
      problems.append("started though its group \(group) does not execute")
    }
    return problems
  }

  private mutating func finish(_ event: ScheduleChecker.Event, _ life: Life) -> [String] {
    var problems: [String] = []
    // One that was cancelled before it ran had to wait for its turn as well.
    if life.state == .ready, event.outcome == .cancelled {
      problems = passed(by: event.operation, life)
    }
    for name in facts.names[event.operation] ?? [] where holders[name] == event.operation {
      holders[name] = nil
    }
    if let queue = life.queue { unfinished[queue]?.removeAll { $0 == event.operation } }
    for (queue, group) in facts.groups where group == event.operation {
      let left = unfinished[queue] ?? []
      if !left.isEmpty { problems.append("ended before \(left), which are in it") }
    }
    return problems
  }

  /// Which barriers, or for a barrier which operations, it had to wait for.
  private func passed(by operation: Int, _ life: Life) -> [String] {
    let before = hindrances(of: operation, life)
    return before.isEmpty ? [] : ["had its turn before \(before)"]
  }

  private func hindrances(of operation: Int, _ life: Life) -> [Int] {
    guard !facts.barriers.isEmpty, let queue = life.queue else { return [] }
    let before = (unfinished[queue] ?? []).prefix { $0 != operation }
    return facts.barriers.contains(operation)
      ? Array(before) : before.filter { facts.barriers.contains($0) }
  }

  private func group(around life: Life) -> Int? { life.queue.flatMap { facts.groups[$0] } }

  /// Whether nothing that is known here keeps it from starting now.
  func mayStart(_ operation: Int) -> Bool {
    guard let life = lives[operation] else { return false }
    if let group = group(around: life), lives[group]?.state != .executing { return false }
    return hindrances(of: operation, life).isEmpty
      && (facts.names[operation] ?? []).allSatisfy {
        holders[$0] == nil && !mayBeReserved($0, from: operation)
      }
  }

  /// Whether another operation waits that may have reserved a name.
  private func mayBeReserved(_ name: String, from operation: Int) -> Bool {
    lives.contains { other, life in
      other != operation && life.state == .ready && facts.names[other]?.contains(name) == true
    }
  }

  /// Whether nothing that is known here could have kept it from starting at any time.
  func isPlain(_ operation: Int) -> Bool {
    guard let life = lives[operation] else { return false }
    return facts.barriers.isEmpty && facts.names[operation] == nil && group(around: life) == nil
  }
}
