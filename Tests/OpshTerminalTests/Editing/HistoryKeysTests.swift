import Foundation
import TestSupport
import Testing

@testable import OpshTerminal

extension LineEditorTests {
  @Suite("Keys of the history")
  struct HistoryKeys {
    private static let up = "\u{1B}[A"
    private static let down = "\u{1B}[B"
    private static let entries = [
      "fetch answers --pagesize 3", "echo 'a b'", "fetch questions", "queue pause",
    ]

    private func line(
      _ keys: String, of entries: [String] = Self.entries,
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> LineResult? {
      let session = try EditorSession(EditorSession.Program(entries: entries))
      session.waitForPrompt()
      session.terminal.write(keys + "\r")
      return session.result(sourceLocation: sourceLocation)
    }

    @Test("Up shows lines that begin with what is typed, Down goes back to it")
    func prefix() throws {
      #expect(try line("fe\(Self.up)") == .line("fetch questions"))
      #expect(try line("fe\(Self.up)\(Self.up)") == .line(Self.entries[0]))
      #expect(try line("fe\(Self.up)\(Self.up)\(Self.up)") == .line(Self.entries[0]))
      #expect(try line("fe\(Self.up)\(Self.up)\(Self.down)") == .line("fetch questions"))
      #expect(try line("fe\(Self.up)\(Self.down)!") == .line("fe!"))
      #expect(try line("none\(Self.up)!") == .line("none!"))
      #expect(try line(Self.up) == .line("queue pause"))
      #expect(try line("fe\u{10}") == .line("queue pause"))
    }

    @Test("What is changed in recalled lines is kept until Enter")
    func edits() throws {
      let session = try EditorSession(EditorSession.Program(entries: Self.entries))
      session.waitForPrompt()
      session.terminal.write("\(Self.up)!\(Self.up)?\(Self.down)")
      #expect(session.terminal.wait { $0.cursorLine == "opsh> queue pause!" })
      session.terminal.write("\(Self.up)")
      #expect(session.terminal.wait { $0.cursorLine == "opsh> fetch questions?" })
      session.terminal.write("\u{1F}")
      #expect(session.terminal.wait { $0.cursorLine == "opsh> fetch questions" })
      session.terminal.write("\r\(Self.up)\(Self.up)\r")
      #expect(session.result(1) == .line("queue pause"))
    }

    @Test("Alt-. inserts last words, of one line after another")
    func lastArgument() throws {
      #expect(try line("x \u{1B}.") == .line("x pause"))
      #expect(try line("x \u{1B}.\u{1B}.") == .line("x questions"))
      #expect(try line("x \u{1B}.\u{1B}.\u{1B}.!") == .line("x 'a b'!"))
      #expect(try line("x \u{1B}0\u{1B}.") == .line("x queue"))
      #expect(try line("x \u{1B}.y\u{1B}.") == .line("x pauseypause"))
    }

    @Test(
      "A word that stands for a line is replaced with Space or Tab",
      arguments: [
        ("!!\t", "queue pause"), ("!! x", "queue pause x"), ("echo !$ x", "echo pause x"),
        ("!1\t", "fetch answers --pagesize 3"), ("!-2\t!", "fetch questions!"),
        ("!?answ\t", "fetch answers --pagesize 3"), ("!ls !x\t", "!ls !x"), ("a!! b", "a!! b"),
        ("echo '!! b'", "echo '!! b'"), ("!9 x", "!9 x"), ("!! \u{1F}", "!!"),
      ])
    func words(keys: String, result: String) throws {
      #expect(try line(keys) == .line(result))
    }

    @Test("Ctrl-R folds case, begins with what is typed, and lists what it finds")
    func search() throws {
      let session = try EditorSession(EditorSession.Program(entries: Self.entries))
      session.waitForPrompt()
      session.terminal.write("FETCH\u{12}")
      #expect(session.terminal.wait { $0.cursorLine == "(search) 'FETCH': fetch questions" })
      let rows = { (screen: ScreenModel) in Array(screen.lines[(screen.cursorRow + 1)...].prefix(2))
      }
      #expect(
        session.terminal.wait {
          rows($0) == ["> fetch questions", "  fetch answers --pagesize 3"]
        }, "\(session.terminal.screen.text)")
      session.terminal.write(Self.down)
      #expect(
        session.terminal.wait {
          rows($0) == ["  fetch questions", "> fetch answers --pagesize 3"]
        })
      session.terminal.write("\u{5}!")
      #expect(
        session.terminal.wait {
          $0.cursorLine == "opsh> fetch answers --pagesize 3!" && rows($0) == ["", ""]
        })
      session.terminal.write("\r")
      #expect(session.result() == .line("fetch answers --pagesize 3!"))
    }

    @Test("Escape ends a search and keeps the line, Ctrl-G brings back what was typed")
    func searchEnd() throws {
      let session = try EditorSession(EditorSession.Program(entries: Self.entries))
      session.waitForPrompt()
      session.terminal.write("\u{12}answ")
      #expect(session.terminal.wait { $0.cursorLine.hasPrefix("(search) 'answ'") })
      session.terminal.write("\u{1B}")
      #expect(session.terminal.wait { $0.cursorLine == "opsh> fetch answers --pagesize 3" })
      session.terminal.write("b\r")
      #expect(session.result() == .line("fetch banswers --pagesize 3"))
      session.terminal.write("que x\u{1B}b\u{12}\u{7}Y\r")
      #expect(session.result(1) == .line("que Yx"))
    }
  }
}
