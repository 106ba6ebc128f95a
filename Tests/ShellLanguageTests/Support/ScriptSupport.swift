import Testing

@testable import ShellLanguage

/// A text in which `‸` marks a place.
struct MarkedText {
  let text: String
  let offset: Int?

  init(_ marked: String) {
    if let mark = marked.firstIndex(of: "‸") {
      offset = marked[..<mark].utf8.count
    } else {
      offset = nil
    }
    text = marked.replacingMarks()
  }

  var source: SourceText { SourceText(name: "test.opsh", text: text) }
}

extension String {
  func replacingMarks() -> String { String(filter { $0 != "‸" }) }
}

/// What a run printed and how it ended.
struct Outcome {
  var lines: [String]
  var value: Value = .null
  var diagnostic: Diagnostic?
  var isTransferred = false
}

/// Checks and runs a text; a static error fails the test.
func run(
  _ text: String, host: TestHost = TestHost(), arguments: [String] = [],
  environment: [String: String] = [:], checked: Bool = true,
  sourceLocation: SourceLocation = #_sourceLocation
) -> Outcome {
  let script = Parser.parse(SourceText(name: "test.opsh", text: text))
  var problems = script.diagnostics
  if checked { problems = Checker.check(script, catalog: host.catalog) }
  for problem in problems where problem.severity == .error {
    Issue.record("\(problem)", sourceLocation: sourceLocation)
  }
  let interpreter = Interpreter(host: host, arguments: arguments, environment: environment)
  var outcome = Outcome(lines: [])
  do {
    outcome.value = try interpreter.run(script)
  } catch let diagnostic as Diagnostic {
    outcome.diagnostic = diagnostic
  } catch {
    outcome.isTransferred = true
  }
  outcome.lines = host.lines
  return outcome
}

/// Returns what checking a text finds.
func check(_ text: String) -> [Diagnostic] {
  Checker.check(
    Parser.parse(SourceText(name: "test.opsh", text: text)), catalog: TestHost().catalog)
}

/// One text that is wrong, with the place of its first error marked.
struct WrongScript: CustomTestStringConvertible, Sendable {
  let code: String
  let marked: String
  /// A part of what is said to do about it; empty where a test looks at other things.
  let help: String

  init(_ code: String, _ marked: String, help: String = "") {
    self.code = code
    self.marked = marked
    self.help = help
  }

  var testDescription: String { "\(code): \(marked)" }
}
