import Foundation

/// Words and phrases that a text has to have, or must not have.
struct SearchText {
  private struct Part {
    var needle: [UInt8]
    var isExcluded: Bool
  }

  private var parts: [Part] = []
  /// Tags that were written in brackets.
  private(set) var tags: [String] = []

  /// The most words that are looked for; further ones are passed over.
  private static let maximumParts = 30

  /// Reads words, phrases in quotation marks, `[tags]`, and words with a hyphen before them, which
  /// must not occur.
  ///
  /// - Parameters:
  ///   - text: What was typed.
  ///   - isPlain: Whether only white space has a meaning in it.
  init(_ text: String, isPlain: Bool = false) {
    var rest = text.lowercased()[...]
    while parts.count + tags.count < Self.maximumParts {
      rest = rest.drop { $0.isWhitespace }
      guard let first = rest.first else { return }
      if !isPlain, let (content, after) = Self.bracketed(rest, by: "[", "]") {
        if !content.isEmpty { tags.append(String(content)) }
        rest = after
        continue
      }
      let isExcluded = !isPlain && first == "-" && rest.count > 1
      if isExcluded { rest = rest.dropFirst() }
      if !isPlain, let (content, after) = Self.bracketed(rest, by: "\"", "\"") {
        append(content, isExcluded)
        rest = after
      } else {
        append(rest.prefix { !$0.isWhitespace }, isExcluded)
        rest = rest.drop { !$0.isWhitespace }
      }
    }
  }

  var isEmpty: Bool { parts.isEmpty && tags.isEmpty }

  private mutating func append(_ content: Substring, _ isExcluded: Bool) {
    guard !content.isEmpty else { return }
    // What is searched is encoded as it is sent.
    let needle = Array(HTMLText.encode(String(content)).utf8)
    parts.append(Part(needle: needle, isExcluded: isExcluded))
  }

  private static func bracketed(
    _ text: Substring, by open: Character, _ close: Character
  ) -> (content: Substring, rest: Substring)? {
    guard text.first == open, let end = text.dropFirst().firstIndex(of: close) else { return nil }
    return (text[text.index(after: text.startIndex)..<end], text[text.index(after: end)...])
  }

  /// Weighs how well texts match.
  ///
  /// - Parameter texts: The texts with the weight that a word in each has.
  /// - Returns: The sum of the weights, or nil if something is missing or excluded.
  func weight(in texts: [(text: [UInt8], weight: Int)]) -> Int? {
    var sum = 0
    for part in parts {
      let found = texts.reduce(0) {
        $0 + (Self.contains($1.text, part.needle) ? $1.weight : 0)
      }
      guard part.isExcluded == (found == 0) else { return nil }
      sum += found
    }
    return sum
  }

  static func contains(_ text: [UInt8], _ needle: [UInt8]) -> Bool {
    guard let first = needle.first else { return true }
    return text.withUnsafeBytes { text in
      needle.withUnsafeBytes { needle in
        guard let base = text.baseAddress, let wanted = needle.baseAddress else { return false }
        var start = 0
        while start + needle.count <= text.count {
          let rest = text.count - needle.count - start + 1
          guard let place = memchr(base + start, Int32(first), rest) else { return false }
          if memcmp(place, wanted, needle.count) == 0 { return true }
          start = UnsafeRawPointer(place) - base + 1
        }
        return false
      }
    }
  }
}
