/// Quotes a text as a word of the language, continuing the open quote at the cursor.
package struct WordQuoting {
  private let quote: Character?
  /// Whether the opening quote is part of the replaced text, so that it has to be repeated.
  private let replacesQuote: Bool

  /// - Parameters:
  ///   - quote: The quote that is open at the cursor.
  ///   - replaced: The typed part of the word.
  package init(quote: Character?, replaced: String) {
    self.quote = quote
    replacesQuote = quote.map { replaced.contains($0) } ?? false
  }

  /// - Parameters:
  ///   - text: The text of the word.
  ///   - isComplete: Whether the word ends here; otherwise the quote stays open.
  /// - Returns: The text to insert.
  package func spell(_ text: String, isComplete: Bool) -> String {
    guard let quote else {
      return Self.isPlain(text)
        ? text : Self.quoted(text, with: Self.bestQuote(for: text), opens: true, closes: isComplete)
    }
    // A single quote can't be written within single quotes.
    let fits = replacesQuote && quote == "'" ? Self.bestQuote(for: text) : quote
    return Self.quoted(text, with: fits, opens: replacesQuote, closes: isComplete)
  }

  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.first, first != "#" else { return false }
    return text.unicodeScalars.allSatisfy {
      !" \t\n\r;|>(){}$'\"\\*".unicodeScalars.contains($0) && !$0.properties.isWhitespace
        && !isControl($0)
    }
  }

  private static func bestQuote(for text: String) -> Character {
    text.unicodeScalars.contains { $0 == "'" || isControl($0) } ? "\"" : "'"
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  private static func quoted(
    _ text: String, with quote: Character, opens: Bool, closes: Bool
  ) -> String {
    var result = opens ? String(quote) : ""
    if quote == "'" {
      result += text
    } else {
      for scalar in text.unicodeScalars {
        switch scalar {
        case "\"", "\\", "$": result += "\\" + String(scalar)
        case _ where isControl(scalar):
          result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
        default: result.unicodeScalars.append(scalar)
        }
      }
    }
    if closes { result.append(quote) }
    return result
  }
}

extension WordQuoting {
  /// A program and its arguments as they would be typed.
  package static func spelled(_ words: [String]) -> String {
    let spelling = WordQuoting(quote: nil, replaced: "")
    return words.map { spelling.spell($0, isComplete: true) }.joined(separator: " ")
  }
}
