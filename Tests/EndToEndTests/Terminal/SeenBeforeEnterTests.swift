import TestSupport
import Testing

@Suite("Seen before Enter", .timeLimit(.minutes(15)))
struct SeenBeforeEnterTests {
  @Test("With colours a line is completed in grey, which Ctrl-E takes; a theme turns that off")
  func suggestion() throws {
    let session = try PromptSession(environment: ["NO_COLOR": ""])
    session.terminal.write("queue paus")
    #expect(session.terminal.wait { $0.cursorLine == "opsh> queue pause" })
    #expect(session.screen.cursorColumn == 16)
    session.terminal.write("\u{5}\r")
    session.see("opsh [network paused 0]>")
    session.waitForPrompt()
    // The line before comes from the history.
    session.terminal.write("que")
    #expect(session.terminal.wait { $0.cursorLine == "opsh [network paused 0]> queue pause" })
    session.terminal.write("\u{15}")
    session.waitForPrompt()
    session.enter("set theme off")
    session.terminal.write("que")
    #expect(session.terminal.wait { $0.cursorLine == "opsh [network paused 0]> que" })
    session.terminal.write("\u{15}quit --now\r")
    session.expectExit(0)
  }

  @Test("The menu stays below the line while transitions appear above it")
  func menu() throws {
    let session = try PromptSession(environment: ["NO_COLOR": ""])
    session.enter("delay 60s --name first --hold; delay 60s --name fir --hold")
    session.enter("delay 600ms --name soon")
    session.terminal.write("cancel fir\t")
    #expect(session.terminal.wait { $0.text.contains("  first  delay, created") })
    session.see(/soon +executing → finished/)
    let isThere = session.terminal.wait {
      let rows = $0.lines.drop { !$0.hasSuffix("> cancel fir") }.prefix(3)
      return rows.dropFirst().map { String($0.prefix(7)) } == ["  first", "  fir  "]
    }
    #expect(isThere, "\(session.screen.text)")
    session.terminal.write("\t\r\r")
    session.see(/> cancel first$/)
    session.waitForPrompt()
    session.terminal.write("quit --now\r")
    session.expectExit(0)
  }

  @Test("The prompt of a further line says what is open")
  func continuation() throws {
    let session = try PromptSession(environment: ["NO_COLOR": ""])
    session.terminal.write("repeat 2 {\rif (true) {\r")
    #expect(session.terminal.wait { $0.cursorLine == "{..." && $0.cursorColumn == 9 })
    session.terminal.write("echo 'a\r")
    #expect(session.terminal.wait { $0.cursorLine == "'..." && $0.cursorColumn == 5 })
    session.terminal.write("b'\r}\r}\r")
    session.waitForPrompt()
    #expect(session.lines.count { $0 == "b" } == 2)
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("Of a pasted session what was typed is shown, and Enter runs each line by itself")
  func pastedSession() throws {
    let session = try PromptSession()
    session.terminal.write(
      "\u{1B}[200~opsh> echo one\rone\ropsh> cancel nosuch\r<prompt>: error\r"
        + "opsh> repeat 2 {\r{...   echo two\r{... }\rtwo\rtwo\r\u{1B}[201~")
    session.see("Enter runs the lines that were typed in it (3)")
    let isShown = session.terminal.wait {
      Array($0.lines.filter { !$0.isEmpty }.suffix(5)) == [
        "opsh> echo one", "... cancel nosuch", "... repeat 2 {", "{...   echo two", "{... }",
      ]
    }
    #expect(isShown, "\(session.screen.text)")
    #expect(!session.lines.contains("two"))
    session.terminal.write("\r")
    // The error of the second one keeps nothing from running.
    #expect(session.terminal.wait { $0.logicalLines.count { $0 == "two" } == 2 })
    #expect(session.lines.count { $0 == "one" } == 1)
    #expect(session.lines.contains { $0.contains("nosuch") && $0.contains("error") })
    session.waitForPrompt()
    // Undo leads to the paste.
    session.terminal.write("\u{1B}[200~opsh> echo three\u{1B}[201~")
    #expect(session.terminal.wait { $0.cursorLine == "opsh> echo three" })
    session.terminal.write("\u{1F}")
    #expect(session.terminal.wait { $0.cursorLine == "opsh> opsh> echo three" })
    session.terminal.write("\u{15}quit\r")
    session.expectExit(0)
  }
}
