/// Splits what stands before the cursor into the words of the innermost statement.
struct CompletionScanner {
  /// A word, or a block or expression that stands for one.
  struct Word {
    var start: Int
    var text: String { String(decoding: bytes, as: UTF8.self) }
    var bytes: [UInt8] = []
    /// Where each of the bytes stands in the text; quotes and escapes stand between them.
    var offsets: [Int] = []
    var quote: UInt8?
    var isBare = true
    /// How many bytes stand before the first quote.
    var bareCount = Int.max

    /// Whether it is the name of an option, perhaps with a value, which may be quoted.
    var isOption: Bool {
      guard bytes.first == .minus, bytes.count > 1 else { return false }
      return isBare || (bytes.firstIndex(of: .equals) ?? Int.max) < bareCount
    }
  }

  /// One open statement or expression.
  struct Frame {
    enum Kind { case statement, expression }
    enum Target { case none, program, file }

    let kind: Kind
    /// Whether it stands in `${ … }`, where a name can be a variable's.
    var isInterpolation = false
    var words: [Word] = []
    var current: Word?
    /// What the redirection at the end of a statement leads to.
    var target = Target.none
    /// The text after `!`, in which braces, parentheses and `${` are the system shell's.
    var shellLine: ShellLine?
  }

  private let bytes: [UInt8]
  private(set) var frames = [Frame(kind: .statement)]
  private(set) var isInComment = false
  private var isEscaped = false

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var frame: Frame { frames[frames.count - 1] }

  mutating func scan() {
    for index in bytes.indices {
      advanceShellLine(bytes[index])
      if isInComment {
        if bytes[index] == .newline {
          isInComment = false
          endStatement()
        }
      } else if let quote = frame.current?.quote {
        scanQuoted(bytes[index], index, quote)
      } else {
        scanBare(bytes[index], index)
      }
    }
  }

  private mutating func advanceShellLine(_ byte: UInt8) {
    guard let line = frame.shellLine else { return }
    change { frame in
      if line.ends(before: byte) { frame.shellLine = nil } else { frame.shellLine?.advance(byte) }
    }
  }

  private mutating func change(_ body: (inout Frame) -> Void) { body(&frames[frames.count - 1]) }

  private mutating func endWord() {
    change { frame in
      if let word = frame.current { frame.words.append(word) }
      frame.current = nil
    }
  }

  private mutating func endStatement() {
    guard frame.kind == .statement else { return endWord() }
    change { $0 = Frame(kind: .statement) }
  }

  private mutating func append(_ byte: UInt8, _ index: Int) {
    change { frame in
      // In place: a copy for each byte would take the square of the length.
      if frame.current == nil { frame.current = Word(start: index) }
      frame.current?.bytes.append(byte)
      frame.current?.offsets.append(index)
    }
  }

  private mutating func scanQuoted(_ byte: UInt8, _ index: Int, _ quote: UInt8) {
    if isEscaped {
      isEscaped = false
      return append(byte, index)
    }
    if byte == quote { return change { $0.current?.quote = nil } }
    if quote == .doubleQuote, byte == .backslash {
      isEscaped = true
      return
    }
    if quote == .doubleQuote, byte == .openBrace, frame.current?.bytes.last == .dollar,
      frame.shellLine == nil
    {
      return frames.append(Frame(kind: .expression, isInterpolation: true))
    }
    append(byte, index)
  }

  private mutating func scanBare(_ byte: UInt8, _ index: Int) {
    if isEscaped {
      isEscaped = false
      if byte == .newline { return }
      append(.backslash, index)
    }
    switch byte {
    case .backslash: isEscaped = true
    case .newline, .semicolon: endStatement()
    case _ where byte.isBlank: endWord()
    case .comma where frame.kind == .expression: endWord()
    case .hash where frame.current == nil && !isPosition(at: index): isInComment = true
    case .quote, .doubleQuote:
      change { frame in
        var word = frame.current ?? Word(start: index)
        word.quote = byte
        word.isBare = false
        word.bareCount = min(word.bareCount, word.bytes.count)
        frame.current = word
      }
    case .openBrace, .openParenthesis, .closeBrace, .closeParenthesis:
      if frame.shellLine == nil { scanBracket(byte, index) } else { append(byte, index) }
    case .exclamation
    where frame.kind == .statement && frame.current == nil && isAtCommand
      && frame.target == .none:
      // Up to the end of the statement all is the system shell's.
      redirect(to: .program)
      let isInBlock = frames.count > 1
      change { $0.shellLine = ShellLine(isInBlock: isInBlock) }
    case .bar where frame.kind == .statement: redirect(to: .program)
    case .greater where frame.kind == .statement: redirect(to: .file)
    default: append(byte, index)
    }
  }

  /// Whether a word begins that is the position of `at #120`.
  private func isPosition(at index: Int) -> Bool {
    frame.kind == .statement && frame.words.count == 1
      && frame.words[0].text == LogPositionWord.command && index + 1 < bytes.count
      && LogPositionWord.begins(with: bytes[index + 1])
  }

  private mutating func scanBracket(_ byte: UInt8, _ index: Int) {
    switch byte {
    case .openBrace where frame.current?.bytes.last == .dollar, .openParenthesis:
      open(.expression, index)
    case .openBrace: open(.statement, index)
    default:
      endWord()
      if frames.count > 1 { frames.removeLast() }
    }
  }

  /// Whether the next word begins a command: that of the statement, or of `let NAME =`.
  private var isAtCommand: Bool {
    let words = frame.words
    return words.isEmpty
      || (words.count == 3 && words[0].isBare && words[0].text == "let" && words[2].text == "=")
  }

  private mutating func open(_ kind: Frame.Kind, _ index: Int) {
    let isInterpolation = bytes[index] == .openBrace && frame.current?.bytes.last == .dollar
    if kind == .statement || frame.current?.bytes.last != .dollar {
      endWord()
      // What is opened counts as one word of the statement around it.
      let mark: [UInt8] = kind == .statement ? [.openBrace] : [.openParenthesis]
      change { $0.words.append(Word(start: index, bytes: mark, isBare: false)) }
    }
    frames.append(Frame(kind: kind, isInterpolation: isInterpolation))
  }

  private mutating func redirect(to target: Frame.Target) {
    endWord()
    change { frame in
      frame.words = []
      frame.target = target
    }
  }
}
