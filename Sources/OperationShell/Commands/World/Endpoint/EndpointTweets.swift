import ShellLanguage
import Terminal

/// `endpoint tweets`: which service is asked for tweets.
enum EndpointTweets: Command {
  static let signature = CommandSignature(
    path: ["endpoint", "tweets"],
    summary: "Shows or chooses the service that is asked for tweets",
    discussion: """
      It goes before the one that 'endpoint' chooses for all APIs, until that is chosen anew. \
      'none' takes it back. The real service no longer exists, so it is one that imitates it.
      """,
    positionals: [.ownService],
    examples: [
      .init(
        "endpoint tweets http://127.0.0.1:1; endpoint; endpoint tweets none",
        "asked of another service than the rest, and no longer")
    ],
    searchTerms: ["url", "host", "server", "search", "twitter", "api"])

  static func run(_ invocation: Invocation) throws -> Value {
    try invocation.chooseService(of: .tweets, options: []) { World.Service(selection: $0) }
  }

  static func completions(for argument: String, in session: Session) -> [CompletionCandidate] {
    argument == "service" ? Array(EndpointText.candidates.prefix(1)) : []
  }
}
