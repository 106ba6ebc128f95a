import Networking
import ShellLanguage
import Terminal

/// `endpoint`: which services are asked.
enum EndpointCommand: Command {
  static let signature = CommandSignature(
    path: ["endpoint"],
    summary: "Shows or chooses the service that is asked",
    discussion: """
      'practice' is the embedded server, 'live' the real Stack Exchange API; a base URL without \
      the version's path, such as http://127.0.0.1:8080, is anything else. It is chosen for all \
      APIs; 'endpoint quotes URL' and the like choose for one, until the next choice for all. \
      Operations that are built already keep theirs. With a key the real service allows 10,000 \
      requests a day instead of 300; it is sent with each request for questions and answers and \
      never shown. The quota is what the last answer said.
      """,
    positionals: [.service],
    options: [.init("key", .string, help: "the key that the service counts requests by")],
    examples: [
      .init("endpoint; endpoint practice", "shown, then chosen"),
      .init(
        "endpoint practice --key secret; fetch questions --pagesize 1; wait; endpoint",
        "the key is not shown, the quota is"),
    ],
    searchTerms: ["url", "host", "server", "live", "practice", "api"])

  static func run(_ invocation: Invocation) throws -> Value {
    let world = invocation.session.world
    if let selection = try invocation.selection() {
      world.select(World.Service(selection: selection, key: invocation.call.string("key")))
    } else {
      try invocation.refuseWithoutService(["key"])
      EndpointText.show(World.API.allCases.map { $0 } + [nil], in: world, invocation)
    }
    return .string(world.services.common.selection.text)
  }

  static func completions(for argument: String, in session: Session) -> [CompletionCandidate] {
    argument == "service" ? EndpointText.candidates : []
  }
}
