/// A page of `help` about an idea: what it is, an experiment, and how Foundation does it.
package struct Concept: Sendable {
  /// How Foundation's classes compare with opsh.
  package enum Comparison: Sendable {
    /// Foundation behaves the same; the text adds a detail.
    case same(String)
    /// Foundation behaves differently; the text says how.
    case differs(String)
    /// Foundation has nothing of the kind; the text says what a class does instead.
    case opshOnly(String)

    /// The comparison as the page shows it.
    package var text: String {
      switch self {
      case .same(let detail): detail.isEmpty ? "the same" : "the same. " + detail
      case .differs(let detail): "differs. " + detail
      case .opshOnly(let detail): "opsh only. " + detail
      }
    }
  }

  /// The word after `help`.
  package let name: String
  /// Other words that open the page.
  package var aliases: [String] = []
  /// Further words that `apropos` finds it by.
  package let searchTerms: [String]
  /// What it is, in one line that continues the name.
  package let summary: String
  /// What there is to know, as prose.
  package let text: String
  /// A drawing of a few lines.
  package let picture: String
  /// Statements to type; they run as a test.
  package let experiment: String
  /// A part of what the experiment prints.
  package let shows: String
  /// The same in Swift, in one line.
  package let swift: String
  package let foundation: Comparison
  /// Related pages, as words to write after `help`.
  package let related: [String]

  /// Every concept, in the order in which a reader may follow them.
  package static let all = flags + methods + observation + relations + queues + results + systems

  /// Returns the concept of a name or an alias, in any mix of capital and small letters.
  package static func named(_ word: String) -> Concept? {
    let word = word.lowercased()
    return all.first { $0.name.lowercased() == word }
      ?? all.first { $0.aliases.contains { $0.lowercased() == word } }
  }
}
