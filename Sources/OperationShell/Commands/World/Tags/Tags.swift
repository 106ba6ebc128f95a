import ShellLanguage

/// `tags`: the search tags that are kept.
enum Tags: Command {
  static let signature = CommandSignature(
    path: ["tags"],
    summary: "Lists the search tags that are kept, as 'tags list' does",
    discussion: "'tags add' keeps others, 'tags remove' forgets, 'tags rename' changes one.",
    examples: [.init("tags add swift 'R&D'; tags; tags remove --all", "two tags")],
    searchTerms: ["search", "subjects", "kept", "list", "show"])

  static func run(_ invocation: Invocation) throws -> Value { try TagsList.run(invocation) }
}
