import OpshTexts

/// A page of `help` about an idea: what it is, an experiment, and how Foundation does it.
package struct Concept: Sendable {
  /// The word after `help`.
  package let name: String
  /// Other words that open the page.
  package let aliases: [String]
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
  /// The comparison with Foundation's classes: "the same", "differs" or "opsh only", and details.
  package let foundation: String
  /// Related pages, as words to write after `help`.
  package let related: [String]

  /// Every concept, in the order of `Help/concepts`, in which a reader may follow them.
  package static let all: [Concept] = TextRecord.read(
    "Help/concepts",
    fields: [
      "also", "terms", "summary", "text", "picture", "experiment", "shows", "swift", "foundation",
      "related",
    ]
  ).map { record in
    Concept(
      name: record.name, aliases: record.list("also"), searchTerms: record.list("terms"),
      summary: record.prose("summary"), text: record.prose("text"),
      picture: record.literal("picture"), experiment: record.literal("experiment"),
      shows: record.literal("shows"), swift: record.literal("swift"),
      foundation: record.prose("foundation"), related: record.list("related"))
  }

  /// Returns the concept of a name or an alias, in any mix of capital and small letters.
  package static func named(_ word: String) -> Concept? {
    let word = word.lowercased()
    return all.first { $0.name.lowercased() == word }
      ?? all.first { $0.aliases.contains { $0.lowercased() == word } }
  }
}
