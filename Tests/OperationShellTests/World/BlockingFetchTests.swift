import OpshNetworking
import Operations
import PracticeServer
import ShellLanguage
import Testing

@testable import ShellSession

@Suite("Blocking requests, keys and quotas", .timeLimit(.minutes(15)))
struct BlockingFetchTests {
  @Test("A blocking request occupies a thread, an asynchronous one does not")
  func threads() throws {
    let fixture = try ShellFixture("server latency 60s; queue width unlimited")
    func counts() throws -> Value { try fixture.run("stats threads > /dev/null; stats threads") }
    try fixture.run("fetch questions --pagesize 1 --count 6 --blocking")
    #expect(try fixture.pump { fixture.session.jobs.queues.inUse.snapshot.executing == 6 })
    #expect(try counts().property("blocking")?.text == "6")
    let lines = try fixture.output(of: "stats threads")
    #expect(lines.contains { $0.hasPrefix("   6  hold a thread each: questions-1") })
    #expect(lines.contains { $0.contains("bodies: one for each blocking operation") })
    try fixture.run("cancel all; wait --any-outcome; fetch questions --pagesize 1 --count 6")
    #expect(try fixture.pump { fixture.session.jobs.queues.inUse.snapshot.executing == 6 })
    #expect(try counts().property("blocking")?.text == "0")
    #expect(try counts().property("executing")?.text == "6")
    try fixture.run("cancel all; wait --any-outcome")
  }

  @Test("A blocking request has the same result as an asynchronous one")
  func values() throws {
    let fixture = try ShellFixture(
      """
      fetch questions --pagesize 3 --name a --blocking; fetch questions --pagesize 3 --name b
      fetch answers --pagesize 2 --blocking --name c
      wait
      expect (a.items == 3 and a.status == 200 and a.bytes == b.bytes)
      """)
    let a = try fixture.operation("a")
    #expect(a.kind == "fetch questions" && a is BlockingOperation)
    #expect((a.resultValue as? QuestionsPage)?.count == 3)
    #expect((try fixture.operation("c").resultValue as? AnswersPage)?.count == 2)
    try fixture.run("server fail 100%; fetch questions --blocking --name d; wait --any-outcome")
    #expect(try fixture.operation("d").outcome?.failure?.code.hasPrefix("invalid-status") == true)
  }

  @Test("Cancelling a blocking request cancels the transfer and releases the thread")
  func cancel() throws {
    let fixture = try ShellFixture("server fault stall; fetch questions --blocking")
    let operation = try fixture.operation("questions-1")
    #expect(try fixture.pump { fixture.session.outside.network.server.statistics.requests == 1 })
    #expect(operation.state == .executing)
    try fixture.run("cancel questions-1; wait")
    #expect(operation.outcome == .cancelled)
    let stamps = operation.timestamps
    let took = try #require(stamps.finished) - #require(stamps.cancelled)
    #expect(took < .seconds(20))
  }

  @Test("A request cancelled before its body starts sends nothing")
  func cancelledEarly() throws {
    let fixture = try ShellFixture(
      "queue pause; fetch questions --blocking --name c; cancel c; queue resume; wait")
    #expect(try fixture.operation("c").outcome == .cancelled)
    #expect(fixture.requests.isEmpty)
  }

  @Test("Retries of a blocking request are logged and counted")
  func attempts() throws {
    let fixture = try ShellFixture(
      "server fault status-500; fetch questions --blocking --retry 2 --backoff 1ms --name c; "
        + "wait --any-outcome")
    #expect(try fixture.operation("c").attempts == 3)
    let reasons = try fixture.reasons(of: "c").filter { $0.contains(" of 3 after") }
    #expect(reasons.count == 2, "\(reasons)")
  }

  @Test("A blocking request that is not repeated says why")
  func noAttempt() throws {
    let fixture = try ShellFixture(
      "server fault status-500; fetch questions --blocking --retry 2 --backoff 1h --timeout 30s "
        + "--name c; wait --any-outcome")
    let reason = try #require(fixture.reasons(of: "c").last)
    #expect(reason.contains("; no attempt 2 of 3: a pause of "), "\(reason)")
    #expect(reason.hasSuffix(" does not fit into the time limit"), "\(reason)")
  }

  @Test("A key is sent and masked, and the quota is shown")
  func key() throws {
    let fixture = try ShellFixture(
      "endpoint practice --key SECRET; fetch questions --pagesize 1; wait")
    let operation = try #require(
      try fixture.operation("questions-1").networkMetrics)
    #expect(operation.requestURL.contains("key=***"))
    let line = try fixture.output(of: "endpoint").joined()
    #expect(line.contains("key ***") && line.contains("quota ") && !line.contains("SECRET"))
    #expect(try fixture.error(of: "endpoint --key x").code == "missing-service")
    try fixture.run("endpoint practice")
    #expect(fixture.session.outside.network.services.common.key == nil)
  }
}
