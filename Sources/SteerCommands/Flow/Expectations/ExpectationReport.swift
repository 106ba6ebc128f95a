import CommandParts
import Foundation
import OpshNetworking
import Operations
import OpshSecrets
import ShellLanguage
import ShellOutput
import ShellSession
import OpshTerminal

/// Reports an expectation, met or not.
struct ExpectationReport {
  let invocation: Invocation
  /// What is looked at.
  let expressions: [ShellLanguage.Expression]
  /// As it is written: `(a.state == finished)`.
  let text: String

  /// How many transitions the report of a failed one has.
  private static let transitionLimit = 12

  /// The values of the parts that were compared: `questions-1.state is executing`.
  func seen() throws -> String {
    let context = invocation.context
    var parts: [String] = []
    for expression in expressions {
      for part in expression.comparedParts {
        let source = expression.source ?? invocation.call.source
        let written = source.text(in: part.range)
        let text: String
        do {
          text = "\(written) is \(try context.evaluate(part).text)"
        } catch let missing as Diagnostic where missing.is(.noValue) {
          text = "\(written) has no value: \(missing.message)"
        }
        if !parts.contains(text) { parts.append(text) }
      }
    }
    guard parts.isEmpty else { return parts.joined(separator: ", ") }
    // Where nothing is compared, only the whole has a value.
    return try expressions.map { expression in
      let text = try context.evaluate(expression).text
      let source = expression.source ?? invocation.call.source
      return expressions.count == 1 ? text : "\(source.text(in: expression.range)) is \(text)"
    }.joined(separator: ", ")
  }

  /// Reports the result as JSON, or, at the prompt and if it was met, as text.
  func tell(isMet: Bool, seen: String) {
    if invocation.isJSON {
      invocation.object(
        "expectation",
        [
          "met": .boolean(isMet), "expression": .string(SecretText.mask(text)),
          "seen": .string(seen),
        ])
    } else if isMet, invocation.screen.isInteractive {
      invocation.print(StyledText("met: " + VisibleText.escape(seen)))
    } else if isMet {
      // At the prompt, where a transcript is going to be played, there is such a line.
      invocation.screen.transcript?.take(StyledText("met: " + VisibleText.escape(seen)))
    }
  }

  /// The reason that the user gave: ` because "the queue is narrow"`.
  var because: String {
    invocation.call[Expect.reason].map { " because \"\($0)\"" } ?? ""
  }

  /// What keeps the operations that it is about, with what stands before it in a sentence; empty
  /// where all have finished.
  func whyStuck(after separator: String) -> String {
    let unfinished = ExpectedOperations(expressions, invocation).all.filter {
      $0.state != .finished
    }
    return unfinished.isEmpty ? "" : separator + invocation.run.waitReasonsText(unfinished)
  }

  /// The error, with the transitions that led there.
  func failure(
    _ message: String, page: ErrorPage = .expectationFailed, at parameter: some Parameter
  ) -> Diagnostic {
    var diagnostic = invocation.call.failure(page, "expectation failed: \(message)", at: parameter)
    let transitions = transitions()
    if !transitions.isEmpty {
      diagnostic.underlying = ExpectationFailure(transitions: transitions)
    }
    return diagnostic
  }

  /// The last transitions of the operations that it is about.
  private func transitions() -> [StyledText] {
    let ids = Set(ExpectedOperations(expressions, invocation).all.map(\.id))
    guard !ids.isEmpty else { return [] }
    var entries: [EventLog.Entry] = []
    var omitted = 0
    var cursor = 0
    while let page = invocation.jobs.engine.log.nextPage(from: &cursor) {
      entries += page.filter { ids.contains($0.operation.id) }
      omitted += max(0, entries.count - Self.transitionLimit)
      entries = entries.suffix(Self.transitionLimit)
    }
    var text = TransitionText()
    let labels = OperationLabels(entries.lazy.map(\.operation))
    let lines = entries.map { text.line(for: $0, clock: invocation.run.clock, labels: labels) }
    let head = omitted > 0 ? [StyledText("  … \(omitted) earlier ones", style: .dim)] : []
    return lines.isEmpty
      ? [] : [StyledText("  = the transitions that led there:", style: .dim)] + head + lines
  }
}
