import ShellLanguage
import Testing

@testable import ShellCommands
@testable import ShellSession

/// Files written by the shell contain no typed secrets.
@Suite("Secrets in saved scripts and in the history", .timeLimit(.minutes(15)))
struct SaveSecretsTests {
  private static let comment =
    "# Left out, for it holds a secret; with that in place of the stars it runs:\n"

  struct Example: Sendable, CustomTestStringConvertible {
    let text: String
    let expected: String
    let count: Int
    var testDescription: String { text }
  }

  static let examples: [Example] = [
    Example(text: "delay 1ms\nwait\n", expected: "delay 1ms\nwait\n", count: 0),
    Example(
      text: "wait\nendpoint practice --key SECRET\ndelay 1ms\n",
      expected: "wait\n\(comment)# endpoint practice --key ******\ndelay 1ms\n", count: 1),
    // All statements of a line, and all lines of a statement.
    Example(
      text: "echo a; endpoint practice --key SECRET; echo b\nwait\n",
      expected: "\(comment)# echo a; endpoint practice --key ******; echo b\nwait\n", count: 1),
    Example(
      text: "try {\n  endpoint practice --key SECRET\n} catch e {\n  echo no }; echo b\nwait\n",
      expected: "\(comment)# try {\n#   endpoint practice --key ******\n# } catch e {\n"
        + "#   echo no }; echo b\nwait\n", count: 1),
    Example(
      text: "echo --key SECRET; repeat 2 {\n  echo a\n}; if (true) {\n  echo b\n}\necho c\n",
      expected: "\(comment)# echo --key ******; repeat 2 {\n#   echo a\n# }; if (true) {\n"
        + "#   echo b\n# }\necho c\n", count: 1),
    Example(
      text: "get /a --header \\\n  'Cookie: id=SECRET'\necho b\nget '/?key=SECRET'",
      expected: "\(comment)# get /a --header \\\n#   'Cookie: *********'\necho b\n"
        + "\(comment)# get '/?key=******'", count: 2),
    Example(
      text: "echo a # --key SECRET\n", expected: "\(comment)# echo a # --key ******\n", count: 1),
  ]

  @Test(
    "A line with a secret is saved as a masked comment, and the other lines as a script",
    arguments: examples)
  func comments(_ example: Example) {
    let (text, count) = Save.withoutSecrets(example.text)
    #expect(text == example.expected)
    #expect(count == example.count)
    #expect(!text.contains("SECRET"))
    let parsed = Parser.parse(SourceText(name: "", text: text))
    #expect(parsed.diagnostics.isEmpty)
  }

  @Test("'save' reports the number of masked lines, at the prompt and in a script")
  func saving() throws {
    let folder = try ScratchFolder()
    let shell = try ShellFixture()
    let line = "endpoint practice --key SECRET"
    try shell.session.run.noting(typed: line) {
      try shell.run(line)
      return .whole
    }
    try shell.session.run.noting(typed: "echo a > /dev/null") { .whole }
    let told = try shell.output(of: "save '\(folder.path)/a.opsh'").joined()
    #expect(told.hasSuffix("; 1 place that holds a secret is a comment"), "\(told)")
    let saved = folder.read("a.opsh")
    #expect(
      saved == "#!/usr/bin/env opsh\n\n\(Self.comment)# endpoint practice --key ******\n"
        + "echo a > /dev/null\n")
    let other = try ShellFixture()
    try other.run("try { \(line) } catch e { }\nsave '\(folder.path)/b.opsh' > /dev/null")
    #expect(folder.read("b.opsh")?.contains("# try { endpoint practice --key ****** }") == true)
  }
}
