import Foundation
import OpshLocking
import TestSupport
import Testing

@testable import Operations

@Suite("The virtual clock", .timeLimit(.minutes(15))) struct VirtualClockTests {
  /// A log on the virtual clock, and what drives it.
  private struct World {
    let engine = OperationEngine()
    var clock: VirtualClock { engine.virtualClock }

    init() { engine.virtualClock.begin() }

    /// Lets the time pass until nothing is left to happen.
    func drive() {
      while clock.runNext() || clock.passTime() {}
    }

    var elapsed: Duration { engine.now - engine.startInstant }

    func queue(width: Int = 2) -> InspectableQueue {
      InspectableQueue(name: "line", maxConcurrentOperationCount: width, engine: engine)
    }

    /// The log in words, with times in whole milliseconds.
    var story: [String] {
      engine.log.entries(from: 0, limit: .max).entries.map { entry in
        let time = Int((entry.time - engine.startInstant) / .milliseconds(1))
        return "\(time) \(entry.operation.name) \(entry.event) \(entry.to) \(entry.reason)"
      }
    }
  }

  @Test("Ten minutes of delays pass at once, and take ten minutes of virtual time")
  func delays() throws {
    let world = World()
    let queue = world.queue(width: 1)
    let operations = (0..<10).map { _ in
      DelayOperation(duration: .seconds(60), engine: world.engine)
    }
    try queue.addOperations(operations, waitUntilFinished: false)
    #expect(operations[0].state == .executing)
    world.drive()
    #expect(operations.allSatisfy { $0.state == .finished })
    #expect(world.elapsed >= .seconds(600))
    #expect(world.elapsed < .seconds(600) + .milliseconds(1))
  }

  @Test(
    "Virtual time advances for the dependencies of a Foundation operation in between",
    arguments: [true, false])
  func foundationBetween(isOnQueueOfOurs: Bool) throws {
    let world = World()
    let queue = world.queue()
    let delay = DelayOperation(name: "delay", duration: .seconds(60), engine: world.engine)
    let between = BlockOperation { usleep(20_000) }
    let last = DelayOperation(name: "last", duration: .seconds(1), engine: world.engine)
    let plain = OperationQueue()
    if isOnQueueOfOurs {
      // The queue did not hear of this dependency, and starts what wraps it.
      try queue.addOperation(between as Operation)
      between.addDependency(delay)
    } else {
      between.addDependency(delay)
      plain.addOperation(between)
    }
    try last.depend(on: between as Operation)
    try queue.addOperations([delay, last], waitUntilFinished: false)
    try driven(world)
    #expect([delay, last].map(\.outcome) == [.succeeded, .succeeded])
    #expect(world.elapsed >= .seconds(61) && world.elapsed < .seconds(62))
  }

  @Test("A resting Foundation operation is woken by another one that was woken with it")
  func restingOnOneAnother() throws {
    let world = World()
    let queue = world.queue(width: -1)
    let delay = DelayOperation(name: "delay", duration: .seconds(60), engine: world.engine)
    let (first, second) = (BlockOperation {}, BlockOperation {})
    let later = try queue.addOperation(second as Operation)
    let earlier = try queue.addOperation(first as Operation)
    // The queue does not hear of these.
    second.addDependency(first)
    first.addDependency(delay)
    try queue.addOperation(delay)
    try driven(world)
    #expect([delay, earlier, later].map(\.outcome) == [.succeeded, .succeeded, .succeeded])
  }

  @Test("Virtual time advances while a Foundation dependency is not on a queue yet")
  func foundationStartedLater() throws {
    let world = World()
    let queue = world.queue()
    let (work, late) = (BlockOperation {}, BlockOperation {})
    let waiting = (0..<2).map { _ in DelayOperation(duration: .seconds(1), engine: world.engine) }
    try waiting[0].depend(on: work as Operation)
    try waiting[1].depend(on: late as Operation)
    try queue.addOperations(waiting, waitUntilFinished: false)
    try queue.addOperation(work as Operation)
    let delay = DelayOperation(duration: .seconds(10), engine: world.engine) { _ in
      _ = try? queue.addOperation(late as Operation)
    }
    try queue.addOperation(delay)
    try driven(world)
    #expect(waiting.map(\.outcome) == [.succeeded, .succeeded])
    #expect(world.elapsed >= .seconds(11))
  }

  /// Lets the time pass on another thread, which may not come back.
  private func driven(_ world: World) throws {
    let end = Gate()
    Thread.detachNewThread {
      world.drive()
      end.open()
    }
    try #require(end.pass())
  }

  @Test("Paces, start delays, time limits and retries use virtual time")
  func everyTimer() throws {
    let world = World()
    let queue = world.queue(width: 4)
    queue.pace = .seconds(30)
    let first = DelayOperation(name: "first", duration: .seconds(1), engine: world.engine)
    let second = DelayOperation(name: "second", duration: .seconds(1), engine: world.engine)
    let late = DelayOperation(name: "late", duration: .seconds(1), engine: world.engine)
    late.startDelay = .seconds(300)
    let slow = DelayOperation(name: "slow", duration: .seconds(3600), engine: world.engine)
    slow.timeLimit = .seconds(100)
    let stubborn = BlockingOperation(name: "stubborn", engine: world.engine) { _ in
      throw OperationFailure(code: "no", message: "not yet")
    }
    stubborn.retryPolicy = RetryPolicy(limit: 3, backoff: .seconds(10), jitter: 0.5)
    try queue.addOperations([first, second, late, slow, stubborn], waitUntilFinished: false)
    world.drive()
    let times = [first, second, slow, stubborn, late].map {
      $0.timestamps.executing.map { Int(($0 - world.engine.startInstant) / .seconds(1)) }
    }
    #expect(times == [0, 30, 60, 90, 300])
    #expect(slow.outcome?.failure?.code == "timed-out")
    #expect(stubborn.outcome?.failure?.code == "no")
    #expect(stubborn.attempts == 4)
  }

  @Test("Blocking bodies run one at a time and rest in virtual time")
  func bodies() throws {
    let world = World()
    let queue = world.queue(width: -1)
    let (running, most, order) = (Locked(0), Locked(0), Locked<[String]>([]))
    let bodies = (0..<8).map { index in
      BlockingOperation(name: "body-\(index)", engine: world.engine) { _ in
        for turn in 0..<3 {
          let now = running.withLock { running in
            running += 1
            return running
          }
          most.withLock { $0 = max($0, now) }
          order.withLock { $0.append("\(index).\(turn)") }
          running.withLock { $0 -= 1 }
          world.clock.rest(
            until: world.engine.now + .seconds(10 - index), wakesOnEvents: false)
        }
        return nil
      }
    }
    try queue.addOperations(bodies, waitUntilFinished: false)
    world.drive()
    #expect(bodies.allSatisfy { $0.outcome == .succeeded })
    #expect(most.withLock { $0 } == 1)
    #expect(order.withLock { Array($0.prefix(8)) } == (0..<8).map { "\($0).0" })
    #expect(order.withLock { $0[8] } == "7.1")
    #expect(world.elapsed >= .seconds(30))
  }

  @Test("The same program gives the same log", arguments: [1, 2, 8])
  func same(width: Int) throws {
    let stories = try (0..<TestScale.count(5, long: 200)).map { _ in try story(width: width) }
    #expect(stories[0].count > 60)
    #expect(stories.allSatisfy { $0 == stories[0] })
  }

  private func story(width: Int) throws -> [String] {
    let world = World()
    world.engine.setSeed(7)
    let queue = world.queue(width: width)
    var all: [ObservableOperation] = []
    for index in 0..<12 {
      let delay = DelayOperation(
        name: "delay-\(index)", duration: .milliseconds(index * 37 % 50), engine: world.engine)
      let body = BlockingOperation(name: "body-\(index)", engine: world.engine) { operation in
        world.clock.rest(until: world.engine.now + .milliseconds(index * 13 % 20))
        if index.isMultiple(of: 3) { throw OperationFailure(code: "no", message: "no") }
        return nil
      }
      body.retryPolicy = RetryPolicy(limit: 2, backoff: .milliseconds(100), jitter: 1)
      if index > 0 { try body.depend(on: all[index - 1], policy: .run) }
      all += [delay, body]
    }
    try queue.addOperations(all, waitUntilFinished: false)
    world.clock.runNext()
    all[6].cancel()
    world.drive()
    #expect(all.allSatisfy { $0.state == .finished })
    return world.story
  }

  @Test("A delay failed from outside takes its full time in the next attempt")
  func delayFailedFromOutside() throws {
    let world = World()
    let queue = world.queue()
    let delay = DelayOperation(name: "delay", duration: .seconds(100), engine: world.engine)
    delay.retryPolicy = RetryPolicy(limit: 1, backoff: .seconds(10))
    let failing = DelayOperation(name: "failing", duration: .seconds(20), engine: world.engine) {
      _ in
      #expect(delay.finish(.failure(OperationFailure(code: "no", message: "no"))))
    }
    try queue.addOperations([delay, failing], waitUntilFinished: false)
    world.drive()
    #expect(delay.outcome == .succeeded && delay.attempts == 2)
    #expect(world.elapsed >= .seconds(130))
    #expect(world.elapsed < .seconds(130) + .milliseconds(1))
  }

  @Test("Virtual time never passes its limit")
  func limit() throws {
    let world = World()
    let queue = world.queue()
    let operation = DelayOperation(duration: .seconds(60), engine: world.engine)
    try queue.addOperation(operation)
    while world.clock.runNext() {}
    let limit = world.engine.startInstant + .seconds(59)
    #expect(!world.clock.passTime(until: limit))
    #expect(world.elapsed < .seconds(1))
    world.clock.skip(to: limit)
    #expect(world.engine.now == limit)
    #expect(operation.state == .executing)
    #expect(world.clock.passTime(until: limit + .seconds(2)))
    #expect(operation.state == .finished)
  }

  @Test("Driving the clock can be aborted during a long body and continued later")
  func endlessBody() throws {
    struct Impatience: Error {}
    let world = World()
    let gate = Gate()
    let body = BlockingOperation(engine: world.engine) { _ in
      gate.pass()
      return nil
    }
    try world.queue().addOperation(body)
    #expect(throws: Impatience.self) {
      while try world.clock.runNext({ throw Impatience() }) {}
    }
    #expect(body.state == .executing)
    gate.open()
    world.drive()
    #expect(body.outcome == .succeeded)
  }

  @Test("Random numbers follow from the seed and are evenly distributed")
  func chance() {
    let (first, second) = (OperationEngine(), OperationEngine())
    first.setSeed(7)
    second.setSeed(7)
    let numbers = (0..<1000).map { _ in first.drawChance() }
    #expect(numbers == (0..<1000).map { _ in second.drawChance() })
    #expect(numbers.allSatisfy { (0...1).contains($0) })
    #expect(abs(numbers.reduce(0, +) / 1000 - 0.5) < 0.05)
    second.setSeed(8)
    #expect(numbers[0] != second.drawChance())
  }

  @Test("After the clock has ended the log's time continues, and delays include the skipped time")
  func skipped() throws {
    let world = World()
    let queue = world.queue()
    try queue.addOperation(DelayOperation(duration: .milliseconds(400), engine: world.engine))
    world.drive()
    world.clock.end()
    let late = DelayOperation(duration: .zero, engine: world.engine)
    late.startDelay = .milliseconds(1)
    try queue.addOperation(late)
    #expect(late.waitUntilFinished(timeout: .seconds(60)))
    // Without what was skipped it would be over after a few milliseconds.
    #expect(ContinuousClock.now - world.engine.startInstant >= .milliseconds(401))
    #expect(late.outcome == .succeeded)
    let times = world.engine.log.entries(from: 0, limit: .max).entries.map(\.time)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test("Ending the clock releases resting bodies")
  func end() throws {
    let world = World()
    let done = Gate()
    let body = BlockingOperation(engine: world.engine) { _ in
      world.clock.rest(until: nil)
      done.open()
      return nil
    }
    try world.queue().addOperation(body)
    while world.clock.runNext() {}
    world.clock.end()
    #expect(done.pass())
  }

  @Test("Events after the last day of the clock never happen; the others do")
  func lastDay() throws {
    let world = World()
    let queue = world.queue(width: -1)
    let far = DelayOperation(duration: .seconds(Int64.max), engine: world.engine)
    let near = DelayOperation(duration: .seconds(9_000_000_000), engine: world.engine)
    try queue.addOperations([far, near], waitUntilFinished: false)
    world.drive()
    #expect(near.state == .finished && far.state == .executing)
    #expect(world.clock.hasEnded)
    #expect(world.clock.reaches(world.engine.now))
    #expect(!world.clock.reaches(world.engine.now + .seconds(9_000_000_000)))
    world.clock.skip(to: world.engine.now + .seconds(9_000_000_000))
    // At the end of time there is still an order of what happens.
    let late = (0..<10).map { _ in Quick(engine: world.engine) }
    try queue.addOperations(late, waitUntilFinished: false)
    world.drive()
    #expect(late.allSatisfy { $0.outcome == .succeeded })
    far.cancel()
    world.drive()
    #expect(far.outcome == .cancelled)
    #expect(!world.clock.hasEnded)
  }

  @Test("A body that returned before the clock ended is not confused with the next one")
  func endAfterReturn() throws {
    struct Impatience: Error {}
    let world = World()
    let (gate, isBack) = (Gate(), Gate())
    let token = Locked<ObservationToken?>(nil)
    let slow = BlockingOperation(name: "slow", engine: world.engine) { _ in
      _ = gate.pass()
      return nil
    }
    token.withLock { $0 = slow.observe(\.isFinished) { _, _ in isBack.open() } }
    try world.queue().addOperation(slow)
    #expect(throws: Impatience.self) {
      while try world.clock.runNext({ throw Impatience() }) {}
    }
    gate.open()
    #expect(isBack.pass())
    world.clock.end()
    world.clock.begin()
    let isDone = Locked(false)
    world.clock.startBody {
      Thread.sleep(forTimeInterval: 0.05)
      isDone.withLock { $0 = true }
    }
    // It comes back when the body has given its turn up, and not before.
    while world.clock.runNext() {}
    #expect(isDone.withLock { $0 })
    token.withLock { $0 = nil }
  }
}
