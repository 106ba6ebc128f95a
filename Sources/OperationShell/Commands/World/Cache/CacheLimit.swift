import Networking
import ShellLanguage

/// `cache limit`: how much may be kept.
enum CacheLimit: Command {
  static let signature = CommandSignature(
    path: ["cache", "limit"],
    summary: "Sets how much the responses that are kept may take",
    discussion: """
      The limit is for this session and later ones; 0 keeps nothing. Where there is no room, the \
      longest unused makes room. One response takes at most a quarter.
      """,
    positionals: [.init("size", .size, help: "such as 64MB, which it is at the beginning")],
    examples: [.init("cache limit 10MB; cache list", "less room")],
    searchTerms: ["size", "room", "maximum", "responses"])

  static func run(_ invocation: Invocation) throws -> Value {
    try invocation.session.responseCache.setSizeLimit(invocation.call.size("size") ?? 0)
    return .null
  }
}
