import Foundation
import OpshLocking
import Synchronization
import TestSupport
import Testing

@testable import Operations

/// What becomes of blocking bodies where the system has few threads, or none.
@Suite(.timeLimit(.minutes(15))) struct ScarceThreadsTests {
  /// A system that has as many threads as the test says.
  private final class System: Sendable {
    private let left: Atomic<Int>
    private let attempts = Atomic(0)
    private let ends = Atomic(0)

    init(threads: Int) { left = Atomic(threads) }

    /// How many threads were asked for.
    var attemptCount: Int { attempts.load(ordering: .acquiring) }

    /// How many threads have ended.
    var endCount: Int { ends.load(ordering: .acquiring) }

    func allow(_ count: Int) { left.add(count, ordering: .acquiringAndReleasing) }

    func start(_ work: @escaping @Sendable () -> Void) -> Int32? {
      attempts.add(1, ordering: .acquiringAndReleasing)
      guard left.subtract(1, ordering: .acquiringAndReleasing).newValue >= 0 else {
        left.add(1, ordering: .acquiringAndReleasing)
        return EAGAIN
      }
      return BodyThread.start {
        work()
        self.ends.add(1, ordering: .acquiringAndReleasing)
      }
    }

    func pool(
      patience: DispatchTimeInterval = .seconds(60),
      retryInterval: DispatchTimeInterval = .milliseconds(1),
      report: @escaping @Sendable (Int) -> Void = { _ in }
    ) -> BodyThreadPool {
      BodyThreadPool(
        .standard, patience: patience, retryInterval: retryInterval, start: { self.start($0) },
        report: report)
    }
  }

  @Test("With a single thread all bodies run one after another, in order of submission")
  func one() {
    let system = System(threads: 1)
    let pool = system.pool()
    let order = Gathered<Int>()
    let begin = Gate()
    pool.run { begin.pass() }
    for number in 0..<100 { pool.run { order.add(number) } }
    begin.open()
    #expect(eventually { order.all.count == 100 })
    #expect(order.all == Array(0..<100))
  }

  @Test("Without any thread the bodies wait until one is available")
  func none() {
    let system = System(threads: 0)
    let pool = system.pool()
    let ran = Gathered<Int>()
    for number in 0..<10 { pool.run { ran.add(number) } }
    // Further attempts are made, though nothing else happens.
    #expect(eventually { system.attemptCount > 15 })
    #expect(ran.all == [])
    system.allow(1)
    #expect(eventually { ran.all == Array(0..<10) })
  }

  @Test("A shortage that lasts is reported once, with how many bodies wait, and so is the next one")
  func reported() {
    let system = System(threads: 0)
    let (reports, ran) = (Gathered<Int>(), Gathered<Int>())
    let pool = system.pool(patience: .milliseconds(1), report: { reports.add($0) })
    for round in 1...2 {
      let attempts = system.attemptCount
      for number in 0..<7 { pool.run { ran.add(number) } }
      // Many more than are a shortage.
      #expect(eventually { system.attemptCount > attempts + 60 })
      #expect(reports.all.count == round && reports.all.allSatisfy { (1...7).contains($0) })
      system.allow(1)
      #expect(eventually { ran.all.count == 7 * round && system.endCount == round })
    }
  }

  @Test("No shortage is reported while bodies get a thread again and again")
  func notReported() {
    let system = System(threads: 1)
    let (reports, order) = (Gathered<Int>(), Gathered<Int>())
    // So long that many refusals in a row would take a second, whatever else the machine does.
    let pool = system.pool(retryInterval: .milliseconds(50), report: { reports.add($0) })
    for number in 0..<30 {
      // Each body ends after a further refusal, and the next one takes its thread.
      pool.run {
        let attempts = system.attemptCount
        if number < 28 { _ = eventually { system.attemptCount > attempts } }
        order.add(number)
      }
    }
    #expect(eventually { order.all.count == 30 })
    #expect(system.attemptCount > 25 && reports.all == [])
  }

  @Test("Bodies that wait for a body without a thread do not starve it")
  func waitingForOneAnother() {
    let system = System(threads: 2)
    let pool = system.pool()
    let (door, passed) = (Door(), Gathered<Bool>())
    for _ in 0..<2 { pool.run { passed.add(door.pass()) } }
    #expect(eventually { system.attemptCount == 2 })
    pool.run { door.open() }
    // Both threads are busy; only a further one can help.
    #expect(eventually { system.attemptCount > 3 })
    #expect(passed.all == [])
    system.allow(1)
    #expect(eventually { passed.all == [true, true] })
  }

  @Test("A thread is reused; another one is started only while all are busy")
  func reuse() {
    let system = System(threads: 100)
    let pool = system.pool()
    for round in 1...50 {
      let done = Gate()
      pool.run { done.open() }
      #expect(done.pass())
      #expect(eventually { pool.idleCount == 1 }, "round \(round)")
    }
    #expect(system.attemptCount == 1)
    let (door, begun) = (Door(), Gate())
    for _ in 0..<3 {
      pool.run {
        begun.open()
        door.pass()
      }
    }
    for _ in 0..<3 { #expect(begun.pass()) }
    #expect(system.attemptCount == 3)
    door.open()
    #expect(eventually { pool.idleCount == 3 })
  }

  @Test("Idle threads end after a while; new ones start when needed")
  func idle() {
    let system = System(threads: 100)
    let pool = system.pool(patience: .milliseconds(5))
    for round in 1...3 {
      let done = Gate()
      pool.run { done.open() }
      #expect(done.pass())
      #expect(system.attemptCount == round)
      #expect(eventually { system.endCount == round })
      #expect(pool.idleCount == 0)
    }
  }

  @Test("Work handed over by a thread of lowered priority starts at once")
  func handedOver() {
    ThreadStarter.prepare()
    ThreadStarter.perform(after: .seconds(3600)) {}
    let done = Gate()
    let status = BodyThread.start {
      ThreadStarter.markThread()
      ThreadStarter.perform { done.open() }
    }
    #expect(status == nil)
    #expect(done.pass())
  }

  @Test("Delayed work runs in the order of its times")
  func later() {
    ThreadStarter.prepare()
    let order = Gathered<Int>()
    // So far apart that their order stays right on a slow machine.
    for number in [3, 1, 2] {
      ThreadStarter.perform(after: .seconds(2 * number)) { order.add(number) }
    }
    #expect(eventually { order.all.count == 3 })
    #expect(order.all == [1, 2, 3])
  }

  @Test("Every observer is told of a shortage of threads, until its observation ends")
  func observers() {
    let told = Locked<[String]>([])
    let first = ThreadShortage.observe { count in told.withLock { $0.append("first \(count)") } }
    do {
      let second = ThreadShortage.observe { count in
        told.withLock { $0.append("second \(count)") }
      }
      ThreadShortage.report(3)
      withExtendedLifetime(second) {}
    }
    ThreadShortage.report(4)
    withExtendedLifetime(first) {}
    #expect(told.withLock { Set($0) } == ["first 3", "second 3", "first 4"])
  }
}
