import TestSupport
import Testing

@testable import OpshTerminal

extension LineEditorTests {
  @Suite("Look of the line and completion menu")
  struct LookTests {
    private static let words = ["alpha", "alpine", "beta"]

    private static func complete(_ text: String, _ cursor: Int) -> CompletionResult {
      let word = String(text.prefix(cursor).reversed().prefix { $0 != " " }.reversed())
      return CompletionResult(
        range: (cursor - word.count)..<cursor,
        candidates: words.filter { $0.hasPrefix(word) }
          .map { CompletionCandidate($0, summary: "about \($0)") })
    }

    private func makeSession(columns: Int = 60, rows: Int = 12) throws -> EditorSession {
      let session = try EditorSession(
        columns: columns, rows: rows,
        EditorSession.Program(
          completions: Self.complete,
          look: { text, cursor in
            var look = LineLook(suggestionStyle: .dim)
            if cursor == text.utf8.count, text == "say" { look.suggestion = " hello 漢字 you" }
            if text.hasSuffix("? ") { look.hint = "NAME" }
            return look
          }, color: true))
      session.waitForPrompt()
      return session
    }

    @Test("Right, End and Ctrl-E take the suggestion, Alt-Right its first word")
    func suggestion() throws {
      let session = try makeSession()
      for (index, keys) in ["\u{1B}[C", "\u{5}", "\u{1B}[F"].enumerated() {
        session.terminal.write("say")
        #expect(session.terminal.wait { $0.cursorLine == "opsh> say hello 漢字 you" })
        #expect(session.terminal.screen.cursorColumn == 9)
        session.terminal.write(keys + "!\r")
        #expect(session.result(index) == .line("say hello 漢字 you!"))
        session.waitForPrompt()
      }
      session.terminal.write("say")
      #expect(session.terminal.wait { $0.cursorLine == "opsh> say hello 漢字 you" })
      session.terminal.write("\u{1B}[1;3C")
      #expect(session.terminal.wait { $0.cursorLine == "opsh> say hello" })
      session.terminal.write("\r")
      #expect(session.result(3) == .line("say hello"))
    }

    @Test("A suggestion that is not taken is not entered, and leaves nothing on the screen")
    func refused() throws {
      let session = try makeSession()
      session.terminal.write("say")
      #expect(session.terminal.wait { $0.cursorLine.hasSuffix("you") })
      session.queue.append(["1.0  alpha  ready"])
      #expect(session.terminal.wait(for: "alpha  ready"))
      #expect(session.terminal.wait { $0.cursorLine == "opsh> say hello 漢字 you" })
      session.terminal.write("\r")
      #expect(session.result() == .line("say"))
      session.waitForPrompt()
      #expect(session.terminal.screen.lines.contains("opsh> say"))
      session.terminal.write("ok? ")
      #expect(session.terminal.wait { $0.cursorLine == "opsh> ok? NAME" })
      session.terminal.write("\u{1B}[Cx\r")
      #expect(session.result(1) == .line("ok? x"))
    }

    @Test("A suggestion is cut at the end of the row, and a later one of a narrower window")
    func narrow() throws {
      let session = try makeSession(columns: 20)
      session.terminal.write("say")
      #expect(session.terminal.wait { $0.cursorLine == "opsh> say hello 漢" })
      session.terminal.resize(columns: 14, rows: 12)
      session.send(.windowChange)
      #expect(session.terminal.wait { $0.cursorLine == "opsh> say hel" })
      #expect(session.terminal.screen.lines.count { $0.contains("say") } == 1)
    }

    @Test("The menu is below the line; Tab and arrows select, and Enter takes the selected one")
    func menu() throws {
      let session = try makeSession()
      session.terminal.write("do al\t")
      #expect(session.terminal.wait { $0.cursorLine == "opsh> do alp" })
      session.terminal.write("\t")
      #expect(session.terminal.wait { $0.lines[2] == "  alpine  about alpine" })
      #expect(session.terminal.screen.lines[1] == "  alpha   about alpha")
      #expect(session.terminal.screen.cursorLine == "opsh> do alp")
      session.queue.append(["1.0  alpha  ready"])
      #expect(session.terminal.wait { $0.lines[3] == "  alpine  about alpine" })
      #expect(session.terminal.screen.lines[0] == "1.0  alpha  ready")
      session.terminal.write("\t\u{1B}[B")
      #expect(session.terminal.wait { $0.cursorLine == "opsh> do alpine" })
      #expect(session.terminal.wait { $0.lines[3] == "> alpine  about alpine" })
      session.terminal.write("\u{1B}[Z")
      #expect(session.terminal.wait { $0.cursorLine == "opsh> do alpha" })
      session.terminal.write("\n")
      #expect(session.terminal.wait { $0.text == "1.0  alpha  ready\nopsh> do alpha" })
      session.terminal.write("b\t\r")
      #expect(session.result() == .line("do alpha beta "))
    }

    @Test("Typing narrows the menu, Backspace widens it, Escape and other keys close it")
    func narrowed() throws {
      let session = try makeSession()
      session.terminal.write("\t")
      #expect(session.terminal.wait { $0.lines[3].hasPrefix("  beta") })
      session.terminal.write("alp")
      #expect(session.terminal.wait { $0.cursorLine == "opsh> alp" && $0.lines[3] == "" })
      #expect(session.terminal.screen.lines[2].hasPrefix("  alpine"))
      session.terminal.write("\u{7F}\u{7F}\u{7F}")
      #expect(session.terminal.wait { $0.lines[3].hasPrefix("  beta") })
      session.terminal.write("\t")
      #expect(session.terminal.wait { $0.cursorLine == "opsh> alpha" })
      // Escape alone, without a key after it.
      session.terminal.write("\u{1B}")
      #expect(session.terminal.wait { $0.text == "opsh>" })
      session.terminal.write("\t\t")
      #expect(session.terminal.wait { $0.lines[1].hasPrefix("> alpha") })
      session.terminal.write(" x")
      #expect(session.terminal.wait { $0.text == "opsh> alpha x" })
      session.terminal.write("\u{1}\t\u{1B}[B")
      #expect(session.terminal.wait { $0.cursorLine == "opsh> alphaalpha x" })
      session.send(.interrupt)
      #expect(session.result() == .interrupted)
      #expect(session.terminal.wait { $0.text == "opsh> alphaalpha x^C\nopsh>" })
    }

    @Test("A window that changes its size shows the line once, with the menu")
    func resized() throws {
      let session = try makeSession(columns: 40, rows: 14)
      session.queue.append((1...10).map { StyledText("line \($0)") })
      #expect(session.terminal.wait(for: "line 10"))
      session.terminal.write("\t\t")
      #expect(session.terminal.wait { $0.text.contains("> alpha   about alpha") })
      for columns in [16, 8, 30, 60] {
        session.terminal.resize(columns: columns, rows: 14)
        session.send(.windowChange)
        let row = String("> alpha   about alpha".prefix(columns))
        #expect(
          session.terminal.wait {
            $0.lines.contains { $0 == row.trimmed } && $0.lines.contains { $0.hasPrefix("  beta") }
          }, "\(columns): \(session.terminal.screen.text)")
      }
      session.terminal.write("!\r")
      #expect(session.result() == .line("alpha!"))
      session.waitForPrompt()
      #expect(!session.terminal.screen.text.contains("about"))
    }
  }
}

extension String {
  fileprivate var trimmed: String { String(reversed().drop { $0 == " " }.reversed()) }
}
