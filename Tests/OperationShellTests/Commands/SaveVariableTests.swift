import Foundation
import ShellLanguage
import TestSupport
import Testing

@testable import OperationShell
@testable import ShellCommands
@testable import ShellSession

/// In place of secret texts of variables and parameters, saved scripts read the environment.
@Suite("Secret texts in saved scripts", .timeLimit(.minutes(15)))
struct SaveVariableTests {
  private static let comment = "# A secret was typed here; set in the environment before a run: "

  struct Example: Sendable, CustomTestStringConvertible {
    let text: String
    /// The lines after the comment.
    let expected: String
    var names = "PASSWORD"
    var testDescription: String { text }
  }

  static let examples: [Example] = [
    Example(text: "let password = 'hunter22'", expected: "let password = \"$env.PASSWORD\""),
    Example(text: "let password = (\"hunter22\")", expected: "let password = (\"$env.PASSWORD\")"),
    Example(
      text: "let apiKey = 'hunter22'; echo a", expected: "let apiKey = \"$env.API_KEY\"; echo a",
      names: "API_KEY"),
    Example(
      text: "def f password='hunter22' { echo $password }; f",
      expected: "def f password=\"$env.PASSWORD\" { echo $password }; f"),
    Example(
      text: "def f user password { echo $user }; f ada hunter22",
      expected: "def f user password { echo $user }; f ada \"$env.PASSWORD\""),
    Example(
      text: "for token in abcdef ghijkl { echo $token }",
      expected: "for token in \"$env.TOKEN\" \"$env.TOKEN_2\" { echo $token }",
      names: "TOKEN, TOKEN_2"),
    Example(
      text: "echo sk-abcd1234abcd1234 --x=sk-abcd1234abcd1234",
      expected: "echo \"$env.SECRET_KEY\" --x=\"$env.SECRET_KEY\"", names: "SECRET_KEY"),
    Example(
      text: "let it = \"sk-abcd1234abcd1234\"", expected: "let it = \"$env.IT\"", names: "IT"),
    // Inside of a text, next to letters, signs and variables.
    Example(
      text:
        "let password = 'hunter22'; echo 'a \"$\\ hunter22.x' \"${password}hunter22\" xhunter22y",
      expected: "let password = \"$env.PASSWORD\"; echo \"a \\\"\\$\\\\ ${$env.PASSWORD}.x\" "
        + "\"${password}$env.PASSWORD\" x\"$env.PASSWORD\"y"),
    // The comment stands before all lines of a statement.
    Example(
      text: "if (true) {\n  let password = 'hunter22'\n}; echo hunter22",
      expected: "if (true) {\n  let password = \"$env.PASSWORD\"\n}; echo \"$env.PASSWORD\""),
    // Words of commands stay, whatever the secret is.
    Example(
      text: "let password = 'cancel'; queue cancel; echo cancel 'cancel'",
      expected:
        "let password = \"$env.PASSWORD\"; queue cancel; echo cancel \"$env.PASSWORD\""),
  ]

  private static func variables(of text: String, _ session: Session) -> SecretVariables {
    SecretVariables(
      of: text, secrets: session.screen.secrets, in: session.run, host: session)
  }

  @Test("A secret text becomes a variable of the environment", arguments: examples)
  func replaced(_ example: Example) throws {
    let shell = try ShellFixture()
    let variables = Self.variables(of: example.text, shell.session)
    let text = variables.replaced(in: example.text)
    #expect(text == Self.comment + example.names + "\n" + example.expected)
    #expect(variables.names(in: text).joined(separator: ", ") == example.names)
    #expect(Parser.parse(SourceText(name: "", text: text)).diagnostics.isEmpty)
    // Nothing is left that would become a comment.
    #expect(Save.withoutSecrets(text, shell.session.screen.secrets).count == 0)
  }

  @Test(
    "A text without a secret is saved as it was typed",
    arguments: [
      "let password = 'short'", "let n = 1234567", "echo 'a \"b' $n", "let key = 'abcdef'",
    ])
  func unchanged(text: String) throws {
    #expect(Self.variables(of: text, try ShellFixture().session).replaced(in: text) == text)
  }

  @Test("What 'save' writes runs again with the variables, does the same, and shows no secret")
  func again() throws {
    let folder = try ScratchFolder()
    let script = """
      let password = 'hunter22-x'
      def login user token { delay 1ms --name "op-$user"; run --name $user printf %s $token; wait }
      login ada geheim-91
      let first = (ada.result.output == "geheim-91")
      run --name both printf %s "$password sk-abcd1234abcd1234"; wait
      expect ($first and both.result.output == "hunter22-x sk-abcd1234abcd1234")
      """
    let first = try Opsh.run(script + "\nsave a.opsh", directory: folder.path)
    #expect(first.status == 0, "\(first.errors)")
    #expect(
      first.output.contains("set in the environment before a run: PASSWORD, SECRET_KEY, TOKEN"))
    let saved = try #require(folder.read("a.opsh"))
    for secret in ["hunter22", "geheim", "abcd1234"] {
      #expect(!saved.contains(secret), "\(saved)")
    }
    #expect(!saved.contains("# Left out"))
    let values = [
      "PASSWORD": "hunter22-x", "TOKEN": "geheim-91", "SECRET_KEY": "sk-abcd1234abcd1234",
    ]
    let second = try Opsh.run("source a.opsh", environment: values, directory: folder.path)
    #expect(second.status == 0, "\(second.errors)")
    for secret in values.values { #expect(!second.errors.contains(secret), "\(second.errors)") }
    // Without them the first use is an error that names the variable.
    let third = try Opsh.run("source a.opsh", directory: folder.path)
    #expect(third.status == 1)
    #expect(third.errors.contains("$env.PASSWORD"))
  }
}
