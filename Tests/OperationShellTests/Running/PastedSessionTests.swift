import Testing

@testable import OperationShell
@testable import ShellSession

@Suite("Pasted sessions", .timeLimit(.minutes(15)))
struct PastedSessionTests {
  private func inputs(_ text: String, columns: Int = 80) -> [String]? {
    PastedSession(text, columns: columns)?.inputs
  }

  @Test("Prompts, transitions and output are left out")
  func wholeSession() throws {
    let session = try #require(
      PastedSession(
        """
        opsh 1.0, the operation shell. 'help' shows where to begin, Ctrl-D leaves.
        opsh> queue pause
         1.104  network      queue paused          0 of 2 slots taken, 0 waiting
        opsh [network paused 0]> fetch questions --pagesize 3
         2.227  questions-1  created → pending     added to network
        opsh* [network paused 1]> why questions-1
        questions-1 is ready and does not run because
            queue 'network' is paused  → queue resume network
        opsh 1.500 [network paused 1]> queue resume
        opsh>
        """, columns: 80))
    #expect(
      session.inputs == [
        "queue pause", "fetch questions --pagesize 3", "why questions-1", "queue resume",
      ])
    #expect(session.outputCount == 5)
    #expect(session.text == session.inputs.joined(separator: "\n"))
  }

  @Test("Further lines of a statement lose their prompts, with and without the open sign")
  func continuations() {
    #expect(
      inputs(
        """
        opsh> repeat 2 {
        {...   echo 'a
        '... b'
        {... }
        a
        ...
        opsh> if (true) {
        ...   echo x
        ... }
        x
        """) == ["repeat 2 {\n  echo 'a\nb'\n}", "if (true) {\n  echo x\n}"])
  }

  @Test("A line that fills the width goes on in the next row")
  func wrapped() {
    #expect(
      inputs("opsh> echo abcdefgh\nijkl\nabcdefghijkl\n", columns: 19) == ["echo abcdefghijkl"])
    #expect(inputs("opsh> echo abcdefgh\nabcdefgh\n", columns: 20) == ["echo abcdefgh"])
  }

  @Test("What was given up is left out, but not what still goes on at the end")
  func givenUp() {
    #expect(inputs("opsh> echo on^C\nopsh> repeat 2 {\n^C\nopsh> ops") == ["ops"])
    #expect(inputs("opsh> repeat 2 {\n... echo x") == ["repeat 2 {\necho x"])
  }

  @Test("The prompt in use is known, also where it begins with a blank")
  func template() throws {
    let template = try PromptTemplate("{ !failed}{ executing+}❯ ")
    let session = PastedSession(
      "❯ echo one\none\n 1+❯ echo two\n  !2 1+❯ ops\n", columns: 80, template: template)
    #expect(session?.inputs == ["echo one", "echo two", "ops"])
    #expect(template.text == "{ !failed}{ executing+}❯ ")
  }

  @Test("Indented examples are sessions; scripts are none")
  func examples() {
    #expect(inputs("  opsh> queue pause\n  opsh> ops\n") == ["queue pause", "ops"])
    for script in ["echo one\necho two", "opsh --version", "echo 'opsh> x'", "... x"] {
      #expect(inputs(script) == nil, "\(script)")
    }
  }
}
