import Foundation
import Networking
import ShellLanguage

/// `tags add`: keeps search tags.
enum TagsAdd: Command {
  static let signature = CommandSignature(
    path: ["tags", "add"],
    summary: "Keeps search tags from one session to the next",
    discussion: """
      Any text of one line can be a tag. Two that differ only in the case of letters are the same. \
      If one of several can't be added, none is.
      """,
    positionals: [.init("tag", .string, .oneOrMore, help: "a text to search for")],
    examples: [
      .init("tags add c++ 'R&D' 日本語; fetch tweets; wait; tags remove --all", "three searches")
    ],
    searchTerms: ["search", "subject", "keep", "save", "new"])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let store = invocation.session.tagStore
    let added: [SearchTag]
    do throws(StoreError) {
      added = try store.add(call.strings("tag"), now: invocation.session.clock.date)
    } catch {
      throw invocation.failure(error, amongTags: "tag", known: [])
    }
    return .list(added.map { .string($0.text) })
  }
}

extension Invocation {
  /// Places an error of the tag store at the tag that it is about.
  func failure(_ error: StoreError, amongTags argument: String, known: [String]) -> Diagnostic {
    let texts = call.arguments(argument)
    // The message names the tag, perhaps as it is kept, and there is no other way to know which.
    let message = SearchTag.comparisonKey(of: error.message)
    let culprit = texts.first { text in
      text.value.map {
        message.contains("'\(SearchTag.comparisonKey(of: printable($0.text)))'")
      } ?? false
    }
    var help: String?
    if error.kind == .unknownTag, let culprit {
      help =
        Spelling.help(for: culprit.value?.text ?? "", among: known)
        ?? "'tags list' lists the tags"
    }
    var diagnostic = call.failure(error.code, error.message, at: argument, help: help)
    if let culprit { diagnostic.range = culprit.range }
    return diagnostic
  }
}
