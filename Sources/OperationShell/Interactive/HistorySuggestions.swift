import OpshTerminal

/// The entries of the history that begin with what is typed.
///
/// A text that goes on is looked for among those that were found for its beginning, and then among
/// those that were not looked at: typing a line looks at each entry once.
final class HistorySuggestions {
  private let history: History
  private var prefix = ""
  private var version = -1
  /// The places of the entries that were found, the newest first.
  private var found: [Int] = []
  /// Older entries than this have not been looked at.
  private var end = 0

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
      (found, end) = ([], entries.count)
    }
    (prefix, version) = (text, history.version)
    var newest: [String] = []
    func take(_ entry: String) {
      if entry.utf8.count > text.utf8.count, !newest.contains(entry) { newest.append(entry) }
    }
    for place in found where newest.count < count { take(entries[place]) }
    while newest.count < count, end > 0 {
      end -= 1
      guard entries[end].hasPrefix(text) else { continue }
      found.append(end)
      take(entries[end])
    }
    return newest
  }
}
