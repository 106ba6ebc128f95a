import Foundation
import OpshSupport
import TestSupport
import Testing

@testable import Operations

/// What a fold refuses: a recording may come from anywhere.
@Suite("WorldFold", .timeLimit(.minutes(15))) struct WorldFoldTests {
  /// A fold that knows operations 1 to 6, and the groups 7 and 8.
  private static func fold() -> WorldFold {
    let engine = OperationEngine()
    return WorldFold(
      engine: engine, recorded: RecordedStart(date: .now, isVirtual: true),
      makeOperation: { identity in
        (1...6).contains(identity.id) ? ObservableOperation(folded: identity, engine: engine) : nil
      },
      makeGroup: { identity, queue in
        (7...8).contains(identity.id)
          ? GroupOperation(folded: identity, queue: queue, engine: engine) : nil
      })
  }

  private static func entry(
    _ operation: Int, _ from: OperationState, _ to: OperationState, on queue: Int? = nil,
    event: EventLog.Entry.Event = .transition, isCancelled: Bool = false
  ) -> WorldFold.Entry {
    WorldFold.Entry(
      operation: operation, event: event, from: from, to: to, isCancelled: isCancelled,
      outcome: to == .finished ? .succeeded : nil, reason: "", queue: queue)
  }

  /// Applies events that are refused as a whole because of the last one, which changes nothing.
  private func expectRefusal(
    of events: [(EventLog.Change.Event, EventLog.Change.Subject)] = [],
    _ entries: [WorldFold.Entry] = [], saying text: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let fold = Self.fold()
    let lastOfEvents = entries.isEmpty ? 1 : 0
    for (event, subject) in events.dropLast(lastOfEvents) {
      try fold.apply(event, of: subject, at: .seconds(1))
    }
    for entry in entries.dropLast() { try fold.apply(entry, at: .seconds(1)) }
    let (count, changeCount) = (fold.engine.log.count, fold.engine.log.changeCount)
    do throws(WorldFold.Mismatch) {
      if let last = entries.last {
        try fold.apply(last, at: .seconds(2))
      } else if let (event, subject) = events.last {
        try fold.apply(event, of: subject, at: .seconds(2))
      }
      Issue.record("it is not refused: \(text)", sourceLocation: sourceLocation)
    } catch {
      #expect(error.message.contains(text), "\(error.message)", sourceLocation: sourceLocation)
    }
    #expect(fold.engine.log.count == count && fold.engine.log.changeCount == changeCount)
  }

  private static let queue: (EventLog.Change.Event, EventLog.Change.Subject) =
    (.width(old: nil, new: 1), .queue(1))
  private static let run = [
    entry(1, .created, .pending, on: 1), entry(1, .pending, .ready, on: 1),
    entry(1, .ready, .executing, on: 1),
  ]

  @Test("A fold and an account leave nothing behind, whatever has not finished")
  func released() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    let group = GroupOperation(name: "g", engine: bench.engine)
    let (holder, waiting, member) = (bench.held("a"), bench.held("b"), bench.held("m"))
    (holder.exclusiveNames, waiting.exclusiveNames) = (["x"], ["x"])
    try group.addOperation(member)
    try member.depend(on: holder)
    try queue.addOperations([holder, waiting, group], waitUntilFinished: false)
    weak var engine: OperationEngine?
    weak var account: LifeAccount?
    weak var folded: ObservableOperation?
    do {
      let made = LifeAccount(of: bench.engine.log, until: bench.engine.now)
      (account, engine, folded) = (made, made.fold.engine, made.fold.operations[waiting.id])
      #expect(folded?.state == .ready && engine != nil)
    }
    #expect(account == nil && engine == nil && folded == nil)
    queue.cancelAllOperations()
    drain(queue)
  }

  @Test("A kept fold is not gone on with after the log has dropped what comes next")
  func gap() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let log = bench.engine.log
    let held = bench.held("held")
    try queue.addOperation(held)
    log.keep(log.takeFold(at: log.count))
    log.setCapacity(0)
    let last = bench.held("last")
    held.finish(.success(1))
    for number in 0..<2_500 { try queue.addOperation(bench.quick("q-\(number)")) }
    drain(queue)
    try queue.addOperation(last)
    #expect(log.entries(from: 0, limit: 1).entries.first?.sequence ?? 0 > 0)
    let fold = log.takeFold(at: log.count)
    #expect(fold.operations[last.id]?.state == .executing)
    #expect(fold.queues[queue.id]?.snapshot.executing == 1)
    last.finish(.success(1))
    drain(queue)
  }

  @Test("A fold stops at each position of a log")
  func positions() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let (first, second) = (bench.quick("a"), bench.quick("b"))
    try second.depend(on: first)
    try queue.addOperations([first, second], waitUntilFinished: true)
    let fold = WorldFold(of: bench.engine.log)
    var states: [OperationState] = []
    for position in 1...bench.engine.log.position {
      fold.follow(bench.engine.log, to: .position(position))
      #expect(fold.position.number == position)
      let state = fold.operations[second.id]?.state ?? .created
      if states.last != state { states.append(state) }
    }
    #expect(states == [.created, .pending, .ready, .executing, .finished])
  }

  @Test("Operations and queues that were never described, or twice, are refused")
  func unknown() throws {
    let pause = Self.entry(9, .created, .created, event: .pause)
    try expectRefusal([pause], saying: "operation 9 was not described")
    try expectRefusal([Self.entry(0, .created, .created, event: .pause)], saying: "no operation 0")
    try expectRefusal([Self.entry(1, .created, .pending, on: 3)], saying: "queue 3 was not created")
    try expectRefusal(of: [(.suspended(true), .queue(3))], saying: "queue 3 was not created")
    try expectRefusal(of: [Self.queue, Self.queue], saying: "queue 1 is created twice")
    try expectRefusal(
      of: [Self.queue, (.suspended(true), .queue(1)), Self.queue],
      saying: "queue 1 is created twice")
    try expectRefusal(of: [(.width(old: nil, new: 1), .queue(0))], saying: "queue 0")
  }

  @Test("A group without its queue, a group twice, and one that is none are refused")
  func groups() throws {
    try expectRefusal(of: [(.group(7), .queue(1))], saying: "cannot become that of operation 7")
    try expectRefusal(
      of: [Self.queue, (.group(7), .queue(1)), (.group(8), .queue(1))],
      saying: "cannot become that of operation 8")
    try expectRefusal(
      of: [
        Self.queue, (.group(7), .queue(1)), (.width(old: nil, new: 1), .queue(2)),
        (.group(7), .queue(2)),
      ], saying: "cannot become that of operation 7")
    try expectRefusal(
      of: [Self.queue, (.group(1), .queue(1))], saying: "operation 1 is not a group")
    try expectRefusal(
      of: [Self.queue, (.group(7), .queue(1))], [Self.entry(7, .created, .pending, on: 1)],
      saying: "operation 7 cannot be in itself")
  }

  @Test("Dependencies that close a cycle, or come too late, are refused")
  func dependencies() throws {
    func edge(_ from: Int, _ to: Int) -> (EventLog.Change.Event, EventLog.Change.Subject) {
      (.dependency(to, old: nil, new: .run), .operation(from))
    }
    try expectRefusal(of: [edge(1, 1)], saying: "operation 1 cannot depend on operation 1")
    try expectRefusal(
      of: [edge(1, 2), edge(2, 3), edge(3, 1)], saying: "operation 3 cannot depend on operation 1")
    let fold = Self.fold()
    try fold.apply(Self.queue.0, of: Self.queue.1, at: .zero)
    for entry in Self.run { try fold.apply(entry, at: .seconds(1)) }
    #expect(throws: WorldFold.Mismatch.self) {
      try fold.apply(edge(1, 2).0, of: .operation(1), at: .seconds(1))
    }
  }

  @Test("Transitions that are not in the table, or not from the present state, are refused")
  func transitions() throws {
    let wrong = [
      Self.entry(1, .executing, .ready, on: 1), Self.entry(1, .executing, .pending, on: 1),
      Self.entry(1, .ready, .executing, on: 1), Self.entry(1, .created, .pending, on: 1),
      Self.entry(1, .finished, .ready, on: 1),
      Self.entry(1, .executing, .finished, on: 1, event: .attempt),
    ]
    for entry in wrong {
      try expectRefusal(of: [Self.queue], Self.run + [entry], saying: "cannot go from")
    }
    let end = Self.entry(1, .executing, .finished, on: 1)
    try expectRefusal(of: [Self.queue], Self.run + [end, end], saying: "is finished")
    try expectRefusal([Self.entry(1, .created, .finished)], saying: "cannot go from")
  }

  @Test("Random events are applied or refused, and the world can be asked after each")
  func random() throws {
    for seed in 0..<UInt64(TestScale.count(1_000)) {
      var random = RandomSource(seed: seed)
      let fold = Self.fold()
      let counter = EventCounter()
      fold.observer = counter
      for id in 1...4 { try fold.apply(.width(old: nil, new: 1), of: .queue(id), at: .zero) }
      for id in 3...4 { try fold.apply(.group(id + 4), of: .queue(id), at: .zero) }
      for step in 0..<150 {
        let time = Duration.milliseconds(step)
        let id = 1 + random.below(8)
        do throws(WorldFold.Mismatch) {
          if random.below(2) == 0 {
            let state = fold.operations[id]?.state ?? .created
            // Mostly from the present state, so that it gets further.
            let from = random.below(8) == 0 ? random.pick(OperationState.allCases) : state
            try fold.apply(
              Self.entry(
                id, from, random.pick(OperationState.allCases), on: 1 + random.below(4),
                isCancelled: random.below(6) == 0), at: time)
          } else if random.below(3) == 0 {
            try fold.apply(
              Self.queueEvent(&random), of: .queue(1 + random.below(4)), at: time)
          } else {
            try fold.apply(Self.event(&random), of: .operation(id), at: time)
          }
        } catch {
          continue
        }
        guard step.isMultiple(of: 10) else { continue }
        for operation in fold.operations.values { _ = operation.waitReasons() }
        for queue in fold.queues.values { _ = queue.predictedOrder() }
      }
      #expect(counter.count > 20, "seed \(seed)")
    }
  }

  private static func queueEvent(_ random: inout RandomSource) -> EventLog.Change.Event {
    switch random.below(8) {
    case 6: .poolHolders([1 + random.below(8)])
    case 5: .quality(old: .default, new: .utility)
    case 0: .suspended(random.below(2) == 0)
    case 1: .width(old: 1, new: random.below(5) - 2)
    case 2: .pace(old: .zero, new: .milliseconds(random.below(5) - 1))
    case 3: .step
    case 4: .began
    default: .renamed(old: nil, new: "q")
    }
  }

  private static func event(_ random: inout RandomSource) -> EventLog.Change.Event {
    let other = 1 + random.below(8)
    let names = ["a", "b", "c"].filter { _ in random.below(2) == 0 }
    let flag = random.below(2) == 0
    return switch random.below(23) {
    case 21: .quality(old: .default, new: .background)
    case 0: .priority(old: .normal, new: random.pick(GraphScript.levels))
    case 1...3: .dependency(other, old: nil, new: random.pick(FailurePolicy.allCases + [nil]))
    case 4: .barrier
    case 5, 6: .exclusiveNames(old: [], new: names)
    case 7, 8: .setAside(random.pick(names + [nil]))
    case 9: .startDelay(old: .zero, new: .milliseconds(5))
    case 10: .delayEnded
    case 11: .awaited([other, 1 + random.below(8)], isLimited: flag)
    case 12: .claimed(flag)
    case 13: .stopped(flag ? nil : other)
    case 14: .ending
    case 15: .announcing(flag)
    case 16: .finishWait(random.pick(FinishWait.allCases + [nil]))
    case 17: .nextAttempt(AttemptPause(attempt: 2, limit: 3, remaining: .seconds(-1), code: "x"))
    case 18: .attempt(random.below(3))
    case 19: .phase(PhaseProgress(random.pick(OperationPhase.allCases), done: other, of: 8))
    case 20: .awaitsForeground(flag)
    default: .expecting(flag)
    }
  }
}

/// Counts the events that a fold applies.
private final class EventCounter: WorldObserver {
  private(set) var count = 0

  func changed(
    _ event: EventLog.Change.Event, of operation: ObservableOperation, at time: Int64,
    in state: inout EngineState
  ) { count += 1 }

  func changed(
    _ event: EventLog.Change.Event, of queue: InspectableQueue, at time: Int64,
    in state: inout EngineState
  ) { count += 1 }

  func passed(
    _ entry: WorldFold.Entry, of operation: ObservableOperation, at time: Int64,
    in state: inout EngineState
  ) { count += 1 }
}
