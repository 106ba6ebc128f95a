import Operations
import Testing

@testable import OperationShell
@testable import ShellCommands
@testable import ShellSession
@testable import OpshTranscripts

@Suite("Transcripts", .timeLimit(.minutes(15)))
struct TranscriptTests {
  @Test("A transcript is written as it was read")
  func roundTrip() throws {
    let text = """
      # A comment.

      opsh> queue pause
      opsh [network paused 0]> repeat 2 {
      ... echo hello
      ... }
      hello
      hello

      opsh> delay 1ms
      [time]  delay-1  created → pending  added to network
      …
      opsh>

      """
    let transcript = try Transcript(parsing: text)
    #expect(transcript.text == text)
    #expect(transcript.header.count == 2)
    #expect(transcript.steps.map(\.line) == [3, 4, 10, 13])
    #expect(transcript.steps[1].input == "repeat 2 {\necho hello\n}")
    #expect(transcript.steps[1].output == ["hello", "hello"])
    #expect(transcript.steps[1].spacing == 1)
    #expect(transcript.steps[2].output.last == "…")
  }

  @Test(
    "An invalid transcript is an error with the line",
    arguments: [
      ("echo one\n", 1), ("opsh> echo one\nopsh> repeat 2 {\nopsh> echo two\n", 2), ("", 1),
    ])
  func faults(_ text: String, _ line: Int) {
    #expect(throws: Transcript.Fault.self) { try Transcript(parsing: text) }
    do throws(Transcript.Fault) {
      _ = try Transcript(parsing: text)
    } catch {
      #expect(error.line == line)
    }
  }

  @Test("Line ends and byte order marks of other systems are accepted")
  func foreignText() throws {
    let text = "\u{FEFF}# c\r\n\r\nopsh> echo a\r\na\r\n"
    #expect(Transcript.isTranscript(text))
    let transcript = try Transcript(parsing: text)
    #expect(transcript.steps.map(\.input) == ["echo a"])
    #expect(transcript.steps.map(\.output) == [["a"]])
    #expect(transcript.text == Transcript.normalized(text))
  }

  @Test("A line that goes on may lack the space after its dots")
  func dotsWithoutSpace() throws {
    let transcript = try Transcript(parsing: "opsh> repeat 2 {\n...echo a\n...  echo b\n...}\n")
    #expect(transcript.steps.map(\.input) == ["repeat 2 {\necho a\n echo b\n}"])
  }

  @Test("Output that looks like a typed line is escaped")
  func typedOutput() throws {
    let written = TranscriptLine.written("opsh> x")
    #expect(!Transcript.isTyped(written))
    #expect(TranscriptLine(written).accepts(TranscriptLine("opsh> x")))
    let text = "opsh> echo \"opsh> x\"\n\(written)\nopsh> echo \"\"\n\n"
    #expect(try run(text) == [true, true])
  }

  @Test("Scripts and transcripts are distinguished")
  func kinds() {
    #expect(Transcript.isTranscript("# c\n\nopsh> echo\n"))
    #expect(Transcript.isTranscript("opsh [network paused 2]> echo\n"))
    #expect(!Transcript.isTranscript("#!/usr/bin/env opsh\necho 'opsh> echo'\nopsh> echo\n"))
    #expect(!Transcript.isTranscript("opsh>echo\n"))
    #expect(!Transcript.isTranscript(""))
  }

  @Test(
    "Only times, durations, rates and ports are masked",
    arguments: [
      (" 0.312  delay-1  ready → executing", " [time]  delay-1  ready → executing"),
      ("✓ 3 questions, 802 B, 31 ms", "✓ 3 questions, 802 B, [duration]"),
      ("✓ 59 min 0 s", "✓ [duration]"), ("in 2 h 0 min.", "in [duration]."),
      ("took 1.7 ms, then 2s", "took [duration], then [duration]"),
      ("http://127.0.0.1:40123/2.3", "http://127.0.0.1:[port]/2.3"),
      ("at 2031-05-06T07:08:09.123Z", "at [time]"),
      ("at 12:34:56", "at [time]"),
      ("1.2 MB/s", "[rate]"), ("network  3  0  1,481/s", "network  3  0  [rate]"),
      ("no refusals at 9.5 per second", "no refusals at [rate]"),
      ("work   31 s  79%  ████  4", "work   [duration]  [share]  4"),
      ("work   1 ms  < 1%   4", "work   [duration]  [share]   4"),
      ("a  ran   13 ms  30 ms     ▃    █▃", "a  ran   [duration]  [duration]     [spread]"),
      ("fault 40%  on 3", "fault 40%  on 3"),
      ("score 30 answers 4", "score 30 answers 4"),
      ("delay-1s and 5 sites", "delay-1s and 5 sites"),
      ("version 1.2.345", "version 1.2.345"),
    ])
  func masks(_ text: String, _ masked: String) {
    #expect(TranscriptLine.mask(text) == masked)
    #expect(TranscriptLine(text).accepts(TranscriptLine(masked)))
  }

  struct Match: Sendable {
    let expected: [String]
    let actual: [String]
    let result: String
  }

  static let ready = "0.1  a  pending → ready  no dependencies"
  static let executing = "0.2  a  ready → executing  slot 1 of 2"

  @Test(
    "Output is compared with the expected output",
    arguments: [
      Match(expected: [], actual: [], result: "whole 0"),
      Match(expected: ["one"], actual: ["one"], result: "whole 0"),
      Match(expected: ["one", "two"], actual: ["one"], result: "beginning"),
      Match(expected: ["one"], actual: ["one", "two"], result: "different"),
      Match(expected: ["one"], actual: ["two"], result: "different"),
      Match(expected: ["o…e"], actual: ["one"], result: "whole 0"),
      Match(expected: ["o…x"], actual: ["one"], result: "different"),
      Match(expected: ["o…n…e"], actual: ["one"], result: "whole 0"),
      Match(expected: ["o…x…e"], actual: ["one"], result: "different"),
      Match(expected: ["a  b"], actual: ["a b "], result: "whole 0"),
      Match(expected: ["…"], actual: [], result: "whole 0"),
      Match(expected: ["…", "two"], actual: ["one"], result: "beginning"),
      Match(expected: ["…", "two"], actual: ["one", "two"], result: "whole 0"),
      Match(expected: ["one", "…"], actual: ["one", "two", "three"], result: "whole 0"),
      Match(expected: ["one", "…"], actual: ["two"], result: "different"),
      // After a gap too, only transitions may follow.
      Match(expected: ["…", "one"], actual: ["one", "two"], result: "beginning"),
      Match(expected: ["one", "…", "two"], actual: ["one", "two", "three"], result: "beginning"),
      Match(
        expected: ["…", "one"], actual: ["one", "0.100 a pending → ready x"], result: "whole 1"),
      Match(
        expected: ["[time] a pending → ready no dependencies"],
        actual: [
          "0.123  a  pending → ready  no dependencies"
        ], result: "whole 0"),
      Match(expected: [], actual: ["0.100 a pending → ready x"], result: "whole 1"),
      Match(expected: [], actual: ["", ""], result: "whole 0"),
      Match(expected: ["one"], actual: ["one", ""], result: "whole 0"),
      Match(expected: ["two"], actual: ["", "two"], result: "different"),
      // Only the actual output decides whether these are transitions.
      Match(
        expected: ["[time]  …", "[time]  …", "hi"],
        actual: ["0.100 a pending → ready x", "0.123 a ready → executing x", "hi"],
        result: "whole 0"),
      Match(
        expected: ["[time]  …", "[time]  …"], actual: ["0.100 a pending → ready x"],
        result: "beginning"),
      // Output of another thread may come before or after a command's own text.
      Match(
        expected: ["hi", "0.100 a pending → ready x"], actual: ["0.123 a pending → ready x", "hi"],
        result: "whole 0"),
      Match(
        expected: ["hi", "… a pending → ready x"], actual: ["0.123 a pending → ready x", "hi"],
        result: "whole 0"),
      Match(
        expected: ["0.100 a pending → ready x", "0.100 a ready → executing x"],
        actual: ["0.100 a ready → executing x", "0.100 a pending → ready x"], result: "different"),
    ])
  func matches(_ match: Match) {
    let result: String =
      switch TranscriptMatch(
        match.actual.map(TranscriptLine.init), match.expected.map(TranscriptLine.init))
      {
      case .whole(let rest): "whole \(rest.count)"
      case .beginning: "beginning"
      case .different: "different"
      }
    #expect(result == match.result)
  }

  @Test("Updating rewrites differing output and keeps matching output unchanged")
  func updates() {
    let step = Transcript.Step(
      line: 1, prompt: "opsh>", input: "", output: ["0.3 kept", "gone", "also …"])
    let lines = ["[time] kept", "new in 5 ms", "also here"].map(TranscriptLine.init)
    #expect(step.updated(to: lines) == ["[time] kept", "new in [duration]", "also …"])
  }

  @Test("The difference of two texts is a unified diff")
  func differences() {
    let old = (1...20).map { "line \($0)\n" }.joined()
    let new = old.replacing("line 10\n", with: "line ten\nand more\n")
    #expect(
      UnifiedDiff.lines(from: old, to: new, names: ("a", "b")) == [
        "--- a", "+++ b", "@@ -7,7 +7,8 @@", " line 7", " line 8", " line 9", "-line 10",
        "+line ten", "+and more", " line 11", " line 12", " line 13",
      ])
    #expect(UnifiedDiff.lines(from: old, to: old, names: ("a", "b")).isEmpty)
    #expect(
      UnifiedDiff.lines(from: "", to: "x\n", names: ("a", "b")).dropFirst(2)
        == ["@@ -0,0 +1 @@", "+x"])
    // What is between two changes belongs to one part as long as both show it.
    for (second, parts) in [
      (16, ["@@ -7,13 +7,13 @@"]), (17, ["@@ -7,7 +7,7 @@", "@@ -14,7 +14,7 @@"]),
    ] {
      let twice = old.replacing("line 10\n", with: "x\n").replacing("line \(second)\n", with: "y\n")
      let lines = UnifiedDiff.lines(from: old, to: twice, names: ("a", "b"))
      #expect(lines.filter { $0.hasPrefix("@@") } == parts)
    }
  }

  /// Runs a transcript in its own session; returns which steps matched.
  private func run(_ text: String, updating: Bool = false) throws -> [Bool] {
    var configuration = SessionConfiguration()
    configuration.skipsStartupFile = true
    configuration.timeout = .seconds(60)
    configuration.limitsOnlyRealTime = true
    let session = try Session(configuration: configuration, commands: .builtIn)
    var results: [Bool] = []
    let runner = TranscriptRunner(
      try Transcript(parsing: text), shell: Shell(session: session), isUpdating: updating
    ) { results.append($0.isMatched) }
    try runner.run()
    session.jobs.operations.unfinished.forEach { $0.cancel() }
    return results
  }

  @Test("A session at the prompt produces its transcript")
  func runs() throws {
    let results = try run(
      """
      opsh> queue pause
      [time]  network  queue paused  0 of 2 slots taken, 0 waiting
      opsh> delay 5ms
      [time]  delay-1  created → pending  added to network
      [time]  delay-1  pending → ready  no dependencies
      opsh> why delay-1
      …
        queue 'network' is paused  → queue resume network
      opsh> queue resume
      [time]  network  queue resumed  1 of 2 slots taken, 0 waiting
      [time]  delay-1  ready → executing  slot 1 of 2 on network
      [time]  delay-1  executing → finished  ✓ …
      opsh> expect (delay-1.outcome == succeeded)
      met: delay-1.outcome is succeeded
      opsh> dilay 1s
      <prompt>:1:1: error: there is no command 'dilay' [unknown-command]
      …
      opsh> dilay 1s
      error: there is no command 'dilay' [unknown-command]
      …
      opsh> dilay 1s
      <prompt>:1:2: error: there is no command 'dilay' [unknown-command]
      …
      opsh> echo one; echo two
      one
      tow
      opsh> quit
      """)
    #expect(results == [true, true, true, true, true, true, true, false, false, true])
  }

  @Test("On the virtual clock a differing line does not affect later lines")
  func keepsTime() throws {
    for wrong in ["opsh> echo one\ntwo\n", "opsh> echo one\none\ntwo\n"] {
      let results = try run(
        "opsh> set clock virtual\nopsh> delay 1h\n…\n" + wrong
          + "opsh> expect (delay-1.state == executing)\nmet: …\nopsh> quit --now\n…\n")
      #expect(results == [true, true, false, true, true], "\(wrong)")
    }
  }

  @Test("Text copied from a terminal is a transcript, including greeting and stars")
  func copied() throws {
    let text = Version.text + ", the operation shell.\nopsh> delay 1ms\nopsh*> echo one\none\n"
    #expect(Transcript.isTranscript(text))
    #expect(try Transcript(parsing: text).steps.map(\.input) == ["delay 1ms", "echo one"])
    #expect(!Transcript.isTranscript("echo one\nopsh> echo two\n"))
  }

  @Test("Operations left unfinished by the last line are awaited and reported, as at the prompt")
  func leaves() throws {
    let begin = """
      opsh> set clock virtual
      opsh> delay 1h
      [time]  delay-1  created → pending  added to network
      [time]  delay-1  pending → ready  no dependencies
      [time]  delay-1  ready → executing  slot 1 of 2 on network

      """
    let end = "[time]  delay-1  executing → finished  ✓ [duration]\n"
    #expect(try run(begin + "opsh> exit\n" + end) == [true, true, true])
    #expect(try run(begin + "opsh> quit --now\n" + end) == [true, true, false])
  }

  @Test("Lines after the end of the session are an error, and so is a hang")
  func ends() throws {
    #expect(try run("opsh> quit\nopsh> echo one\none\n") == [false])
    #expect(try run("opsh> delay 1ms; wait\nopsh> echo one\none\n") == [true, false])
  }
}
