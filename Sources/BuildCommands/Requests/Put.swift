import CommandParts
import ShellLanguage
import ShellSession

/// `put`: replaces what is there.
enum Put: RequestCommand {
  static let method = "PUT"

  static let path = ["put"]
  static let declaration = CommandDeclaration(
    summary: "Sends a body to a URL with PUT",
    discussion:
      "Builds an operation that sends a PUT request, which replaces a resource of a service. "
      + RequestCommands.bodyDiscussion,
    positionals: [RequestCommands.url],
    options: RequestCommands.forSending,
    examples: [
      .init(
        """
        let key = 'X-Parse-REST-API-Key: practice'; let app = 'X-Parse-Application-Id: opsh'
        post /1/classes/Quote --json '{"text":"Go"}' --header $app --header $key; wait
        let path = "/1/classes/Quote/${post-1.result.body.objectId}"
        put $path --json '{"text":"Stay"}' --header $app --header $key; wait
        """, "what was made is changed")
    ],
    searchTerms: [
      "http", "url", "request", "send", "upload", "update", "body", "json", "curl", "network",
    ],
    rules: RequestCommands.rules(ofSending: method))
}
