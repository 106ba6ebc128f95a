/// A word that stands for a line of the history, or for a part of one: `!!`, `!$`, `!12`, `!-2`,
/// `!?text`.
public enum HistoryReference: Sendable, Equatable {
  /// The last line.
  case last
  /// The last word of the last line.
  case lastWord
  /// The line with a number.
  case number(Int)
  /// The line some lines ago; 1 for the last one.
  case back(Int)
  /// The last line that contains a text.
  case containing(String)

  /// Reads a word; nil if it is none of these.
  ///
  /// - Parameter word: The whole word.
  public init?(_ word: some StringProtocol) {
    guard word.first == "!" else { return nil }
    let rest = word.dropFirst()
    let isBack = rest.first == "-"
    let digits = isBack ? rest.dropFirst() : rest[...]
    if rest == "!" {
      self = .last
    } else if rest == "$" {
      self = .lastWord
    } else if rest.first == "?", rest.count > 1 {
      self = .containing(String(rest.dropFirst()))
    } else if let number = Int(digits), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      self = isBack ? .back(number) : .number(number)
    } else {
      return nil
    }
  }

  /// Finds what the word stands for; nil if there is no such line.
  ///
  /// - Parameter entries: The lines, oldest first; the first one has the number 1.
  /// - Returns: The line, or the part of one.
  public func text(in entries: [String]) -> String? {
    func entry(_ index: Int) -> String? { entries.indices.contains(index) ? entries[index] : nil }
    switch self {
    case .last: return entries.last
    case .lastWord: return entries.last.flatMap { Self.words(of: $0).last.map(String.init) }
    case .number(let number): return entry(number - 1)
    case .back(let count): return entry(entries.count - count)
    case .containing(let text): return entries.last { $0.contains(text) }
    }
  }

  /// Returns the words of a line: what blanks outside of quotes and parentheses separate.
  static func words(of line: String) -> [Substring] {
    var words: [Substring] = []
    var start: String.Index?
    var reader = QuoteReader()
    for index in line.indices {
      let isBlank = line[index].isWhitespace && !reader.isInside
      reader.read(line[index])
      if isBlank, let begin = start {
        words.append(line[begin..<index])
        start = nil
      } else if !isBlank, start == nil {
        start = index
      }
    }
    if let start { words.append(line[start...]) }
    return words
  }

  /// Whether a quote or a parenthesis of a text is open.
  static func isInsideText(_ text: String) -> Bool {
    var reader = QuoteReader()
    for character in text { reader.read(character) }
    return reader.isInside
  }

  /// Tells quoted text from other.
  private struct QuoteReader {
    private var quote: Character?
    private var isEscaped = false
    private var depth = 0

    var isInside: Bool { quote != nil || depth > 0 }

    mutating func read(_ character: Character) {
      if isEscaped {
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if let open = quote {
        if character == open { quote = nil }
      } else {
        switch character {
        case "'", "\"": quote = character
        case "(": depth += 1
        case ")": depth = max(0, depth - 1)
        default: break
        }
      }
    }
  }
}
