import CommandParts
import OpshNetworking
import ShellLanguage
import ShellSession

/// `cache limit`: the size of the cache.
enum CacheLimit: Command {
  static let size = Positional<ByteSize>("size", help: "size, such as 64MB, the limit at first")

  static let path = ["cache", "limit"]
  static let declaration = CommandDeclaration(
    summary: "Sets how large the cache of responses may be",
    discussion: """
      The limit is for this session and later ones; 0 keeps nothing. If there is no room, the \
      least recently used responses are removed. One response takes at most a quarter.
      """,
    positionals: [size],
    examples: [.init("cache limit 10MB; cache list", "less room")],
    searchTerms: ["size", "room", "maximum", "responses"])

  static func run(_ invocation: Invocation) throws -> Value {
    try invocation.outside.responseCache.setSizeLimit(invocation.call[size].bytes)
    return .null
  }
}
