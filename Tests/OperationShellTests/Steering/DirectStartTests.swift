import Operations
import ShellLanguage
import TestSupport
import Testing

@testable import ShellSession

@Suite("Starting without a queue", .timeLimit(.minutes(10)))
struct DirectStartTests {
  /// The transitions of an operation, such as `created-ready`.
  private func life(of name: String, in fixture: ShellFixture) throws -> [String] {
    let id = try fixture.operation(name).id
    return fixture.session.jobs.engine.log.entries(from: 0, limit: .max).entries
      .filter { $0.operation.id == id && $0.event == .transition }
      .map { "\($0.from)-\($0.to) \($0.queue ?? "none")" }
  }

  private static let direct = [
    "created-ready none", "ready-executing none", "executing-finished none",
  ]

  @Test("'start' returns when a block has ended, and at once for an asynchronous operation")
  func returns() throws {
    let fixture = try ShellFixture(
      """
      block --name b --hold { sleep 30ms; echo working }
      async a --hold { echo begun }
      start b --directly
      let b = "${b.state}"
      start a --directly
      let a = "${a.state}"
      finish a 5
      wait
      """)
    #expect(try fixture.run("(b.state == finished and $b == finished)").text == "true")
    #expect(try fixture.run("($a)").text == "executing")
    for name in ["a", "b"] {
      #expect(try life(of: name, in: fixture) == Self.direct)
      #expect(try fixture.operation(name).queue == nil)
    }
    #expect(Value(resultOf: try fixture.operation("a")).text == "5")
  }

  @Test("The lines say what the flag isAsynchronous means, and JSON has no queue")
  func lines() throws {
    let script = """
      block --name b --hold { echo x }; delay 1ms --name d --hold; start b d --directly; wait
      """
    let text = try Opsh.run(script, options: ["--events", "stdout"]).output
    #expect(text.contains("on no queue; start() returns when it has ended, as it is not asynch"))
    #expect(text.contains("on no queue; start() returns at once, as it is asynchronous"))
    let json = try Opsh.run(script, options: ["--json"]).output
    #expect(json.contains(/"queue":null,"from":"created","to":"ready"/))
    #expect(json.contains(/"queue":null,"from":"executing","to":"finished"/))
  }

  @Test("A full queue does not keep it from running, and it takes no slot")
  func withoutSlot() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      queue width 1; delay 10s --name full; delay 1s --name d --hold; start d --directly; wait d
      """)
    #expect(try fixture.operation("d").outcome == .succeeded)
    #expect(try fixture.operation("full").state == .executing)
    let bars = try fixture.output(of: "timeline").joined(separator: "\n")
    #expect(bars.contains(/d +█+ +0 s +1 s/))
    #expect(try fixture.output(of: "at 500ms ops").contains { $0.contains(/d +delay +- +exec/) })
  }

  @Test(
    "What start() would end the process for in Foundation is an error",
    arguments: [
      ("delay 9s --name a --hold; delay 1ms --name b --after a --hold", "not-ready"),
      ("async b --forget ready --hold { finish b }", "not-ready"),
      ("queue pause; delay 1ms --name b", "already-started"),
      (
        "queue new q --engine foundation; async b --queue q --hold { finish b }",
        "foundation-queue"
      ),
      ("block --name b --hold --forget signal { echo x }", "never-ends"),
    ])
  func refusals(_ script: String, _ code: String) throws {
    let outcome = try Opsh.run("\(script); start b --directly")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("[\(code)]"))
  }

  @Test("One that was cancelled ends without running")
  func cancelled() throws {
    let fixture = try ShellFixture(
      "block --name b --hold { fail no }; cancel b; start b --directly; wait")
    #expect(
      try life(of: "b", in: fixture) == ["created-ready none", "ready-finished none"])
    #expect(try fixture.operation("b").outcome == .cancelled)
  }

  @Test("A replay tells the same as the session")
  func replay() throws {
    let folder = try ScratchFolder()
    let script = """
      set clock virtual; record r.jsonl; block --name b --hold { sleep 1s }; start b --directly
      async a --forget kvo:isReady { finish a }; sleep 1s; cancel a; wait --any-outcome; log
      """
    let live = try Opsh.run(script, options: ["--events", "off"], directory: folder.path)
    let replayed = try Opsh.run(
      "log", options: ["--replay", "r.jsonl", "--events", "off"], directory: folder.path)
    #expect(live.status == 0 && replayed.status == 0)
    #expect(live.output.contains("created → ready"))
    let entries = live.output.drop { $0 != "\n" }
    #expect(entries.contains("created → ready") && replayed.output.hasSuffix(entries))
  }
}
