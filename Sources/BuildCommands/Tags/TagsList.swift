import CommandParts
import OpshNetworking
import ShellLanguage
package import ShellSession
import OpshTerminal

/// `tags list`: the stored search tags.
enum TagsList: Command {
  static let path = ["tags", "list"]
  static let declaration = CommandDeclaration(
    summary: "Lists the stored search tags",
    discussion: """
      They are stored from one session to the next, in the order in which they were added; \
      'fetch tweets' searches for all of them. The value is a list of texts.
      """,
    examples: [.init("tags add swift 'R&D'; tags list; tags remove --all", "two tags")],
    searchTerms: ["search", "subjects", "kept", "show"], traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value {
    let tags = try invocation.outside.tagStore.list()
    if tags.isEmpty {
      invocation.printNothing("no tags are kept; 'tags add swift' keeps one")
    }
    for tag in tags {
      if invocation.isJSON {
        invocation.object(.tag, ["text": .string(tag.text)])
      } else {
        invocation.printText(tag.text)
      }
    }
    return .list(tags.map { .string($0.text) })
  }
}

extension ObjectKind {
  package static let tag = ObjectKind(
    type: "tag", commands: "`tags` and `tags list`", keys: [("text", "the search tag")])
}
