import Testing

@testable import ShellLanguage

@Suite("Reading the second half of a long script on another thread")
struct ReadAheadTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    /// What stands in the middle of the script.
    let middle: String
    var end = ""
    var testDescription: String { name }
  }

  private static let cases = [
    Case(name: "only statements", middle: ""),
    Case(name: "a block that is not indented", middle: "if (true) {\n" + lines(3_000) + "}\n"),
    Case(name: "a quote over many lines", middle: "echo '" + lines(3_000) + "'\n"),
    Case(
      name: "a statement that goes on",
      middle: "echo " + String(repeating: "word \\\nword ", count: 9_000) + "\n"),
    Case(name: "a stray brace", middle: "}\n", end: "echo $"),
    Case(name: "a wrong statement on every line", middle: wrong(3_000), end: "}\n"),
    Case(name: "a brace that is never closed", middle: "if (true) {\n", end: "echo \"open\n"),
    Case(name: "an unclosed brace behind the middle", middle: "", end: "repeat 2 {\necho a\n"),
    Case(name: "a line that is continued by nothing", middle: "", end: "echo a \\"),
    Case(
      name: "too many levels behind the middle", middle: "",
      end: "echo " + String(repeating: "(", count: 2_000) + "\n"),
    Case(
      name: "as many levels as there may be behind the middle", middle: "",
      end: String(repeating: "if (true) { ", count: 900) + String(repeating: "} ", count: 900)),
  ]

  private static func lines(_ count: Int) -> String {
    (0..<count).map { "let v\($0) = (1 + \($0)); echo $v\($0) é\n" }.joined()
  }

  private static func wrong(_ count: Int) -> String {
    (0..<count).map { "let \($0) = { \"\\q\" }\nbreak\n" }.joined()
  }

  @Test("It gives what reading in one go gives", arguments: cases)
  func sameAsInOneGo(_ example: Case) {
    let source = SourceText(
      name: "test",
      text: Self.lines(2_000) + example.middle + Self.lines(2_000) + example.end)
    #expect(ReadAhead(source) != nil)
    let halves = Parser.parse(source)
    let whole = Parser.parse(source, source.range)
    #expect(halves.statements.map(\.range) == whole.statements.map(\.range))
    #expect(ScriptOutline.text(of: halves) == ScriptOutline.text(of: whole))
    #expect(halves.diagnostics.map(\.description) == whole.diagnostics.map(\.description))
    #expect(halves.diagnostics.map(\.range) == whole.diagnostics.map(\.range))
    #expect(halves.isIncomplete == whole.isIncomplete)
    #expect(halves.depth == whole.depth)
  }

  @Test("It begins at a line behind the middle, and not in a short text")
  func beginning() {
    #expect(ReadAhead(SourceText(name: "test", text: "echo a\necho b\n")) == nil)
    let indented = String(repeating: "  echo a\n", count: 10_000)
    #expect(ReadAhead(SourceText(name: "test", text: indented)) == nil)
    let source = SourceText(name: "test", text: indented + "echo b\n" + indented.prefix(9_000))
    #expect(ReadAhead(source)?.start == indented.utf8.count)
  }
}
