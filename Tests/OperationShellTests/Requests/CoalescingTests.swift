import Foundation
import OpshJSON
import OpshNetworking
import Operations
import ShellOutput
import TestSupport
import Testing

@testable import OperationShell
@testable import ShellSession

@Suite("Coalescing in the shell", .timeLimit(.minutes(5)))
struct CoalescingTests {
  private static let start = "set clock virtual; server latency 1s; "

  /// What the log tells of an operation inside `executing`.
  private func notes(_ fixture: ShellFixture, _ name: String) throws -> [String] {
    let id = try fixture.operation(name).id
    return fixture.session.jobs.engine.log.entries(from: 0, limit: 1_000).entries
      .filter { $0.operation.id == id && $0.from == $0.to && $0.from == .executing }
      .map(\.reason)
  }

  @Test(
    "Equal requests are sent once, by the option and by the queue",
    arguments: [
      "fetch questions --coalesce --name a; fetch questions --coalesce --name b",
      "queue coalesce network on; fetch questions --name a; fetch questions --name b",
      "queue coalesce on; get '/2.3/info?site=stackoverflow' --header 'X-A: 1' --name a; "
        + "get '/2.3/info?site=stackoverflow' --header 'X-A: 1' --name b",
      "fetch questions --name a; fetch questions --coalesce --name b",
      "fetch questions --cached --coalesce --name a; fetch questions --cached --coalesce --name b",
      "queue coalesce on; group g { fetch questions --name a; fetch questions --name b }",
    ])
  func once(script: String) throws {
    let fixture = try ShellFixture(Self.start + script + "; wait")
    #expect(try fixture.output(of: "server log").count == 1)
    #expect(try notes(fixture, "b") == ["joins a: the same request is under way"])
    let lines = try fixture.output(of: "ops --json").map { try JSONValue(parsing: Array($0.utf8)) }
    let objects = lines.filter { ["a", "b"].contains($0["name"]?.string) }
    let id = try fixture.operation("a").id
    #expect(objects.map { $0["outcome"]?.string } == ["succeeded", "succeeded"])
    #expect(objects[0]["joined"] == .null)
    #expect(
      objects[1]["joined"]?["id"] == .number(id) && objects[1]["joined"]?["name"]?.string == "a")
    #expect((objects[0]["bytes"]?.exactInteger() ?? 0) > 0 && objects[1]["bytes"] == .number(0))
    #expect(objects[0]["status"] == .number(200) && objects[1]["status"] == .number(200))
    // The value is the whole one.
    #expect(try fixture.text(of: "result b") == fixture.text(of: "result a"))
    #expect(
      try fixture.output(of: "stats").contains { $0 == "joined an equal request: 1 request" })
  }

  @Test("Without coalescing, after 'off', and with another header or host each request is sent")
  func each() throws {
    for script in [
      "fetch questions; fetch questions",
      "queue coalesce on; queue coalesce off; fetch questions; fetch questions",
      "queue coalesce on; fetch questions --header 'X-A: 1'; fetch questions --header 'X-A: 2'",
      "queue coalesce on; fetch questions; head '/2.3/questions?site=stackoverflow'",
      "queue coalesce on; post /cookies --body a; post /cookies --body a",
      "queue coalesce on; fetch questions --queue network; fetch questions --queue system",
    ] {
      let fixture = try ShellFixture(Self.start + script + "; wait --any-outcome")
      #expect(try fixture.output(of: "server log").count == 2, "\(script)")
    }
  }

  @Test("A cancelled leader is followed by another operation, and the request is not sent again")
  func takeover() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual; queue coalesce on; server bandwidth 2kB
      fetch questions --name a; sleep 1s; fetch questions --name b; sleep 500ms
      """)
    #expect(try fixture.output(of: "why b").joined().contains("the response to a, whose request"))
    try fixture.run("cancel a; wait --any-outcome")
    #expect(
      try notes(fixture, "b") == [
        "joins a: the same request is under way", "takes over the request of a",
      ])
    let log = try fixture.output(of: "server log")
    #expect(log.count == 1 && log[0].contains(" 200    4.7 kB     2.38 s  /2.3/"))
    let bytes = try ["a", "b"].map { try fixture.operation($0).networkMetrics?.bytesReceived ?? 0 }
    #expect(bytes[0] > 0 && bytes[1] > 0 && bytes[0] + bytes[1] == 4742)

    let cut = try ShellFixture(
      Self.start + "queue coalesce on; fetch questions --count 2; sleep 100ms; cancel all")
    #expect(try cut.output(of: "server log").map { $0.contains("cut by the client") } == [true])
  }

  @Test("A failure is that of each, and each is retried by its own --retry")
  func failure() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual; queue coalesce on; queue width 3; server fault status-500 --next 1
      server fault latency --duration 1s
      fetch questions --name a; fetch questions --name b --retry 1 --backoff 1s --jitter 0%
      fetch questions --name c --retry 1 --backoff 1s --jitter 0%; wait --any-outcome
      """)
    #expect(try fixture.operation("a").outcome?.failure?.code == "invalid-status-code(500)")
    for name in ["b", "c"] { #expect(try fixture.operation(name).outcome == .succeeded) }
    #expect(try fixture.output(of: "server log").count == 2)
    #expect(
      try notes(fixture, "c").filter { $0.hasPrefix("joins ") } == [
        "joins a: the same request is under way", "joins b: the same request is under way",
      ])
  }

  @Test("Time limits are each operation's own")
  func timeLimits() throws {
    let fixture = try ShellFixture(
      Self.start + "queue coalesce on; queue width 3; fetch questions --name a --timeout 300ms; "
        + "fetch questions --name b; fetch questions --name c --timeout 500ms; wait --any-outcome")
    #expect(try fixture.operation("a").outcome?.failure?.code == "timed-out")
    #expect(try fixture.operation("b").outcome == .succeeded)
    #expect(try fixture.operation("c").outcome?.failure?.code == "timed-out")
    #expect(try notes(fixture, "b").last == "takes over the request of a")
  }

  @Test("Blocking requests and those on the real clock are coalesced too")
  func realClock() throws {
    let fixture = try ShellFixture(
      """
      queue coalesce on; server latency 300ms; fetch questions --name a --blocking
      fetch questions --name b --blocking; wait
      """)
    #expect(try fixture.output(of: "server log").count == 1)
    let names = try ["a", "b"].map { name in
      try fixture.operation(name).networkMetrics?.joinedOperation?.name
    }
    #expect(Set(names) == [nil, "a"] || Set(names) == ["b", nil])
  }

  @Test("A recording has what was joined, and 'back' returns to before it")
  func recordings() throws {
    let folder = try ScratchFolder()
    let fixture = try ShellFixture(
      "set clock virtual; record '\(folder.path)/run'; queue coalesce on; server latency 1s; "
        + "fetch questions --name a; fetch questions --name b; wait; record off")
    let replay = try ShellFixture("replay '\(folder.path)/run'")
    for question in [
      "show b", "show b --verbose", "ops --columns name,bytes,joined", "log b", "blame", "stats",
    ] {
      #expect(try replay.shown(by: question) == fixture.shown(by: question), "\(question)")
    }
    #expect(try fixture.shown(by: "show b").contains { $0.contains("the request of a (1)") })

    let session = try TypedSession(
      "set clock virtual", "queue coalesce on", "server latency 1s", "fetch questions --name a",
      "fetch questions --name b")
    // The first look lets what is due happen, and shows that too.
    _ = try session.whole()
    let before = try session.whole()
    let stops = session.session.run.inputs.stops.count
    try session.type("sleep 100ms")
    try session.type("cancel a")
    try session.type("wait --any-outcome")
    let end = try session.whole()
    try session.type("back \(session.session.run.inputs.stops.count - stops)")
    #expect(try session.whole() == before)
    try session.type("sleep 100ms")
    try session.type("cancel a")
    try session.type("wait --any-outcome")
    #expect(try session.whole() == end)
  }

  @Test("The session knows the first two equal requests that were both sent")
  func hint() throws {
    let fixture = try ShellFixture(Self.start + "fetch questions --name a; wait")
    let network = fixture.session.outside.network
    #expect(network.repetitionHint == nil)
    try fixture.run("queue coalesce on; fetch questions --count 2; wait")
    #expect(network.repetitionHint == nil)
    try fixture.run("queue coalesce off; fetch questions --name b; fetch questions --name c; wait")
    #expect(network.repetitionHint?.hasPrefix("c sends the same request as b, which") == true)
    #expect(network.repetitionHint?.contains("'queue coalesce on'") == true)
  }
}
