import Foundation
import Networking
import Operations
import ShellLanguage
import Terminal

/// `expect`: an assertion on what happened or is about to.
enum Expect: Command {
  static let signature = CommandSignature(
    path: ["expect"],
    summary: "Checks that an expression holds, at once or within a time",
    discussion: """
      With 'within' it waits until the expression holds, and looks at it after every event. One \
      that is not met is an error that says what was seen. A failed operation that a met \
      expectation names is an expected failure.
      """,
    positionals: [
      .init("expression", .expression, help: "an expression in parentheses"),
      .init("time", .duration, .optional, keyword: "within", help: "how long to wait at most"),
    ],
    examples: [
      .init("delay 10ms; wait; expect (delay-1.outcome == succeeded)", "at once"),
      .init("delay 10ms; expect (delay-1.state == finished) within 2s", "within a time"),
    ],
    searchTerms: ["assert", "test", "check", "verify"])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    guard let expression = call.expression("expression") else { return .null }
    let session = invocation.session
    let isMet: Bool
    if let time = call.duration("time") {
      // Bytes that arrive and time that passes wake nobody up.
      let end = try session.wait(
        until: session.clock.now + time, lookingEvery: .milliseconds(50)
      ) {
        try invocation.context.evaluate(expression).isTruthy
      }
      if end == .interrupted { throw Interruption("stopped waiting for the expectation") }
      isMet = end == .met
    } else {
      // What has happened up to here counts, also what no line was shown for yet.
      try session.pump()
      isMet = try invocation.context.evaluate(expression).isTruthy
    }
    let seen = try seen(expression, invocation)
    if session.output.isJSON {
      invocation.object(
        "expectation",
        [
          "met": .boolean(isMet),
          "expression": .string(call.arguments("expression").first?.text ?? ""),
          "seen": .string(seen),
        ])
    } else if isMet, session.isInteractive {
      invocation.print(StyledText("met: " + VisibleText.escape(seen)))
    }
    guard isMet else {
      let within = call.duration("time").map { " within \(Value.duration($0).text)" } ?? ""
      throw call.failure(
        "expectation-failed",
        "expected \(call.arguments("expression").first?.text ?? "")\(within), and saw \(seen)",
        at: "expression")
    }
    session.failures.account(for: operationsNamed(in: expression, invocation))
    return .boolean(true)
  }

  /// The values of the parts that were compared: `questions-1.state is executing`.
  private static func seen(_ expression: ShellLanguage.Expression, _ invocation: Invocation) throws
    -> String
  {
    var parts: [String] = []
    for part in expression.comparedParts {
      let value = try invocation.context.evaluate(part)
      parts.append("\(invocation.call.source.text(in: part.range)) is \(value.text)")
    }
    return parts.isEmpty
      ? try invocation.context.evaluate(expression).text : parts.joined(separator: ", ")
  }

  private static func operationsNamed(
    in expression: ShellLanguage.Expression, _ invocation: Invocation
  ) -> [ObservableOperation] {
    let session = invocation.session
    var found: [ObservableOperation] = []
    for name in expression.objectNames {
      collect(session.object(named: name, in: invocation.context) ?? .null, into: &found)
    }
    for name in expression.variableNames {
      collect(invocation.context.variable(name) ?? .null, into: &found)
    }
    return found
  }

  private static func collect(_ value: Value, into found: inout [ObservableOperation]) {
    switch value {
    case .object(let object as OperationObject): found.append(object.operation)
    case .list(let elements): elements.forEach { collect($0, into: &found) }
    default: break
    }
  }
}
