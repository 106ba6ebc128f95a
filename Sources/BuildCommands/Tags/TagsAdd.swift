import CommandParts
import Foundation
import OpshNetworking
import ShellLanguage
import ShellOutput
import ShellSession

/// `tags add`: stores search tags.
enum TagsAdd: Command {
  static let tag = Positional<[String]>("tag", atLeastOne: true, help: "text to search for")
    .namingTags()

  static let path = ["tags", "add"]
  static let declaration = CommandDeclaration(
    summary: "Stores search tags from one session to the next",
    discussion: """
      A tag is a text of one line with at most 500 characters and no control character; white \
      space around it is removed. Two that differ only in the case of letters are the same. If one \
      of several can't be added, none is added.
      """,
    positionals: [tag],
    examples: [
      .init("tags add c++ 'R&D' 日本語; fetch tweets; wait; tags remove --all", "three searches")
    ],
    searchTerms: ["search", "subject", "keep", "save", "new"])

  static func run(_ invocation: Invocation) throws -> Value {
    let added: [SearchTag]
    do throws(StoreError) {
      added = try invocation.outside.tagStore.add(
        invocation.call[tag], now: invocation.run.clock.date)
    } catch {
      throw invocation.failure(error, amongTags: tag, known: [])
    }
    return .list(added.map { .string($0.text) })
  }
}

extension RuledParameter {
  /// Returns the parameter with the rule that its values can be tags.
  func namingTags() -> Self {
    checkedEach(
      help: "a tag is a text of one line with at most \(SearchTag.maximumLength) characters"
    ) { (text) throws(StoreError) in _ = try SearchTag.checked(text) }
  }
}

extension Invocation {
  /// Places an error of the tag store at the tag that it is about.
  func failure(
    _ error: StoreError, amongTags parameter: some Parameter, known: [String]
  ) -> Diagnostic {
    let texts = call.arguments(of: parameter)
    // The message names the tag, perhaps as it is stored; nothing else says which one it is.
    let message = SearchTag.comparisonKey(of: error.message)
    let culprit = texts.firstIndex { text in
      text.value.map {
        message.contains("'\(SearchTag.comparisonKey(of: printable($0.text)))'")
      } ?? false
    }
    var help: String?
    if error.kind == .unknownTag, let culprit {
      help =
        Spelling.help(for: texts[culprit].value?.text ?? "", among: known)
        ?? "'tags list' lists the tags"
    }
    return call.failure(error, at: parameter, index: culprit ?? 0, help: help)
  }
}
