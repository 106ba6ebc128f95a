/// The second half of a long text, which another thread reads while the parser reads the first.
///
/// Between two statements of the top level, what stands further up does not matter to the parser
/// any more. If it comes to the beginning of the second half just there, it takes over what was
/// read; if that place turns out to be inside of something, what was read means nothing.
struct ReadAhead: Sendable {
  /// What reading to the end of the text gave.
  struct Findings: Sendable {
    var statements: [Statement] = []
    let diagnostics: [Diagnostic]
    let isIncomplete: Bool
    let deepest: Int
    let danglingBackslash: Int?
  }

  /// Shorter texts are read sooner than a thread is there.
  private static let minimumByteCount = 64 * 1024

  /// Where the second half begins.
  let start: Int
  private let outcome: RoomyStack.Outcome<Findings?>

  /// Begins to read the second half of a text.
  ///
  /// - Parameter source: The text; if it is short, or has no line in its second half that looks
  ///   like the beginning of a statement, there is nothing to be gained.
  init?(_ source: SourceText) {
    guard source.count >= Self.minimumByteCount,
      let start = Self.lineStart(in: source.text, behind: source.count / 2)
    else { return nil }
    self.start = start
    outcome = RoomyStack.start {
      var parser = ScriptParser(
        source, range: SourceRange(start, source.count),
        stack: StackGuard(budget: RoomyStack.budget))
      return parser.findings()
    }
  }

  /// Waits for what was found; nil if the text is nested too deeply.
  func findings() -> Findings? { outcome.value() }

  /// The next line that begins with a letter: what is inside of something is mostly indented.
  private static func lineStart(in text: String, behind middle: Int) -> Int? {
    let bytes = text.utf8
    var offset = middle
    var followsBreak = false
    for byte in bytes[bytes.index(bytes.startIndex, offsetBy: middle)...] {
      if followsBreak, byte.isLetter { return offset }
      followsBreak = byte == .newline
      offset += 1
    }
    return nil
  }
}

extension ScriptParser {
  /// Reads to the end of the text, for a parser that comes from further up.
  fileprivate mutating func findings() -> ReadAhead.Findings? {
    var statements: [Statement] = []
    do throws(ParseFailure) {
      try parseStatements(inBlock: false, into: &statements)
    } catch {
      // Only a stack that is too small ends reading the top level early.
      return nil
    }
    return ReadAhead.Findings(
      statements: statements, diagnostics: diagnostics, isIncomplete: isIncomplete,
      deepest: deepest, danglingBackslash: danglingBackslash.map { $0 + base })
  }

  /// Takes over what another thread has read, if it began just here.
  ///
  /// - Returns: Whether it did, so that nothing is left to be read.
  mutating func takeOver(from ahead: ReadAhead, into statements: inout [Statement]) -> Bool {
    self.ahead = nil
    guard position + base == ahead.start, let found = ahead.findings() else { return false }
    statements += found.statements
    diagnostics += found.diagnostics
    isIncomplete = isIncomplete || found.isIncomplete
    deepest = max(deepest, found.deepest)
    danglingBackslash = found.danglingBackslash.map { $0 - base } ?? danglingBackslash
    position = bytes.count
    return true
  }
}
