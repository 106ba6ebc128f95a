extension ScriptFormatter {
  /// What a line is made of: words and blocks with blanks between them.
  struct Piece {
    enum Content {
      case text(String)
      case block(Block)
    }

    let content: Content
    /// Whether no blank stands before it.
    var isAttached = false
    /// Whether the line can be broken before it.
    var isBreakable = false

    var block: Block? {
      if case .block(let block) = content { return block }
      return nil
    }

    static func text(_ text: String) -> Piece { Piece(content: .text(text)) }
    static func block(_ block: Block) -> Piece { Piece(content: .block(block)) }
  }

  /// The words and blocks of a statement in their canonical form.
  func pieces(of statement: Statement) -> [Piece] {
    let start = statement.range.lower
    switch statement.kind {
    case .command(let command): return pieces(of: command)
    case .expression(_, let redirection):
      return [.text(parenthesized(at: start))] + pieces(of: redirection)
    case .assignment(let assignment):
      let head = Piece.text("let \(assignment.name.text) =")
      switch assignment.source {
      case .command(let command): return [head] + pieces(of: command)
      case .value(let argument): return [head, piece(of: argument)]
      }
    case .conditional(let clauses, let otherwise): return pieces(of: clauses, otherwise, start)
    case .whileLoop(_, let block):
      return [.text("while"), .text(condition(from: start + 5)), .block(block)]
    case .repeatLoop(let count, let block):
      return [.text("repeat"), piece(of: count), .block(block)]
    case .forLoop(let name, let items, let block):
      return [.text("for \(name.text) in")] + items.map { piece(of: $0) } + [.block(block)]
    case .definition(let definition): return pieces(of: definition)
    case .returning(let argument):
      return [.text("return")] + (argument.map { [piece(of: $0)] } ?? [])
    case .breaking: return [.text("break")]
    case .continuing: return [.text("continue")]
    case .attempt(let block, let name, let handler):
      return [.text("try"), .block(block), .text("catch \(name.text)"), .block(handler)]
    case .invalid: return [.text(text(start, statement.range.upper))]
    }
  }

  private func pieces(
    of clauses: [ConditionalClause], _ otherwise: Block?, _ start: Int
  ) -> [Piece] {
    var pieces: [Piece] = []
    var position = start + 2
    for (index, clause) in clauses.enumerated() {
      pieces.append(.text(index == 0 ? "if" : "else if"))
      pieces.append(.text(condition(from: position)))
      pieces.append(.block(clause.block))
      position = clause.block.range.upper
    }
    if let otherwise { pieces += [.text("else"), .block(otherwise)] }
    return pieces
  }

  private func pieces(of definition: Definition) -> [Piece] {
    let parameters = definition.parameters.map { parameter in
      guard let standard = parameter.standard, case .text(let value) = piece(of: standard).content
      else { return Piece.text(parameter.name.text) }
      return Piece.text("\(parameter.name.text)=\(value)")
    }
    return [.text("def \(definition.name.text)")] + parameters + [.block(definition.block)]
  }

  private func pieces(of command: CommandStatement) -> [Piece] {
    var pieces: [Piece] = []
    for (index, argument) in command.arguments.enumerated() {
      var piece = piece(of: argument)
      // `!ls` is one word to the eye.
      piece.isAttached = argument.isShellLine
      piece.isBreakable = index > 0 && !piece.isAttached
      pieces.append(piece)
    }
    return pieces + self.pieces(of: command.redirection)
  }

  private func pieces(of redirection: RedirectionSyntax?) -> [Piece] {
    guard let redirection else { return [] }
    var pieces: [Piece] = []
    for words in redirection.programs {
      for (index, word) in words.enumerated() {
        pieces.append(
          Piece(content: .text((index == 0 ? "| " : "") + text(of: word)), isBreakable: true))
      }
    }
    if let file = redirection.file {
      let sign = redirection.isAppending ? ">> " : "> "
      pieces.append(Piece(content: .text(sign + text(of: file)), isBreakable: true))
    }
    return pieces
  }

  private func piece(of argument: Argument) -> Piece {
    if case .block(let block) = argument { return .block(block) }
    return .text(text(of: argument))
  }

  /// An argument that is not a block, as it is written.
  private func text(of argument: Argument) -> String {
    switch argument {
    case .word(let word): text(of: word)
    case .block: text(argument.range.lower, argument.range.upper)
    case .expression(_, let range): parenthesized(at: range.lower)
    case .assignedExpression(let head, _, _):
      text(head.range.lower, head.range.upper) + parenthesized(at: head.range.upper)
    }
  }

  /// A word as it is written, but for the blanks in `${ 1 + 2 }`.
  private func text(of word: Word) -> String {
    guard word.constant == nil else { return text(word.range.lower, word.range.upper) }
    var result = ""
    var position = word.range.lower
    for segment in word.segments {
      guard case .expression = segment.content else { continue }
      result += text(position, segment.range.lower)
      result += spaced(from: segment.range.lower, to: segment.range.upper)
      position = segment.range.upper
    }
    return result + text(position, word.range.upper)
  }

  /// The condition in parentheses that is the next thing after a place.
  private func condition(from offset: Int) -> String {
    var position = offset
    while position < bytes.count, bytes[position] != .openParenthesis { position += 1 }
    return parenthesized(at: position)
  }

  /// The expression in the parentheses that open at a place, with one blank between its words.
  ///
  /// One with a comment in it is left as it is: nothing on its lines can move.
  private func parenthesized(at open: Int) -> String { spaced(from: open) }

  /// The code that ends at a place, or where what opens at its beginning is closed, with one blank
  /// between its words.
  private func spaced(from open: Int, to end: Int? = nil) -> String {
    var scanner = LexicalScanner()
    var result: [UInt8] = []
    var hasGap = false
    var position = open
    var hasComment = false
    while position < end ?? bytes.count {
      let byte = bytes[position]
      let isCode = !scanner.stack.contains { $0 == .doubleQuote || $0 == .singleQuote }
      if isCode, byte == .hash, position == 0 || bytes[position - 1] != .dollar {
        hasComment = true
      }
      let isGap = byte.isBlank || byte == .newline || isContinuation(at: position)
      if isCode, isGap {
        hasGap = true
      } else {
        if isCode { addGap(before: byte, hasGap, to: &result) }
        hasGap = false
        result.append(byte)
      }
      scanner.advance(byte)
      position += 1
      if end == nil, scanner.stack.isEmpty { break }
    }
    return hasComment ? text(open, position) : String(decoding: result, as: UTF8.self)
  }

  private func isContinuation(at offset: Int) -> Bool {
    guard bytes[offset] == .backslash, offset + 1 < bytes.count else { return false }
    if bytes[offset + 1] == .newline { return true }
    return bytes[offset + 1] == .carriageReturn && offset + 2 < bytes.count
      && bytes[offset + 2] == .newline
  }

  private func addGap(before byte: UInt8, _ hasGap: Bool, to result: inout [UInt8]) {
    guard let last = result.last else { return }
    if last == .comma { return result.append(0x20) }
    guard hasGap, last != .openParenthesis, last != .openBracket, last != .openBrace,
      byte != .closeParenthesis, byte != .closeBracket, byte != .closeBrace, byte != .comma
    else { return }
    result.append(0x20)
  }
}
