import Networking
import PracticeServer
import ShellLanguage
import Terminal

/// `endpoint`: which service is asked.
enum EndpointCommand: Command {
  static let signature = CommandSignature(
    path: ["endpoint"],
    summary: "Shows or chooses the service that is asked",
    discussion: """
      'practice' is the embedded server, 'live' the real Stack Exchange API; a base URL without \
      the version's path, such as http://127.0.0.1:8080, is anything else. Operations that are \
      built already keep theirs. With a key the real service allows 10,000 requests a day instead \
      of 300; it is sent with each request and never shown. The quota is what the last answer said.
      """,
    positionals: [
      .init("service", .string, .optional, help: "practice, live, or a base URL")
    ],
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
    if let text = invocation.call.string("service") {
      do {
        world.select(try World.Selection(text), key: invocation.call.string("key"))
      } catch {
        throw invocation.call.failure(
          error.code, error.message, at: "service",
          help: text.contains("/")
            ? "a base URL is such as http://127.0.0.1:8080"
            : Spelling.help(for: text, among: ["practice", "live"])
              ?? "'practice', 'live', or a base URL such as http://127.0.0.1:8080")
      }
    } else if invocation.call.has("key") {
      throw invocation.call.failure(
        "missing-service", "a key belongs to a service: 'endpoint live --key …'", at: "key")
    } else {
      let address =
        switch world.selection {
        case .practice: world.server.baseURL ?? "starts on first use"
        case .live: Endpoint.live().baseURL
        case .url(let endpoint): endpoint.baseURL
        }
      var text = "\(world.selection.text): \(address)"
      if world.key != nil { text += ", key ***" }
      if let quota = RequestPacer.shared.quota(of: address) {
        text += ", quota \(quota.remaining) of \(quota.maximum) requests left today"
      }
      invocation.print(StyledText(VisibleText.escape(text)))
    }
    return .string(world.selection.text)
  }

  static func completions(for argument: String, in session: Session) -> [CompletionCandidate] {
    guard argument == "service" else { return [] }
    return [
      CompletionCandidate("practice", summary: "the embedded server"),
      CompletionCandidate("live", summary: Endpoint.live().baseURL),
    ]
  }
}
