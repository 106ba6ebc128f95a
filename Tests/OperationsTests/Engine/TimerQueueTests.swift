import Foundation
import OpshLocking
import OpshSupport
import TestSupport
import Testing

@testable import Operations

@Suite(.timeLimit(.minutes(15))) struct TimerQueueTests {
  @Test("Timer handlers are called in order of time, at equal times in the order of adding")
  func order() {
    let (timers, called, done) = (TimerQueue(), Gathered<Int>(), Gate())
    // Times that none of the calls comes late for.
    let base = PacedClock.systemNanoseconds() + 5_000_000_000
    for (index, delay) in [30, 10, 20, 0, 0].enumerated() {
      _ = timers.schedule(at: base + Int64(delay) * 1_000_000) { called.add(index) }
    }
    _ = timers.schedule(after: .milliseconds(-5)) { called.add(5) }
    _ = timers.schedule(at: base + 40_000_000) { done.open() }
    #expect(done.pass())
    #expect(called.all == [5, 3, 4, 1, 2, 0])
  }

  @Test("A timer handler is never called before its time")
  func notBefore() {
    let (timers, early, done) = (TimerQueue(), Locked(0), DispatchGroup())
    let clock = ContinuousClock()
    for index in 0..<200 {
      let delay = Duration.microseconds(index * 137 % 20_000)
      let start = clock.now
      done.enter()
      _ = timers.schedule(after: delay) {
        if clock.now - start < delay { early.withLock { $0 += 1 } }
        done.leave()
      }
    }
    #expect(done.wait(timeout: .now() + 60) == .success)
    #expect(early.withLock { $0 } == 0)
  }

  @Test("A cancelled timer handler is not called and is released at once")
  func cancel() {
    let (timers, called, done) = (TimerQueue(), Gathered<Int>(), Gate())
    let census = Census()
    let tokens = (0..<10).map { index in
      let resident = census.resident()
      return timers.schedule(after: .seconds(5)) {
        withExtendedLifetime(resident) { called.add(index) }
      }
    }
    for token in tokens.dropFirst() { token.cancel() }
    #expect(census.count == 1)
    #expect(tokens.map(\.isCancelled) == [false] + [Bool](repeating: true, count: 9))
    _ = timers.schedule(after: .milliseconds(5_010)) { done.open() }
    #expect(done.pass())
    // A handler whose thread waits for long is overtaken.
    #expect(eventually { !called.all.isEmpty })
    #expect(called.all == [0])
    #expect(tokens[0].isCancelled)
    tokens[0].cancel()
    #expect(eventually { census.count == 0 })
  }

  @Test("A new timer with an earlier time is called before an older one with a later time")
  func earlierLater() {
    let (timers, done) = (TimerQueue(), Gate())
    let far = timers.schedule(after: .seconds(3_600)) {}
    _ = timers.schedule(after: .milliseconds(1)) { done.open() }
    #expect(done.pass())
    #expect(!far.isCancelled)
  }

  @Test("A timer beyond the longest rest of the source is called once, at its time")
  func rests() {
    let timers = TimerQueue(longestRest: .milliseconds(1))
    let (called, done) = (Gathered<Duration>(), Gate())
    let start = ContinuousClock.now
    for delay in [25, 10] {
      _ = timers.schedule(after: .milliseconds(delay)) {
        called.add(ContinuousClock.now - start)
        done.open()
      }
    }
    #expect(done.pass() && done.pass())
    #expect(called.all.count == 2 && timers.entryCount == 0)
    #expect(zip(called.all, [10, 25]).allSatisfy { $0 >= .milliseconds($1) })
  }

  @Test("Cancelled timers are dropped when the source next wakes, long before their time")
  func cancelledFirst() {
    let timers = TimerQueue(longestRest: .milliseconds(1))
    let done = Gate()
    let far = (1...3).map { timers.schedule(after: .seconds(3_600 + $0)) {} }
    let last = timers.schedule(after: .seconds(7_200)) {}
    for token in far { token.cancel() }
    // Without another timer that would wake the thread.
    #expect(eventually { timers.entryCount == 1 })
    #expect(!last.isCancelled)
    last.cancel()
    #expect(eventually { timers.entryCount == 0 })
    // And it still wakes for the next one.
    _ = timers.schedule(after: .milliseconds(2)) { done.open() }
    #expect(done.pass())
  }

  @Test("A blocking timer handler does not delay other handlers")
  func blockingHandlers() {
    let (timers, called, done) = (TimerQueue(), Gathered<Int>(), Gate())
    let gates = (0..<5).map { _ in Gate() }
    for index in gates.indices {
      _ = timers.schedule(after: .milliseconds(index)) {
        // Each waits for the one after it.
        if index + 1 < gates.count { #expect(gates[index + 1].pass()) }
        called.add(index)
        gates[index].open()
        if index == 0 { done.open() }
      }
    }
    #expect(done.pass())
    #expect(called.all == [4, 3, 2, 1, 0])
    // Afterwards it works as before.
    for delay in [1, 0] { _ = timers.schedule(after: .milliseconds(delay)) { done.open() } }
    #expect(done.pass() && done.pass())
    #expect(timers.entryCount == 0)
  }

  @Test("The completion handler of a delay may wait for another delay")
  func waitingHandler() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    let answers = Gathered<Bool>()
    let second = DelayOperation(name: "second", duration: .milliseconds(50), engine: bench.engine)
    let first = DelayOperation(name: "first", duration: .milliseconds(5), engine: bench.engine) {
      _ in
      answers.add(second.waitUntilFinished(timeout: .seconds(60)))
    }
    try queue.addOperations([first, second], waitUntilFinished: false)
    try drainOrStop(queue)
    #expect(answers.all == [true])
  }

  @Test("Timers in the far future and at the end of time are safe")
  func farFuture() {
    let (timers, done) = (TimerQueue(), Gate())
    let delays: [Duration] = [
      .seconds(Int64.max), .nanoseconds(Int64.max), .seconds(1e17), .seconds(100 * 365 * 86_400),
    ]
    let tokens = delays.map { timers.schedule(after: $0) {} }
    _ = timers.schedule(after: .seconds(Int64.min)) {}
    _ = timers.schedule(after: .zero) { done.open() }
    #expect(done.pass())
    #expect(tokens.allSatisfy { !$0.isCancelled })
  }

  @Test("Thousands of timers use only a few threads")
  func thousands() {
    let (timers, called, done) = (TimerQueue(), Locked(0), Gate())
    let count = TestScale.count(5_000)
    let before = ThreadCount.now
    for index in 0..<count {
      _ = timers.schedule(after: .microseconds(index % 5_000)) {
        let isLast = called.withLock { called in
          called += 1
          return called == count
        }
        if isLast { done.open() }
      }
    }
    #expect(ThreadCount.now - before < 500)
    #expect(done.pass())
  }

  @Test("Cancelled timers do not accumulate while far ones stay")
  func pruning() {
    let (timers, census) = (TimerQueue(), Census())
    let kept = (0..<10).map { _ in
      let resident = census.resident()
      return timers.schedule(after: .seconds(3_600)) { withExtendedLifetime(resident) {} }
    }
    for _ in 0..<TestScale.count(20_000) {
      timers.schedule(after: .seconds(7_200)) {}.cancel()
    }
    #expect(timers.entryCount <= 1_000)
    #expect(census.count == 10)
    for token in kept { token.cancel() }
    #expect(census.count == 0)
  }

  @Test("Timers that are set and cancelled from several threads are called once or never")
  func severalThreads() {
    let timers = TimerQueue()
    let (called, cancelled) = (Locked(0), Locked(0))
    let count = TestScale.count(500)
    race(
      (0..<4).map { thread in
        {
          for index in 0..<count {
            let token = timers.schedule(after: .microseconds(index % 50)) {
              called.withLock { $0 += 1 }
            }
            if (index + thread).isMultiple(of: 2), !token.isCancelled {
              token.cancel()
              cancelled.withLock { $0 += 1 }
            }
          }
        }
      })
    let most = 4 * count
    let atLeast = most - cancelled.withLock { $0 }
    #expect(eventually { called.withLock { $0 } >= atLeast })
    #expect(called.withLock { $0 } <= most)
  }

  @Test("A handler may set and cancel timers; a released timer queue calls no handler")
  func nesting() {
    let (called, done) = (Gathered<Int>(), Gate())
    let census = Census()
    do {
      let timers = TimerQueue()
      let later = timers.schedule(after: .seconds(3_600)) { called.add(9) }
      _ = timers.schedule(after: .milliseconds(1)) { [weak timers] in
        called.add(1)
        later.cancel()
        _ = timers?.schedule(after: .zero) {
          called.add(2)
          done.open()
        }
      }
      #expect(done.pass())
      let resident = census.resident()
      _ = timers.schedule(after: .seconds(3_600)) { withExtendedLifetime(resident) {} }
    }
    #expect(called.all == [1, 2])
    #expect(eventually { census.count == 0 })
  }
}
