import Networking
import ShellLanguage
import Terminal

/// `tags rename`: gives a search tag another text.
enum TagsRename: Command {
  static let signature = CommandSignature(
    path: ["tags", "rename"],
    summary: "Gives a search tag another text, in its place",
    positionals: [
      .init("tag", .string, help: "the tag"), .init("text", .string, help: "its new text"),
    ],
    examples: [
      .init("tags add swfit; tags rename swfit swift; tags remove --all", "a slip corrected")
    ],
    searchTerms: ["search", "subject", "edit", "change"])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let store = invocation.session.tagStore
    let old = call.string("tag") ?? ""
    do throws(StoreError) {
      return .string(try store.rename(old, to: call.string("text") ?? "").text)
    } catch {
      let argument = error.kind == .unknownTag ? "tag" : "text"
      throw invocation.failure(
        error, amongTags: argument, known: (try? store.list().map(\.text)) ?? [])
    }
  }

  static func completions(for argument: String, in session: Session) -> [CompletionCandidate] {
    argument == "tag" ? session.keptTags : []
  }
}
