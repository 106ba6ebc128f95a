import ShellLanguage
import Terminal

/// `unobserve`: ends observers and handlers.
enum Unobserve: Command {
  static let signature = CommandSignature(
    path: ["unobserve"],
    summary: "Ends observers and handlers",
    positionals: [
      .init(
        "number", .oneOf([.integer(minimum: 1), .choice(["all"])]),
        .oneOrMore, help: "numbers as 'observers' lists them, or 'all'")
    ],
    examples: [.init("delay 10ms; observe last isFinished; unobserve 1; wait", "seen no more")],
    searchTerms: ["remove", "stop", "invalidate", "kvo"])

  static func run(_ invocation: Invocation) throws -> Value {
    let reactions = invocation.session.reactions
    for text in invocation.call.strings("number") {
      if text == "all" {
        reactions.removeAll()
      } else if let number = Int(text), reactions.remove(number: number) {
        continue
      } else {
        throw invocation.call.failure(
          "unknown-observer", "there is no observer or handler \(text)", at: "number",
          help: "'observers' lists them")
      }
    }
    return .null
  }

  static func completions(for argument: String, in session: Session) -> [CompletionCandidate] {
    let reactions = session.reactions
    return reactions.observers.map {
      CompletionCandidate(
        String($0.number), summary: "\($0.subject) \($0.keyPaths.joined(separator: " "))")
    }
      + reactions.handlers.map {
        CompletionCandidate(String($0.number), summary: "\($0.subject) \($0.event.rawValue)")
      }
  }
}
