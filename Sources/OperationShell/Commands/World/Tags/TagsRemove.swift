import Networking
import ShellLanguage
import Terminal

/// `tags remove`: forgets search tags.
enum TagsRemove: Command {
  static let signature = CommandSignature(
    path: ["tags", "remove"],
    summary: "Forgets search tags",
    discussion: "If one of several is not kept, none is removed.",
    positionals: [.init("tag", .string, .repeating, help: "a tag")],
    options: [.init("all", help: "forget all of them")],
    examples: [.init("tags add swift linux; tags remove swift; tags remove --all", "none is left")],
    searchTerms: ["search", "subject", "delete", "forget", "clear"])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let store = invocation.session.tagStore
    guard call.flag("all") != call.has("tag") else {
      throw call.failure(
        "bad-arguments",
        call.has("tag")
          ? "'--all' removes all tags, so none can be named besides"
          : "say which tags to remove, or '--all'", at: "tag")
    }
    if call.flag("all") { return .integer(Int64(try store.removeAll())) }
    do throws(StoreError) {
      return .list(try store.remove(call.strings("tag")).map { .string($0.text) })
    } catch {
      throw invocation.failure(
        error, amongTags: "tag", known: (try? store.list().map(\.text)) ?? [])
    }
  }

  static func completions(for argument: String, in session: Session) -> [CompletionCandidate] {
    argument == "tag" ? session.keptTags : []
  }
}

extension Session {
  /// The tags that are kept, to be offered; none where the store can't be read.
  var keptTags: [CompletionCandidate] {
    ((try? tagStore.list()) ?? []).map { CompletionCandidate($0.text) }
  }
}
