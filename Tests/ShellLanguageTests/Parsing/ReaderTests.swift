import Testing

@testable import ShellLanguage

@Suite("Reading line by line")
struct ReaderTests {
  private func chunks(_ lines: [String]) -> [(text: String, line: Int)] {
    var reader = StatementReader(name: "<stdin>")
    var result: [(String, Int)] = []
    for line in lines {
      if let script = reader.append(line) {
        result.append((script.source.text, script.source.firstLine))
      }
    }
    if let script = reader.finish() { result.append((script.source.text, script.source.firstLine)) }
    return result
  }

  @Test(
    "Lines are collected until a statement is complete",
    arguments: [
      (["echo a", "echo b"], [1, 2]), (["repeat 2 {", "echo a", "}", "echo b"], [1, 4]),
      (["echo \"a", "b\"", "echo c"], [1, 3]), (["echo (1 +", "2)", ""], [1, 3]),
      (["!sh -c 'for i in 1 2; do", "echo $i", "done'", "echo a"], [1, 4]),
      (["echo a \\", "b", "echo c"], [1, 3]), (["echo 'it", "}", "'"], [1]),
      (["echo # {", "echo b"], [1, 2]), (["echo a#{", "}"], [1]), (["echo }", "echo a"], [1, 2]),
      (["echo (1 }", "echo a"], [1, 2]), (["if (true) {", "echo )", "}", "echo a"], [1, 3, 4]),
      (["echo \"${upper(\"a\")", "}\"", "echo b"], [1, 3]), (["echo \"never", "closed"], [1]),
      (["let x = !echo it\\'s", "echo a"], [1, 2]), (["let x=!echo {", "echo a"], [1, 2]),
      (["let x = !sh -c \"for i in 1 2; do", "echo $i", "done\"", "echo a"], [1, 4]),
      (["letx = !it's", "}", "'"], [1]), (["echo = !it's", "'"], [1]),
    ])
  func gathers(_ lines: [String], _ starts: [Int]) {
    #expect(chunks(lines).map(\.line) == starts)
  }

  @Test("Errors of later lines have their true line numbers")
  func keepsLineNumbers() throws {
    var reader = StatementReader(name: "<stdin>")
    _ = reader.append("echo a")
    _ = reader.append("")
    let last = reader.append("  echo )")
    let script = try #require(last)
    let diagnostic = try #require(script.diagnostics.first)
    #expect(diagnostic.description == "<stdin>:3:8: error: ')' closes nothing [stray-parenthesis]")
  }

  @Test("An unclosed brace at the end of the input is an error at the opening brace")
  func finishesUnclosed() throws {
    var reader = StatementReader(name: "<stdin>")
    #expect(reader.append("echo a; repeat 2 {") == nil)
    let last = reader.finish()
    let script = try #require(last)
    #expect(script.diagnostics.map(\.code) == ["unclosed-brace"])
    #expect(script.diagnostics.first?.place == SourcePlace(line: 1, column: 18))
    #expect(reader.finish() == nil)
  }

  @Test("A long block is read in linear time")
  func readsLongBlock() {
    var reader = StatementReader(name: "<stdin>")
    #expect(reader.append("if (true) {") == nil)
    for _ in 0..<20_000 { _ = reader.append("  echo \"a line of some length\"") }
    #expect(reader.append("}")?.statements.count == 1)
  }

  @Test(
    "A text that ends too early is incomplete; other errors are not",
    arguments: [
      ("echo \"a", true), ("repeat 2 {", true), ("echo (", true), ("echo a \\", true),
      ("(1 +", true),
      ("echo \"${1", true), ("if (true) { } else {", true), ("echo a", false), ("echo )", false),
      ("echo \"a\\q\"", false), ("let x =", false), ("", false),
    ])
  func knowsIncomplete(_ text: String, _ isIncomplete: Bool) {
    #expect(Parser.parse(SourceText(name: "t", text: text)).isIncomplete == isIncomplete)
  }
}
