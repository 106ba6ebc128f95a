/// How a candidate must fit what has been typed, from the strictest way on.
enum CandidateMatch: CaseIterable {
  /// It begins with the typed text.
  case prefix
  /// It begins with it if upper and lower case are the same.
  case foldedPrefix
  /// It contains the typed text somewhere.
  case substring
  /// The typed letters begin its parts, in order: `vh` is veryHigh, `q-1` and `q1` are questions-1.
  case initials

  /// A single letter would be contained in nearly everything.
  private static let shortestPart = 2

  /// Returns whether a candidate fits.
  ///
  /// - Parameters:
  ///   - text: The candidate.
  ///   - typed: What has been typed of it.
  /// - Returns: Whether it fits in this way.
  func holds(_ text: Substring, typed: Substring) -> Bool {
    if typed.isEmpty { return true }
    switch self {
    case .prefix: return text.hasPrefix(typed)
    case .foldedPrefix: return text.lowercased().hasPrefix(typed.lowercased())
    case .substring:
      let part = Self.part(of: typed)
      guard part.count >= Self.shortestPart, text.first == "-" || typed.first != "-" else {
        return false
      }
      return text.lowercased().contains(part)
    case .initials:
      let letters = Self.part(of: typed)
      guard letters.count >= Self.shortestPart, text.first == "-" || typed.first != "-" else {
        return false
      }
      return Self.begins(text, letters[...])
    }
  }

  /// The dashes before the name of an option are no part of it.
  private static func part(of typed: Substring) -> String {
    typed.drop { $0 == "-" }.lowercased()
  }

  private static func begins(_ text: Substring, _ letters: Substring) -> Bool {
    var rest = letters
    var before: Character?
    for character in text {
      guard let next = rest.first else { return true }
      let isStart =
        before.map { !$0.isLetter && !$0.isNumber || character.isNumber != $0.isNumber } ?? true
        || character.isUppercase
      if isStart, character.lowercased() == String(next) { rest = rest.dropFirst() }
      before = character
    }
    return rest.isEmpty
  }
}
