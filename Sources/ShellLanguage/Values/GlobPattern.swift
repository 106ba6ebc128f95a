/// A pattern in which `*` stands for any text and `?` for any one character.
public struct GlobPattern: Sendable {
  private let pattern: [Character]

  /// Creates a pattern.
  public init(_ pattern: String) {
    self.pattern = Array(pattern)
  }

  /// Whether the text has a wildcard in it.
  public static func isPattern(_ text: String) -> Bool {
    text.utf8.contains { $0 == 0x2A || $0 == 0x3F }
  }

  /// Returns whether the whole text fits the pattern.
  ///
  /// It remembers only the last `*`, which is enough, and keeps hostile patterns from taking
  /// exponential time.
  public func matches(_ text: String) -> Bool {
    let letters = Array(text)
    var position = 0
    var index = 0
    var star: (index: Int, position: Int)?
    while position < letters.count {
      if index < pattern.count, pattern[index] == "*" {
        star = (index, position)
        index += 1
      } else if index < pattern.count,
        pattern[index] == "?" || pattern[index] == letters[position]
      {
        index += 1
        position += 1
      } else if let last = star {
        index = last.index + 1
        position = last.position + 1
        star = (last.index, position)
      } else {
        return false
      }
    }
    return pattern[index...].allSatisfy { $0 == "*" }
  }
}
