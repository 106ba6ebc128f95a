/// A statement that was refused, split into words without the rules of the language: it may be
/// written as in another shell or in Python.
struct LooseStatement {
  /// What is before it and stays as it is, such as `time`.
  private(set) var lead = ""
  /// The statement without what surrounds it.
  private(set) var text: String
  /// Its words; what is in quotes, parentheses or braces is one word.
  private(set) var words: [String] = []
  /// A redirection at its end, with the sign.
  private(set) var tail = ""

  /// Where it begins in its line.
  private var start = 0

  /// A line that is longer than this was hardly typed by hand.
  private static let longestLine = 400

  /// Reads the statement around a place in one line of a text; nil where it has several lines.
  ///
  /// - Parameters:
  ///   - offset: The place.
  ///   - source: The text.
  ///   - startsThere: Whether the statement begins at the place, as after `time`.
  init?(around offset: Int, in source: SourceText, startsThere: Bool) {
    let line = source.lineRange(at: offset)
    guard line.upper - line.lower <= Self.longestLine else { return nil }
    self.init(around: offset - line.lower, inLine: source.text(in: line))
    guard startsThere else { return }
    let start = offset - line.lower - self.start
    guard start > 0, start < text.utf8.count else { return }
    let rest = source.text(in: SourceRange(offset, line.lower + self.start + text.utf8.count))
    guard let statement = LooseStatement(around: 0, inLine: rest) else { return nil }
    lead = String(decoding: text.utf8.prefix(start), as: UTF8.self)
    (text, words) = (statement.text, statement.words)
  }

  /// Reads the statement around a place in a line.
  init?(around offset: Int, inLine line: String) {
    let bytes = Array(line.utf8)
    var (start, position, end) = (0, 0, bytes.count)
    var pieces: [Range<Int>] = []
    var tailStart: Int?
    while position < end {
      let byte = bytes[position]
      switch byte {
      case .semicolon, .closeBrace:
        if offset <= position, !pieces.isEmpty { end = position }
        position += 1
        if end >= position { (start, pieces, tailStart) = (position, [], nil) }
      case _ where byte.isBlank: position += 1
      case .hash where !(position + 1 < end && bytes[position + 1].isDigit): end = position
      case .bar, .greater:
        tailStart = tailStart ?? position
        position += 1
      case .openBrace:
        guard let close = Self.close(of: position, in: bytes, end) else { return nil }
        if offset > position, offset < close {
          (start, pieces, tailStart, end) = (position + 1, [], nil, close)
          position += 1
        } else {
          pieces.append(position..<(close + 1))
          position = close + 1
        }
      default:
        let next = Self.wordEnd(from: position, in: bytes, end)
        if tailStart == nil { pieces.append(position..<next) }
        position = next
      }
    }
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    guard let first = pieces.first, let last = pieces.last, start <= first.lowerBound else {
      return nil
    }
    self.text = text(first.lowerBound..<last.upperBound)
    words = pieces.map(text)
    self.start = first.lowerBound
    if let tailStart { tail = text(tailStart..<end) }
  }

  /// Where the brace closes that opens at a place.
  private static func close(of open: Int, in bytes: [UInt8], _ end: Int) -> Int? {
    var (depth, position) = (0, open)
    var quote: UInt8?
    while position < end {
      let byte = bytes[position]
      if let sign = quote {
        if byte == sign { quote = nil }
      } else if byte == .quote || byte == .doubleQuote {
        quote = byte
      } else if byte == .openBrace {
        depth += 1
      } else if byte == .closeBrace {
        depth -= 1
        if depth == 0 { return position }
      }
      position += 1
    }
    return nil
  }

  /// Where a word ends: at white space, `;`, `|` or `>` outside of quotes and parentheses.
  private static func wordEnd(from start: Int, in bytes: [UInt8], _ end: Int) -> Int {
    var (depth, position) = (0, start)
    var quote: UInt8?
    while position < end {
      let byte = bytes[position]
      if let sign = quote {
        if byte == sign { quote = nil }
      } else {
        switch byte {
        case .quote, .doubleQuote: quote = byte
        case .openParenthesis, .openBrace: depth += 1
        case .closeParenthesis where depth > 0, .closeBrace where depth > 0: depth -= 1
        case .greater where position == start + 1 && (bytes[start] == .minus): return position + 1
        case .semicolon, .bar, .greater, .closeBrace:
          if depth == 0 { return max(position, start + 1) }
        default: if depth == 0, byte.isBlank { return position }
        }
      }
      position += 1
    }
    return end
  }
}

// MARK: Signs of other languages

extension LooseStatement {
  /// The text with the dashes and quotes that the shell knows in place of typographic ones, and
  /// `1..3` in place of `{1..3}`.
  var withPlainSigns: String {
    var result = ""
    var isWordStart = true
    for character in text {
      switch character {
      case "–", "—", "―", "‐", "‑", "−": result += isWordStart ? "--" : "-"
      case "“", "”", "„": result += "\""
      case "‘", "’": result += "'"
      case "\u{A0}", "\u{202F}": result += " "
      default: result.append(character)
      }
      isWordStart = character.isWhitespace
    }
    return result.replacing(/(^|\s)\{(-?\d+)\.\.(-?\d+)\}/) { "\($0.1)\($0.2)..\($0.3)" }
      .replacing(/([\w-])\{-?\d+\.\.-?\d+\}/) { "\($0.1)*" }
      .replacing(/\$\{(\w+):-([^}]*)\}/) { "${\($0.1) ?? \($0.2)}" }
      .replacing(/\$\(\(([^()]*)\)\)/) { match in
        "(\(match.1.replacing(/\s*([-+*\/%])\s*/) { " \($0.1) " }))"
      }
  }

  /// Returns the words without the signs of other languages: `q1.cancel()`, `cancel(q1)`,
  /// `[q1, a1]`, `#3` and `a=1` are words in a row.
  ///
  /// - Parameter isName: Whether a word names something that exists.
  /// - Returns: The words.
  func plainWords(_ isName: (String) -> Bool) -> [String] {
    guard let plain = LooseStatement(around: 0, inLine: withPlainSigns) else { return words }
    return plain.words.flatMap { Self.plainWords(of: $0, isName) }
  }

  private static func plainWords(of word: String, _ isName: (String) -> Bool) -> [String] {
    guard let first = word.first, !"'\"$({!".contains(first), !word.contains("://") else {
      return [word]
    }
    if let match = word.wholeMatch(of: /([A-Za-z][\w.-]*)\((.*)\)/) {
      let arguments = match.2.split(separator: ",").map {
        String($0).trimmingPrefix(while: \.isWhitespace)
      }
      return pathWords(String(match.1)) + arguments.flatMap { plainWords(of: String($0), isName) }
    }
    if let match = word.wholeMatch(of: /[#%@](\d+)/) { return [String(match.1)] }
    if let match = word.wholeMatch(of: /([A-Za-z][\w-]*)=(.+)/) {
      return [String(match.1), String(match.2)]
    }
    if let match = word.wholeMatch(of: /([A-Za-z][\w-]*)\.([A-Za-z]\w*)/), isName(String(match.1)) {
      return pathWords(word)
    }
    if let match = word.wholeMatch(of: /\[?([\w*-]+)[\],…:]*/), match.0 != match.1 {
      return [String(match.1)]
    }
    return [word]
  }

  private static func pathWords(_ path: String) -> [String] {
    path.split(separator: ".").map { String($0) }
  }
}
