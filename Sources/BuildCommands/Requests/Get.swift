import CommandParts
import ShellLanguage
import ShellSession

/// `get`: any URL, as it comes.
enum Get: RequestCommand {
  static let method = "GET"

  static let path = ["get"]
  static let declaration = CommandDeclaration(
    summary: "Requests a URL and keeps the response as it is",
    discussion: """
      Builds an operation that sends a GET request. Its value is the response: status, headers \
      and body; a status outside 200 to 299 is a failure, and 'result' shows what the server said. \
      A path such as '/2.3/tags' goes to \
      the endpoint in use. With '--output' the body goes to a file, as with 'download', and the \
      value is the file. Keys and passwords in headers and addresses are never shown.
      """,
    positionals: [RequestCommands.url],
    options: [RequestCommands.output] + RequestCommands.forReading,
    examples: [
      .init("get '/2.3/tags?site=stackoverflow&pagesize=3'; wait last; result last", "three tags"),
      .init(
        "get '/2.3/info?site=stackoverflow' --header 'Accept-Language: de' --connect-timeout 2s",
        "with a header, and little patience for connecting"),
      .init(
        "get '/2.3/tags?site=stackoverflow' --cached; wait\nget '/2.3/tags?site=stackoverflow' "
          + "--cached; wait; show last", "the second time the server only confirms the first"),
      .init(
        "get /cookies/set?flavour=oat --cookies jar.txt; wait\n"
          + "get /cookies --cookies jar.txt; wait last; result last", "cookies, kept in a file"),
      .init(
        "echo practice > password\n!chmod 600 password\n"
          + "get /auth/digest --auth digest:opsh:file:password; wait last; result last",
        "with a name and a password"),
    ],
    searchTerms: [
      "http", "url", "request", "download", "file", "save", "curl", "network", "login", "auth",
      "cookies",
    ])
}
