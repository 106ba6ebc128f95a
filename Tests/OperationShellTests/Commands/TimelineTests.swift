import Foundation
import ShellOutput
import OpshTerminal
import Testing

@testable import CommandParts
@testable import InspectCommands
@testable import ShellCommands
@testable import ShellSession

@Suite("The timeline", .timeLimit(.minutes(15)))
struct TimelineTests {
  /// A bar with these parts, at the default line width.
  private func bar(_ parts: (String, Int)...) -> String {
    parts.map { String(repeating: $0.0, count: $0.1) }.joined()
  }

  private func words(_ line: String) -> [String] {
    line.split(separator: " ").map(String.init)
  }

  @Test("Bars show waits for a slot and for dependencies on one time scale")
  func waiting() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      queue width 1
      delay 10ms --name a
      delay 30ms --name b
      delay 20ms --name c --after b
      wait
      """)
    let lines = try fixture.output(of: "timeline")
    #expect(words(lines[0]) == ["operation", "0.000", "0.060", "waited", "ran", "outcome"])
    #expect(
      lines[1...3].map { words($0).prefix(2).joined(separator: " ") } == [
        "a " + bar(("█", 11)),
        "b " + bar(("░", 10), ("█", 31)),
        "c " + bar(("·", 40), ("█", 20)),
      ])
    #expect(words(lines[1]).dropFirst(2).joined(separator: " ").hasPrefix("0 s 10 ms ✓"))
    #expect(words(lines[3]).dropFirst(2).joined(separator: " ").hasPrefix("40 ms 20 ms ✓"))
    #expect(lines[4] == "· pending  ░ ready  █ executing  ┄ pause")
    #expect(lines.count == 5)
  }

  @Test("Bars show skipped, running and unstarted operations")
  func states() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      delay 1h --name long
      delay 1ms --name never --after long
      delay 1ms --name held --hold
      sleep 10ms
      cancel never
      wait never --any-outcome
      sleep 10ms
      """)
    let lines = try fixture.output(of: "timeline")
    #expect(
      lines[1...3].map { words($0).joined(separator: " ") } == [
        "long " + bar(("█", 60)) + " 0 s 20 ms executing",
        "never " + bar(("·", 30), ("░", 1)) + " 10 ms - ⊘ cancelled",
        "held - - created",
      ])
  }

  @Test(
    "A pause lasts until the work goes on",
    arguments: [
      ("sleep 6s", 59, 0), ("sleep 6s; cancel f; wait --any-outcome", 59, 0), ("sleep 12s", 49, 10),
    ])
  func pauses(_ rest: String, _ pause: Int, _ work: Int) throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      block --name f --retry 1 --backoff 10s { if ($self.attempts == 1) { fail no }; sleep 1h }
      \(rest)
      """)
    let line = try fixture.output(of: "timeline")[1]
    #expect(words(line)[1] == bar(("█", 1), ("┄", pause), ("█", work)), "\(line)")
  }

  @Test(
    "A wide table shows the complete outcome",
    arguments: [
      (60, 20, false), (80, 38, false), (100, 40, false), (140, 70, true), (300, 100, true),
    ])
  func widths(width: Int, bars: Int, isWhole: Bool) throws {
    let fixture = try ShellFixture(
      "set clock virtual; block { fail 'something went wrong here' } --name a; wait --any-outcome")
    let clock = fixture.session.run.clock
    let chart = TimelineChart(
      OutlineRows(fixture.session.jobs.operations.all).rows, from: nil, now: clock.now,
      width: width, clock: clock)
    let lines = chart.table.lines(width: width, ascii: false).map(\.plain)
    #expect(lines.allSatisfy { $0.count <= width })
    #expect(lines[1].contains("(test:1)") == isWhole, "\(lines)")
    #expect(lines[1].contains("something") == (width > 80))
    let scale = lines[0].prefix { $0 != "w" }.drop { $0 != "0" }
    #expect(scale.trimmingCharacters(in: .whitespaces).count == bars, "\(lines)")
  }

  @Test("Members are below their group; an operation, a queue and a time filter the rows")
  func choosing() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      delay 5ms --name before
      wait
      sleep 1s
      queue new side
      group g { group h { delay 5ms --name x }; delay 5ms --name y }
      delay 5ms --queue side --name z
      wait
      """)
    func names(_ command: String) throws -> [String] {
      try fixture.output(of: command).dropFirst().dropLast().map {
        String($0.prefix { $0 == " " }) + (words($0).first ?? "")
      }
    }
    #expect(try names("timeline") == ["before", "g", "  h", "    x", "  y", "z"])
    #expect(try names("timeline g") == ["g", "  h", "    x", "  y"])
    #expect(try names("timeline y before") == ["before", "y"])
    #expect(try names("timeline --queue side") == ["z"])
    #expect(try names("timeline --last 500ms") == ["g", "  h", "    x", "  y", "z"])
    let header = words(try fixture.output(of: "timeline --last 500ms")[0])
    #expect(header[1...2] == ["0.510", "1.010"])
    #expect(try fixture.output(of: "timeline --queue side --last 1ms").count == 3)
    // The scale starts at the first event at the earliest.
    #expect(words(try fixture.output(of: "timeline --last 1h")[0])[1] == "0.000")
    #expect(try ShellFixture().output(of: "timeline") == ["no operations to show"])
  }
}
