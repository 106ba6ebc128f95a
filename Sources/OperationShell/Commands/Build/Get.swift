import Networking
import Operations
import ShellLanguage

/// `get`: any URL, as it comes.
enum Get: Command {
  static let signature = CommandSignature(
    path: ["get"],
    summary: "Requests a URL and keeps the response as it is",
    discussion: """
      Builds an operation that sends a GET request. Its value is the response: status, headers \
      and body; a status outside 200 to 299 is a failure. A path such as '/2.3/tags' is asked of \
      the endpoint in use.
      """,
    positionals: [.init("url", .url, help: "an http or https URL, or a path")],
    options: Invocation.requestOptions + BuildOptions.options,
    examples: [
      .init("get '/2.3/tags?site=stackoverflow&pagesize=3'; wait last; result last", "three tags")
    ],
    searchTerms: ["http", "url", "request", "download", "curl", "network"])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let options = try invocation.readRequestOptions()
    let session = invocation.session
    var url = call.string("url") ?? ""
    if url.hasPrefix("/") { url = try session.world.endpoint().baseURL + url }
    let request: HTTPRequest
    do {
      request = try HTTPRequest(method: "GET", url: url)
    } catch {
      throw call.failure(error.code, error.message, at: "url")
    }
    return try invocation.build(kind: "get") { name in
      HTTPOperation(
        name: name, log: session.log, request: request, transport: session.world.transport,
        options: options)
    }
  }
}
