import Networking
import ShellLanguage
import Terminal

/// `cache clear`: forgets responses.
enum CacheClear: Command {
  static let signature = CommandSignature(
    path: ["cache", "clear"],
    summary: "Forgets all responses that are kept, or certain ones",
    discussion: "The counts of hits and misses stay.",
    positionals: [
      .init(
        "id", .integer(minimum: 1), .repeating, help: "a number in 'cache list'; all if left out")
    ],
    examples: [.init("fetch questions --cached; wait; cache clear; cache list", "nothing is kept")],
    searchTerms: ["empty", "delete", "forget", "remove", "response"])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let cache = invocation.session.responseCache
    guard call.has("id") else { return .integer(Int64(try cache.removeAll())) }
    var removed: Int64 = 0
    for value in call.values("id") {
      guard case .integer(let number) = value, let id = Int(exactly: number) else { continue }
      do throws(StoreError) {
        try cache.remove(id: id)
        removed += 1
      } catch {
        throw call.failure(error.code, error.message, at: "id", help: "'cache list' lists them")
      }
    }
    return .integer(removed)
  }

  static func completions(for argument: String, in session: Session) -> [CompletionCandidate] {
    argument == "id" ? session.cachedResponses : []
  }
}
