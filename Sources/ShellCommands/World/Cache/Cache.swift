import ShellLanguage
import ShellSession

/// `cache`: the cached responses at a glance.
enum Cache: Command {
  static let signature = CommandSignature(
    path: ["cache"],
    summary: "Shows the cache of '--cached': the last used ten responses, sizes and counts",
    discussion: """
      'cache list' lists more, 'cache show' shows one, 'cache clear' removes responses, 'cache \
      limit' sets the size of the cache.
      """,
    examples: [.init("fetch questions --cached; wait; cache", "one response")],
    searchTerms: ["responses", "stored", "etag", "http", "size", "statistics"],
    traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value {
    try CacheList.show(limit: 10, invocation)
  }
}
