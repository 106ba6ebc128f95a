import OpshTexts

/// A word that articles about operations use and no command or concept has as its name: what it is
/// here, and what to type to see it.
package struct ReferenceWord: Sendable {
  /// The word, and others for the same.
  let names: [String]
  /// What it is, in one line that continues the name.
  let summary: String
  /// Statements to type.
  package let experiment: String
  /// The pages about it, as words to write after `help`.
  let pages: [String]

  /// Returns the entry of a word, in any mix of capital and small letters.
  static func named(_ word: String) -> ReferenceWord? {
    let word = word.lowercased()
    return all.first { $0.names.contains { $0.lowercased() == word } }
  }

  /// Every word.
  package static let all: [ReferenceWord] = TextRecord.read(
    "Help/words", fields: ["summary", "experiment", "pages"]
  ).map { record in
    ReferenceWord(
      names: TextRecord.list(of: record.name), summary: record.prose("summary"),
      experiment: record.literal("experiment"), pages: record.list("pages"))
  }
}
