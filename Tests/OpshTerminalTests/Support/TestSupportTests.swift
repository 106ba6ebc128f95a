import Foundation
import TestSupport
import Testing

@Suite("Test support")
struct TestSupportTests {
  @Test("A child's status, signal and output are separate")
  func children() throws {
    let outcome = try ChildProcess.run(
      "/bin/sh", arguments: ["-c", "cat; echo error >&2; exit 3"], input: "text")
    #expect(outcome.status == 3 && outcome.signal == 0 && !outcome.timedOut)
    #expect(outcome.output == "text")
    #expect(outcome.errors == "error\n")
    let killed = try ChildProcess.run("/bin/sh", arguments: ["-c", "kill -TERM $$"])
    #expect(killed.signal == SIGTERM && killed.shellStatus == 128 + SIGTERM)
    let hanging = try ChildProcess.run(
      "/bin/sleep", arguments: ["100"], timeout: .milliseconds(50))
    #expect(hanging.timedOut)
    #expect(throws: TestSupportError.self) { try ChildProcess.run("/nonexistent") }
  }

  @Test("More data than a pipe holds passes in both directions")
  func greatInput() throws {
    let text = String(repeating: "0123456789", count: 100_000)
    let outcome = try ChildProcess.run("/bin/cat", input: text)
    #expect(outcome.output == text)
    let ignoring = try ChildProcess.run("/bin/true", input: text)
    #expect(ignoring.status == 0)
  }

  @Test("A program in a pseudo terminal has it as its controlling terminal")
  func controllingTerminal() throws {
    let terminal = try PseudoTerminal(columns: 70, rows: 9)
    try terminal.start(
      "/bin/sh",
      arguments: [
        "-c", "stty size; trap 'echo winch' WINCH; read line </dev/tty; stty size; exit 7",
      ])
    #expect(terminal.wait(for: "9 70"))
    terminal.resize(columns: 50, rows: 9)
    terminal.write("go\r")
    #expect(terminal.wait(for: "9 50"))
    #expect(terminal.waitForExit()?.status == 7)
  }

  @Test("Ctrl-C in a pseudo terminal reaches the program")
  func interrupt() throws {
    let terminal = try PseudoTerminal()
    try terminal.start("/bin/sh", arguments: ["-c", "echo ready; exec sleep 100"])
    #expect(terminal.wait(for: "ready"))
    terminal.write("\u{3}")
    #expect(terminal.waitForExit()?.signal == SIGINT)
  }

  struct Screen: Sendable, CustomTestStringConvertible {
    let sent: String
    let lines: [String]
    var testDescription: String { sent.debugDescription }
  }

  @Test(
    "The screen model shows the same as a terminal",
    arguments: [
      Screen(sent: "ab\r\ncd", lines: ["ab", "cd", ""]),
      Screen(sent: "abcdef", lines: ["abcde", "f", ""]),
      Screen(sent: "abcde\r\nf", lines: ["abcde", "f", ""]),
      Screen(sent: "abcd漢", lines: ["abcd", "漢", ""]),
      Screen(sent: "漢字\rx", lines: ["x 字", "", ""]),
      Screen(sent: "abc\u{8}\u{8}X", lines: ["aXc", "", ""]),
      Screen(sent: "abc\r\u{1B}[1CX\u{1B}[K", lines: ["aX", "", ""]),
      Screen(sent: "a\r\nb\r\nc\u{1B}[2A\r\u{1B}[2Kx", lines: ["x", "b", "c"]),
      Screen(sent: "a\r\nb\r\nc\r\nd", lines: ["b", "c", "d"]),
      Screen(sent: "abc\u{1B}[2J\u{1B}[1;2HX", lines: [" X", "", ""]),
      Screen(sent: "abc\r\u{1B}[2P\u{1B}[@x", lines: ["xc", "", ""]),
      Screen(sent: "\u{1B}[1;31mred\u{1B}[0m\u{1B}]0;t\u{7}!", lines: ["red!", "", ""]),
      Screen(sent: "👩‍💻x", lines: ["👩‍💻x", "", ""]),
    ])
  func screen(_ example: Screen) {
    var screen = ScreenModel(columns: 5, rows: 3)
    screen.feed(example.sent.utf8)
    #expect(screen.lines == example.lines)
  }

  @Test("A narrower screen wraps rows, and a wider one joins wrapped rows")
  func reflow() {
    var screen = ScreenModel(columns: 6, rows: 4)
    screen.feed("abcdef\r\nghijklmn".utf8)
    #expect(screen.lines == ["abcdef", "ghijkl", "mn", ""])
    screen.resize(columns: 4, rows: 4)
    #expect(screen.lines == ["abcd", "ef", "ghij", "klmn"])
    screen.resize(columns: 8, rows: 4)
    #expect(screen.lines == ["abcdef", "ghijklmn", "", ""])
    #expect(screen.cursorRow == 1)
  }
}
