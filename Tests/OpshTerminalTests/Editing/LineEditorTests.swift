import Foundation
import TestSupport
import Testing

@testable import OpshTerminal

/// One editor at a time: libedit keeps global state, and belongs to one thread.
@Suite("The line editor", .serialized)
enum LineEditorTests {}

extension LineEditorTests {
  @Suite("Keys and lines")
  struct KeysAndLines {
    @Test("A typed line is shown and read")
    func typedLine() throws {
      let session = try EditorSession()
      session.waitForPrompt()
      session.terminal.write("fetch questions")
      #expect(session.terminal.wait { $0.cursorLine == "opsh> fetch questions" })
      #expect(session.terminal.screen.cursorColumn == 21)
      session.terminal.write("\r")
      #expect(session.result() == .line("fetch questions"))
    }

    struct Edit: Sendable, CustomTestStringConvertible {
      let keys: String
      let line: String
      var testDescription: String { keys.debugDescription }
    }

    static let left = "\u{1B}[D"

    @Test(
      "Keys edit the line",
      arguments: [
        Edit(keys: "held\(left)lo wor\u{5}", line: "hello word"),
        Edit(keys: "bc\u{1}a\u{5}d", line: "abcd"),
        Edit(keys: "abc\u{7F}\u{7F}x", line: "ax"),
        Edit(keys: "one two\u{17}three", line: "one three"),
        Edit(keys: "one two\u{1B}bX", line: "one Xtwo"),
        Edit(keys: "one two\u{1B}[1;5DX", line: "one Xtwo"),
        Edit(keys: "abc\u{1B}OD\u{1B}[3~d", line: "abd"),
        Edit(keys: "abc\u{1B}[H1\u{1B}[F2", line: "1abc2"),
        Edit(keys: "abc\u{1B}[15~\u{1B}[[Ad", line: "abcd"),
        Edit(keys: "abc\u{15}d", line: "d"),
        Edit(keys: "abc\(left)\(left)\u{B}", line: "a"),
        Edit(keys: "abc\(left)\u{4}", line: "ab"),
        Edit(keys: "a\u{1B}xb", line: "ab"),
        Edit(keys: "größe\u{7F}\u{7F}X", line: "gröX"),
        Edit(keys: "漢字\(left)の", line: "漢の字"),
        Edit(keys: "x👩‍💻y\(left)\u{7F}z", line: "xzy"),
        Edit(keys: "x👩‍💻y\(left)\(left)z", line: "xz👩‍💻y"),
        Edit(keys: "🇩🇪🇫🇷\u{7F}!", line: "🇩🇪!"),
        Edit(keys: "ae\u{301}o\(left)\u{7F}", line: "ao"),
        Edit(keys: "e\u{301}t\u{301}", line: "e\u{301}t\u{301}"),
        Edit(keys: "\u{301}a", line: "\u{301}a"),
        Edit(keys: "a\u{F0000}b\(left)\u{7F}", line: "ab"),
        Edit(keys: "a\u{9B}b", line: "a\u{9B}b"),
        Edit(keys: "\u{16}\u{12}a", line: "\u{12}a"),
        Edit(keys: "\u{16}\u{1B}[Aa", line: "a"),
        Edit(keys: "\u{16}\u{1B}[200~one\u{1B}[201~a", line: "onea"),
      ])
    func edits(_ edit: Edit) throws {
      let session = try EditorSession()
      session.waitForPrompt()
      session.terminal.write(edit.keys + "\r")
      #expect(session.result() == .line(edit.line))
    }

    @Test("Invalid bytes become replacement characters and do not affect other bytes")
    func invalidBytes() throws {
      let session = try EditorSession()
      session.waitForPrompt()
      session.terminal.write([0x61, 0xFF, 0x62, 0xE6, 0xBC, 0x63, 0xC3, 0x0D])
      #expect(session.result() == .line("a\u{FFFD}b\u{FFFD}c\u{FFFD}"))
    }

    @Test("Ctrl-C discards the line, and the next one starts empty")
    func interrupt() throws {
      let session = try EditorSession()
      session.waitForPrompt()
      session.terminal.write("abc")
      #expect(session.terminal.wait { $0.cursorLine == "opsh> abc" })
      session.send(.interrupt)
      #expect(session.result() == .interrupted)
      session.waitForPrompt()
      #expect(session.terminal.screen.lines.contains("opsh> abc^C"))
      session.terminal.write("d\r")
      #expect(session.result(1) == .line("d"))
    }

    @Test("Ctrl-D ends the input on an empty line only")
    func endOfInput() throws {
      let session = try EditorSession()
      session.waitForPrompt()
      session.terminal.write("a\u{4}\u{7F}\u{4}")
      #expect(session.result() == .endOfInput)
      #expect(session.terminal.wait { !$0.marksPastes })
    }

    @Test(
      "A request to end the program ends the input", arguments: [SignalEvent.terminate, .hangUp])
    func terminate(_ signal: SignalEvent) throws {
      let session = try EditorSession()
      session.waitForPrompt()
      session.send(signal)
      #expect(session.result() == .terminated(signal))
      #expect(session.terminal.wait { !$0.marksPastes })
    }

    @Test("Ctrl-\\ keeps the typed text")
    func quit() throws {
      let session = try EditorSession()
      session.waitForPrompt()
      session.terminal.write("ab")
      #expect(session.terminal.wait { $0.cursorLine.hasSuffix("ab") })
      session.send(.quit)
      session.terminal.write("c\r")
      #expect(session.result() == .line("abc"))
    }

    @Test("Enter in an incomplete text adds a line to it")
    func multipleLines() throws {
      let session = try EditorSession(
        EditorSession.Program(isComplete: { $0.contains("{") == $0.contains("}") }))
      session.waitForPrompt()
      session.terminal.write("block {\rwait")
      #expect(session.terminal.wait { $0.cursorLine == "... wait" })
      session.terminal.write("\r}\u{1B}[A!")
      #expect(session.terminal.wait { $0.cursorLine == "... w!ait" })
      session.terminal.write("\r")
      #expect(session.result() == .line("block {\nw!ait\n}"))
    }

    @Test("History lines can be recalled, including the line being typed")
    func history() throws {
      let session = try EditorSession(
        EditorSession.Program(entries: ["first", "two\nlines", "third"]))
      session.waitForPrompt()
      let up = "\u{1B}[A"
      let down = "\u{1B}[B"
      session.terminal.write("draft\u{10}")
      #expect(session.terminal.wait { $0.cursorLine == "opsh> third" })
      session.terminal.write("\u{10}")
      #expect(session.terminal.wait { $0.cursorLine == "... lines" })
      session.terminal.write(up + up)
      #expect(session.terminal.wait { $0.cursorLine == "opsh> first" })
      session.terminal.write(down + "\u{E}\u{E}\u{E}")
      #expect(session.terminal.wait { $0.cursorLine == "opsh> draft" })
      session.terminal.write("!\r")
      #expect(session.result() == .line("draft!"))
    }

    @Test("Ctrl-R finds older lines as letters are typed, and Enter runs the match")
    func search() throws {
      let entries = ["fetch answers", "queue pause", "嬈 wide", "fetch questions"]
      let session = try EditorSession(EditorSession.Program(entries: entries))
      session.waitForPrompt()
      session.terminal.write("\u{12}fetch")
      #expect(session.terminal.wait { $0.cursorLine == "(search) 'fetch': fetch questions" })
      session.terminal.write("\u{12}")
      #expect(session.terminal.wait { $0.cursorLine == "(search) 'fetch': fetch answers" })
      session.queue.append(["1.0  questions-1  ready"])
      #expect(session.terminal.wait(for: "questions-1  ready"))
      #expect(session.terminal.wait { $0.cursorLine == "(search) 'fetch': fetch answers" })
      session.terminal.write("\r")
      #expect(session.result() == .line("fetch answers"))

      // The low byte of this character is Backspace.
      session.waitForPrompt()
      session.terminal.write("\u{12}嬈")
      #expect(session.terminal.wait { $0.cursorLine == "(search) '嬈': 嬈 wide" })
      session.terminal.write("\u{7}x\r")
      #expect(session.result(1) == .line("x"))
    }

    @Test("Ctrl-C during a search interrupts and does not end the input")
    func interruptedSearch() throws {
      let session = try EditorSession(EditorSession.Program(entries: ["abc"]))
      session.waitForPrompt()
      session.terminal.write("\u{12}b")
      #expect(session.terminal.wait { $0.cursorLine == "(search) 'b': abc" })
      session.send(.interrupt)
      #expect(session.result() == .interrupted)
      session.terminal.write("d\r")
      #expect(session.result(1) == .line("d"))
    }

    @Test("A paste arrives in one piece, including newlines")
    func paste() throws {
      let session = try EditorSession()
      session.waitForPrompt()
      session.terminal.write("a\u{1B}[200~one\rtwo\u{1B}[31m\t👩‍💻\u{1B}[201~z")
      #expect(session.terminal.wait { $0.cursorLine == "... two^[[31m   👩‍💻z" })
      session.terminal.write("\r")
      #expect(session.result() == .line("aone\ntwo\u{1B}[31m\t👩‍💻z"))
    }

    @Test("A paste of 100 kB at the start of a line is complete")
    func greatPaste() throws {
      let session = try EditorSession()
      session.waitForPrompt()
      let pasted = (0..<10_000).map { "line \($0)" }.joined(separator: "\n")
      session.terminal.write("end\u{1}\u{1B}[200~\(pasted)\u{1B}[201~\r")
      #expect(session.result() == .line(pasted + "end"))
    }

    @Test(
      "Colours of the prompt are sent only if enabled, and change nothing else",
      arguments: [true, false])
    func colours(isEnabled: Bool) throws {
      let session = try EditorSession(
        EditorSession.Program(
          prompt: StyledText("opsh> ", style: TextStyle(color: .green)), color: isEnabled))
      session.waitForPrompt()
      session.terminal.write("wait\u{1B}[D\u{1B}[Dx")
      #expect(session.terminal.wait { $0.cursorLine == "opsh> waxit" })
      session.terminal.write("\r")
      #expect(session.result() == .line("waxit"))
      let sent = String(decoding: session.terminal.output, as: UTF8.self)
      #expect(sent.contains("\u{1B}[32m") == isEnabled)
    }
  }
}
