/// Splits a text that is being typed into the words of its statements and expressions.
///
/// At its end, the words are those of the innermost statement that is open there, for completion.
struct CompletionScanner {
  /// A word, or a block or expression that stands for one.
  struct Word {
    var start: Int
    var text: String { String(decoding: bytes, as: UTF8.self) }
    var bytes: [UInt8] = []
    /// Where each of the bytes stands in the text; quotes and escapes stand between them.
    var offsets: [Int] = []
    var quote: UInt8?
    /// Where that quote stands.
    var quoteStart = 0
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
    /// Where it was opened; nil for the outermost one.
    var opening: Int?
    /// Whether it stands in `${ … }`, where a name can be a variable's.
    var isInterpolation = false
    var words: [Word] = []
    var current: Word?
    /// What the redirection at the end of a statement leads to.
    var target = Target.none
    /// The text after `!`, in which braces, parentheses and `${` are the system shell's.
    var shellLine: ShellLine?

    /// The property or name on the left of the comparison that the words of an expression end in.
    var comparedProperty: String? {
      guard words.count >= 2, words[words.count - 1].isBare,
        ["==", "!=", "<", "<=", ">", ">="].contains(words[words.count - 1].text)
      else { return nil }
      let left = words[words.count - 2]
      let text = left.text
      return left.isBare && text.first?.isLetter == true ? text : nil
    }
  }

  /// What is open at the start of a line.
  struct LineStart: Equatable {
    /// The sign that was opened last: a quote, a brace, a parenthesis or the backslash before it.
    var sign: UInt8?
    /// The number of open braces and parentheses.
    var depth = 0
    /// Whether the line begins within quotes, where white space is text.
    var isQuoted = false
  }

  private let bytes: [UInt8]
  private(set) var frames = [Frame(kind: .statement)]
  private(set) var isInComment = false
  /// The statements and expressions before the end, and the pieces of one before `|` and `>`.
  private(set) var ended: [Frame] = []
  private(set) var comments: [SourceRange] = []
  /// The texts in quotes that are closed, quotes included.
  private(set) var quoted: [SourceRange] = []
  /// The braces and parentheses that belong together.
  private(set) var pairs: [SourceRange] = []
  /// How each line begins, in order, from the second one on.
  private(set) var lineStarts: [LineStart] = []
  private var isEscaped = false

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var frame: Frame { frames[frames.count - 1] }

  mutating func scan() {
    for index in bytes.indices {
      let wasEscaped = isEscaped || frame.shellLine?.isEscaped == true
      advanceShellLine(bytes[index])
      defer { if bytes[index] == .newline { noteLineStart(wasEscaped) } }
      if isInComment {
        if bytes[index] == .newline {
          isInComment = false
          endStatement()
        } else {
          comments[comments.count - 1] = SourceRange(
            comments[comments.count - 1].lower, index + 1)
        }
      } else if let quote = frame.current?.quote {
        scanQuoted(bytes[index], index, quote)
      } else {
        scanBare(bytes[index], index)
      }
    }
  }

  private mutating func noteLineStart(_ isContinued: Bool) {
    let quote = frame.current?.quote
    var sign = quote ?? frame.opening.map { bytes[$0] }
    if isContinued, quote == nil { sign = .backslash }
    lineStarts.append(LineStart(sign: sign, depth: frames.count - 1, isQuoted: quote != nil))
  }

  /// Where the quotes, braces and parentheses stand that are not closed, the outermost first.
  var openings: [Int] {
    frames.flatMap { frame in
      [frame.opening, frame.current?.quote == nil ? nil : frame.current?.quoteStart]
        .compactMap { $0 }
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
    endWord()
    guard frame.kind == .statement else { return }
    ended.append(frame)
    change { $0 = Frame(kind: .statement, opening: $0.opening) }
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
    if byte == quote {
      quoted.append(SourceRange(frame.current?.quoteStart ?? index, index + 1))
      return change { $0.current?.quote = nil }
    }
    if quote == .doubleQuote, byte == .backslash {
      isEscaped = true
      return
    }
    if quote == .doubleQuote, byte == .openBrace, frame.current?.bytes.last == .dollar,
      frame.shellLine == nil
    {
      return frames.append(Frame(kind: .expression, opening: index, isInterpolation: true))
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
    case .hash where frame.current == nil && !isPosition(at: index):
      isInComment = true
      comments.append(SourceRange(index, index + 1))
    case .quote, .doubleQuote:
      change { frame in
        var word = frame.current ?? Word(start: index)
        word.quote = byte
        word.quoteStart = index
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
      guard let opening = frame.opening else { return }
      ended.append(frame)
      pairs.append(SourceRange(opening, index + 1))
      frames.removeLast()
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
    frames.append(Frame(kind: kind, opening: index, isInterpolation: isInterpolation))
  }

  private mutating func redirect(to target: Frame.Target) {
    endWord()
    ended.append(frame)
    change { frame in
      frame.words = []
      frame.target = target
    }
  }
}
