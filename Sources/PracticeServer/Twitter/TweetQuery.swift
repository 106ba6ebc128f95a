/// What a search for tweets asks for, taken apart.
struct TweetQuery: Equatable {
  /// Each is a list of alternatives of which one has to be in the text.
  private(set) var required: [[String]] = []
  private(set) var excluded: [String] = []
  private(set) var from: String?
  private(set) var to: String?
  /// Midnights, in seconds since 1970.
  private(set) var since: Int?
  private(set) var until: Int?
  private(set) var language: String?
  private(set) var wantsLinks = false
  private(set) var wantsQuestion = false
  /// A smiling or an unhappy face.
  private(set) var mood: String?
  /// How many words and operators there are.
  private(set) var complexity = 0

  static let maximumLength = 1_000
  static let maximumComplexity = 20

  /// Takes a query apart.
  init(_ text: String) {
    var joinsPrevious = false
    for token in Self.tokens(of: text) {
      complexity += 1
      if token.text == "OR", !token.isQuoted {
        joinsPrevious = !required.isEmpty
        continue
      }
      if token.isExcluded {
        excluded.append(token.text.lowercased())
      } else if token.isQuoted || !readOperator(token.text) {
        if joinsPrevious, let last = required.indices.last {
          required[last].append(token.text)
        } else {
          required.append([token.text])
        }
      }
      joinsPrevious = false
    }
  }

  /// Whether a tweet can meet all that is asked for.
  var canBeMet: Bool {
    let length = required.reduce(0) { sum, choice in
      sum + 1 + (choice.map(\.unicodeScalars.count).min() ?? 0)
    }
    // An excluded word that is asked for as well is in every text.
    return length <= 120
      && required.allSatisfy { choice in choice.contains { !isExcluded($0) } }
  }

  /// Whether a text holds what must not be in it.
  func isExcluded(_ text: String) -> Bool {
    guard !excluded.isEmpty else { return false }
    let text = text.lowercased()
    return excluded.contains { text.contains($0) }
  }

  private mutating func readOperator(_ text: String) -> Bool {
    switch text {
    case "?":
      wantsQuestion = true
      return true
    case ":)", ":(":
      mood = text
      return true
    default: break
    }
    guard let colon = text.firstIndex(of: ":") else { return false }
    let value = String(text[text.index(after: colon)...])
    guard !value.isEmpty else { return false }
    let name = value.hasPrefix("@") ? String(value.dropFirst()) : value
    switch text[..<colon] {
    case "from": from = name
    case "to": to = name
    case "since": since = Self.midnight(value)
    case "until": until = Self.midnight(value)
    case "lang": language = value.lowercased()
    case "filter" where value == "links": wantsLinks = true
    case "filter", "source", "near", "within", "place": break
    default: return false
    }
    return true
  }

  /// The beginning of a day that is written as `2012-09-30`, in seconds since 1970.
  static func midnight(_ text: String) -> Int? {
    ISODate.milliseconds(text + "T00:00:00Z").map { $0 / 1_000 }
  }

  private struct Token {
    var text: String
    var isQuoted: Bool
    var isExcluded: Bool
  }

  private static func tokens(of text: String) -> [Token] {
    var tokens: [Token] = []
    var rest = text[...]
    while true {
      rest = rest.drop { $0.isWhitespace }
      guard let first = rest.first else { return tokens }
      let isExcluded =
        first == "-" && rest.count > 1
        && rest.dropFirst().first?.isWhitespace == false
      if isExcluded { rest = rest.dropFirst() }
      if rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\"") {
        let content = rest[rest.index(after: rest.startIndex)..<end]
        if !content.allSatisfy(\.isWhitespace) {
          tokens.append(
            Token(text: String(content), isQuoted: true, isExcluded: isExcluded))
        }
        rest = rest[rest.index(after: end)...]
      } else {
        let word = rest.prefix { !$0.isWhitespace }
        tokens.append(Token(text: String(word), isQuoted: false, isExcluded: isExcluded))
        rest = rest[word.endIndex...]
      }
    }
  }
}
