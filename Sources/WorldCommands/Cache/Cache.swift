import CommandParts
import ShellLanguage
import ShellSession

/// `cache`: the cached responses at a glance.
enum Cache: Command {
  static let path = ["cache"]
  static let declaration = CommandDeclaration(
    summary: "Shows the cache of '--cached': the last used ten responses, sizes and counts",
    discussion: """
      'cache list' lists more, 'cache show' shows one, 'cache clear' removes responses, 'cache \
      limit' sets the size of the cache.

      How long a response is fresh is for the server to say ('Cache-Control', 'Expires'); if it \
      says nothing, a tenth of the time since 'Last-Modified', and at most a day (RFC 9111). A \
      stale response is revalidated: the server confirms it, or sends another one; \
      --header 'Cache-Control: no-cache' has a fresh one revalidated too. An error response is \
      used again only while it is fresh. Partial content, and what needs credentials of a person, \
      is never stored.
      """,
    examples: [.init("fetch questions --cached; wait; cache", "one response")],
    searchTerms: ["responses", "stored", "etag", "http", "size", "statistics"],
    traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value {
    try CacheList.show(limit: 10, invocation)
  }
}
