import Foundation

@testable import ShellLanguage

/// What every input of the fuzzers goes through: all of the language, with a host that has no
/// outside effect.
///
/// It needs no test library, so that `scripts/fuzz` can build it with libFuzzer. A breach of what
/// must hold is told by its return; a crash, a hang and a flood of memory tell of themselves.
struct FuzzTarget {
  /// Statements and turns of loops that one input may run.
  private static let stepLimit = 300

  /// Does with the bytes all that the language can do with a text.
  ///
  /// - Parameter bytes: Any bytes.
  /// - Returns: What was broken, nil if all held.
  static func breach(by bytes: [UInt8]) -> String? {
    do throws(Diagnostic) {
      return breach(by: try SourceText.decoding(bytes: bytes, name: "fuzz"))
    } catch {
      return breach(in: [error])
    }
  }

  private static func breach(by source: SourceText) -> String? {
    let host = TestHost()
    let script = Parser.parse(source)
    let found = Checker.check(script, catalog: host.catalog)
    if let breach = breach(in: found) ?? breach(inPlacesOf: script) ?? formatBreach(script) {
      return breach
    }
    if script.isIncomplete, script.diagnostics.isEmpty { return "incomplete without an error" }
    if let breach = completionBreach(source, host.catalog) { return breach }
    var reader = StatementReader(name: "fuzz")
    for line in source.text.split(separator: "\n", omittingEmptySubsequences: false).prefix(200) {
      _ = reader.append(String(line))
    }
    _ = reader.finish()
    host.interrupt(after: stepLimit)
    let interpreter = Interpreter(host: host, arguments: ["5", "a b"], environment: ["HOME": "/h"])
    _ = try? interpreter.run(script, skipping: script.faultyStatements(found)) { _ in true }
    return nil
  }

  private static let codes = Set(LanguageErrors.groups.flatMap(\.pages).map(\.code))

  /// Each error has a place within its text, can be shown, and says what to do.
  private static func breach(in diagnostics: [Diagnostic]) -> String? {
    let renderer = DiagnosticRenderer()
    if let source = diagnostics.first?.source, diagnostics.count > 2 * source.count + 10 {
      return "more errors than letters"
    }
    for diagnostic in diagnostics {
      let places =
        [(diagnostic.source, diagnostic.range)] + diagnostic.labels.map { ($0.source, $0.range) }
      for (source, range) in places where range.lower < 0 || range.upper > source.count {
        return "'\(diagnostic.code)' has a place outside of its text"
      }
      if renderer.render(diagnostic).isEmpty { return "'\(diagnostic.code)' shows nothing" }
      if diagnostic.severity == .error, !codes.contains(diagnostic.code) {
        return "'\(diagnostic.code)' has no page"
      }
      if diagnostic.help == nil { return "'\(diagnostic.code)' has no help" }
    }
    return nil
  }

  private static func breach(inPlacesOf script: Script) -> String? {
    for (first, second) in zip(script.statements, script.statements.dropFirst())
    where first.range.upper > second.range.lower {
      return "statements overlap"
    }
    return nil
  }

  /// What is formatted means the same, and stays as it is.
  private static func formatBreach(_ script: Script) -> String? {
    guard script.diagnostics.isEmpty else { return nil }
    let once = ScriptFormatter.format(script)
    let again = Parser.parse(SourceText(name: "fuzz", text: once))
    if !again.diagnostics.isEmpty { return "the formatted script has errors" }
    if ScriptFormatter.format(again) != once { return "formatting again changes it" }
    return ScriptOutline.text(of: script) == ScriptOutline.text(of: again)
      ? nil : "the formatted script means something else"
  }

  private static func completionBreach(
    _ source: SourceText, _ catalog: CommandCatalog
  ) -> String? {
    let count = source.count
    for cursor in [count, count / 2] {
      let context = CompletionContext.at(source.text, cursor: cursor, catalog: catalog)
      if context.range.upper > count { return "completion reaches beyond the text" }
    }
    return nil
  }
}
