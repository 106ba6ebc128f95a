import CommandParts
package import ShellLanguage
import OpshTerminal

/// A page of `help` about a subject that several commands share.
package struct HelpTopic: Sendable {
  /// The words after `help`: `status`, or `properties errors` for a part of `properties`.
  package let name: String
  package let heading: String
  package let introduction: String
  /// What there is to know by name.
  package let items: [(name: String, meaning: String)]
  /// Scripts that show it.
  package private(set) var examples: [CommandDeclaration.Example] = []
  /// What `help` can show next.
  private(set) var further: [String] = []
  /// Whether its items are listed elsewhere: the reference page has them in other sections, and
  /// `apropos` finds them by themselves.
  package private(set) var isIndex = false

  /// Every topic, in the order of `help`; a part follows its whole.
  package static let all: [HelpTopic] =
    groups + written.flatMap { $0.name == "json" ? [$0] + objects : [$0] }

  /// The topics that `help` lists, without their parts and without the groups of commands.
  static let subjects = all.filter { topic in
    !topic.name.contains(" ") && !groups.contains { $0.name == topic.name }
  }

  static func named(_ name: String) -> HelpTopic? { all.first { $0.name == name } }

  /// Whether the page is about a word.
  func mentions(_ word: String) -> Bool {
    ([name, heading] + (isIndex ? [] : items.flatMap { [$0.name, $0.meaning] }))
      .contains { $0.lowercased().contains(word) }
  }

  /// The number of columns that a page of help may fill.
  package static let columns = 100

  /// The page, for a terminal of that many columns if there is one.
  func lines(terminal: Int? = nil) -> [StyledText] {
    var lines = [StyledText(heading, style: .bold), ""]
    if !introduction.isEmpty {
      lines += Prose.wrap(introduction, terminal: terminal).map { StyledText($0) }
      lines.append("")
    }
    lines += HelpPage.rows(items, terminal: terminal)
    for example in examples { lines += HelpPage.rows(example) }
    if !further.isEmpty {
      let pages = further.map { "'help \($0)'" }.joined(separator: ", ")
      lines.append("")
      lines += Prose.wrap("See also: \(pages).", terminal: terminal)
        .map { StyledText($0, style: .dim) }
    }
    return lines
  }
}
