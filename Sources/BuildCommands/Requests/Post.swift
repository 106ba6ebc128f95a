import CommandParts
import ShellLanguage
import ShellSession

/// `post`: sends something new.
enum Post: RequestCommand {
  static let method = "POST"

  static let path = ["post"]
  static let declaration = CommandDeclaration(
    summary: "Sends a body to a URL with POST",
    discussion:
      "Builds an operation that sends a POST request, which sends data to a service. "
      + RequestCommands.bodyDiscussion,
    positionals: [RequestCommands.url],
    options: RequestCommands.forSending,
    examples: [
      .init(
        """
        post /1/classes/Quote --json '{"text":"So be it"}' \\
          --header 'X-Parse-Application-Id: opsh' --header 'X-Parse-REST-API-Key: practice'
        wait last; result last
        """, "a new object; the key is not shown")
    ],
    searchTerms: [
      "http", "url", "request", "send", "upload", "create", "body", "json", "curl", "network",
    ],
    rules: RequestCommands.rules(ofSending: method))
}
