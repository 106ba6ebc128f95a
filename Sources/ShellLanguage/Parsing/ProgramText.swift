/// Follows the text behind `!`, which is the system shell's and not ours, to its end.
///
/// It ends where a statement does, at a line break or `;`, and inside a block in front of the brace
/// that closes it, but not within what the system shell keeps together: quotes, parentheses, braces,
/// and `if … fi`, `for … done`, `case … esac`, on one line or several.
struct ProgramText {
  /// The signs that are still to be closed.
  private(set) var open: [UInt8] = []
  /// Whether a backslash was the last byte.
  private(set) var isEscaped = false
  private var followsDollar = false
  private var isAtWordStart = true
  private var isInComment = false
  /// Where a word would be the name of a command, or a keyword.
  private var isAtCommand = true
  private var word: [UInt8] = []
  /// The words that began what is still to be ended by a word.
  private(set) var constructs: [String] = []
  private let isInBlock: Bool

  init(isInBlock: Bool) { self.isInBlock = isInBlock }

  /// Whether nothing is open, by a sign or by a word.
  var isComplete: Bool { open.isEmpty && constructs.isEmpty }

  /// Whether the text could end here.
  var isBalanced: Bool { open.isEmpty && !isEscaped }

  /// Whether the text ends in front of a byte.
  mutating func ends(before byte: UInt8) -> Bool {
    guard isBalanced, !isInComment else { return false }
    switch byte {
    case .newline, .semicolon:
      endWord()
      return constructs.isEmpty
    case .hash: return isAtWordStart && constructs.isEmpty
    case .closeBrace: return isInBlock
    default: return false
    }
  }

  mutating func advance(_ byte: UInt8) {
    let followsDollar = self.followsDollar
    self.followsDollar = false
    if isInComment {
      if byte == .newline {
        isInComment = false
        startWord(isAtCommand: true)
      }
      return
    }
    if isEscaped {
      // A line may end with a carriage return too.
      isEscaped = byte == .carriageReturn
      return
    }
    if open.last == .quote {
      if byte == .quote { open.removeLast() }
      return
    }
    switch byte {
    case .backslash:
      isEscaped = true
      leaveWordStart()
    case .dollar:
      self.followsDollar = true
      leaveWordStart()
    case .doubleQuote, .backtick:
      if open.last == byte { open.removeLast() } else { open.append(byte) }
      leaveWordStart()
    case .openParenthesis where open.last != .doubleQuote || followsDollar,
      .openBrace where open.last != .doubleQuote || followsDollar:
      open.append(byte)
      startWord(isAtCommand: true)
    case .closeParenthesis where open.last == .openParenthesis,
      .closeBrace where open.last == .openBrace:
      open.removeLast()
      leaveWordStart()
    default:
      if open.last != .doubleQuote { advanceInCode(byte) }
    }
  }

  private mutating func advanceInCode(_ byte: UInt8) {
    switch byte {
    case .quote:
      open.append(byte)
      leaveWordStart()
    case .hash where isAtWordStart: isInComment = true
    case .newline, .semicolon, .bar, UInt8(ascii: "&"), .closeParenthesis:
      endWord()
      startWord(isAtCommand: true)
    case _ where byte.isBlank:
      endWord()
      isAtWordStart = true
    default:
      isAtWordStart = false
      if isAtCommand, word.count < 8 { word.append(byte) }
    }
  }

  private mutating func startWord(isAtCommand: Bool) {
    isAtWordStart = true
    self.isAtCommand = isAtCommand
    word = []
  }

  /// The word is none of the keywords, whatever is still to come of it.
  private mutating func leaveWordStart() {
    isAtWordStart = false
    isAtCommand = false
    word = []
  }

  /// A word is whole: counts what it opens or closes.
  mutating func endWord() {
    guard isAtCommand, !word.isEmpty else { return }
    let text = String(decoding: word, as: UTF8.self)
    word = []
    isAtCommand = false
    // In parentheses and the like a semicolon ends nothing anyway.
    guard open.isEmpty else { return }
    switch text {
    case "if", "while", "until": constructs.append(text)
    case "for", "case", "select":
      constructs.append(text)
      return
    case "fi", "done", "esac":
      _ = constructs.popLast()
      return
    case "then", "else", "elif", "do", "!": break
    default: return
    }
    isAtCommand = true
  }
}

extension UInt8 {
  static let backtick = UInt8(ascii: "`")
}

extension ProgramText {
  /// The names behind a `$` that the system shell would look up, in the order of the text.
  ///
  /// What stands in single quotes it takes as it is.
  ///
  /// - Parameter text: The text behind `!`.
  /// - Returns: Each name once.
  static func variables(in text: String) -> [String] {
    let bytes = Array(text.utf8)
    var names: [String] = []
    var scanner = ProgramText(isInBlock: false)
    for (index, byte) in bytes.enumerated() {
      let isLiteral = scanner.open.last == .quote || scanner.isEscaped || scanner.isInComment
      scanner.advance(byte)
      guard byte == .dollar, !isLiteral else { continue }
      var start = index + 1
      if start < bytes.count, bytes[start] == .openBrace { start += 1 }
      // `${#name}` is the length of one.
      if start > index + 1, start < bytes.count, bytes[start] == .hash { start += 1 }
      guard start < bytes.count, bytes[start].isNameStart else { continue }
      let name = String(decoding: bytes[start...].prefix { $0.isNamePart }, as: UTF8.self)
      if !names.contains(name) { names.append(name) }
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
    for name in ProgramText.variables(in: text) {
      if let value = variable(name) { found[name] = value }
    }
    return found
  }
}

extension Argument {
  /// Whether it is what stands behind `!`, which alone counts as quoted without quotes around it.
  var isProgramText: Bool {
    guard case .word(let word) = self, word.segments.count == 1 else { return false }
    return word.segments[0].isQuoted && word.segments[0].range == word.range
  }
}

extension ScriptParser {
  /// Reads `!PROGRAM …`: the command `!`, and the rest of the statement as its one word.
  mutating func parseProgram() throws(ParseFailure) -> [Argument] {
    let start = position
    position += 1
    let sign = Word(
      range: range(start, position),
      segments: [
        Word.Segment(content: .text("!"), isQuoted: false, range: range(start, position))
      ])
    while let byte = current, byte.isBlank { position += 1 }
    let first = position
    var scanner = ProgramText(isInBlock: depth > 0)
    // Where each of the open signs stands, and the last backslash that means something.
    var places: [Int] = []
    var backslash: Int?
    // Where each of the words stands that are still to be ended by another.
    var words: [Int] = []
    while let byte = current, !scanner.ends(before: byte) {
      scanner.advance(byte)
      if byte == .backslash, scanner.isEscaped { backslash = position }
      if scanner.open.count > places.count {
        places.append(position)
      } else if scanner.open.count < places.count {
        places.removeLast()
      }
      if let word = scanner.constructs.last, scanner.constructs.count > words.count {
        words.append(position - word.utf8.count)
      } else if scanner.constructs.count < words.count {
        words.removeLast()
      }
      position += 1
    }
    if let sign = scanner.open.last, let place = places.last {
      let what =
        switch sign {
        case .openBrace: "brace"
        case .openParenthesis: "parenthesis"
        default: "quote"
        }
      throw unclosed(what, openedAt: place)
    }
    scanner.endWord()
    if let word = scanner.constructs.last {
      // The last word of all may be the one that begins it.
      if scanner.constructs.count > words.count { words.append(position - word.utf8.count) }
      throw unended(word, at: words[scanner.constructs.count - 1])
    }
    if let backslash, position >= bytes.count {
      let length = continuationLength(at: backslash)
      if length > 0, backslash + length >= bytes.count { danglingBackslash = backslash }
    }
    var end = position
    while end > first, bytes[end - 1].isBlank, end - 2 < first || bytes[end - 2] != .backslash {
      end -= 1
    }
    guard end > first else { return [.word(sign)] }
    let place = range(first, end)
    let segment = Word.Segment(content: .text(text(first, end)), isQuoted: true, range: place)
    return [.word(sign), .word(Word(range: place, segments: [segment]))]
  }

  private mutating func unended(_ word: String, at offset: Int) -> ParseFailure {
    isIncomplete = true
    let ends = ["if": "fi", "case": "esac"]
    return failure(
      "unclosed-program", "'\(word)' is never ended", range(offset, offset + word.utf8.count),
      help: "the system's shell ends it with '\(ends[word] ?? "done")'", reach: .end)
  }
}
