extension ScriptParser {
  /// Reads `| program …`, `> file` and `>> file` at the end of a command.
  mutating func parseRedirection() throws(ParseFailure) -> RedirectionSyntax? {
    skipBlanks()
    let start = position
    var programs: [[Argument]] = []
    while current == .bar {
      let bar = position
      position += 1
      try refuseErrorPipe(at: bar)
      var words: [Argument] = []
      while true {
        let gap = position
        skipBlanks()
        if isAtArgumentEnd { break }
        if gap == position, !words.isEmpty { throw missingSpace() }
        let argument = try parseArgument()
        if case .block(let block) = argument {
          throw failure(.unexpectedBlock, "a program takes no block", block.range)
        }
        words.append(argument)
      }
      if words.isEmpty {
        throw failure(
          .missingProgram, "expected the name of a program after '|'", range(bar, bar + 1))
      }
      programs.append(words)
    }
    guard current == .greater else {
      if programs.isEmpty { return nil }
      return RedirectionSyntax(
        programs: programs, file: nil, isAppending: false, range: range(start, endOfLast(start)))
    }
    let sign = position
    position += 1
    let isAppending = current == .greater
    if isAppending { position += 1 }
    try refuseDescriptors(around: sign)
    skipBlanks()
    try refuseDescriptorFile(after: sign)
    if isAtArgumentEnd || current == .openBrace {
      throw failure(
        .missingFile,
        "expected the path of a file after '\(text(sign, sign + (isAppending ? 2 : 1)))'",
        range(sign, sign + (isAppending ? 2 : 1)))
    }
    let file = try parseArgument()
    let syntax = RedirectionSyntax(
      programs: programs, file: file, isAppending: isAppending, range: range(start, position))
    skipBlanks()
    try refuseSecondDescriptor()
    skipTrailingAmpersand()
    if !isAtArgumentEnd || current == .bar || current == .greater {
      // A copied line, at whose beginning the prompt looks like a redirection.
      let isPrompt = ["opsh", "opsh*"].contains {
        start >= $0.utf8.count && text(start - $0.utf8.count, start) == $0
      }
      throw expected(
        .unexpectedText, "the end of the statement after the file",
        help: isPrompt ? Diagnostic.helpForPrompt : nil)
    }
    return syntax
  }

  // MARK: Descriptors of other shells

  /// Refuses `2>`, `2>&1`, `&>` and `>&2`, which choose a descriptor in other shells.
  private func refuseDescriptors(around sign: Int) throws(ParseFailure) {
    var start = sign
    while start > 0, let before = byte(at: start - 1), before.isDigit { start -= 1 }
    if start == sign, start > 0, byte(at: start - 1) == .ampersand { start -= 1 }
    let isBehind = current == .ampersand
    guard start < sign || isBehind else { return }
    let followsWord = start < sign && isInWord(at: start)
    var end = position
    if isBehind {
      end += 1
      while let byte = byte(at: end), byte.isDigit || byte == .minus { end += 1 }
    }
    throw otherShell(
      start, end,
      followsWord
        ? "where '\(text(start, sign))' belongs to the word, write a space before '>'"
        : "'>' takes the command's text alone; '!' runs a whole shell line")
  }

  /// Refuses `> &1`.
  private func refuseDescriptorFile(after sign: Int) throws(ParseFailure) {
    guard current == .ampersand else { return }
    var end = position + 1
    while let byte = byte(at: end), byte.isDigit || byte == .minus { end += 1 }
    guard end > position + 1, byte(at: end)?.endsWord != false else { return }
    throw otherShell(sign, end, "'>' takes the command's text alone; '!' runs a whole shell line")
  }

  /// Refuses `2>&1` after a file.
  private mutating func refuseSecondDescriptor() throws(ParseFailure) {
    var sign = position
    while let byte = byte(at: sign), byte.isDigit || byte == .ampersand { sign += 1 }
    guard sign > position, byte(at: sign) == .greater else { return }
    position = sign + (byte(at: sign + 1) == .greater ? 2 : 1)
    try refuseDescriptors(around: sign)
  }

  /// Refuses `||`, and `|&`, which sends errors through a pipe in other shells.
  private func refuseErrorPipe(at bar: Int) throws(ParseFailure) {
    if byte(at: bar + 1) == .bar { throw refusedOr(at: bar) }
    guard byte(at: bar + 1) == .ampersand else { return }
    throw otherShell(
      bar, bar + 2, "'|' takes the command's text alone; '!' runs a whole shell line")
  }

  /// Whether a word goes on at a place, and does not begin there.
  private func isInWord(at offset: Int) -> Bool {
    guard offset > 0, let before = byte(at: offset - 1) else { return false }
    return !before.endsWord || before == .closeParenthesis
  }

  private func otherShell(_ start: Int, _ end: Int, _ help: String) -> ParseFailure {
    failure(
      .otherShell, "'\(text(start, end))' has no meaning here", range(start, end),
      help: help + "; quoted, it is text")
  }
}

// MARK: Errors that this file raises

extension ErrorPage {
  static let missingProgram = ErrorPage(
    "missing-program", "'|' is not followed by a program",
    "'| PROGRAM ARG…' sends the text of a command through a program of the system.",
    help: "write the name of a program after it", wrong: "ops |", right: "ops | sort")

  static let missingFile = ErrorPage(
    "missing-file", "'>' is not followed by a path",
    "'> FILE' and '>> FILE' send the text of a command to one file.",
    help: "write the path of one file after it", wrong: "echo hello >",
    right: "echo hello > greeting.txt")

  static let otherShell = ErrorPage(
    "other-shell", "An operator of other shells has no meaning here",
    """
    A script stops at the first error by itself, as with '&&', and operations run beside it, as with \
    '&'; 'try' and 'catch' are for what '||' does. '>' and '|' take the text of a command alone, \
    without '2>', '2>&1', '&>' or '|&'. Backquotes are text, with a warning.
    """,
    help: "'!' gives a whole line to the system's shell", wrong: "echo a && echo b",
    right: "echo a; echo b")
}
