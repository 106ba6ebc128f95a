import Operations
import Testing

/// Logs made by hand, each with one fault: what checks the engine has to be able to find it.
@Suite(.timeLimit(.minutes(15))) struct ScheduleCheckerTests {
  typealias Event = ScheduleChecker.Event
  typealias Facts = ScheduleChecker.Facts

  /// A step of a log in short: an operation and what becomes of it.
  private enum Step {
    case add(Int), ready(Int), start(Int), finish(Int), cancel(Int), end(Int, OperationOutcome)
  }

  private static func events(_ steps: [Step]) -> [Event] {
    var states: [Int: OperationState] = [:]
    var cancelled: Set<Int> = []
    return steps.enumerated().map { sequence, step in
      var outcome: OperationOutcome?
      let (operation, next): (Int, OperationState?)
      switch step {
      case .add(let id): (operation, next) = (id, .pending)
      case .ready(let id): (operation, next) = (id, .ready)
      case .start(let id): (operation, next) = (id, .executing)
      case .finish(let id): (operation, next, outcome) = (id, .finished, .succeeded)
      case .end(let id, let how): (operation, next, outcome) = (id, .finished, how)
      case .cancel(let id):
        (operation, next) = (id, nil)
        cancelled.insert(id)
      }
      let state = states[operation] ?? .created
      states[operation] = next ?? state
      return Event(
        sequence: sequence, operation: operation, kind: next == nil ? .cancelling : .transition,
        from: state, to: next ?? state, isCancelled: cancelled.contains(operation),
        outcome: outcome)
    }
  }

  private static func problems(_ events: [Event], _ facts: Facts = Facts()) -> [String] {
    var checker = ScheduleChecker(facts)
    for event in events { checker.read(event) }
    checker.end()
    return checker.problems
  }

  private static let one = Facts(widths: ["q": 1])
  private static let added: [Step] = [.add(1), .ready(1), .add(2), .ready(2)]

  @Test("The checker finds no fault in a correct log")
  func correct() {
    let plain = Self.events(
      Self.added + [.start(1), .finish(1), .cancel(2), .end(2, .cancelled)])
    #expect(Self.problems(plain, Self.one).isEmpty)
  }

  @Test("The checker reports a start out of order, unless a priority change allows it")
  func order() {
    let late = Self.events(Self.added + [.start(2), .finish(2), .start(1), .finish(1)])
    #expect(Self.problems(late, Self.one).map { $0.contains("started before 1") } == [true])
    var facts = Self.one
    facts.priorities = [2: 4]
    #expect(Self.problems(late, facts).isEmpty)
    // Lowered and raised again, the first one comes after the second.
    facts = Self.one
    facts.changes = [
      .init(operation: 1, priority: -4, window: 4..<4),
      .init(operation: 1, priority: 0, window: 4..<4),
    ]
    #expect(Self.problems(late, facts).isEmpty)
    // A change that came after the start excuses nothing; one that may have come before does.
    facts.changes = [.init(operation: 2, priority: 4, window: 5..<6)]
    #expect(Self.problems(late, facts).count == 1)
    facts.changes = [.init(operation: 2, priority: 4, window: 4..<6)]
    #expect(Self.problems(late, facts).isEmpty)
    // Both at their new level, in the order of their changes.
    facts.changes = [
      .init(operation: 1, priority: 4, window: 4..<4),
      .init(operation: 2, priority: 4, window: 4..<4),
    ]
    #expect(Self.problems(late, facts).count == 1)
    facts.changes.reverse()
    #expect(Self.problems(late, facts).isEmpty)
  }

  @Test("The checker reports a cancelled operation that ends before a better-ranked one starts")
  func turns() {
    let events = Self.events(
      Self.added + [.cancel(2), .end(2, .cancelled), .start(1), .finish(1)])
    #expect(Self.problems(events, Self.one).map { $0.contains("turn before 1") } == [true])
    var facts = Self.one
    facts.changes = [.init(operation: 1, priority: -4, window: 5..<5)]
    #expect(Self.problems(events, facts).isEmpty)
  }

  @Test("The checker reports more executing operations than the width")
  func width() {
    let events = Self.events(Self.added + [.start(1), .start(2), .finish(1), .finish(2)])
    #expect(Self.problems(events, Self.one).map { $0.contains("width 1") } == [true])
    #expect(Self.problems(events, Facts(widths: ["q": 2])).isEmpty)
    #expect(Self.problems(events, Facts(widths: ["q": -1])).isEmpty)
  }

  @Test("The checker reports a start before a dependency finished or against its policy")
  func dependencies() {
    let facts = Facts(
      edges: [.init(operation: 2, upstream: 1)])
    let early = Self.events(Self.added + [.start(1), .start(2), .finish(1), .finish(2)])
    #expect(Self.problems(early, facts).map { $0.contains("before 1 had finished") } == [true])
    let late = Facts(edges: [.init(operation: 2, upstream: 1, window: 4..<7)])
    #expect(Self.problems(early, late).isEmpty)
    let failed: OperationOutcome = .failed(.init(code: "x", message: ""))
    let against = Self.events(
      Self.added + [.start(1), .end(1, failed), .start(2), .finish(2)])
    #expect(Self.problems(against, facts).isEmpty)
    let skip = Facts(edges: [.init(operation: 2, upstream: 1, policy: .skip)])
    #expect(Self.problems(against, skip).map { $0.contains("did not succeed") } == [true])
    let skipped = Self.events(Self.added + [.start(1), .end(1, failed), .end(2, .skipped)])
    #expect(Self.problems(skipped, skip).isEmpty)
    #expect(Self.problems(skipped, facts).map { $0.contains("no reason") } == [true])
  }

  @Test("The checker reports two holders of a name, and lets others pass a waiting operation")
  func names() {
    var facts = Facts(widths: ["q": 2])
    facts.names = [1: ["a"], 2: ["a", "b"]]
    let both = Self.events(Self.added + [.start(1), .start(2), .finish(1), .finish(2)])
    #expect(Self.problems(both, facts).map { $0.contains("1 has the name a") } == [true])
    let third: [Step] = Self.added + [.add(3), .ready(3), .start(1)]
    let passed = Self.events(
      third + [.start(3), .finish(3), .finish(1), .start(2), .finish(2)])
    #expect(Self.problems(passed, facts).isEmpty)
    // When the name is free, it is the turn of the one that waited.
    let late = Self.events(
      third + [.finish(1), .start(3), .start(2), .finish(2), .finish(3)])
    #expect(Self.problems(late, facts).map { $0.contains("started before 2") } == [true])
  }

  @Test("The checker reports an operation that passes a barrier, and a barrier that starts early")
  func barriers() {
    let facts = Facts(widths: ["q": 2], barriers: [2])
    let three: [Step] = Self.added + [.add(3), .ready(3), .start(1)]
    let right = Self.events(
      three + [.finish(1), .start(2), .finish(2), .start(3), .finish(3)])
    #expect(Self.problems(right, facts).isEmpty)
    let early = Self.events(
      three + [.start(2), .finish(1), .finish(2), .start(3), .finish(3)])
    #expect(Self.problems(early, facts).map { $0.contains("turn before [1]") } == [true])
    let passing = Self.events(
      three + [.start(3), .finish(3), .finish(1), .start(2), .finish(2)])
    #expect(Self.problems(passing, facts).map { $0.contains("turn before [2]") } == [true])
    // A cancelled one waits for its turn to end.
    let cancelled = Self.events(
      three + [.cancel(3), .end(3, .cancelled), .finish(1), .start(2), .finish(2)])
    #expect(Self.problems(cancelled, facts).contains { $0.contains("turn before [2]") })
  }

  @Test("The checker reports a group that ends before its members, and a member that starts first")
  func groups() {
    let facts = Facts(groups: ["inner": 1])
    func problems(_ steps: [Step]) -> [String] {
      Self.problems(
        Self.events([.add(1), .ready(1), .add(2), .ready(2)] + steps).map { event in
          var event = event
          if event.operation == 2 { event.queue = "inner" }
          return event
        }, facts)
    }
    #expect(problems([.start(1), .start(2), .finish(2), .finish(1)]).isEmpty)
    let ended = problems([.start(1), .start(2), .finish(1), .finish(2)])
    #expect(ended.map { $0.contains("ended before [2]") } == [true])
    let early = problems([.start(2), .finish(2), .start(1), .finish(1)])
    #expect(early.map { $0.contains("group 1 does not execute") } == [true])
  }

  @Test("The checker reports a start before the end of a start delay")
  func delays() {
    let facts = Facts(delays: [1: .milliseconds(3)])
    let now = ContinuousClock.now
    for step in 1...2 {
      var events = Self.events([.add(1), .ready(1), .start(1), .finish(1)])
      for index in events.indices { events[index].time = now + .milliseconds(step * index) }
      // The start comes after two or four milliseconds.
      #expect(Self.problems(events, facts).count == 2 - step)
    }
  }

  @Test("The checker reports an operation that goes back and waits for nothing, or was cancelled")
  func backwards() {
    let facts = Facts(edges: [.init(operation: 2, upstream: 1, window: 4..<4)])
    let back: [Step] = Self.added + [.add(2)]
    let rest: [Step] = [.start(1), .finish(1), .ready(2), .start(2), .finish(2)]
    #expect(Self.problems(Self.events(back + rest), facts).isEmpty)
    #expect(
      Self.problems(Self.events(back + rest)).map { $0.contains("waits for nothing") } == [true])
    let late = Self.events(
      Self.added + [.start(1), .finish(1), .add(2), .ready(2), .start(2), .finish(2)])
    #expect(Self.problems(late, facts).map { $0.contains("waits for nothing") } == [true])
    let cancelled = Self.events(
      Self.added + [.cancel(2), .add(2), .start(1), .finish(1), .ready(2), .end(2, .cancelled)])
    #expect(Self.problems(cancelled, facts).map { $0.contains("was cancelled") } == [true])
    // It keeps its place in the order.
    let kept = Self.events(
      [.add(2), .ready(2), .add(1), .ready(1), .add(3), .ready(3), .add(2)]
        + [.start(1), .finish(1), .ready(2), .start(3), .finish(3), .start(2), .finish(2)])
    #expect(Self.problems(kept, facts).map { $0.contains("started before 2") } == [true])
  }

  @Test("The checker reports illegal transitions, gaps, repeats and wrong flags")
  func lives() {
    let illegal: [[Step]] = [
      [.add(1), .start(1), .finish(1)], [.finish(1)],
      [.add(1), .ready(1), .finish(1)],
      [.add(1), .ready(1), .start(1), .finish(1), .finish(1)],
      [.add(1), .ready(1), .start(1), .finish(1), .ready(1)],
      [.add(1), .ready(1), .start(1), .end(1, .cancelled)],
      [.add(1), .ready(1), .start(1), .end(1, .skipped)],
      [.add(1), .ready(1), .cancel(1), .start(1), .finish(1)],
      [.add(1), .ready(1), .start(1), .cancel(1), .cancel(1), .finish(1)],
      [.add(1), .ready(1), .start(1), .finish(1), .cancel(1)],
      [.add(1), .ready(1), .start(1)],
    ]
    for steps in illegal {
      #expect(!Self.problems(Self.events(steps)).isEmpty, "\(steps)")
    }
    let good = Self.events([.add(1), .ready(1), .start(1), .finish(1)])
    #expect(Self.problems(good).isEmpty)
    for index in 1..<4 {
      var gap = good
      for later in index..<4 { gap[later].sequence += 1 }
      #expect(!Self.problems(gap).isEmpty)
      var jump = good
      jump[index].from = .created
      #expect(!Self.problems(jump).isEmpty)
      var flag = good
      flag[index].isCancelled = true
      #expect(!Self.problems(flag).isEmpty)
    }
  }
}
