import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

@testable import OpshNetworking
@testable import ShellSession

@Suite("Adapting queues", .timeLimit(.minutes(15)))
struct AdaptingQueuesTests {
  private let requests = "get '/2.3/info?site=stackoverflow'"

  @Test("A queue adapts its width to its requests and prints the reason; a fixed width ends that")
  func width() throws {
    // By the virtual clock the measured throughput is that of the server, not of the machine.
    let fixture = try ShellFixture(
      "set clock virtual; server latency 5ms; queue width auto; \(requests) --count 60; wait")
    let queue = fixture.session.jobs.queues.inUse
    let reason = try #require(fixture.session.jobs.adapting.state(of: queue))
    #expect(reason.contains("answers/s"), "\(reason)")
    #expect(queue.maxConcurrentOperationCount > AdaptiveLimits.startWidth)
    #expect(try fixture.output(of: "queue").contains { $0.contains("adapts its width: ") })
    #expect(try fixture.output(of: "queue show").contains { $0.contains("adapts its width: ") })
    try fixture.run("queue width 3; \(requests) --count 20; wait")
    #expect(fixture.session.jobs.adapting.state(of: queue) == nil)
    #expect(queue.maxConcurrentOperationCount == 3)
  }

  @Test("Under the virtual clock 60 requests of 1 s take 5 s")
  func virtualTime() throws {
    let fixture = try ShellFixture(
      "set clock virtual; server latency 1s; queue width auto; \(requests) --count 60")
    let start = fixture.session.jobs.engine.now
    try fixture.run("wait")
    let seconds = (fixture.session.jobs.engine.now - start) / .seconds(1)
    #expect((4.9...5.5).contains(seconds), "\(seconds)")
  }

  /// Requests that a server refuses with 429 until a condition holds.
  private func refusedRequests(
    _ script: String, until condition: (InspectableQueue, String) -> Bool
  ) throws -> ShellFixture {
    let fixture = try ShellFixture(
      """
      server latency 5ms; server fault status-429; \(script)
      \(requests) --count 20 --retry 20 --backoff 10ms
      """)
    let queue = fixture.session.jobs.queues.inUse
    #expect(
      try fixture.pump { condition(queue, fixture.session.jobs.adapting.state(of: queue) ?? "") })
    try fixture.run("server fault off; wait")
    return fixture
  }

  @Test("Each attempt counts: 429 lowers the pace although the requests succeed in the end")
  func pace() throws {
    let fixture = try refusedRequests("queue width auto") { queue, _ in queue.pace > .zero }
    let queue = fixture.session.jobs.queues.inUse
    #expect(queue.pace > .zero)
    #expect(
      fixture.session.jobs.adapting.state(of: queue)?.hasPrefix("its width and its pace: ") == true)
    #expect(try fixture.output(of: "queue").contains { $0.contains("pace") })
    // A fixed width ends that, the pace included.
    try fixture.run("queue width 2")
    #expect(queue.pace == .zero)
  }

  @Test(
    "A pace that is set by hand is not adapted",
    arguments: ["queue pace 1ms; queue width auto", "queue width auto; queue pace 1ms"])
  func manualPace(order: String) throws {
    let fixture = try refusedRequests(order) { _, state in state.contains("429") }
    let queue = fixture.session.jobs.queues.inUse
    #expect(queue.pace == .milliseconds(1))
    #expect(fixture.session.jobs.adapting.state(of: queue)?.hasPrefix("its width: ") == true)
    try fixture.run("queue width 2")
    #expect(queue.pace == .milliseconds(1))
  }

  @Test("'why' says why the queue is as narrow as it is")
  func why() throws {
    let fixture = try ShellFixture(
      "server latency 60s; queue width auto; \(requests) --count 7 --name x")
    let reasons = try fixture.output(of: "why x-7")
    #expect(
      reasons.contains { $0.contains("(it adapts its width: nothing has been measured yet)") },
      "\(reasons)")
  }

  @Test("Cancelled requests leave nothing behind: the queue goes on adapting")
  func cancelling() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      server latency 60s; queue width auto; \(requests) --count 20; sleep 1s; cancel all
      wait --any-outcome; server latency 5ms; \(requests) --count 60; wait
      """)
    let queue = fixture.session.jobs.queues.inUse
    #expect(fixture.session.jobs.adapting.state(of: queue)?.contains("answers/s") == true)
    #expect(queue.maxConcurrentOperationCount > AdaptiveLimits.startWidth)
  }

  @Test("Messages are read while attempts change the width")
  func messagesMeanwhile() throws {
    let fixture = try ShellFixture("queue width auto; delay 60s --name a")
    let (adapting, operation) = (fixture.session.jobs.adapting, try fixture.operation("a"))
    let start = ContinuousClock.now
    let (isOver, told) = (Locked(false), Locked<[String]>([]))
    let bodies: [@Sendable () -> Void] = [
      {
        for number in 1...400_000 {
          let time = start + .seconds(number)
          adapting.note(
            AttemptReport(
              operation: operation, started: time, time: time,
              end: number % 26 < 20 ? .succeeded : .failed(.connectionLost, status: nil)))
        }
        isOver.withLock { $0 = true }
      },
      {
        var time = start
        while !isOver.withLock({ $0 }) {
          time += .seconds(1)
          let messages = adapting.takeMessages(at: time)
          told.withLock { $0 += messages }
        }
      },
    ]
    let done = DispatchSemaphore(value: 0)
    for body in bodies {
      Thread.detachNewThread {
        body()
        done.signal()
      }
    }
    for _ in bodies { #expect(done.wait(timeout: .now() + 60) == .success) }
    #expect(told.withLock { $0 }.contains { $0.hasPrefix("queue network: width ") })
  }

  @Test("Changes of the width are printed with their reason, at most a few per second")
  func messages() throws {
    let outcome = try Opsh.run(
      "server latency 5ms; queue width auto; \(requests) --count 60; wait", options: ["--json"])
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("queue network: width 6 → 1"))
    #expect(outcome.output.components(separatedBy: "queue network: ").count < 6)
  }
}
