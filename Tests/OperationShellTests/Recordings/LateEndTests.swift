import Foundation
import OpshJSON
import OpshNetworking
import TestSupport
import Testing

@testable import ShellSession

/// Requests that were cancelled or over their time, whose transfers end after their operations.
@Suite("Recordings of requests that were given up", .timeLimit(.minutes(5)))
struct LateEndTests {
  private static let script = """
    get /2.3/sites --name first
    wait
    server fault latency 100% --duration 60s
    get /2.3/sites --name late --timeout 6s
    get /2.3/sites --name stopped
    wait late --any-outcome
    cancel stopped
    wait --any-outcome
    """

  private static let questions = [
    "show late --attempts", "show stopped --attempts", "show late --verbose",
    "show stopped --verbose", "show late stopped --attempts --json",
  ]

  private func comparable(_ lines: [String]) -> [String] {
    lines.map { $0.replacing(/"sequence":\d+,"time":"[^"]*","elapsed":[^,]*,/, with: "") }
  }

  @Test("Their attempts end in the recording, and a replay shows them as the session does")
  func ends() throws {
    let folder = try ScratchFolder()
    let fixture = try ShellFixture(
      "record '\(folder.path)/run'\n" + Self.script + "\nrecord off")
    let text = try #require(folder.read("run"))
    let attempts = try text.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
      .filter { $0["type"]?.string == "attempt" }
    for name in ["late", "stopped"] {
      let last = try #require(attempts.last { $0["operation"]?["name"]?.string == name })
      let exchanges = try #require(last["exchanges"])
      #expect(exchanges[0]?["underWay"] == .boolean(false), "\(last.text)")
      #expect(exchanges[1] == nil, "\(last.text)")
    }
    let replay = try ShellFixture("replay '\(folder.path)/run'")
    for question in Self.questions {
      let shown = try comparable(fixture.shown(by: question))
      #expect(shown == comparable(try replay.shown(by: question)), "\(question)")
      #expect(!shown.contains { $0.contains("not reported yet") }, "\(question)")
    }
    // One attempt each, although it is written again.
    #expect(try replay.shown(by: "show stopped --attempts --json").count == 1)
  }

  @Test("What ends while the session goes on is recorded then, and not again")
  func goesOn() throws {
    let fixture = try ShellFixture()
    var lines = RecordingLines(of: fixture.session.run)
    try fixture.run(Self.script)
    var told = lines.next()
    let operations = fixture.session.jobs.operations.all.filter { $0.networkMetrics != nil }
    #expect(eventually { operations.allSatisfy { $0.networkMetrics?.isTransferring == false } })
    told += lines.next()
    #expect(!lines.hasNews && lines.next().isEmpty)
    let last = try #require(told.last { $0.contains("\"type\":\"attempt\"") })
    #expect(last.contains("\"underWay\":false"))
  }
}
