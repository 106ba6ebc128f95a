import Foundation

/// The entries that contain a text, whatever the case of their letters, the newest first.
struct HistorySearch {
  private let entries: [String]
  private let folded: [[UInt8]]
  /// The text that is searched for.
  private(set) var pattern = ""
  /// The numbers of the entries that contain it, each text once.
  private(set) var hits: [Int] = []
  /// The place of the selected one among them; nil if none is.
  private(set) var selected: Int?

  init(_ entries: [String]) {
    self.entries = entries
    folded = entries.map { Array($0.lowercased().utf8) }
  }

  /// The number of the selected entry.
  var match: Int? { selected.map { hits[$0] } }

  /// Whether there is a text, and no entry contains it.
  var hasFailed: Bool { hits.isEmpty && !pattern.isEmpty }

  /// Searches for a text; the selected entry stays if it contains it, else an older one follows.
  ///
  /// - Parameters:
  ///   - pattern: The text.
  ///   - start: The entry to begin with; nil for the newest.
  ///   - isBackward: Whether an older one follows, not a newer one.
  mutating func find(_ pattern: String, from start: Int?, isBackward: Bool) {
    self.pattern = pattern
    let wanted = Array(pattern.lowercased().utf8)
    var seen: Set<String> = []
    hits = entries.indices.reversed().filter { index in
      Self.contains(folded[index], wanted) && seen.insert(entries[index]).inserted
    }
    guard !pattern.isEmpty else { return selected = nil }
    if isBackward {
      selected = hits.firstIndex { $0 <= start ?? entries.count }
    } else {
      selected = hits.lastIndex { $0 >= start ?? 0 }
    }
  }

  /// Selects the next older or newer entry; false if there is none.
  mutating func move(isBackward: Bool) -> Bool {
    let next = selected.map { $0 + (isBackward ? 1 : -1) } ?? (isBackward ? 0 : hits.count - 1)
    guard hits.indices.contains(next) else { return false }
    selected = next
    return true
  }

  /// The place of the text in an entry.
  func range(in entry: String) -> Range<String.Index>? {
    pattern.isEmpty ? nil : entry.range(of: pattern, options: .caseInsensitive)
  }

  private static func contains(_ text: [UInt8], _ wanted: [UInt8]) -> Bool {
    guard let first = wanted.first else { return true }
    return text.withUnsafeBytes { text in
      wanted.withUnsafeBytes { wanted in
        guard let base = text.baseAddress, let wantedBase = wanted.baseAddress else { return false }
        var place = 0
        while place + wanted.count <= text.count,
          let found = memchr(base + place, Int32(first), text.count - wanted.count + 1 - place)
        {
          if memcmp(found, wantedBase, wanted.count) == 0 { return true }
          place = base.distance(to: UnsafeRawPointer(found)) + 1
        }
        return false
      }
    }
  }

  // MARK: The list

  /// The maximum number of its rows.
  private static let greatestHeight = 8

  /// Returns rows for the entries around the selected one.
  ///
  /// - Parameters:
  ///   - columns: The width of the window.
  ///   - room: The number of rows that may be taken.
  /// - Returns: The rows; the selected entry has a mark.
  func lines(columns: Int, room: Int) -> [StyledText] {
    let height = min(hits.count, max(0, min(room, Self.greatestHeight)))
    let top = min(max(0, (selected ?? 0) - height / 2), hits.count - height)
    return (top..<(top + height)).map { place in
      let entry = entries[hits[place]]
      let isSelected = place == selected
      return StyledText(isSelected ? "> " : "  ") + marked(entry, isSelected: isSelected)
    }
  }

  /// An entry on one line, with the text that was found in bold.
  private func marked(_ entry: String, isSelected: Bool) -> StyledText {
    let style: TextStyle = isSelected ? .plain : .dim
    func part(_ text: Substring, _ style: TextStyle) -> StyledText {
      StyledText(VisibleText.escape(String(text).replacing("\n", with: " ")), style: style)
    }
    guard let range = range(in: entry) else { return part(entry[...], style) }
    return part(entry[..<range.lowerBound], style) + part(entry[range], .bold)
      + part(entry[range.upperBound...], style)
  }
}
