import Foundation
import Testing

@testable import ShellLanguage

@Suite("Depth and size")
struct DepthTests {
  /// Runs a body on a thread with a stack of a given size, and waits for it.
  private func onThread<Result: Sendable>(
    stackSize: Int, _ body: @escaping @Sendable () -> Result
  ) async -> Result {
    await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: body()) }
      thread.stackSize = stackSize
      thread.start()
    }
  }

  private static let count = 20_000

  @Test(
    "Excessive nesting is an error, not a crash",
    arguments: [
      String(repeating: "(", count: 100_000),
      String(repeating: "(", count: count) + "1" + String(repeating: ")", count: count),
      String(repeating: "if (true) { ", count: count), String(repeating: "echo { ", count: count),
      "(" + String(repeating: "not ", count: count) + "true)",
      "(" + String(repeating: "-(", count: count),
      "(" + String(repeating: "upper(", count: count),
      "echo \"" + String(repeating: "${\"", count: count),
      "(1" + String(repeating: " + 1", count: count) + ")",
      "(true" + String(repeating: " or true", count: count) + ")",
      "echo $a" + String(repeating: ".b", count: count),
      "echo $a" + String(repeating: "[0]", count: count),
      "($a" + String(repeating: "[$a", count: count),
      "(1 or (" + String(repeating: "1 and (2 + (", count: count),
      String(repeating: "def f { ", count: count), String(repeating: "try { ", count: count),
      "(" + String(repeating: "$a ?? ", count: count) + "1)",
    ])
  func limitsNesting(_ text: String) async {
    let catalog = TestHost().catalog
    let codes = await onThread(stackSize: 8 << 20) {
      let script = Parser.parse(SourceText(name: "deep", text: text))
      return Checker.check(script, catalog: catalog).map(\.code)
    }
    #expect(codes.contains("too-deep"), "\(codes.prefix(5))")
    #expect(codes.count < 5)
  }

  @Test("Nesting within the limit is parsed, checked and run")
  func allowsDepth() async {
    let levels = 990
    let text = """
      let x = (\(String(repeating: "(", count: levels))1\(String(repeating: ")", count: levels)))
      let y = (\(String(repeating: "1 + (", count: levels / 2))1\(String(repeating: ")", count: levels / 2)))
      \(String(repeating: "if (true) { ", count: 400))echo $x $y\(String(repeating: " }", count: 400))
      """
    // As large as that of the shell's interpreter thread.
    let outcome = await onThread(stackSize: 128 << 20) { run(text) }
    #expect(outcome.lines == ["1 496"])
    #expect(outcome.diagnostic == nil)
  }

  @Test("A long chain of 'else if' or a long list of statements is not nesting")
  func allowsLength() {
    let clauses = String(repeating: "else if (false) { } ", count: 5_000)
    let outcome = run(
      "if (false) { } \(clauses) else { echo a }\n" + String(repeating: ";\n", count: 100_000))
    #expect(outcome.lines == ["a"])
  }

  @Test("Endless recursion is an error with its place", arguments: [8 << 20, 1 << 20])
  func limitsRecursion(_ stackSize: Int) async {
    let text = "def f n { if (true) { let m = f ($n + 1); return $m } }\nf 0"
    let result = await onThread(stackSize: stackSize) { () -> Diagnostic? in
      let interpreter = Interpreter(host: TestHost())
      do {
        try interpreter.run(Parser.parse(SourceText(name: "t", text: text)))
        return nil
      } catch { return error as? Diagnostic }
    }
    #expect(result?.code == "too-deep")
    #expect(result?.line == 1)
  }

  @Test("A deep expression on a small stack is an error, not a crash")
  func limitsEvaluation() async {
    let levels = 990
    let text =
      "block { echo (\(String(repeating: "1 + (", count: levels / 2))1\(String(repeating: ")", count: levels / 2))) }"
    let script = Parser.parse(SourceText(name: "t", text: text))
    let result = await onThread(stackSize: 256 << 10) { () -> String in
      do {
        try Interpreter(host: TestHost()).run(script)
        return "ran"
      } catch { return (error as? Diagnostic)?.code ?? "other" }
    }
    #expect(result == "too-deep")
  }

  @Test("A word can have a million letters, and a script a hundred thousand lines")
  func readsMuch() {
    let word = String(repeating: "a", count: 1 << 20)
    #expect(run("echo \(word)").lines == [word])
    #expect(run("echo '\(word)'").lines == [word])
    #expect(check(word).first?.code == "unknown-command")
    let script = String(repeating: "if (1 < 2) { let x = 5; echo \"$x\" }\n", count: 20_000)
    #expect(check(script).isEmpty)
  }

  @Test("A text that keeps doubling is an error before memory runs out")
  func limitsGrowth() {
    let outcome = run("let s = \"0123456789\"; repeat 40 { let s = ($s + $s) }")
    #expect(outcome.diagnostic?.code == "too-large")
  }

  @Test("Invalid UTF-8 is refused with its place")
  func refusesBytes() throws {
    func failure(_ bytes: [UInt8]) throws -> Diagnostic {
      try #require(throws: Diagnostic.self) {
        try SourceText.decoding(bytes: bytes, name: "b")
      }
    }
    let invalid = try failure(Array("echo é\necho ".utf8) + [0xFF, 0x41])
    #expect(invalid.code == "invalid-utf8")
    #expect(invalid.place == SourcePlace(line: 2, column: 6))
    let nul = try failure(Array("echo a".utf8) + [0])
    #expect(nul.code == "nul-byte")
    #expect(nul.place == SourcePlace(line: 1, column: 7))
    #expect(check("echo a\0b").first?.code == "nul-byte")
    #expect(
      try failure([UInt8](repeating: 0x20, count: SourceText.maximumByteCount + 1)).code
        == "too-large")
  }
}
