import TestSupport
import Testing

@Suite("What a terminal asks and counts", .serialized, .timeLimit(.minutes(5)))
struct DoubtTests {
  @Test("A typed line with a large number for a duration asks for its unit")
  func asksForUnit() throws {
    let session = try PromptSession()
    session.terminal.write("delay 500 --name slow\r")
    session.see("500s or 500ms?")
    session.terminal.write("ms\r")
    session.waitForPrompt()
    session.enter("wait; echo (slow.duration < 10s)")
    session.see(/^true$/)
    #expect(!session.lines.contains { $0.contains("without a unit") }, "\(session.lines)")
    session.terminal.write("server latency 200\r")
    session.see("200s or 200ms?")
    session.terminal.write("\r")
    session.waitForPrompt()
    session.see("nothing ran")
    session.terminal.write("\u{4}")
    session.expectExit(0)
  }

  @Test("A line that answers no question is the next one, as in a paste")
  func runsNextLine() throws {
    let home = try TemporaryFolder()
    let session = try PromptSession(home: home)
    session.terminal.write("delay 500\recho second\recho third\r")
    session.see("opsh: 'delay 500' did not run")
    session.see(/^second$/)
    session.see(/^third$/)
    session.waitForPrompt()
    #expect(!session.lines.contains { $0.contains("nothing ran") }, "\(session.lines)")
    session.terminal.write("\u{4}")
    session.expectExit(0)
    let history = home.read(".local/state/opsh/history")?.replacing(#/\\@\d+ /#, with: "")
    #expect(history == "delay 500\necho second\necho third\n")
  }

  @Test("Equal errors beyond ten are a count on a terminal")
  func countsErrors() throws {
    let session = try PromptSession()
    session.enter(
      "delay 1ms --name d --count 30; on d-* finished { cancel nobody }; wait; sleep 50ms")
    session.see("more of these errors are only counted")
    session.enter("echo next")
    session.see(/\d+ more times: .*'nobody'/)
    let shown = session.lines.count { $0.hasPrefix("error: there is no operation 'nobody'") }
    #expect((10...20).contains(shown), "\(session.lines)")
    session.terminal.write("\u{4}")
    session.expectExit(0)
  }
}
