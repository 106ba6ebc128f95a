import Testing

@testable import ShellLanguage

@Suite("Text that is being typed")
struct TypedTextTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let text: String
    let parts: [String]
    var testDescription: String { text.debugDescription }

    init(_ text: String, _ parts: String...) { (self.text, self.parts) = (text, parts) }
  }

  private static let catalog = CommandCatalog([
    CommandSignature(path: ["queue"], CommandDeclaration(summary: "")),
    CommandSignature(
      path: ["queue", "pause"],
      CommandDeclaration(
        summary: "",
        positionals: [CommandSignature.Positional("queue", .name("queue"), .optional)])),
    CommandSignature(
      path: ["echo"],
      CommandDeclaration(
        summary: "", positionals: [CommandSignature.Positional("text", .any, .repeating)])),
    CommandSignature(
      path: ["delay"],
      CommandDeclaration(
        summary: "", positionals: [CommandSignature.Positional("time", .duration)],
        options: [CommandSignature.Option("name", .string), CommandSignature.Option("hold")])),
    CommandSignature(
      path: ["time"],
      CommandDeclaration(
        summary: "", positionals: [CommandSignature.Positional("command", .command)])),
  ])

  private static func typed(_ text: String) -> TypedText {
    TypedText(text, catalog: catalog, aliases: ["qp": "queue pause"])
  }

  @Test(
    "Words have roles, also in a text that is not complete",
    arguments: [
      Case(
        "queue pause main # off", "command queue", "command pause", "word main", "comment # off"),
      Case("qp main", "command qp", "word main"),
      Case("nope one", "word nope", "word one"),
      Case(
        "delay 2s --name=x --hold y", "command delay", "value 2s", "option --name",
        "option --hold", "word y"),
      Case("time delay --name on", "command time", "command delay", "option --name", "value on"),
      Case(
        "echo \"a $x ${y} b\" '$n'", "command echo", "string \"a ", "variable $x", "string  ",
        "variable ${y}", "string  b\"", "string '$n'"),
      Case("echo \"a ${la", "command echo", "string \"a ", "variable ${la"),
      Case("echo \"a \\$b", "command echo", "string \"a \\$b"),
      Case(
        "if ($n == 2) { echo 3 } else { que", "keyword if", "variable $n", "value 2",
        "command echo", "value 3", "keyword else", "word que"),
      Case(
        "for i in 1..3 {\n  echo $i", "keyword for", "variable i", "keyword in", "word 1..3",
        "command echo", "variable $i"),
      Case("let x = delay 2s", "keyword let", "variable x", "command delay", "value 2s"),
      Case("let x = 5", "keyword let", "variable x", "value 5"),
      Case("def go a b { }", "keyword def", "command go", "variable a", "variable b"),
      Case(
        "try { echo a } catch e { }", "keyword try", "command echo", "word a", "keyword catch",
        "variable e"),
      Case("!ls -l | wc", "command ls", "command wc"),
      Case(
        "(length(a.state) and not q", "command length", "word a", "keyword and", "keyword not",
        "word q"),
      Case("", ""),
    ])
  func roles(_ example: Case) {
    let bytes = Array(example.text.utf8)
    let parts = Self.typed(example.text).parts.map { part in
      let text = String(decoding: bytes[part.range.lower..<part.range.upper], as: UTF8.self)
      return "\(part.role) \(text)"
    }
    #expect(parts == example.parts.filter { !$0.isEmpty })
  }

  @Test("What is open is known with what closes it, and pairs belong together")
  func openings() {
    let typed = Self.typed("for i in a { echo (1 + \"x ${y")
    #expect(typed.openings == [11, 18, 23, 27])
    #expect(typed.closed == "for i in a { echo (1 + \"x ${y}\")\n}")
    #expect(Self.typed("echo 'a").closed == "echo 'a'")
    let pairs = Self.typed("{ (1) ( } \"{\" ${a}").pairs
    #expect(pairs == [SourceRange(2, 5), SourceRange(15, 18)])
    #expect(Self.typed("!echo { ( \"a\"").openings.isEmpty)
  }

  @Test("Each further line knows what is open at its start")
  func lineStarts() {
    let text = "for i in a {\n if (\n 1) {\n echo 'x\n y' \\\n z\n } # }\n }\n"
    let starts = Self.typed(text).lineStarts
    #expect(starts.map { $0.sign } == ["{", "(", "{", "'", "\\", "{", "{", nil])
    #expect(starts.map(\.depth) == [1, 2, 2, 2, 2, 2, 1, 0])
    #expect(starts.map(\.isQuoted) == [false, false, false, true, false, false, false, false])
  }
}
