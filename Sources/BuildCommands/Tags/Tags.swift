import CommandParts
import ShellLanguage
import ShellSession

/// `tags`: the stored search tags.
enum Tags: Command {
  static let path = ["tags"]
  static let declaration = CommandDeclaration(
    summary: "Lists the stored search tags",
    discussion: "'tags add' adds tags, 'tags remove' removes them, 'tags rename' changes one.",
    examples: [.init("tags add swift 'R&D'; tags; tags remove --all", "two tags")],
    searchTerms: ["search", "subjects", "kept", "list", "show"], traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value { try TagsList.run(invocation) }
}
