import CommandParts
import ShellLanguage
import ShellSession

/// `patch`: changes a part of what is there.
enum Patch: RequestCommand {
  static let method = "PATCH"

  static let path = ["patch"]
  static let declaration = CommandDeclaration(
    summary: "Sends a body to a URL with PATCH",
    discussion:
      "Builds an operation that sends a PATCH request, which changes a part of a resource of a service. "
      + RequestCommands.bodyDiscussion,
    positionals: [RequestCommands.url],
    options: RequestCommands.forSending,
    examples: [
      .init(
        "patch /1/classes/Quote --json '{\"read\":true}'; wait --any-outcome",
        "a service that knows no PATCH says so")
    ],
    searchTerms: [
      "http", "url", "request", "send", "upload", "change", "body", "json", "curl", "network",
    ],
    rules: RequestCommands.rules(ofSending: method))
}
