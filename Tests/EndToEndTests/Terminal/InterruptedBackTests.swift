import TestSupport
import Testing

@Suite("'back' at a prompt", .timeLimit(.minutes(5)))
struct InterruptedBackTests {
  @Test("What Ctrl-C interrupted is taken again up to the same place")
  func interruption() throws {
    let session = try PromptSession()
    session.enter("set clock virtual")
    session.enter("let n = 0")
    session.terminal.write("while (true) { echo round $n; let n = ($n + 1); sleep 1s }\r")
    session.see("round 30")
    session.terminal.write("\u{3}")
    session.waitForPrompt()
    session.enter("echo there $n")
    session.enter("sleep 5s")
    let time = session.editedLine
    session.enter("sleep 7s")
    session.enter("back")
    #expect(session.editedLine == time)
    session.enter("echo again $n")
    func number(after word: String) -> Substring? {
      session.lines.last { $0.hasPrefix(word + " ") }?.split(separator: " ").last
    }
    #expect(number(after: "there") != nil)
    #expect(number(after: "there") == number(after: "again"))
    session.terminal.write("quit\r")
    session.expectExit(0)
  }
}
