import ShellLanguage
import Terminal

/// `endpoint questions`: which service is asked for questions.
enum EndpointQuestions: Command {
  static let signature = CommandSignature(
    path: ["endpoint", "questions"],
    summary: "Shows or chooses the service that is asked for questions",
    discussion: """
      It goes before the one that 'endpoint' chooses for all APIs, until that is chosen anew. \
      'none' takes it back. A key is for this service only.
      """,
    positionals: [.ownService],
    options: [.init("key", .string, help: "the key that the service counts requests by")],
    examples: [
      .init(
        "endpoint questions http://127.0.0.1:1; endpoint; endpoint questions none",
        "asked of another service than the rest, and no longer")
    ],
    searchTerms: ["url", "host", "server", "stack", "exchange", "api"])

  static func run(_ invocation: Invocation) throws -> Value {
    try invocation.chooseService(of: .questions, options: ["key"]) { selection in
      World.Service(selection: selection, key: invocation.call.string("key"))
    }
  }

  static func completions(for argument: String, in session: Session) -> [CompletionCandidate] {
    argument == "service" ? EndpointText.candidates : []
  }
}
