import ShellLanguage
import Testing

@testable import OperationShell
@testable import ShellSession

/// Which of the typed lines `save` keeps, and the waits between them.
@Suite("The lines that are saved", .timeLimit(.minutes(15)))
struct SavedLinesTests {
  /// Runs a text as if it were typed or pasted.
  private func type(_ text: String, _ fixture: ShellFixture) throws {
    try fixture.session.run.noting(typed: text) {
      try fixture.shell.runAtPrompt(
        Parser.parse(SourceText(name: SourceText.promptName, text: text)))
    }
  }

  private func saved(_ fixture: ShellFixture) throws -> [String] {
    let folder = try ScratchFolder()
    try fixture.run("save '\(folder.path)/x.opsh'")
    return (folder.read("x.opsh") ?? "").split(separator: "\n").dropFirst().map(String.init)
  }

  @Test("A saved script does not replace the recording of its session")
  func recordings() throws {
    let folder = try ScratchFolder()
    let fixture = try ShellFixture()
    try type("record '\(folder.path)/a.rec' --replace; echo a", fixture)
    try type("record off", fixture)
    #expect(folder.read("a.rec") != nil)
    #expect(try saved(fixture) == ["echo a"])
  }

  @Test("Definitions that were not typed come before the lines, those that others use first")
  func definitions() throws {
    let fixture = try ShellFixture(
      """
      def twice text { say $text; say $text }
      alias loud = twice HELLO
      def say text { echo $text }
      """)
    try type("loud", fixture)
    #expect(
      try saved(fixture) == [
        "def say text { echo $text }", "def twice text { say $text; say $text }",
        "alias loud = twice HELLO", "loud",
      ])
  }

  @Test("A saved script writes no file that its next run would find, and a remark says so")
  func writtenFiles() throws {
    let folder = try ScratchFolder()
    let fixture = try ShellFixture()
    let path = folder.path
    try type("delay 1ms --name d; wait; export '\(path)/a.svg'", fixture)
    try type("record '\(path)/a.rec'", fixture)
    try type("record off", fixture)
    try type("export '\(path)/a.svg' --replace; help export", fixture)
    let told = try fixture.output(of: "save '\(path)/x.opsh'")
    #expect(
      told == [
        "2 lines in '\(path)/x.opsh'; left out, because the next run would find the file: "
          + "'export '\(path)/a.svg'', 'record '\(path)/a.rec''"
      ])
    let script = folder.read("x.opsh") ?? ""
    #expect(script.contains("wait\n"))
    #expect(script.contains("export '\(path)/a.svg' --replace\n"))
    #expect(!script.contains("record"))
    #expect(
      try fixture.output(of: "save '\(path)/y.opsh' --last 1") == ["1 line in '\(path)/y.opsh'"])
  }

  struct Block: CustomTestStringConvertible {
    let text: String
    let saved: [String]
    /// What is told of the rest.
    let told: String?

    init(_ text: String, _ saved: [String], _ told: String? = nil) {
      self.text = text
      self.saved = saved
      self.told = told
    }

    var testDescription: String { text }
  }

  @Test(
    "Of a block the statements before an error are saved, and the others are named",
    arguments: [
      Block("delay 1h --name a\ncancel b\necho c", ["delay 1h --name a"], "not run: 'echo c'"),
      Block("echo a; echo (nowhere.id); echo c; echo d", ["echo a"], "not run: 'echo c', 'echo d'"),
      Block(
        "echo (nowhere.id)\necho 1\nrepeat 2 {\n  echo 2\n}\necho 3\necho 4\necho 5", [],
        "not run: 'echo 1', 'repeat 2 { …', 'echo 3' and 2 more"),
      Block("echo a\necho (nowhere.id)", ["echo a"]),
      Block("echo (nowhere.id)", []),
      Block("echo a\nechoo b\necho c", [], "none of the 3 statements ran: all are checked first"),
      Block("echoo b", []),
      Block("echo a # one\n\n# two\necho b", ["echo a # one", "# two", "echo b"]),
    ])
  func blocks(_ block: Block) throws {
    let fixture = try ShellFixture()
    try type("echo first", fixture)
    let shown = try fixture.lines { try type(block.text, fixture) }
    #expect(try saved(fixture) == ["echo first"] + block.saved)
    let told = shown.filter { $0.hasPrefix("opsh: ") }
    #expect(told == (block.told.map { ["opsh: " + $0] } ?? []), "\(shown)")
  }

  @Test("A saved script waits for no operation of a statement that is not in it")
  func builtByTheRest() throws {
    let fixture = try ShellFixture()
    try type(
      "delay 1ms --name a; try { delay 1ms --name b; cancel c } catch e { cancel c }", fixture)
    #expect(try fixture.pump { fixture.session.jobs.operations.unfinished.isEmpty })
    try type("echo later", fixture)
    #expect(try saved(fixture) == ["delay 1ms --name a", "wait a --any-outcome", "echo later"])
  }

  @Test(
    "A wait that was typed is saved as it is, without another one", arguments: ["wait", "wait all"])
  func typedWait(_ line: String) throws {
    let fixture = try ShellFixture()
    try type("delay 1ms --name a", fixture)
    #expect(try fixture.pump { fixture.session.jobs.operations.unfinished.isEmpty })
    try type(line, fixture)
    #expect(try saved(fixture) == ["delay 1ms --name a", line])
  }

  @Test(
    "Many operations that had finished are named with 'all' or a pattern",
    arguments: [
      ("delay 1ms --count 3", "", "delay-1 delay-2 delay-3"),
      ("delay 1ms --count 50", "", "all"),
      ("delay 1ms --count 50", "delay 1h --name other", "delay-*"),
      ("delay 1ms --count 4; delay 1ms --name own", "delay 1h --name other", "delay-* own"),
      (
        "delay 1ms --count 4; block --count 5 { echo a }", "delay 1h --name block-x",
        "delay-* block-1 block-2 block-3 block-4 block-5"
      ),
      ("delay 1ms --count 4", "delay 1h", "delay-2 delay-3 delay-4 delay-5"),
      ("delay 1ms --count 4", "delay 1h --hold --name held", "delay-*"),
      ("delay 1ms --name up-1-a --count 4", "delay 1h --name up-2", "up-1-a-*"),
    ])
  func waits(_ quick: String, _ slow: String, _ expected: String) throws {
    let fixture = try ShellFixture("queue width unlimited")
    if !slow.isEmpty { try type(slow, fixture) }
    try type(quick, fixture)
    let unfinished = slow.isEmpty ? 0 : 1
    #expect(try fixture.pump { fixture.session.jobs.operations.unfinished.count == unfinished })
    // A mistake in between makes no difference.
    try type("ehco", fixture)
    try type("echo later", fixture)
    let lines = try saved(fixture).filter { $0 != "ehco" }
    #expect(
      lines.dropFirst(slow.isEmpty ? 1 : 2) == ["wait \(expected) --any-outcome", "echo later"])
  }
}
