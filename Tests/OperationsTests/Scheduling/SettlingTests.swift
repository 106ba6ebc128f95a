import Foundation
import OpshLocking
import TestSupport
import Testing

@testable import Operations

/// What follows from one event is settled before a free slot is given.
@Suite("Settling", .timeLimit(.minutes(15))) struct SettlingTests {
  enum Clock: CaseIterable { case real, virtual }

  /// What an operation that never runs calls before it is finished.
  enum Calls: CaseIterable { case nothing, handler, handlerOnQueue, priorObserver, completion }

  /// In real time a queue of handlers may have to wait for a thread for longer than slots are held.
  static let cases = Clock.allCases.flatMap { clock in
    Calls.allCases.filter { clock == .virtual || $0 != .handlerOnQueue }.map { (clock, $0) }
  }

  /// An engine on one of the clocks.
  private final class World {
    let bench = Bench()
    var engine: OperationEngine { bench.engine }
    private var tokens: [ObservationToken] = []

    init(_ clock: Clock) {
      if clock == .virtual { engine.virtualClock.begin() }
    }

    func queue(_ name: String = "line", width: Int = 1) -> InspectableQueue {
      bench.queue(name, width: width)
    }

    /// A quick operation.
    func operation(
      _ name: String, _ priority: Operation.QueuePriority = .normal,
      after upstream: ObservableOperation? = nil, policy: FailurePolicy = .run
    ) throws -> Quick {
      let operation = bench.quick(name)
      operation.queuePriority = priority
      if let upstream { try operation.depend(on: upstream, policy: policy) }
      return operation
    }

    /// An operation that never runs, and what it calls when it ends.
    func unrun(
      _ name: String, calling calls: Calls, after upstream: ObservableOperation? = nil,
      policy: FailurePolicy = .run
    ) throws -> ObservableOperation {
      let hasHandler = calls == .handler || calls == .handlerOnQueue
      let handler: @Sendable (Result<Int, any Error>) -> Void = { _ in }
      let operation = ConcurrentOperation<Int>(
        name: name, engine: engine,
        callbackQueue: calls == .handlerOnQueue ? DispatchQueue(label: "handlers") : nil,
        completionHandler: hasHandler ? handler : nil)
      if let upstream { try operation.depend(on: upstream, policy: policy) }
      if calls == .priorObserver {
        tokens.append(operation.observe(\.isFinished, options: [.prior]) { _, _ in })
      }
      if calls == .completion { operation.addCompletion(.before) {} }
      return operation
    }

    /// Runs everything until the queues are empty.
    func run(_ queues: InspectableQueue...) throws {
      if engine.virtualClock.isInUse {
        while engine.virtualClock.runNext() || engine.virtualClock.passTime() {
          if queues.allSatisfy({ $0.operationCount == 0 }) { break }
        }
      }
      for queue in queues { try drainOrStop(queue) }
    }
  }

  @Test(
    "What a skipped operation makes ready competes for the slot of the one that failed",
    arguments: cases)
  func skipped(_ clock: Clock, _ calls: Calls) throws {
    let world = World(clock)
    let queue = world.queue()
    let first = world.bench.held("first")
    let skipped = try world.unrun("skipped", calling: calls, after: first, policy: .skip)
    let urgent = try world.operation("urgent", .veryHigh, after: skipped)
    let later = try world.operation("later", .low, after: first)
    try queue.addOperations([first, skipped, urgent, later], waitUntilFinished: false)
    first.finish(.failure(TestError()))
    try world.run(queue)
    #expect(skipped.outcome == .skipped)
    #expect(world.bench.started == ["first", "urgent", "later"])
  }

  @Test("A long chain of skipped operations ends before a slot is given", arguments: Clock.allCases)
  func longChain(clock: Clock) throws {
    let world = World(clock)
    let queue = world.queue()
    let first = world.bench.held("first")
    var chain: [ObservableOperation] = [first]
    for number in 1...20_000 {
      // Every hundredth is ended outside of the transaction.
      let calls = number.isMultiple(of: 100) ? Calls.handler : .nothing
      let next = try world.unrun("link", calling: calls, after: chain[number - 1], policy: .skip)
      chain.append(next)
    }
    let urgent = try world.operation("urgent", .veryHigh, after: chain.last)
    let later = try world.operation("later", .low, after: first)
    try queue.addOperations(chain + [urgent, later], waitUntilFinished: false)
    first.finish(.failure(TestError()))
    try world.run(queue)
    #expect(chain.dropFirst().allSatisfy { $0.outcome == .skipped })
    #expect(world.bench.started == ["first", "urgent", "later"])
  }

  @Test(
    "What the end of a cancelled operation makes ready competes for all free slots",
    arguments: cases)
  func cancelled(_ clock: Clock, _ calls: Calls) throws {
    let world = World(clock)
    let queue = world.queue(width: 2)
    queue.isSuspended = true
    let cancelled = try world.unrun("cancelled", calling: calls)
    let lows = try ["low1", "low2"].map { try world.operation($0, .low) }
    let urgent = try ["urgent1", "urgent2"].map {
      try world.operation($0, .veryHigh, after: cancelled)
    }
    try queue.addOperations([cancelled] + lows + urgent, waitUntilFinished: false)
    cancelled.cancel()
    #expect(cancelled.state == .ready)
    queue.isSuspended = false
    try world.run(queue)
    #expect(cancelled.outcome == .cancelled)
    #expect(world.bench.started.prefix(2).sorted() == ["urgent1", "urgent2"])
  }

  @Test(
    "A cancelled operation ends before a slot of another queue is given",
    arguments: Clock.allCases, [true, false])
  func cancelledElsewhere(clock: Clock, isFirst: Bool) throws {
    let world = World(clock)
    let (line, other) = (world.queue(), world.queue("other"))
    for queue in [line, other] { queue.isSuspended = true }
    let cancelled = try world.unrun("cancelled", calling: .nothing)
    let low = try world.operation("low", .low)
    let urgent = try world.operation("urgent", .veryHigh, after: cancelled)
    try other.addOperation(cancelled)
    try line.addOperations([low, urgent], waitUntilFinished: false)
    cancelled.cancel()
    world.engine.withoutStarting {
      for queue in isFirst ? [other, line] : [line, other] { queue.isSuspended = false }
    }
    try world.run(line, other)
    #expect(world.bench.started == ["urgent", "low"])
  }

  @Test("Cancelling several executing operations is one event", arguments: Clock.allCases)
  func cancelSeveral(clock: Clock) throws {
    let world = World(clock)
    let (line, other) = (world.queue(), world.queue("other", width: 2))
    let held = ["first", "second"].map(world.bench.held)
    try other.addOperations(held, waitUntilFinished: false)
    let low = try world.operation("low", .low, after: held[0])
    let urgent = try world.operation("urgent", .veryHigh, after: held[1])
    try line.addOperations([low, urgent], waitUntilFinished: false)
    ObservableOperation.cancelAll(held)
    try world.run(line, other)
    #expect(world.bench.started == ["first", "second", "urgent", "low"])
  }

  @Test(
    "A group ends with its last member before a slot is given",
    arguments: Clock.allCases, [1, 3])
  func groups(clock: Clock, depth: Int) throws {
    let world = World(clock)
    let (line, other) = (world.queue(), world.queue("other"))
    let member = world.bench.held("member")
    var outer: ObservableOperation = member
    for level in 1...depth {
      let group = GroupOperation(name: "group\(level)", engine: world.engine)
      try group.addOperation(outer)
      outer = group
    }
    let low = try world.operation("low", .low, after: member)
    let urgent = try world.operation("urgent", .veryHigh, after: outer)
    try line.addOperations([low, urgent], waitUntilFinished: false)
    try other.addOperation(outer)
    if clock == .virtual { while world.engine.virtualClock.runNext() {} }
    try #require(member.waitUntilBegun())
    member.finish(.success(1))
    try world.run(line, other)
    #expect(world.bench.started.suffix(2) == ["urgent", "low"])
  }

  @Test(
    "A skipped group ends its members and itself before a slot is given",
    arguments: Clock.allCases)
  func skippedGroup(clock: Clock) throws {
    let world = World(clock)
    let queue = world.queue()
    let first = world.bench.held("first")
    let group = GroupOperation(name: "group", engine: world.engine)
    try group.addOperations([try world.operation("a"), try world.operation("b")])
    try group.depend(on: first, policy: .skip)
    let urgent = try world.operation("urgent", .veryHigh, after: group)
    let later = try world.operation("later", .low, after: first)
    try queue.addOperations([first, group, urgent, later], waitUntilFinished: false)
    first.finish(.failure(TestError()))
    try world.run(queue)
    #expect(group.outcome == .skipped)
    #expect(world.bench.started == ["first", "urgent", "later"])
  }

  @Test("Several changes made together are one event", arguments: Clock.allCases)
  func together(clock: Clock) throws {
    let world = World(clock)
    let (line, other) = (world.queue(), world.queue("other"))
    let low = try world.operation("low", .low)
    let high = try world.operation("high", .high)
    world.engine.withoutStarting {
      #expect(throws: Never.self) {
        try line.addOperation(low)
        try line.addOperation(high)
      }
      #expect(low.state == .ready)
    }
    try world.run(line, other)
    #expect(world.bench.started == ["high", "low"])
  }

  // MARK: Steps

  @Test(
    "A step decides when the end of a cancelled operation is settled",
    arguments: Clock.allCases, [Calls.nothing, .handler, .priorObserver])
  func steps(clock: Clock, calls: Calls) throws {
    let world = World(clock)
    let queue = world.queue(width: 2)
    queue.isSuspended = true
    let cancelled = try world.unrun("cancelled", calling: calls)
    let low = try world.operation("low", .low)
    let urgent = try world.operation("urgent", .veryHigh, after: cancelled)
    try queue.addOperations([cancelled, low, urgent], waitUntilFinished: false)
    cancelled.cancel()
    let decisions = try queue.step(2)
    #expect(decisions.map(\.operation.name) == ["cancelled", "urgent"])
    #expect(decisions.map(\.slot) == [1, 1])
    #expect(decisions.last?.reason == "it has the highest priority, veryHigh, of 2 ready")
    queue.isSuspended = false
    try world.run(queue)
  }

  // MARK: Calls that take long

  @Test("A handler that waits for another operation to start does not hold it back for long")
  func slowHandler() throws {
    let world = World(.real)
    let queue = world.queue()
    let first = world.bench.held("first")
    let later = try world.operation("later", .low, after: first)
    let isMet = Locked(false)
    let skipped = ConcurrentOperation<Int>(name: "skipped", engine: world.engine) { _ in
      let ended = later.waitUntilFinished(timeout: .seconds(60))
      isMet.withLock { $0 = ended }
    }
    try skipped.depend(on: first, policy: .skip)
    try queue.addOperations([first, skipped, later], waitUntilFinished: false)
    first.finish(.failure(TestError()))
    try world.run(queue)
    #expect(isMet.withLock { $0 })
    #expect(world.engine.guardedState { !$0.hasHolds })
  }

  @Test("A change that waits for an operation to start does not hold it back for long")
  func slowChange() throws {
    let world = World(.real)
    let queue = world.queue()
    let operation = try world.operation("a")
    let ended = world.engine.withoutStarting {
      try? queue.addOperation(operation)
      return operation.waitUntilFinished(timeout: .seconds(60))
    }
    #expect(ended)
    #expect(world.engine.guardedState { !$0.hasHolds })
  }

  // MARK: The virtual clock

  @Test(
    "Operations that end at one virtual time end before a slot is given", arguments: [true, false])
  func endsAtOneTime(areBodies: Bool) throws {
    let world = World(.virtual)
    let engine = world.engine
    let (line, other) = (world.queue(), world.queue("other", width: 2))
    let ends = ["first", "second"].map { name -> ObservableOperation in
      guard areBodies else {
        return DelayOperation(name: name, duration: .seconds(1), engine: engine)
      }
      return BlockingOperation(name: name, engine: engine) { _ in
        engine.virtualClock.rest(until: engine.startInstant + .seconds(1), wakesOnEvents: false)
        return nil
      }
    }
    let low = try world.operation("low", .low, after: ends[0])
    let urgent = try world.operation("urgent", .veryHigh, after: ends[1])
    try line.addOperations([low, urgent], waitUntilFinished: false)
    try other.addOperations(ends, waitUntilFinished: false)
    try world.run(line, other)
    #expect(world.bench.started.suffix(2) == ["urgent", "low"])
  }

  @Test("Start delays that end at one virtual time end before a slot is given")
  func startDelays() throws {
    let world = World(.virtual)
    let queue = world.queue()
    let low = try world.operation("low", .low)
    let urgent = try world.operation("urgent", .veryHigh)
    for operation in [low, urgent] { operation.startDelay = .seconds(1) }
    try queue.addOperations([low, urgent], waitUntilFinished: false)
    try world.run(queue)
    #expect(world.bench.started == ["urgent", "low"])
  }

  @Test("What a body adds at a time at which more is due executes at once")
  func addedByBody() throws {
    let world = World(.virtual)
    let engine = world.engine
    let queue = world.queue(width: -1)
    let states = Gathered<OperationState>()
    let bodies = ["first", "second"].map { name in
      BlockingOperation(name: name, engine: engine) { _ in
        engine.virtualClock.rest(until: engine.startInstant + .seconds(1), wakesOnEvents: false)
        let added = DelayOperation(duration: .seconds(1), engine: engine)
        try queue.addOperation(added)
        states.add(added.state)
        return nil
      }
    }
    try queue.addOperations(bodies, waitUntilFinished: false)
    try world.run(queue)
    #expect(states.all == [.executing, .executing])
  }

  @Test("A handler that rests on the virtual clock until another operation ends comes back")
  func restingHandler() throws {
    let world = World(.virtual)
    let engine = world.engine
    let queue = world.queue()
    let first = BlockingOperation(name: "first", engine: engine) { _ in throw TestError() }
    let later = try world.operation("later", .low, after: first)
    let skipped = ConcurrentOperation<Int>(name: "skipped", engine: engine) { _ in
      while later.state != .finished { engine.virtualClock.rest(until: nil) }
    }
    try skipped.depend(on: first, policy: .skip)
    try queue.addOperations([first, skipped, later], waitUntilFinished: false)
    let end = Gate()
    Thread.detachNewThread {
      while engine.virtualClock.runNext() || engine.virtualClock.passTime() {}
      end.open()
    }
    try #require(end.pass())
    #expect([skipped, later].map(\.outcome) == [.skipped, .succeeded])
    #expect(engine.guardedState { !$0.hasHolds })
  }
}
