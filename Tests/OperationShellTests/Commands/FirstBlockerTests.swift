import Operations
import TestSupport
import Testing

@testable import ShellCommands
@testable import ShellSession

@Suite("The first blocker of an operation", .timeLimit(.minutes(5)))
struct FirstBlockerTests {
  /// What lists say of an operation.
  private func words(of operation: ObservableOperation, _ fixture: ShellFixture) -> String? {
    var blockers = FirstBlockers()
    return WhyReason.first(of: operation, &blockers, in: fixture.session.jobs)?.words
  }

  @Test(
    "The first blocker takes a few words",
    arguments: [
      ("queue pause; delay 1h --name x", "network is paused"),
      ("queue width 0; delay 1h --name x", "network has width 0"),
      ("delay 1h --count 2; delay 1h --name x", "network is full"),
      ("delay 1h --count 3; delay 1h --name x", "delay-3 starts first"),
      ("delay 1h --count 9; delay 1h --name x", "delay-3 and 6 more start first"),
      ("delay 1h --name y; delay 1h --name x --after y", "waits for y"),
      ("delay 1h --count 3; delay 1h --name x --after delay-*", "waits for delay-1 and 2 more"),
      ("delay 1h --count 99; delay 1h --name x", "delay-3 and 96 more start first"),
      ("delay 1h --name x --hold", "is on no queue: 'start' adds it"),
      ("delay 1h --name y; delay 1h --name x --hold --after y", "waits for y"),
      ("queue pause; delay 1h --name x; cancel x", "network is paused"),
      (
        "delay 1h --name y; queue pause; delay 1h --name x --after y; cancel x", "network is paused"
      ),
      ("delay 1h --name x --delay 5h", "may become ready in "),
      ("queue pace 1h; delay 1h; delay 1h --name x", "network keeps its pace"),
      ("delay 1h --name y --exclusive a; delay 1h --name x --exclusive a", "'a' is held by y"),
      (
        "queue width 3; delay 1h --name y --exclusive a; delay 1h --name z --exclusive a,b; "
          + "delay 1h --name x --exclusive b", "'b' is reserved for z"
      ),
      (
        "group g { delay 1h }; group x { delay 1h --count 3 }", "waits for delay-2 and 2 more in it"
      ),
      ("delay 1ms --name x; wait", nil),
    ])
  func reasons(script: String, reason: String?) throws {
    let fixture = try ShellFixture(script)
    let operation = try #require(fixture.session.jobs.operations.operation(named: "x"))
    let text = words(of: operation, fixture)
    if let reason {
      #expect(text?.hasPrefix(reason) == true, "\(text ?? "none")")
    } else {
      #expect(text == nil)
    }
  }

  @Test("Of several that a body waits for, the first is named")
  func awaited() throws {
    let fixture = try ShellFixture(
      "queue width 4; async y { }; async z { }; block --name x { wait y z }; "
        + "block --name one { wait z }")
    for (name, text) in [
      ("x", "its body waits for y and 1 more"), ("one", "its body waits for z"),
    ] {
      let operation = try #require(fixture.session.jobs.operations.operation(named: name))
      #expect(
        eventually { words(of: operation, fixture) == text },
        "\(words(of: operation, fixture) ?? "")")
    }
    try fixture.run("finish y; finish z; wait")
  }

  @Test(
    "An operation whose work is done says what it waits for, as 'why' does",
    arguments: [
      ("async x { }", "waits for 'finish'", "nothing has called finish"),
      (
        "async x --forget kvo:isFinished { finish x }", "sent no KVO for isFinished",
        "sent no KVO for it"
      ),
      (
        "observe x isFinished; async x --lock-while-notifying { finish x }",
        "holds its lock while it sends KVO", "holds its lock while it sends KVO"
      ),
    ])
  func workIsDone(script: String, reason: String, why: String) throws {
    let fixture = try ShellFixture(script)
    let operation = try #require(fixture.session.jobs.operations.operation(named: "x"))
    #expect(
      eventually { words(of: operation, fixture) == reason },
      "\(words(of: operation, fixture) ?? "")")
    #expect(try fixture.output(of: "why x").contains { $0.contains(why) })
  }

  @Test("So does one of Foundation whose notification was forgotten")
  func workIsDoneInFoundation() throws {
    let outcome = try Opsh.run(
      """
      queue new raw --engine foundation
      async x --queue raw --forget kvo:isFinished { finish x }
      try { wait x } catch e { ops }
      quit --now
      """)
    #expect(outcome.output.contains("sent no KVO for isFinished"), "\(outcome.output)")
  }

  @Test("'ops', 'tree' and its objects give the same reason")
  func everywhere() throws {
    let fixture = try ShellFixture("queue new q --paused; delay 1h --name x --queue q")
    for command in ["ops x", "tree x", "tree x --json"] {
      let lines = try fixture.output(of: command)
      #expect(lines.contains { $0.contains("q is paused") }, "\(lines)")
    }
  }

  @Test("Lists count those that start first as 'why' does, however long the queue is")
  func count() throws {
    let fixture = try ShellFixture(
      "set clock virtual; delay 1h --count 300; priority delay-2* high; "
        + "delay 1h --name x --exclusive free; delay 1h --name low --priority low")
    var blockers = FirstBlockers()
    for operation in fixture.session.jobs.operations.unfinished where operation.state == .ready {
      let blocker = blockers.blocker(of: operation)
      let first = try #require(blocker)
      let reasons = operation.waitReasons()
      #expect(reasons.first?.code == first.code && reasons.first?.count == first.count)
      #expect(reasons.first?.subject == first.subject)
    }
    try fixture.run("cancel all")
  }
}
