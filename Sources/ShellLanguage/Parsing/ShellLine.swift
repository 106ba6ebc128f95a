/// Finds the end of the text after `!`, which /bin/sh reads.
///
/// It ends at a line break, at a `;`, at a comment and at the `}` that closes the block around it,
/// unless these are quoted. A `}` that matches a `{` of the same text, as in `${HOME}`, does not
/// end it. More of sh's grammar is not known here: compound commands belong in `!sh -c '…'`.
struct ShellLine {
  /// The quote that is open.
  private(set) var quote: UInt8?
  /// Whether the last byte is a backslash that quotes the next one.
  private(set) var isEscaped = false
  private var openBraces = 0
  private var isAtWordStart = true
  private let isInBlock: Bool

  init(isInBlock: Bool) { self.isInBlock = isInBlock }

  /// Whether the text ends before a byte.
  func ends(before byte: UInt8) -> Bool {
    if quote != nil || isEscaped { return false }
    switch byte {
    case .newline, .semicolon: return true
    case .hash: return isAtWordStart
    case .closeBrace: return isInBlock && openBraces == 0
    default: return false
    }
  }

  mutating func advance(_ byte: UInt8) {
    isAtWordStart = false
    if isEscaped {
      // A line may end with a carriage return too.
      isEscaped = byte == .carriageReturn
    } else if let open = quote {
      if byte == open { quote = nil }
      isEscaped = byte == .backslash && open == .doubleQuote
    } else {
      switch byte {
      case .backslash: isEscaped = true
      case .quote, .doubleQuote: quote = byte
      case .openBrace: openBraces += 1
      case .closeBrace: openBraces = max(0, openBraces - 1)
      default: isAtWordStart = byte.isBlank
      }
    }
  }
}

extension ShellLine {
  /// A compound command of sh that a text begins and does not end.
  struct Unfinished {
    /// Its first word or sign.
    let opening: String
    /// Where that stands, in bytes from the start of the text.
    let offset: Int
    /// What would end it; nil for a here-document, which ends with a word of its own.
    let closing: String?
  }

  private static let compoundCommands = [
    "for": "done", "while": "done", "until": "done", "if": "fi", "case": "esac", "{": "}",
  ]

  /// Finds a compound command that a `;` or a line break has cut off.
  ///
  /// sh refuses such a text; to say so before anything runs is only a help, so what this does not
  /// find is left to sh.
  static func unfinished(in text: some Sequence<UInt8>) -> Unfinished? {
    // Quoted bytes are no syntax.
    var line = ShellLine(isInBlock: false)
    var bare: [UInt8] = []
    for byte in text {
      let isQuoted = line.quote != nil || line.isEscaped
      line.advance(byte)
      bare.append(isQuoted || line.quote != nil ? UInt8(ascii: "x") : byte)
    }
    let words = bare.split { $0.isBlank || $0 == .newline }.map {
      String(decoding: $0, as: UTF8.self)
    }
    if let first = words.first, let closing = compoundCommands[first], words.last != closing {
      return Unfinished(opening: first, offset: 0, closing: closing)
    }
    var parentheses: [Int] = []
    for (offset, byte) in bare.enumerated() {
      switch byte {
      case .openParenthesis: parentheses.append(offset)
      case .closeParenthesis: _ = parentheses.popLast()
      case .less where parentheses.isEmpty && bare[offset...].starts(with: "<<".utf8):
        // `<<<` is a text for standard input, and stands on one line.
        if bare[offset...].starts(with: "<<<".utf8) || (offset > 0 && bare[offset - 1] == .less) {
          continue
        }
        return Unfinished(opening: "<<", offset: offset, closing: nil)
      default: break
      }
    }
    return parentheses.last.map { Unfinished(opening: "(", offset: $0, closing: ")") }
  }

  /// The names after a `$` in a text, each once.
  ///
  /// Those in single quotes count too: a shell that the text starts may look them up.
  static func variables(in text: String) -> [String] {
    var names: [String] = []
    for piece in text.utf8.split(separator: .dollar, omittingEmptySubsequences: false).dropFirst() {
      var rest = piece
      if rest.first == .openBrace { rest = rest.dropFirst() }
      if rest.count < piece.count, rest.first == .hash { rest = rest.dropFirst() }
      let name = String(decoding: rest.prefix { $0.isNamePart }, as: UTF8.self)
      if rest.first?.isNameStart == true, !names.contains(name) { names.append(name) }
    }
    return names
  }
}

extension ExecutionContext {
  /// The variables that the text of a program names, for its environment.
  ///
  /// - Parameter text: What the system shell is going to read.
  /// - Returns: The values of those that can be seen from here.
  public func variables(namedIn text: String) -> [String: Value] {
    var found: [String: Value] = [:]
    for name in ShellLine.variables(in: text) {
      if let value = variable(name) { found[name] = value }
    }
    return found
  }
}

extension Argument {
  /// Whether it is the text after `!`, which alone counts as quoted without quotes around it.
  var isShellLine: Bool {
    guard case .word(let word) = self, word.segments.count == 1 else { return false }
    return word.segments[0].isQuoted && word.segments[0].range == word.range
  }
}

extension ScriptParser {
  /// Reads `!TEXT`: the command `!`, and the text as its one word.
  mutating func parseShellLine() throws(ParseFailure) -> [Argument] {
    let start = position
    position += 1
    let sign = Word(
      range: range(start, position),
      segments: [
        Word.Segment(content: .text("!"), isQuoted: false, range: range(start, position))
      ])
    while let byte = current, byte.isBlank { position += 1 }
    let first = position
    var line = ShellLine(isInBlock: depth > 0)
    var (quote, backslash): (Int?, Int?)
    while let byte = current, !line.ends(before: byte) {
      let wasInQuote = line.quote != nil
      line.advance(byte)
      if line.quote != nil, !wasInQuote { quote = position }
      if line.isEscaped, byte == .backslash { backslash = position }
      position += 1
    }
    if line.quote != nil, let quote { throw unclosed(.quote, openedAt: quote) }
    if let backslash, position >= bytes.count {
      let length = continuationLength(at: backslash)
      if length > 0, backslash + length >= bytes.count { danglingBackslash = backslash }
    }
    var end = position
    while end > first, bytes[end - 1].isBlank, end - 2 < first || bytes[end - 2] != .backslash {
      end -= 1
    }
    guard end > first else { return [.word(sign)] }
    try refuseUnfinished(from: first, to: end)
    let place = range(first, end)
    let segment = Word.Segment(content: .text(text(first, end)), isQuoted: true, range: place)
    return [.word(sign), .word(Word(range: place, segments: [segment]))]
  }

  /// Refuses a compound command of which the text after `!` holds only the beginning.
  private mutating func refuseUnfinished(from first: Int, to end: Int) throws(ParseFailure) {
    guard let unfinished = ShellLine.unfinished(in: bytes[first..<end]) else { return }
    // What follows on the line belongs to the same command, and is not reported again.
    var reach = ParseFailure.Reach.statement
    let rest = bytes[position...].prefix { $0 != .newline }
    if let closing = unfinished.closing, let found = rest.firstRange(of: Array(closing.utf8)) {
      skipStatement(from: found.upperBound, inBlock: depth > 0)
      reach = .next(position)
    }
    let place = first + unfinished.offset
    throw failure(
      .unclosedProgram, "'!' ends before '\(unfinished.opening)' is complete",
      range(place, place + unfinished.opening.utf8.count),
      help: "'!' ends at a ';' or a line break; put compound commands into !sh -c '…'", reach: reach
    )
  }
}

// MARK: Errors that this file raises

extension ErrorPage {
  static let unclosedProgram = ErrorPage(
    "unclosed-program", "'!' ends before a compound command of sh is complete",
    """
    '!' ends at a line break, at a ';' and at the '}' of its block, unless these are quoted. So \
    'for … done', 'if … fi', 'case … esac', '( … ; … )' and here-documents need quotes around them.
    """,
    help: "put compound commands into !sh -c '…'", wrong: "!for i in 1 2; do echo $i; done",
    right: "!sh -c 'for i in 1 2; do echo $i; done'")
}
