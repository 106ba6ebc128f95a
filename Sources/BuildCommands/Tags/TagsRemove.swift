import CommandParts
import OpshNetworking
package import ShellLanguage
import ShellSession
import OpshTerminal

/// `tags remove`: removes search tags.
enum TagsRemove: Command {
  static let tag = Positional<[String]>("tag", help: "tags to remove")
  static let all = Flag("all", help: "remove all of them")

  static let path = ["tags", "remove"]
  static let declaration = CommandDeclaration(
    summary: "Removes search tags",
    discussion: "If one of several is not stored, none is removed.",
    positionals: [tag], options: [all],
    examples: [.init("tags add swift linux; tags remove swift; tags remove --all", "none is left")],
    searchTerms: ["search", "subject", "delete", "forget", "clear"],
    rules: [
      ArgumentRule { call in
        let isBoth = call.has(all) && call.mentions(tag)
        guard isBoth || (call.lacks(all) && call.lacks(tag)) else { return nil }
        return call.failure(
          .badArguments,
          isBoth
            ? "'--all' removes all tags, so it can't be combined with a tag"
            : "name the tags to remove, or add '--all'", at: tag)
      }
    ])

  static let completions = [ParameterCompletion(tag) { candidates(in: $1) }]

  /// The stored tags for completion; none where the store can't be read.
  static func candidates(in outside: Outside) -> [CompletionCandidate] {
    ((try? outside.tagStore.list()) ?? []).map { CompletionCandidate($0.text) }
  }

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let store = invocation.outside.tagStore
    if call[all] { return .integer(Int64(try store.removeAll())) }
    do throws(StoreError) {
      return .list(try store.remove(call[tag]).map { .string($0.text) })
    } catch {
      throw invocation.failure(error, amongTags: tag, known: (try? store.list().map(\.text)) ?? [])
    }
  }
}

extension ErrorPage {
  package static let badArguments = ErrorPage(
    "bad-arguments", "The arguments do not go together", "'--all' removes all tags.",
    help: "name tags, or give '--all'", wrong: "tags remove swift --all",
    right: "tags remove --all")
}
