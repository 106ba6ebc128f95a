import CommandParts
import ShellLanguage
import ShellSession

/// `head`: what a URL would answer, without its body.
enum Head: RequestCommand {
  static let method = "HEAD"

  static let path = ["head"]
  static let declaration = CommandDeclaration(
    summary: "Requests only the status and the headers of a URL",
    discussion: """
      Builds an operation that sends a HEAD request. Its value is a response without a body; \
      'result' shows the status and the headers.
      """,
    positionals: [RequestCommands.url],
    options: RequestCommands.forReading,
    examples: [
      .init("head '/2.3/tags?site=stackoverflow'; wait last; result last", "the headers of a page")
    ],
    searchTerms: ["http", "url", "request", "headers", "status", "curl", "network"])
}
