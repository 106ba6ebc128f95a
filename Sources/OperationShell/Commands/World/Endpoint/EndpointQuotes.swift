import Networking
import ShellLanguage
import Terminal

/// `endpoint quotes`: which service is asked for quotes, and what it knows us by.
enum EndpointQuotes: Command {
  static let signature = CommandSignature(
    path: ["endpoint", "quotes"],
    summary: "Shows or chooses the Parse service that is asked for quotes, with its keys",
    discussion: """
      It goes before the one that 'endpoint' chooses for all APIs, until that is chosen anew. \
      'none' takes it back. The application id and the key are sent with each request to this \
      service and to no other, and the key is never shown. The practice server takes any, so none \
      need be given for it. The API is expected under '/1/classes'.
      """,
    positionals: [.ownService],
    options: [
      .init("application-id", .string, help: "what the service calls the program"),
      .init("key", .string, help: "the key for its REST API"),
    ],
    examples: [
      .init(
        "endpoint quotes practice --application-id opsh --key secret; fetch quotes --limit 1; "
          + "wait; endpoint",
        "with a key of its own, which is not shown")
    ],
    searchTerms: ["url", "host", "server", "parse", "credentials", "api"])

  private static let options = ["application-id", "key"]

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    return try invocation.chooseService(of: .quotes, options: options) { selection in
      var service = World.Service(selection: selection)
      let given = options.filter(call.has)
      if given.count == 1, let missing = options.first(where: { !call.has($0) }) {
        throw call.failure(
          "incomplete-credentials", "a Parse service needs '--\(missing)' too", at: given[0])
      }
      if let id = call.string("application-id"), let key = call.string("key") {
        let credentials = ParseCredentials(applicationID: id, key: key)
        do throws(NetworkError) {
          try credentials.validate()
        } catch {
          throw call.failure(error.code, error.message, at: "key")
        }
        service.credentials = credentials
      }
      return service
    }
  }

  static func completions(for argument: String, in session: Session) -> [CompletionCandidate] {
    argument == "service" ? Array(EndpointText.candidates.prefix(1)) : []
  }
}
