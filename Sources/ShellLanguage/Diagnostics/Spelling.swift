/// Finds the names that a misspelt one may stand for.
public enum Spelling: Sendable {
  /// Returns the candidates closest to a word, best first, at most three.
  ///
  /// A candidate counts if fewer than four letters have to change, and fewer than half of those of
  /// the word, so that short words do not suggest each other.
  public static func suggestions(for word: String, among candidates: some Sequence<String>)
    -> [String]
  {
    let wanted = Array(word.lowercased().unicodeScalars.prefix(64))
    let limit = min(3, (wanted.count - 1) / 2)
    guard limit > 0 else { return [] }
    var found: [(distance: Int, name: String)] = []
    for candidate in candidates where candidate != word {
      let letters = Array(candidate.lowercased().unicodeScalars.prefix(64))
      guard abs(letters.count - wanted.count) <= limit else { continue }
      let distance = distance(wanted, letters)
      if distance <= limit, !found.contains(where: { $0.name == candidate }) {
        found.append((distance, candidate))
      }
    }
    found.sort { ($0.distance, $0.name) < ($1.distance, $1.name) }
    return found.prefix(3).map(\.name)
  }

  /// Returns `did you mean 'x'?`, or nil where nothing is close.
  public static func help(for word: String, among candidates: some Sequence<String>) -> String? {
    help(suggestions(for: word, among: candidates))
  }

  static func help(_ names: [String]) -> String? {
    guard let first = names.first else { return nil }
    if names.count == 1 { return "did you mean '\(first)'?" }
    let rest = names.dropFirst().map { "'\($0)'" }.joined(separator: " or ")
    return "did you mean '\(first)'? or \(rest)?"
  }

  /// The number of insertions, deletions, replacements and swaps of neighbours.
  static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    if left.isEmpty || right.isEmpty { return max(left.count, right.count) }
    var beforeLast = [Int](repeating: 0, count: right.count + 1)
    var last = Array(0...right.count)
    for row in 1...left.count {
      var current = [Int](repeating: row, count: right.count + 1)
      for column in 1...right.count {
        let same = left[row - 1] == right[column - 1]
        var best = min(
          last[column] + 1, current[column - 1] + 1, last[column - 1] + (same ? 0 : 1))
        if row > 1, column > 1, left[row - 1] == right[column - 2],
          left[row - 2] == right[column - 1]
        {
          best = min(best, beforeLast[column - 2] + 1)
        }
        current[column] = best
      }
      beforeLast = last
      last = current
    }
    return last[right.count]
  }
}
