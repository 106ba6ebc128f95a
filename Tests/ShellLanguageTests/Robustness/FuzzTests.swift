import TestSupport
import Testing

@testable import ShellLanguage

@Suite("Random scripts")
struct FuzzTests {
  /// A small generator whose numbers are the same in every run.
  struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }

  static let pieces = [
    "echo", "let", "x", "=", "$x", "$", "${", "}", "{", "(", ")", "\"", "'", ";", "\n", "|", ">",
    ">>", "\\", "\\\n", "#", "if", "else", "while", "repeat", "for", "in", "def", "return", "break",
    "continue", "try", "catch", "e", "1", "2", "9223372036854775807", "-5", "1..3", "..", "2s",
    "20%", "+", "-", "*", "/", "%", "==", "<", "and", "or", "not", "matches", ".", "[", "]", ",",
    "upper(", "--count", "--count=", "--", "-n", "fetch", "questions", "queue", "pause", "é", "👩‍💻",
    "\r\n", "\t", "\u{1B}", "$x.y", "$@", "$#", "$1", "block", "on", "expect", "within", "!",
    "\"a $x ${1 + 1}\"", "\\u{41}", "true", "null", "last.state", "fail", "f",
  ]

  @Test("Random scripts never crash, and every error has a place", arguments: 0..<8)
  func survives(_ seed: UInt64) {
    var generator = Generator(state: seed)
    for _ in 0..<TestScale.count(600) {
      var text = ""
      for _ in 0..<Int.random(in: 1...30, using: &generator) {
        text += Self.pieces.randomElement(using: &generator) ?? ""
        if Bool.random(using: &generator) { text += " " }
      }
      exercise(text)
    }
  }

  private func exercise(_ text: String) {
    let host = TestHost()
    let script = Parser.parse(SourceText(name: "fuzz", text: text))
    let found = Checker.check(script, catalog: host.catalog)
    let renderer = DiagnosticRenderer()
    for diagnostic in found {
      #expect(
        diagnostic.range.lower >= 0 && diagnostic.range.upper <= diagnostic.source.count, "\(text)")
      #expect(renderer.render(diagnostic).count >= 1)
    }
    for (first, second) in zip(script.statements, script.statements.dropFirst()) {
      #expect(first.range.upper <= second.range.lower, "\(text)")
    }
    if script.isIncomplete { #expect(!script.diagnostics.isEmpty, "\(text)") }
    for cursor in [text.utf8.count, text.utf8.count / 2] {
      let context = CompletionContext.at(text, cursor: cursor, catalog: host.catalog)
      #expect(context.range.upper <= text.utf8.count)
    }
    var reader = StatementReader(name: "fuzz")
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      _ = reader.append(String(line))
    }
    _ = reader.finish()
    // It may loop; the host stops it.
    host.interrupt(after: 300)
    _ = try? Interpreter(host: host).run(
      script, skipping: script.faultyStatements(found)
    ) { _ in true }
  }

  @Test("Skipping faulty statements does not change the others")
  func recoversPerStatement() {
    let wrong = WrongScriptFile.all.filter { file in
      !Parser.parse(SourceText(name: "t", text: file.text)).diagnostics.isEmpty
        && !["unclosed", "unfinished", "trailing"].contains { file.code.hasPrefix($0) }
    }.map { $0.text.split(separator: "\n").dropFirst() }.filter { lines in
      lines.count == 1 && !lines.contains { $0.contains("; ") || $0.hasPrefix("catch") }
    }
    #expect(wrong.count > 40)
    for lines in wrong {
      let text = "echo before\n\(lines.joined())\necho behind\n"
      let parsed = Parser.parse(SourceText(name: "t", text: text))
      let host = TestHost()
      let faulty = parsed.faultyStatements(Checker.check(parsed, catalog: host.catalog))
      #expect(faulty.isEmpty == false, "\(text)")
      _ = try? Interpreter(host: host).run(parsed, skipping: faulty) { _ in true }
      #expect(host.lines.first == "before" && host.lines.last == "behind", "\(text): \(host.lines)")
    }
  }
}
