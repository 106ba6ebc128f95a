import ShellLanguage

/// `cache`: what is kept for '--cached' at a glance.
enum Cache: Command {
  static let signature = CommandSignature(
    path: ["cache"],
    summary: "Shows what is kept for '--cached': the last used ten, sizes and counts",
    discussion: """
      'cache list' lists more, 'cache show' shows one, 'cache clear' forgets, 'cache limit' says \
      how much may be kept.
      """,
    examples: [.init("fetch questions --cached; wait; cache", "one response")],
    searchTerms: ["responses", "stored", "etag", "http", "size", "statistics"])

  static func run(_ invocation: Invocation) throws -> Value {
    try CacheList.show(limit: 10, invocation)
  }
}
