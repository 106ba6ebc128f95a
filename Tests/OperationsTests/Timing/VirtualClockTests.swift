import Foundation
import Locking
import TestSupport
import Testing

@testable import Operations

@Suite("The virtual clock", .timeLimit(.minutes(15))) struct VirtualClockTests {
  /// A log on the virtual clock, and what drives it.
  private struct World {
    let log = EventLog()
    var clock: VirtualClock { log.virtualClock }

    init() { log.virtualClock.begin() }

    /// Lets the time pass until nothing is left to happen.
    func drive() {
      while clock.runNext() || clock.passTime() {}
    }

    var elapsed: Duration { log.now - log.startInstant }

    func queue(width: Int = 2) -> InspectableQueue {
      InspectableQueue(name: "line", maxConcurrentOperationCount: width, log: log)
    }

    /// The log in words, with times in whole milliseconds.
    var story: [String] {
      log.entries(from: 0, limit: .max).entries.map { entry in
        let time = Int((entry.time - log.startInstant) / .milliseconds(1))
        return "\(time) \(entry.operation.name) \(entry.event) \(entry.to) \(entry.reason)"
      }
    }
  }

  @Test("Ten minutes of delays pass at once, and take ten minutes by the clock")
  func delays() throws {
    let world = World()
    let queue = world.queue(width: 1)
    let operations = (0..<10).map { _ in
      DelayOperation(duration: .seconds(60), log: world.log)
    }
    try queue.addOperations(operations, waitUntilFinished: false)
    #expect(operations[0].state == .executing)
    world.drive()
    #expect(operations.allSatisfy { $0.state == .finished })
    #expect(world.elapsed >= .seconds(600))
    #expect(world.elapsed < .seconds(600) + .milliseconds(1))
  }

  @Test(
    "What waits for one of Foundation's lets the time pass for what that waits for",
    arguments: [true, false])
  func foundationBetween(isOnQueueOfOurs: Bool) throws {
    let world = World()
    let queue = world.queue()
    let delay = DelayOperation(name: "delay", duration: .seconds(60), log: world.log)
    let between = BlockOperation { usleep(20_000) }
    let last = DelayOperation(name: "last", duration: .seconds(1), log: world.log)
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

  @Test("One that rests is woken also by what another one does that was woken with it")
  func restingOnOneAnother() throws {
    let world = World()
    let queue = world.queue(width: -1)
    let delay = DelayOperation(name: "delay", duration: .seconds(60), log: world.log)
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

  @Test("Waiting for one of Foundation's that somebody has yet to start lets him come to that")
  func foundationStartedLater() throws {
    let world = World()
    let queue = world.queue()
    let (work, late) = (BlockOperation {}, BlockOperation {})
    let waiting = (0..<2).map { _ in DelayOperation(duration: .seconds(1), log: world.log) }
    try waiting[0].depend(on: work as Operation)
    try waiting[1].depend(on: late as Operation)
    try queue.addOperations(waiting, waitUntilFinished: false)
    try queue.addOperation(work as Operation)
    let delay = DelayOperation(duration: .seconds(10), log: world.log) { _ in
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

  @Test("Paces, start delays, time limits and retries go by the clock")
  func everyTimer() throws {
    let world = World()
    let queue = world.queue(width: 4)
    queue.pace = .seconds(30)
    let first = DelayOperation(name: "first", duration: .seconds(1), log: world.log)
    let second = DelayOperation(name: "second", duration: .seconds(1), log: world.log)
    let late = DelayOperation(name: "late", duration: .seconds(1), log: world.log)
    late.startDelay = .seconds(300)
    let slow = DelayOperation(name: "slow", duration: .seconds(3600), log: world.log)
    slow.timeLimit = .seconds(100)
    let stubborn = BlockingOperation(name: "stubborn", log: world.log) { _ in
      throw OperationFailure(code: "no", message: "not yet")
    }
    stubborn.retryPolicy = RetryPolicy(limit: 3, backoff: .seconds(10), jitter: 0.5)
    try queue.addOperations([first, second, late, slow, stubborn], waitUntilFinished: false)
    world.drive()
    let times = [first, second, slow, stubborn, late].map {
      $0.timestamps.executing.map { Int(($0 - world.log.startInstant) / .seconds(1)) }
    }
    #expect(times == [0, 30, 60, 90, 300])
    #expect(slow.outcome?.failure?.code == "timed-out")
    #expect(stubborn.outcome?.failure?.code == "no")
    #expect(stubborn.attempts == 4)
  }

  @Test("Bodies on threads of their own run one at a time, and rest by the clock")
  func bodies() throws {
    let world = World()
    let queue = world.queue(width: -1)
    let (running, most, order) = (Locked(0), Locked(0), Locked<[String]>([]))
    let bodies = (0..<8).map { index in
      BlockingOperation(name: "body-\(index)", log: world.log) { _ in
        for turn in 0..<3 {
          let now = running.withLock { running in
            running += 1
            return running
          }
          most.withLock { $0 = max($0, now) }
          order.withLock { $0.append("\(index).\(turn)") }
          running.withLock { $0 -= 1 }
          world.clock.rest(
            until: world.log.now + .seconds(10 - index), wakesOnEvents: false)
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
    world.log.setSeed(7)
    let queue = world.queue(width: width)
    var all: [ObservableOperation] = []
    for index in 0..<12 {
      let delay = DelayOperation(
        name: "delay-\(index)", duration: .milliseconds(index * 37 % 50), log: world.log)
      let body = BlockingOperation(name: "body-\(index)", log: world.log) { operation in
        world.clock.rest(until: world.log.now + .milliseconds(index * 13 % 20))
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

  @Test("A delay that somebody fails takes all of its time in the next attempt")
  func delayFailedFromOutside() throws {
    let world = World()
    let queue = world.queue()
    let delay = DelayOperation(name: "delay", duration: .seconds(100), log: world.log)
    delay.retryPolicy = RetryPolicy(limit: 1, backoff: .seconds(10))
    let failing = DelayOperation(name: "failing", duration: .seconds(20), log: world.log) { _ in
      #expect(delay.finish(.failure(OperationFailure(code: "no", message: "no"))))
    }
    try queue.addOperations([delay, failing], waitUntilFinished: false)
    world.drive()
    #expect(delay.outcome == .succeeded && delay.attempts == 2)
    #expect(world.elapsed >= .seconds(130))
    #expect(world.elapsed < .seconds(130) + .milliseconds(1))
  }

  @Test("The time never goes further than it is let")
  func limit() throws {
    let world = World()
    let queue = world.queue()
    let operation = DelayOperation(duration: .seconds(60), log: world.log)
    try queue.addOperation(operation)
    while world.clock.runNext() {}
    let limit = world.log.startInstant + .seconds(59)
    #expect(!world.clock.passTime(until: limit))
    #expect(world.elapsed < .seconds(1))
    world.clock.advance(to: limit)
    #expect(world.log.now == limit)
    #expect(operation.state == .executing)
    #expect(world.clock.passTime(until: limit + .seconds(2)))
    #expect(operation.state == .finished)
  }

  @Test("Who drives can give up on a body that does not come back, and takes it up again")
  func endlessBody() throws {
    struct Impatience: Error {}
    let world = World()
    let gate = Gate()
    let body = BlockingOperation(log: world.log) { _ in
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

  @Test("Chance follows from the seed, and is evenly spread")
  func chance() {
    let (first, second) = (EventLog(), EventLog())
    first.setSeed(7)
    second.setSeed(7)
    let numbers = (0..<1000).map { _ in first.drawChance() }
    #expect(numbers == (0..<1000).map { _ in second.drawChance() })
    #expect(numbers.allSatisfy { (0...1).contains($0) })
    #expect(abs(numbers.reduce(0, +) / 1000 - 0.5) < 0.05)
    second.setSeed(8)
    #expect(numbers[0] != second.drawChance())
  }

  @Test("After its end the log goes on from its time, and delays come late by what was skipped")
  func skipped() throws {
    let world = World()
    let queue = world.queue()
    try queue.addOperation(DelayOperation(duration: .milliseconds(400), log: world.log))
    world.drive()
    world.clock.end()
    let late = DelayOperation(duration: .zero, log: world.log)
    late.startDelay = .milliseconds(1)
    try queue.addOperation(late)
    #expect(late.waitUntilFinished(timeout: .seconds(60)))
    // Without what was skipped it would be over after a few milliseconds.
    #expect(ContinuousClock.now - world.log.startInstant >= .milliseconds(401))
    #expect(late.outcome == .succeeded)
    let times = world.log.entries(from: 0, limit: .max).entries.map(\.time)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test("A clock that is put out of use lets resting bodies go")
  func end() throws {
    let world = World()
    let done = Gate()
    let body = BlockingOperation(log: world.log) { _ in
      world.clock.rest(until: nil)
      done.open()
      return nil
    }
    try world.queue().addOperation(body)
    while world.clock.runNext() {}
    world.clock.end()
    #expect(done.pass())
  }

  @Test("What would come after the clock's last day never comes, and the rest goes on")
  func lastDay() throws {
    let world = World()
    let queue = world.queue(width: -1)
    let far = DelayOperation(duration: .seconds(Int64.max), log: world.log)
    let near = DelayOperation(duration: .seconds(9_000_000_000), log: world.log)
    try queue.addOperations([far, near], waitUntilFinished: false)
    world.drive()
    #expect(near.state == .finished && far.state == .executing)
    #expect(world.clock.hasEnded)
    #expect(world.clock.reaches(world.log.now))
    #expect(!world.clock.reaches(world.log.now + .seconds(9_000_000_000)))
    world.clock.advance(to: world.log.now + .seconds(9_000_000_000))
    // At the end of time there is still an order of what happens.
    let late = (0..<10).map { _ in Quick(log: world.log) }
    try queue.addOperations(late, waitUntilFinished: false)
    world.drive()
    #expect(late.allSatisfy { $0.outcome == .succeeded })
    far.cancel()
    world.drive()
    #expect(far.outcome == .cancelled)
    #expect(!world.clock.hasEnded)
  }

  @Test("A body that came back before the clock was put out of use is not taken for the next one")
  func endAfterReturn() throws {
    struct Impatience: Error {}
    let world = World()
    let (gate, isBack) = (Gate(), Gate())
    let token = Locked<ObservationToken?>(nil)
    let slow = BlockingOperation(name: "slow", log: world.log) { _ in
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
