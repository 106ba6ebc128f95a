import OpshTerminal

/// The entries of the history that begin with what is typed.
///
/// A text that goes on is looked for only among those that were found for its beginning, so that a
/// key costs little however long the history is.
final class HistorySuggestions {
  private let history: History
  private var prefix = ""
  private var version = -1
  /// The places of the entries that begin with the text, the newest first, each text once.
  private var found: [Int] = []

  init(_ history: History) { self.history = history }

  /// Returns the newest entries that begin with a text and go on.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - count: The greatest number of entries.
  /// - Returns: The entries, each text once.
  func entries(after text: String, atMost count: Int) -> [String] {
    let entries = history.entries
    let goesOn = version == history.version && !prefix.isEmpty && text.hasPrefix(prefix)
    if goesOn {
      found = found.filter { entries[$0].hasPrefix(text) }
    } else {
      var seen: Set<String> = []
      found = entries.indices.reversed().filter { index in
        entries[index].hasPrefix(text) && seen.insert(entries[index]).inserted
      }
    }
    (prefix, version) = (text, history.version)
    return found.lazy.map { entries[$0] }.filter { $0.utf8.count > text.utf8.count }.prefix(count)
      .map { $0 }
  }
}
