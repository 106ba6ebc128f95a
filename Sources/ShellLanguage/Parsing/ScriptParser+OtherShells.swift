/// Signs that would be text here without an error, and mean something in other shells or languages.
extension ScriptParser {
  /// Refuses `&&` in a bare word; returns whether it is there.
  mutating func refuseAnd() -> Bool {
    guard byte(at: position + 1) == .ampersand else { return false }
    refuseSign(
      position, position + 2,
      help: "write ';' or a new line between commands; a script stops at the first error")
    return true
  }

  /// Refuses `&` at the end of a command, of a program in its pipe, or of its file; only one.
  mutating func refuseTrailingAmpersand(
    _ arguments: [Argument], _ redirection: RedirectionSyntax?
  ) {
    if arguments.count > 1, refuseTrailingAmpersand(in: arguments.last) { return }
    guard let redirection else { return }
    for words in redirection.programs where refuseTrailingAmpersand(in: words.last) { return }
    guard let file = redirection.file, !refuseTrailingAmpersand(in: file) else { return }
    // After the file only blanks and a lone '&' have been skipped.
    let end = redirection.range.upper - base
    if end < position, let sign = (end..<position).first(where: { bytes[$0] == .ampersand }) {
      refuseBackground(sign)
    }
  }

  /// Refuses `&` at the end of an argument; returns whether it is there.
  @discardableResult
  mutating func refuseTrailingAmpersand(in argument: Argument?) -> Bool {
    guard case .word(let word)? = argument, let last = word.segments.last,
      !last.isQuoted, case .text(let text) = last.content, text.utf8.last == .ampersand,
      !text.hasSuffix("&&")
    else { return false }
    refuseBackground(last.range.upper - base - 1)
    return true
  }

  /// Goes past a `&` that ends the statement; ``refuseTrailingAmpersand(_:_:)`` refuses it.
  mutating func skipTrailingAmpersand() {
    guard current == .ampersand else { return }
    let sign = position
    position += 1
    skipBlanks()
    if !isAtArgumentEnd || current == .bar || current == .greater { position = sign }
  }

  private mutating func refuseBackground(_ sign: Int) {
    refuseSign(
      sign, sign + 1, help: "operations run in the background anyway: 'run PROGRAM'")
  }

  /// The error for `||`.
  func refusedOr(at bar: Int) -> ParseFailure {
    failure(
      .otherShell, "'||' has no special meaning in opsh", range(bar, bar + 2),
      help: "'try { … } catch e { … }' runs something else after an error; quoted, it is text")
  }

  private mutating func refuseSign(_ start: Int, _ end: Int, help: String) {
    report(
      .otherShell, "'\(text(start, end))' has no special meaning in opsh", range(start, end),
      help: help + "; quoted, it is text")
  }

  /// Refuses a backslash that only blanks separate from the end of its line.
  ///
  /// - Returns: Where the next line begins; nil for another backslash.
  mutating func refuseBlanksAfterBackslash() -> Int? {
    var end = position + 1
    while let byte = byte(at: end), byte.isBlank { end += 1 }
    guard end > position + 1, byte(at: end) ?? .newline == .newline else { return nil }
    report(
      .trailingBlank, "the backslash is followed by blanks, so it does not continue the line",
      range(position, position + 1))
    return min(end + 1, bytes.count)
  }

  /// Refuses `[` directly after a variable in a word if the word ends before `]`.
  ///
  /// In quotes it is refused only if an index follows, because other brackets are likely text.
  mutating func refuseUnclosedBracket(after start: Int, isQuoted: Bool) {
    guard current == .openBracket, byte(at: start + 1) != .openBrace else { return }
    if isQuoted {
      let first = byte(at: position + 1) == .minus ? position + 2 : position + 1
      guard let byte = byte(at: first), byte.isDigit || byte == .dollar else { return }
    }
    var end = position
    var braces = 0
    // What is longer is hardly an index, and to look on from each bracket would take too long.
    while end < position + 200, let byte = byte(at: end), byte != .closeBracket {
      if byte == .openBrace, self.byte(at: end - 1) == .dollar { braces += 1 }
      if isQuoted ? byte == .doubleQuote : byte.endsWord && braces == 0 { break }
      if byte == .closeBrace { braces -= 1 }
      end += 1
    }
    guard end < position + 200, byte(at: end) != .closeBracket else { return }
    let name = text(start, position)
    report(
      .unclosedBracket, "this bracket is never closed", range(position, position + 1),
      help: "write \(name)[0] for an element, (\(name)[$i + 1]) for a computed one, or "
        + "\"${\(name.dropFirst())}[\" for text")
  }
}
