import Foundation
import OpshLocking
import ShellLanguage
import OpshTerminal
import TestSupport
import Testing

@testable import OperationShell
@testable import ShellCommands
@testable import ShellSession
@testable import ViewCommands

/// Texts of variables and parameters with names such as `password`, and keys such as `sk-…`.
@Suite("Secrets of variables and parameters", .timeLimit(.minutes(15)))
struct VariableSecretTests {
  private static let texts = [
    "hunter22-x", "geheim/91", "fallback-77", "sk-test-abc12345678", "zyxwvu",
  ]

  /// Gives them to variables and parameters, and uses each where an export shows it.
  private static let script = """
    let password = 'hunter22-x'
    def login user api_key { delay 1ms --name "op-$user"; get "/2.3/info?a=$api_key" --name $user }
    login ada geheim/91
    let token = ($env.NOT_THERE_AT_ALL ?? "fallback-77")
    delay 1ms --name sk-test-abc12345678
    for secret in zyxwvu { block --name b { fail "$secret $password $token geheim/91" } }
    get /2.3/sites --header 'X-One: fallback-77 zyxwvu' --name last-one
    wait --any-outcome
    """

  @Test("No kind of 'export' and no recording holds the text of a variable or a parameter")
  func exports() throws {
    let folder = try ScratchFolder()
    let files =
      Export.Kind.allCases.map { "export run.\($0.rawValue)" }
      + ["export graph.svg --graph", "export life.svg --life b"]
    let outcome = try Opsh.run(
      "record run.opshrec\n\(Self.script)\nops; log; why b; show b; tree; blame; stats; timeline\n"
        + files.joined(separator: "\n"),
      options: ["--transcript", "transcript"], directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(folder.names.count == files.count + 2)
    for name in folder.names {
      let text = try #require(folder.read(name))
      #expect(text.contains("***"), "\(name)")
      for secret in Self.texts { #expect(!text.contains(secret), "\(name): \(secret)") }
    }
  }

  @Test("A secret is known before the first line of a run shows it", arguments: [[], ["--json"]])
  func order(options: [String]) throws {
    let folder = try ScratchFolder()
    let script =
      "set trace on\necho hunter22-x geheim/91 fallback-77 zyxwvu sk-test-abc12345678\n"
      + Self.script + "\necho $password"
    try folder.write(script, to: "a.opsh")
    for arguments in [options, options + ["--check"]] {
      let outcome = try Opsh.run(
        "source a.opsh; wait --any-outcome", options: arguments, directory: folder.path)
      #expect(outcome.status == 0, "\(outcome.errors)")
      for secret in Self.texts {
        #expect(!outcome.output.contains(secret), "\(outcome.output)")
        #expect(!outcome.errors.contains(secret), "\(outcome.errors)")
      }
    }
  }

  @Test(
    "A text that only running gives a variable is masked from then on",
    arguments: [
      "let token = ('geheim' + '-1234-5678')", "let token = !echo geheim-1234-5678",
      "let token = $env.SOME_TEXT", "def f password { }; f $env.SOME_TEXT",
      "for token in (split('geheim-1234-5678,abc', ',')) { }",
      "let token = (list('geheim-1234-5678'))",
      "def f token='geheim-1234-5678' { }; f", "echo $env.API_TOKEN > /dev/null",
      "let _other = ('sk-' + 'geheim-1234-5678')",
    ])
  func running(script: String) throws {
    var configuration = SessionConfiguration()
    configuration.environment = ["SOME_TEXT": "geheim-1234-5678", "API_TOKEN": "geheim-1234-5678"]
    let shell = try ShellFixture("", configuration)
    try shell.run(script)
    let shown = try shell.shown(by: "echo sk-geheim-1234-5678")
    #expect(!shown.joined().contains("geheim"), "\(shown)")
  }

  @Test("Short words, numbers and texts of other variables are never masked")
  func ordinary() throws {
    let shell = try ShellFixture()
    let script = """
      let token = "abcde"
      let pin_token = 12345678
      let password = 1500000ms
      let secret = true
      let title = "lesson one"
      def f token { }
      f 87654321; f 2500000ms
      """
    try shell.shell.run(Parser.parse(SourceText(name: "test", text: script)), isWhole: false)
    let line = "abcde 12345678 1500000ms 2500000ms true lesson one 87654321"
    #expect(try shell.shown(by: "echo \(line)") == [line])
  }

  private func holdsSecret(_ line: String, _ fixture: ShellFixture) -> Bool {
    _ = fixture.shell.check(
      typed: Parser.parse(SourceText(name: SourceText.promptName, text: line)))
    return fixture.session.screen.secrets.holdsSecret(line)
  }

  @Test("What was meant as a text without quotes is masked in the error and in the history")
  func withoutQuotes() throws {
    let shell = try ShellFixture()
    #expect(holdsSecret("let password = hunter22", shell))
    let errors = try shell.lines {
      try shell.shell.runAtPrompt(
        Parser.parse(
          SourceText(name: SourceText.promptName, text: "let password = hunter22; echo hunter22")))
    }
    #expect(errors.joined().contains("unknown-command"))
    #expect(!errors.joined().contains("hunter22"), "\(errors)")
    // The name of a definition is none.
    try shell.run("def make_token { return 1 }")
    #expect(!holdsSecret("let token = make_token", shell))
  }

  @Test(
    "The history file never holds a line with the text of a variable or a parameter",
    arguments: [
      "let password = 'hunter22-x'", "let password = \"hunter22-x\" extra",
      "def login user password = 'hunter22-x' { }", "login ada hunter22-x",
      "login ada 'hunter22-x' too many", "log_in hunter22-x", "echo sk-hunter22-x-abcdef",
      "for token in a hunter22-x { }", "if (true) { let token = 'hunter22-x' }",
      "on last finished { login ada hunter22-x }",
    ])
  func history(line: String) throws {
    let folder = try ScratchFolder()
    let shell = try ShellFixture("def login user password { }\nalias log_in = login ada")
    let history = History(file: folder.path + "/history", isPrivate: { holdsSecret($0, shell) })
    history.append("echo first")
    history.append(line)
    history.append("echo last")
    #expect(folder.read("history")?.replacing(#/\\@\d+ /#, with: "") == "echo first\necho last\n")
    #expect(!shell.session.screen.secrets.mask(line).contains("hunter22"))
  }
}
