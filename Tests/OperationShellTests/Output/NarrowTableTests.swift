import OpshTerminal
import Testing

@testable import ShellSession

@Suite("Tables on terminals of any width", .timeLimit(.minutes(15)))
struct NarrowTableTests {
  @Test(
    "Names and titles are whole, and no line is wider than the terminal",
    arguments: [40, 80, 120, 200],
    ["stats", "stats --by kind", "blame", "timeline", "timeline --phases", "ops"])
  func widths(width: Int, command: String) throws {
    var configuration = SessionConfiguration()
    configuration.width = { width }
    let fixture = try ShellFixture(
      """
      set clock virtual
      set seed 7
      server latency 40ms
      server fault status-503 40% --duration 1ms
      fetch questions --count 4 --retry 5
      delay 50ms --name slow-one --after questions-1
      queue pause
      delay 10ms --name late
      sleep 20ms
      queue resume
      wait --any-outcome
      """, configuration)
    let lines = try fixture.shown(by: command)
    #expect(lines.allSatisfy { TextWidth.columns(of: $0) <= width }, "\(lines)")
    let words = [
      "stats": ["network", "operations", "succeeded"],
      "stats --by kind": ["fetch questions", "delay", "operations", "succeeded"],
      "blame": ["went to", "request: waiting for the first", "queue full", "questions-1"],
      "ops": ["questions-1", "slow-one", "finished", "outcome", "✓ 30 "],
      "timeline": ["questions-1", "questions-4", "slow-one", "late"],
      "timeline --phases": ["questions-1", "questions-4", "slow-one", "late", "queue full"],
    ]
    for word in words[command] ?? [] {
      #expect(lines.contains { $0.contains(word) }, "'\(word)' in \(lines)")
    }
    // The names of rows and the titles of columns.
    let heads = lines.filter {
      $0.contains("operations  succeeded") || $0.contains(" times ") || $0.contains("id ")
    }
    #expect(heads.allSatisfy { !$0.contains("…") }, "\(heads)")
  }

  @Test("On 40 columns, names, states and the marks of outcomes are whole")
  func fortyColumns() throws {
    var configuration = SessionConfiguration()
    configuration.width = { 40 }
    let fixture = try ShellFixture(
      """
      set clock virtual
      queue new uploads --width 1
      queue pace uploads 1s
      queue pause uploads
      delay 10ms --name a-name-of-26-characters-xx
      wait
      """, configuration)
    let operations = try fixture.shown(by: "ops")
    #expect(operations.count == 2 && operations[1].hasSuffix("finished  ✓"), "\(operations)")
    #expect(operations[1].contains("1  a-name-of-26-charact"), "\(operations)")
    let queues = try fixture.shown(by: "queue")
    #expect(queues.allSatisfy { TextWidth.columns(of: $0) <= 40 && !$0.contains("…") })
    for word in ["network *", "uploads", "paused", "running", "executing"] {
      #expect(queues.contains { $0.contains(word) }, "'\(word)' in \(queues)")
    }
  }

  @Test("On 40 columns operations can be told apart, also where one waits for a long name")
  func namesBesideWaits() throws {
    var configuration = SessionConfiguration()
    configuration.width = { 40 }
    let fixture = try ShellFixture(
      """
      set clock virtual; server latency 1s
      delay 60s --name a-name-of-thirty-characters-xx
      fetch questions --count 2 --after a-name-of-thirty-characters-xx
      """, configuration)
    let lines = try fixture.shown(by: "ops")
    #expect(lines.allSatisfy { TextWidth.columns(of: $0) <= 40 }, "\(lines)")
    for name in ["questions-1", "questions-2"] {
      #expect(lines.contains { $0.contains(name) }, "\(lines)")
    }
    let tree = try fixture.shown(by: "tree")
    #expect(tree.allSatisfy { TextWidth.columns(of: $0) <= 40 }, "\(tree)")
    // What does not fit goes on where the text of its row began.
    #expect(tree.count { $0 == "└─ after a-name-of-thirty-characters-xx," } == 2, "\(tree)")
    #expect(tree.count { $0 == "   executing" } == 2, "\(tree)")
  }

  @Test("A long name does not take the room of what an operation waits for", arguments: [40, 80])
  func longNames(width: Int) throws {
    var configuration = SessionConfiguration()
    configuration.width = { width }
    let name = String(repeating: "long-", count: 30)
    let fixture = try ShellFixture(
      """
      set clock virtual
      queue width 1
      delay 50ms --name \(name)1
      delay 10ms --name \(name)2 --after last
      """, configuration)
    let order = try fixture.shown(by: "queue order")
    #expect(order.last?.contains(/pending +normal +long-l/) == true, "\(order)")
    try fixture.run("wait")
    let path = try fixture.shown(by: "blame").suffix(2)
    #expect(path.allSatisfy { $0.hasSuffix(" ms  work") }, "\(path)")
    #expect((order + path).allSatisfy { TextWidth.columns(of: $0) <= width })
  }

  @Test("On 40 columns, a timeline shortens names, and keeps its scale and the marks of outcomes")
  func fortyColumnsOfTime() throws {
    var configuration = SessionConfiguration()
    configuration.width = { 40 }
    let fixture = try ShellFixture(
      """
      set clock virtual
      queue width 3
      delay 2s --name a-very-long-name-for-a-forty-column-terminal --count 2
      block --name b { fail no }
      wait --any-outcome
      """, configuration)
    let lines = try fixture.shown(by: "timeline")
    let bar = String(repeating: "█", count: 20)
    #expect(
      lines.prefix(4) == [
        "operation        0.000          2.000",
        "…umn-terminal-1  \(bar)  ✓", "…umn-terminal-2  \(bar)  ✓",
        "b                █                     ✗",
      ], "\(lines)")
  }

  @Test(
    "On 40 columns, texts go below their rows, whole",
    arguments: [
      ("result q", "    Does select {} block the calling", "      thread?"),
      ("set", "connect-timeout  30s", "    Time limit of finding and reaching"),
      ("server faults", "stall-headers", "    "), ("endpoint", "questions  practice", ""),
    ])
  func below(_ command: String, _ row: String, _ text: String) throws {
    var configuration = SessionConfiguration()
    configuration.width = { 40 }
    let fixture = try ShellFixture(
      "set clock virtual; fetch questions --name q; wait", configuration)
    let lines = try fixture.shown(by: command)
    let index = try #require(lines.firstIndex { $0.hasPrefix(row) }, "\(lines)")
    #expect(lines[index + 1].hasPrefix(text), "\(lines[index...].prefix(3))")
    #expect(lines.allSatisfy { TextWidth.columns(of: $0) <= 40 }, "\(lines)")
  }

  @Test("A file and a program get whole rows", arguments: ["ops", "stats", "timeline", "blame"])
  func redirected(command: String) throws {
    var configuration = SessionConfiguration()
    configuration.width = { 40 }
    let script = "set clock virtual; delay 10ms --count 2; delay 1ms --name x --after delay-*; wait"
    let narrow = try ShellFixture(script, configuration).output(of: command)
    #expect(try narrow == ShellFixture(script).output(of: command))
  }
}
