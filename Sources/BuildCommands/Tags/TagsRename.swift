import CommandParts
import OpshNetworking
import ShellLanguage
import ShellSession

/// `tags rename`: gives a search tag another text.
enum TagsRename: Command {
  static let tag = Positional<String>("tag", help: "tag to rename")
  static let text = Positional<String>("text", help: "its new text").namingTags()

  static let path = ["tags", "rename"]
  static let declaration = CommandDeclaration(
    summary: "Gives a search tag another text, in its place",
    positionals: [tag, text],
    examples: [
      .init("tags add swfit; tags rename swfit swift; tags remove --all", "a slip corrected")
    ],
    searchTerms: ["search", "subject", "edit", "change"])

  static let completions = [ParameterCompletion(tag) { TagsRemove.candidates(in: $1) }]

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let store = invocation.outside.tagStore
    do throws(StoreError) {
      return .string(try store.rename(call[tag], to: call[text]).text)
    } catch {
      throw invocation.failure(
        error, amongTags: error.kind == .unknownTag ? tag : text,
        known: (try? store.list().map(\.text)) ?? [])
    }
  }
}
