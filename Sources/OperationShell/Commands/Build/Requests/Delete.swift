import ShellLanguage

/// `delete`: removes what is there.
enum Delete: Command {
  static let signature = CommandSignature(
    path: ["delete"],
    summary: "Sends a DELETE request to a URL",
    discussion:
      "Builds an operation that sends a DELETE request, which asks a service to remove what is there. "
      + Invocation.bodyDiscussion,
    positionals: [.requestURL],
    options: Invocation.bodyOptions + Invocation.requestOptions + BuildOptions.options,
    examples: [
      .init(
        """
        let key = 'X-Parse-REST-API-Key: practice'; let app = 'X-Parse-Application-Id: opsh'
        post /1/classes/Quote --json '{"text":"Go"}' --header $app --header $key; wait
        delete "/1/classes/Quote/${post-1.result.body.objectId}" --header $app --header $key
        """, "what was made is removed")
    ],
    searchTerms: ["http", "url", "request", "send", "remove", "body", "json", "curl", "network"])

  static func run(_ invocation: Invocation) throws -> Value {
    try invocation.buildRequest(method: "DELETE")
  }
}
