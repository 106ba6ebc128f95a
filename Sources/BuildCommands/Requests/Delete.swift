import CommandParts
import ShellLanguage
import ShellSession

/// `delete`: removes what is there.
enum Delete: RequestCommand {
  static let method = "DELETE"

  static let path = ["delete"]
  static let declaration = CommandDeclaration(
    summary: "Sends a DELETE request to a URL",
    discussion:
      "Builds an operation that sends a DELETE request, which removes a resource of a service. "
      + RequestCommands.bodyDiscussion,
    positionals: [RequestCommands.url],
    options: RequestCommands.forSending,
    examples: [
      .init(
        """
        let key = 'X-Parse-REST-API-Key: practice'; let app = 'X-Parse-Application-Id: opsh'
        post /1/classes/Quote --json '{"text":"Go"}' --header $app --header $key; wait
        delete "/1/classes/Quote/${post-1.result.body.objectId}" --header $app --header $key
        """, "what was made is removed")
    ],
    searchTerms: ["http", "url", "request", "send", "remove", "body", "json", "curl", "network"],
    rules: RequestCommands.rules(ofSending: method))
}
