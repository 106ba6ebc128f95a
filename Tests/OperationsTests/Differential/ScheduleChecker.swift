import Foundation
import Operations

/// Checks a log against the rules of scheduling, knowing nothing of how the engine keeps them.
///
/// What it finds:
/// - a start while one with a better claim was ready and could start,
/// - an order among equals that is neither that of adding nor that of the last change of priority,
/// - more operations executing than the queue is wide,
/// - a start before a dependency had finished, or against its policy,
/// - illegal transitions, states that do not join on, wrong flags and outcomes,
/// - two at once that need the same name, one that passes a barrier, one that starts before its
///   delay is over or its group has begun, and a group that ends before what is in it
///   (``FeatureChecker``),
/// - gaps in the numbers of the entries, and operations that never finished.
///
/// Where the log cannot tell whether something was done before or after an entry, the doubt speaks
/// for the engine.
struct ScheduleChecker {
  /// What is known about one operation at the place of reading.
  private struct Life {
    var state: OperationState = .created
    var queue: String?
    var isCancelled = false
    /// The entry with which it was added.
    var added = 0
    /// The entry with which it became ready, or was cancelled when it was ready.
    var claimable = 0
    var outcome: OperationOutcome?
  }

  /// A possible place in the order of a queue.
  private struct Place {
    let priority: Int
    /// The entry of adding, or the window of the last change.
    let window: Window
    /// Which change it was, for these are known to be in order.
    let change: Int?

    /// Whether it certainly comes before the other.
    func precedes(_ other: Place) -> Bool {
      if priority != other.priority { return priority > other.priority }
      if let change, let otherChange = other.change { return change < otherChange }
      return window.upperBound <= other.window.lowerBound
    }
  }

  private let facts: Facts
  /// The places in `facts.changes` of those of one operation.
  private let changes: [Int: [Int]]
  private let edges: [Int: [Edge]]
  private var lives: [Int: Life] = [:]
  private var executing: [String: Int] = [:]
  private var features: FeatureChecker
  private var next: Int?
  private(set) var problems: [String] = []

  init(_ facts: Facts) {
    self.facts = facts
    features = FeatureChecker(facts)
    changes = Dictionary(grouping: facts.changes.indices) { facts.changes[$0].operation }
    edges = Dictionary(grouping: facts.edges) { $0.operation }
  }

  /// Checks a whole log.
  ///
  /// - Parameters:
  ///   - engine: A log with nothing unfinished on it.
  ///   - facts: What it does not tell.
  /// - Returns: What is wrong, in words.
  static func problems(in engine: OperationEngine, _ facts: Facts = Facts()) -> [String] {
    var checker = ScheduleChecker(facts)
    for entry in engine.log.entries(from: 0, limit: .max).entries { checker.read(Event(entry)) }
    checker.end()
    return checker.problems
  }

  /// Checks that nothing is left to do.
  mutating func end() {
    for (operation, life) in lives where life.state != .finished && life.state != .created {
      problems.append("operation \(operation) is left \(life.state)")
    }
  }

  mutating func read(_ event: Event) {
    if let next, event.sequence != next { report(event, "expected number \(next)") }
    next = event.sequence + 1
    var life = lives[event.operation] ?? Life()
    if event.from != life.state { report(event, "it was \(life.state)") }
    if event.kind == .transition {
      check(transition: event, of: life)
      life.state = event.to
      life.outcome = event.outcome
    } else {
      if event.to != event.from { report(event, "only a transition changes the state") }
      if event.kind == .attempt, event.from != .executing { report(event, "attempt") }
    }
    if event.kind == .cancelling {
      if life.isCancelled || event.from == .finished { report(event, "cancelled again") }
      life.isCancelled = true
    }
    if event.isCancelled != life.isCancelled { report(event, "flag isCancelled is wrong") }
    if (event.outcome != nil) != (event.to == .finished) { report(event, "outcome is wrong") }
    switch (event.kind, event.to) {
    case (.transition, .pending) where event.from == .created:
      life.added = event.sequence
      life.queue = event.queue
    case (.transition, .ready), (.cancelling, .ready):
      life.claimable = event.sequence
    default:
      break
    }
    lives[event.operation] = life
    count(event)
    for problem in features.read(event) { report(event, problem) }
  }

  private mutating func report(_ event: Event, _ problem: String) {
    problems.append(
      "entry \(event.sequence), operation \(event.operation), \(event.kind) "
        + "\(event.from)-\(event.to): \(problem)")
  }

  // MARK: One operation

  private mutating func check(transition event: Event, of life: Life) {
    switch (event.from, event.to) {
    case (.created, .ready) where event.queue == nil:
      break
    case (.created, .pending), (.pending, .ready):
      break
    case (.ready, .pending):
      checkReturn(event)
    case (.ready, .executing):
      checkStart(event)
    case (.executing, .finished):
      checkOutcome(event, executed: true)
    case (.pending, .finished), (.ready, .finished):
      checkOutcome(event, executed: false)
      if event.from == .ready, event.outcome == .cancelled { checkTurn(event, of: life) }
    default:
      report(event, "not a legal transition")
    }
  }

  /// Checks that one that goes back has a dependency that has not finished, and was not cancelled.
  private mutating func checkReturn(_ event: Event) {
    if event.isCancelled { report(event, "it was cancelled") }
    let waits = (edges[event.operation] ?? []).contains { edge in
      edge.window.lowerBound <= event.sequence && lives[edge.upstream]?.outcome == nil
    }
    if !waits { report(event, "it waits for nothing") }
  }

  private func hasCancelledMember(_ group: Int) -> Bool {
    lives.values.contains { life in
      life.outcome == .cancelled && life.queue.flatMap { facts.groups[$0] } == group
    }
  }

  private mutating func checkOutcome(_ event: Event, executed: Bool) {
    switch event.outcome {
    case .cancelled:
      // A group ends so when a member was cancelled.
      if !event.isCancelled, !hasCancelledMember(event.operation) {
        report(event, "was never cancelled")
      }
      if event.from == .pending { report(event, "cancelled while pending") }
    case .skipped:
      if executed { report(event, "skipped after it executed") }
      if !isStopped(event, by: .skip) { report(event, "no reason to be skipped") }
    case .failed where !executed:
      if !isStopped(event, by: .fail) { report(event, "no reason to fail without running") }
    case .succeeded where !executed:
      report(event, "succeeded without running")
    case .succeeded, .failed, nil:
      break
    }
  }

  private func isStopped(_ event: Event, by policy: FailurePolicy) -> Bool {
    (edges[event.operation] ?? []).contains { edge in
      guard edge.policy == policy, let outcome = lives[edge.upstream]?.outcome else { return false }
      return outcome != .succeeded
    }
  }

  // MARK: All of a queue

  private mutating func count(_ event: Event) {
    guard event.kind == .transition, let queue = lives[event.operation]?.queue else { return }
    if event.to == .executing { executing[queue, default: 0] += 1 }
    if event.from == .executing { executing[queue, default: 0] -= 1 }
    if let width = facts.widths[queue], width >= 0, executing[queue, default: 0] > width {
      report(event, "more executing than width \(width)")
    }
  }

  private mutating func checkStart(_ event: Event) {
    guard let queue = lives[event.operation]?.queue else { return }
    if event.isCancelled { report(event, "started though cancelled") }
    for edge in edges[event.operation] ?? [] where edge.window.upperBound <= event.sequence {
      let outcome = lives[edge.upstream]?.outcome
      if outcome == nil {
        report(event, "started before \(edge.upstream) had finished")
      } else if outcome != .succeeded, edge.policy != .run {
        report(event, "started though \(edge.upstream) did not succeed")
      }
    }
    guard facts.isOrderChecked else { return }
    let mine = places(of: event.operation, at: event.sequence)
    for (other, life) in lives where other != event.operation && life.queue == queue {
      guard isStartable(other, life), isBetter(other, than: mine, at: event.sequence) else {
        continue
      }
      report(event, "started before \(other)")
    }
  }

  /// Checks that one that finished cancelled got no turn that was another's.
  private mutating func checkTurn(_ event: Event, of life: Life) {
    let mine = places(of: event.operation, at: event.sequence)
    // When the turn came is not in the log, only that it came after cancelling; so priorities must
    // have stood still since then.
    let since = life.claimable
    guard facts.isOrderChecked, let queue = life.queue,
      isStill(event.operation, since: since, to: event.sequence)
    else { return }
    for (other, life) in lives where other != event.operation && life.queue == queue {
      guard life.claimable < since, isStartable(other, life, since: since),
        isStill(other, since: since, to: event.sequence),
        isBetter(other, than: mine, at: event.sequence)
      else { continue }
      report(event, "had its turn before \(other)")
    }
  }

  /// Whether it certainly can start, and could at the given entry.
  private func isStartable(_ operation: Int, _ life: Life, since: Int = .max) -> Bool {
    guard life.state == .ready, !life.isCancelled,
      since == .max ? features.mayStart(operation) : features.isPlain(operation)
    else { return false }
    // It may be about to end because a dependency did not succeed.
    return !(edges[operation] ?? []).contains { edge in
      guard edge.policy != .run, let outcome = lives[edge.upstream]?.outcome else { return false }
      return outcome != .succeeded
    }
  }

  private func isBetter(_ operation: Int, than others: [Place], at sequence: Int) -> Bool {
    places(of: operation, at: sequence).allSatisfy { place in
      others.allSatisfy { place.precedes($0) }
    }
  }

  private func isStill(_ operation: Int, since: Int, to sequence: Int) -> Bool {
    !(changes[operation] ?? []).contains {
      let window = facts.changes[$0].window
      return window.upperBound > since && window.lowerBound <= sequence
    }
  }

  /// The places that an operation may have had when an entry was written.
  private func places(of operation: Int, at sequence: Int) -> [Place] {
    let added = lives[operation]?.added ?? 0
    let add = added..<added + 1
    var places = [
      Place(priority: facts.priorities[operation] ?? 0, window: add, change: nil)
    ]
    for index in changes[operation] ?? [] {
      let change = facts.changes[index]
      let window = change.window
      if window.lowerBound > sequence { continue }
      if window.upperBound <= added {
        // Before it was added, which gave it its rank.
        places = [Place(priority: change.priority, window: add, change: nil)]
        continue
      }
      let place = Place(priority: change.priority, window: window, change: index)
      if window.upperBound <= sequence, window.lowerBound > added {
        places = [place]
      } else {
        places.append(place)
      }
    }
    return places
  }
}

extension ScheduleChecker.Event {
  init(_ entry: EventLog.Entry) {
    self.init(
      sequence: entry.sequence, operation: entry.operation.id, queue: entry.queue,
      kind: entry.event, from: entry.from, to: entry.to, isCancelled: entry.isCancelled,
      outcome: entry.outcome, time: entry.time)
  }
}
