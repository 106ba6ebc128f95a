import ShellLanguage
import Testing

@Suite("Help by an option", .timeLimit(.minutes(5)))
struct HelpRequestTests {
  @Test(
    "A command with --help or -h shows its page",
    arguments: ["delay", "queue pause", "queue", "fetch", "help", "fetch questions"])
  func option(command: String) throws {
    let fixture = try ShellFixture()
    let page = try fixture.output(of: "help \(command)")
    #expect(page.count > 3)
    #expect(try fixture.output(of: "\(command) --help") == page)
    #expect(try fixture.output(of: "\(command) -h") == page)
  }

  @Test("With further arguments and in definitions, the error names the page")
  func hint() throws {
    let fixture = try ShellFixture("def greet who { echo $who }")
    #expect(try fixture.error(of: "delay 1ms --help").help == "'help delay' shows its options")
    #expect(try fixture.error(of: "greet -h").help == "'help greet' shows its options")
    #expect(try fixture.output(of: "echo \"--help\"") == ["--help"])
  }
}
