import Foundation
import TestSupport
import Testing

/// The prompt, the title, the marks and the notices.
@Suite("Around the line", .timeLimit(.minutes(15)))
struct AroundTheLineTests {
  private static func sent(_ session: PromptSession) -> String {
    String(decoding: session.terminal.output, as: UTF8.self)
  }

  @Test("Marks tell the terminal where prompt, line and output are; the title says what runs")
  func marks() throws {
    let session = try PromptSession()
    session.enter("echo one")
    session.enter("nosuch")
    var sent = Self.sent(session)
    #expect(sent.contains("\u{1B}]133;A\u{7}opsh> \u{1B}]133;B\u{7}"))
    #expect(sent.contains("\u{1B}]133;C\u{7}\u{1B}]2;opsh: echo one\u{7}one"))
    #expect(sent.contains("\u{1B}]133;D;0\u{7}"))
    #expect(sent.contains("\u{1B}]133;D;2\u{7}"))
    session.enter("set plain on")
    let count = Self.sent(session).utf8.count
    session.enter("echo two")
    sent = String(decoding: session.terminal.output.dropFirst(count), as: UTF8.self)
    #expect(!sent.contains("\u{1B}]"), "\(sent)")
    session.terminal.write("quit\r")
    session.expectExit(0)
    // The title of before is restored.
    #expect(Self.sent(session).contains("\u{1B}[23;2t"))
  }

  @Test("'set prompt' shows status and failures, and its prompt is known in a pasted session")
  func prompt() throws {
    let session = try PromptSession()
    session.terminal.write("set prompt 'work{ !failed}{ (status)}{ [queue]}$ '\r")
    #expect(session.terminal.wait { $0.cursorLine == "work$" })
    session.terminal.write("nosuch\r")
    #expect(session.terminal.wait { $0.cursorLine == "work (2)$" })
    session.terminal.write("block { fail 'no' }\r")
    #expect(session.terminal.wait { $0.cursorLine == "work !1$" })
    session.terminal.write("\u{1B}[200~work (2)$ echo one\rone\rwork$ echo two\u{1B}[201~")
    #expect(session.terminal.wait { $0.cursorLine == "... echo two" })
    session.terminal.write("\r")
    #expect(session.terminal.wait { $0.logicalLines.contains("two") })
    session.terminal.write("set prompt default; quit\r")
    session.expectExit(0)
  }

  @Test("The end of a long wait rings, unless Ctrl-C ended it or it was short")
  func notice() throws {
    let session = try PromptSession()
    session.enter("set notify 300ms")
    session.enter("delay 1ms; wait")
    session.terminal.write("sleep 1h\r")
    #expect(session.terminal.wait { !$0.marksPastes })
    session.terminal.wait(.milliseconds(500))
    session.terminal.write("\u{3}")
    session.waitForPrompt()
    #expect(session.screen.bells == 0)
    session.enter("delay 500ms; wait")
    #expect(session.terminal.wait { $0.bells == 1 })
    session.terminal.write("quit\r")
    session.expectExit(0)

    let other = try PromptSession(environment: ["TERM_PROGRAM": "WezTerm"])
    other.enter("set notify 100ms; sleep 200ms")
    #expect(
      Self.sent(other).contains("\u{1B}]9;opsh: 'set notify 100ms; sleep 200ms' has ended after"))
    other.enter("set notify off; sleep 200ms")
    #expect(Self.sent(other).split(separator: "\u{1B}]9;").count == 2)
    other.terminal.write("quit\r")
    other.expectExit(0)
  }

  @Test("Without colours, suggestions and menu, 'set plain on' lists candidates above the line")
  func plain() throws {
    let session = try PromptSession(environment: ["NO_COLOR": ""])
    session.enter("set plain on")
    session.enter("delay 2s --count 2")
    let count = Self.sent(session).utf8.count
    session.terminal.write("queue re\t\t")
    session.see("  remove")
    #expect(session.terminal.wait { $0.cursorLine == "opsh> queue re" })
    session.terminal.write("\u{3}")
    session.enter("wait")
    let sent = String(decoding: session.terminal.output.dropFirst(count), as: UTF8.self)
    #expect(!sent.contains("of 2 done"))
    #expect(!sent.contains("opsh*"))
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("A terminal that narrows and widens during a wait keeps nothing of its progress line")
  func narrowing() throws {
    let session = try PromptSession(columns: 60)
    session.enter("queue width 1")
    session.terminal.write("delay 700ms --count 6; wait\r")
    session.see(/[1-5] of 6 done, 1 executing, .* left/)
    session.terminal.resize(columns: 20, rows: 30)
    #expect(session.terminal.wait { $0.lines.contains { $0.contains(/[2-5] of 6 done/) } })
    session.terminal.wait(.milliseconds(900))
    session.terminal.resize(columns: 60, rows: 30)
    session.waitForPrompt()
    for rest in ["of 6 done", " left", "executing,"] {
      #expect(!session.lines.contains { $0.contains(rest) }, "\(session.screen.text)")
    }
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("What is typed for short says what runs")
  func shorthand() throws {
    let session = try PromptSession()
    session.enter("delay 1h --name work --hold")
    session.enter("canc work")
    session.see("opsh: runs 'cancel work'")
    session.see(/work +created, cancelled/)
    session.enter("(1 + 2)")
    session.see(/^3$/)
    session.enter("work")
    session.see("opsh: runs 'show work'")
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("After 'reset', names of the new session are completed, and prompt and title tell of it")
  func reset() throws {
    let session = try PromptSession()
    session.enter("delay 1h --name old --hold; set prompt 'work{ [queue]}> '; set prompt default")
    session.enter("reset")
    session.enter("delay 1h --name zeta --hold; queue pause")
    session.terminal.write("cancel ze\t")
    #expect(session.terminal.wait { $0.cursorLine == "opsh [network paused 0]> cancel zeta" })
    session.terminal.write("\u{15}cancel ol\t")
    session.terminal.wait(.milliseconds(300))
    #expect(session.screen.cursorLine == "opsh [network paused 0]> cancel ol")
    #expect(Self.sent(session).contains("\u{1B}]2;opsh [network paused 0]\u{7}"))
    session.terminal.write("\u{15}quit --now\r")
    session.expectExit(0)
  }
}
