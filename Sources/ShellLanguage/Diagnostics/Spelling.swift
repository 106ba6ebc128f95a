/// Finds the names that a misspelt one may stand for.
public enum Spelling: Sendable {
  /// Returns the candidates closest to a word, best first, at most three.
  ///
  /// First come those that differ only in the case of letters, then those that the word is the
  /// beginning of, then those in which fewer than four letters have to change, and fewer than half
  /// of those of the word, so that short words do not suggest each other.
  public static func suggestions(for word: String, among candidates: some Sequence<String>)
    -> [String]
  {
    let wanted = Array(word.lowercased().unicodeScalars.prefix(64))
    let limit = min(3, (wanted.count - 1) / 2)
    guard limit >= 0 else { return [] }
    var found: [(distance: Int, name: String)] = []
    for candidate in candidates where candidate != word {
      let letters = Array(candidate.lowercased().unicodeScalars.prefix(64))
      var distance = wanted.count > 1 && letters.starts(with: wanted) ? 1 : Int.max
      if letters.count == wanted.count { distance = min(distance, letters == wanted ? 0 : .max) }
      if distance > limit + 1 || distance == .max {
        guard abs(letters.count - wanted.count) <= limit else { continue }
        distance = Self.distance(wanted, letters)
        guard distance <= limit else { continue }
        // A beginning comes before any change.
        distance += 1
      }
      if !found.contains(where: { $0.name == candidate }) { found.append((distance, candidate)) }
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

  /// How many letters of a word have to change; nil if they are too many for it to be meant.
  static func closeness(of word: String, to candidate: String) -> Int? {
    let wanted = Array(word.lowercased().unicodeScalars.prefix(64))
    let letters = Array(candidate.lowercased().unicodeScalars.prefix(64))
    let limit = min(3, (wanted.count - 1) / 2)
    guard abs(letters.count - wanted.count) <= limit else { return nil }
    let distance = distance(wanted, letters)
    return distance <= limit ? distance : nil
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
