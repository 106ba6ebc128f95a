/// Follows quotes, braces, parentheses and comments byte by byte, without understanding more.
///
/// It finds the end of a statement that cannot be read, tells a reader of lines whether a
/// statement can be complete, and tells completion what the cursor is inside of.
struct LexicalScanner {
  enum Context: Sendable, Hashable {
    case brace, parenthesis, interpolation, doubleQuote, singleQuote, comment
  }

  private(set) var stack: [Context] = []
  /// Whether a closing sign has been seen that fits nothing.
  private(set) var hasMismatch = false
  private var isAtWordStart = true
  private var isBackslashPending = false
  private var isReturnPending = false
  private var isDollarPending = false
  private var isAtStatementStart = true
  private var letProgress = LetProgress.none

  /// How much of `let NAME =` has been read, which `!` can follow too.
  private enum LetProgress: Hashable {
    case none
    case letters(Int)
    case name
    case value
  }

  /// The text after `!`, which /bin/sh reads.
  private var shellLine: ShellLine?

  var isContinued: Bool { isBackslashPending || shellLine?.isEscaped == true }

  /// Whether the text so far ends outside everything.
  var isBalanced: Bool {
    (stack.isEmpty || stack == [.comment]) && shellLine?.quote == nil
  }

  /// Whether nothing but parentheses is open, which a closing brace ends too.
  var isOnlyInParentheses: Bool {
    shellLine == nil && !stack.isEmpty && stack.allSatisfy { $0 == .parenthesis }
  }

  mutating func advance(_ byte: UInt8) {
    if shellLine != nil {
      if shellLine?.ends(before: byte) == false {
        shellLine?.advance(byte)
        return
      }
      shellLine = nil
      isAtWordStart = true
    }
    switch stack.last {
    case .singleQuote: if byte == .quote { close() }
    case .doubleQuote: advanceInDoubleQuote(byte)
    case .comment:
      if byte == .newline {
        stack.removeLast()
        isAtWordStart = true
        isAtStatementStart = stack.isEmpty || stack.last == .brace
      }
    default: advanceInCode(byte)
    }
  }

  private mutating func close() {
    stack.removeLast()
    isAtWordStart = false
  }

  private mutating func advanceInDoubleQuote(_ byte: UInt8) {
    if isBackslashPending {
      isBackslashPending = false
      return
    }
    let followsDollar = isDollarPending
    isDollarPending = false
    switch byte {
    case .backslash: isBackslashPending = true
    case .doubleQuote: close()
    case .dollar: isDollarPending = true
    case .openBrace where followsDollar: open(.interpolation)
    default: break
    }
  }

  private mutating func open(_ context: Context) {
    stack.append(context)
    isAtWordStart = context != .doubleQuote && context != .singleQuote
  }

  private mutating func advanceInCode(_ byte: UInt8) {
    if isBackslashPending {
      if byte == .carriageReturn && !isReturnPending {
        isReturnPending = true
        return
      }
      // A continuation leaves the start of a word one.
      if byte != .newline { isAtWordStart = isReturnPending }
      isBackslashPending = false
      isReturnPending = false
      if byte == .newline { return }
    }
    let followsDollar = isDollarPending
    isDollarPending = false
    if isAtStatementStart || letProgress == .value, byte == .exclamation {
      shellLine = ShellLine(isInBlock: stack.last == .brace)
      isAtStatementStart = false
      letProgress = .none
      return
    }
    noteLet(byte)
    noteStatementStart(byte, followsDollar)
    switch byte {
    case .backslash: isBackslashPending = true
    case .hash where isAtWordStart: stack.append(.comment)
    case .quote: open(.singleQuote)
    case .doubleQuote: open(.doubleQuote)
    case .dollar:
      isDollarPending = true
      isAtWordStart = false
    case .openBrace: open(followsDollar ? .interpolation : .brace)
    case .openParenthesis: open(.parenthesis)
    case .closeParenthesis:
      if stack.last == .parenthesis { stack.removeLast() } else { hasMismatch = true }
      isAtWordStart = true
    case .closeBrace:
      closeBrace()
      isAtWordStart = true
    case .comma, .openBracket:
      isAtWordStart = stack.last == .parenthesis || stack.last == .interpolation
    default: isAtWordStart = byte.endsWord
    }
  }

  /// Follows `let NAME =` from the start of a statement.
  private mutating func noteLet(_ byte: UInt8) {
    switch letProgress {
    case .none: if isAtStatementStart, byte == Self.letters[0] { letProgress = .letters(1) }
    case .letters(let count):
      if count < Self.letters.count {
        letProgress = byte == Self.letters[count] ? .letters(count + 1) : .none
      } else {
        letProgress = byte.isBlank ? .name : .none
      }
    case .name:
      if byte == .equals {
        letProgress = .value
      } else if !byte.isBlank, !byte.isNamePart {
        letProgress = .none
      }
    case .value: if !byte.isBlank { letProgress = .none }
    }
  }

  private static let letters = Array("let".utf8)

  /// Whether a statement can begin after a byte of code.
  private mutating func noteStatementStart(_ byte: UInt8, _ followsDollar: Bool) {
    switch byte {
    case .newline, .semicolon: isAtStatementStart = stack.isEmpty || stack.last == .brace
    case .openBrace: isAtStatementStart = !followsDollar
    case _ where byte.isBlank: break
    default: isAtStatementStart = false
    }
  }

  /// A brace closes whatever parentheses were left open inside it.
  private mutating func closeBrace() {
    while stack.last == .parenthesis {
      hasMismatch = true
      stack.removeLast()
    }
    if stack.isEmpty { hasMismatch = true } else { stack.removeLast() }
  }
}

extension ScriptParser {
  /// Moves from the start of a statement that cannot be read to just after its end.
  mutating func skipStatement(from start: Int, inBlock: Bool) {
    var scanner = LexicalScanner()
    position = start
    while let byte = current {
      if scanner.isBalanced, !scanner.isContinued {
        if byte == .newline || (byte == .semicolon && scanner.stack.isEmpty) { return }
        if byte == .closeBrace, inBlock, scanner.stack.isEmpty { return }
      }
      if byte == .closeBrace, inBlock, scanner.isOnlyInParentheses { return }
      scanner.advance(byte)
      position += 1
    }
    if !scanner.isBalanced { isIncomplete = true }
  }
}
