import ShellLanguage

/// `patch`: changes a part of what is there.
enum Patch: Command {
  static let signature = CommandSignature(
    path: ["patch"],
    summary: "Sends a body to a URL with PATCH",
    discussion:
      "Builds an operation that sends a PATCH request, which asks a service to change a part of what is there. "
      + Invocation.bodyDiscussion,
    positionals: [.requestURL],
    options: Invocation.bodyOptions + Invocation.requestOptions + BuildOptions.options,
    examples: [
      .init(
        "patch /1/classes/Quote --json '{\"read\":true}'; wait --any-outcome",
        "a service that knows no PATCH says so")
    ],
    searchTerms: ["http", "url", "request", "send", "change", "body", "json", "curl", "network"])

  static func run(_ invocation: Invocation) throws -> Value {
    try invocation.buildRequest(method: "PATCH")
  }
}
