import ShellLanguage

/// `post`: sends something new.
enum Post: Command {
  static let signature = CommandSignature(
    path: ["post"],
    summary: "Sends a body to a URL with POST",
    discussion:
      "Builds an operation that sends a POST request, which asks a service to take something in. "
      + Invocation.bodyDiscussion,
    positionals: [.requestURL],
    options: Invocation.bodyOptions + Invocation.requestOptions + BuildOptions.options,
    examples: [
      .init(
        """
        post /1/classes/Quote --json '{"text":"So be it"}' \\
          --header 'X-Parse-Application-Id: opsh' --header 'X-Parse-REST-API-Key: practice'
        wait last; result last
        """, "a new object; the key is not shown")
    ],
    searchTerms: ["http", "url", "request", "send", "create", "body", "json", "curl", "network"])

  static func run(_ invocation: Invocation) throws -> Value {
    try invocation.buildRequest(method: "POST")
  }
}
