/// A text that is being typed, told apart for its colours: it may be incomplete, and wrong.
///
/// It says what the words would be; what is wrong with them, ``Checker`` finds in ``closed``.
///
/// ```swift
/// let typed = TypedText("queue pause \"ne", catalog: catalog)
/// typed.parts.map(\.role)  // [.command, .string]
/// typed.openings           // [12]
/// typed.closed             // "queue pause \"ne\""
/// ```
public struct TypedText: Sendable {
  /// The meaning of a stretch of the text.
  public enum Role: Sendable, Hashable {
    /// The words of a command, also those of a definition, an alias or a function.
    case command
    /// A word of the language.
    case keyword
    /// The name of an option.
    case option
    /// A text in quotes.
    case string
    /// A variable, or the name of a new one.
    case variable
    /// A literal: a number, a duration, a size, `true`.
    case value
    /// Another word that may be a name of something that the host knows.
    case word
    /// A comment.
    case comment
  }

  /// A stretch with one meaning.
  public struct Part: Sendable, Hashable {
    /// Where it stands, in UTF-8 offsets.
    public let range: SourceRange
    /// What it is.
    public let role: Role
  }

  /// What is open at the start of a line.
  public struct LineStart: Sendable, Hashable {
    /// The sign that was opened last: a quote, a brace, a parenthesis or the backslash before it.
    public let sign: Character?
    /// The number of open braces and parentheses.
    public let depth: Int
    /// Whether the line begins within quotes, where white space is text.
    public let isQuoted: Bool
  }

  /// The stretches with a meaning, in order; none overlap.
  public let parts: [Part]
  /// From each brace or parenthesis to just after the one that closes it.
  public let pairs: [SourceRange]
  /// The offsets of the quotes, braces and parentheses that are not closed.
  public let openings: [Int]
  /// How each line after the first one begins.
  public let lineStarts: [LineStart]
  /// The text with what closes all that is open.
  public let closed: String

  /// Tells a text apart.
  ///
  /// - Parameters:
  ///   - text: What has been typed.
  ///   - catalog: The commands there are.
  ///   - definitions: The commands that scripts have defined.
  ///   - aliases: Words that stand for the beginning of a command.
  public init(
    _ text: String, catalog: CommandCatalog, definitions: [CommandSignature] = [],
    aliases: [String: String] = [:]
  ) {
    let bytes = Array(text.utf8)
    var scanner = CompletionScanner(bytes)
    scanner.scan()
    pairs = scanner.pairs.filter { pair in
      let closing: UInt8 =
        bytes[pair.lower] == .openBrace ? .closeBrace : .closeParenthesis
      return bytes[pair.upper - 1] == closing
    }
    openings = scanner.openings
    lineStarts = scanner.lineStarts.map { start in
      LineStart(
        sign: start.sign.map { Character(Unicode.Scalar($0)) }, depth: start.depth,
        isQuoted: start.isQuoted)
    }
    closed = text + openings.reversed().map { Self.closing(of: $0, in: bytes) }.joined()
    var reader = RoleReader(
      bytes: bytes, catalog: catalog.replacing(with: definitions), aliases: aliases)
    reader.read(scanner)
    parts = reader.parts
  }

  private static func closing(of opening: Int, in bytes: [UInt8]) -> String {
    switch bytes[opening] {
    case .openBrace: opening > 0 && bytes[opening - 1] == .dollar ? "}" : "\n}"
    case .openParenthesis: ")"
    default: String(Unicode.Scalar(bytes[opening]))
    }
  }
}

/// Finds the roles of the words of statements and expressions.
private struct RoleReader {
  let bytes: [UInt8]
  let catalog: CommandCatalog
  let aliases: [String: String]
  private var roles: [TypedText.Role?]

  init(bytes: [UInt8], catalog: CommandCatalog, aliases: [String: String]) {
    self.bytes = bytes
    self.catalog = catalog
    self.aliases = aliases
    roles = Array(repeating: nil, count: bytes.count)
  }

  var parts: [TypedText.Part] {
    var parts: [TypedText.Part] = []
    var start = 0
    while start < roles.count {
      var end = start + 1
      while end < roles.count, roles[end] == roles[start] { end += 1 }
      if let role = roles[start] {
        parts.append(TypedText.Part(range: SourceRange(start, end), role: role))
      }
      start = end
    }
    return parts
  }

  mutating func read(_ scanner: CompletionScanner) {
    for frame in scanner.ended + scanner.frames {
      var words = frame.words
      if let current = frame.current { words.append(current) }
      if frame.kind == .expression {
        readExpression(frame, words)
      } else {
        readStatement(frame, words)
      }
    }
    for range in scanner.quoted { set(.string, range) }
    for frame in scanner.frames {
      guard let word = frame.current, word.quote != nil else { continue }
      set(.string, SourceRange(word.quoteStart, bytes.count))
    }
    for frame in scanner.ended + scanner.frames where frame.kind == .expression {
      // What stands in `${ … }` within a text is no part of the text.
      var words = frame.words
      if let current = frame.current { words.append(current) }
      guard let opening = frame.opening, roles[opening] == .string else { continue }
      set(nil, SourceRange(opening, words.last.map(Self.end) ?? opening + 1))
      readExpression(frame, words)
    }
    readVariables(scanner)
    for range in scanner.comments { set(.comment, range) }
  }

  private mutating func set(_ role: TypedText.Role?, _ range: SourceRange) {
    for index in range.lower..<min(range.upper, roles.count) { roles[index] = role }
  }

  private mutating func set(_ role: TypedText.Role, _ word: CompletionScanner.Word) {
    set(role, SourceRange(word.start, Self.end(word)))
  }

  private static func end(_ word: CompletionScanner.Word) -> Int {
    (word.offsets.last ?? word.start) + 1
  }

  // MARK: Statements

  private mutating func readStatement(
    _ frame: CompletionScanner.Frame, _ words: [CompletionScanner.Word]
  ) {
    switch frame.target {
    case .program:
      if let program = words.first { set(.command, program) }
    case .file: break
    case .none:
      guard let first = words.first, first.isBare, let keyword = Keyword(first.text) else {
        return readCommand(words)
      }
      readKeyword(keyword, words)
    }
  }

  private mutating func readKeyword(_ keyword: Keyword, _ words: [CompletionScanner.Word]) {
    set(.keyword, words[0])
    if keyword == .let, words.count > 3 { readCommand(Array(words[3...]), isValue: true) }
    for (index, word) in words.enumerated().dropFirst() where word.isBare {
      switch (keyword, index) {
      case (.let, 1), (.for, 1): set(.variable, word)
      case (.let, _): break
      case (.def, 1): set(.command, word)
      case (.def, _): set(.variable, word)
      case (.for, 2): set(.keyword, word)
      default:
        if words[index - 1].text == Keyword.catch.rawValue {
          set(.variable, word)
        } else if Keyword(word.text) != nil, keyword == .if || keyword == .try {
          set(.keyword, word)
        } else {
          readWord(word)
        }
      }
    }
  }

  /// Reads a command with its words; in place of one that is a value, a literal can stand.
  private mutating func readCommand(_ words: [CompletionScanner.Word], isValue: Bool = false) {
    let path = words.prefix { $0.isBare }.map(\.text)
    guard let first = path.first else { return words.forEach { readWord($0) } }
    if isValue, words.count == 1, LiteralReader.value(of: first) != nil {
      return readWord(words[0])
    }
    if aliases[first] != nil {
      set(.command, words[0])
      return words.dropFirst().forEach { readOptionOrWord($0) }
    }
    let known = catalog.knownStart(of: path)
    guard case .command(let signature, let count) = catalog.lookup(path) else {
      for word in words.prefix(known.count) { set(.command, word) }
      return words.dropFirst(known.count).forEach { readOptionOrWord($0) }
    }
    for word in words.prefix(count) { set(.command, word) }
    let arguments = Array(words.dropFirst(count))
    let typed = TypedArguments(arguments, of: signature)
    let end = typed.command ?? arguments.count
    for (index, word) in arguments[..<end].enumerated() {
      if typed.optionNames.contains(index) {
        readOptionOrWord(word)
      } else if signature.positionals.contains(where: { $0.keyword == word.text }), word.isBare {
        set(.keyword, word)
      } else {
        readWord(word)
      }
    }
    if let command = typed.command { readCommand(Array(arguments[command...])) }
  }

  private mutating func readOptionOrWord(_ word: CompletionScanner.Word) {
    guard word.isOption else { return readWord(word) }
    let count = word.bytes.firstIndex(of: .equals) ?? word.bytes.count
    set(.option, SourceRange(word.start, word.offsets[count - 1] + 1))
  }

  private mutating func readWord(_ word: CompletionScanner.Word) {
    guard word.isBare, !word.bytes.isEmpty else { return }
    set(LiteralReader.value(of: word.text) == nil ? .word : .value, word)
  }

  // MARK: Expressions and variables

  private mutating func readExpression(
    _ frame: CompletionScanner.Frame, _ words: [CompletionScanner.Word]
  ) {
    for (index, word) in words.enumerated() where word.isBare {
      let text = word.text
      if ExpressionWord(rawValue: text) != nil || text == "of" || text == "where" {
        set(.keyword, word)
      } else if frame.isInterpolation, index == 0, LiteralReader.value(of: text) == nil {
        set(.variable, word)
      } else if Self.end(word) < bytes.count, bytes[Self.end(word)] == .openParenthesis {
        set(.command, word)
      } else if LiteralReader.value(of: text) != nil {
        set(.value, word)
      } else if let dot = word.bytes.firstIndex(of: .dot), dot > 0 {
        set(.word, SourceRange(word.start, word.offsets[dot - 1] + 1))
      } else if text.first?.isLetter == true {
        set(.word, word)
      }
    }
  }

  /// Finds `$name` and the signs around `${ … }`, also within double quotes.
  private mutating func readVariables(_ scanner: CompletionScanner) {
    for index in bytes.indices where bytes[index] == .dollar && index + 1 < bytes.count {
      guard index == 0 || bytes[index - 1] != .backslash, !isLiteral(index, scanner) else {
        continue
      }
      var end = index + 1
      if bytes[end] == .openBrace {
        end += 1
        if let pair = scanner.pairs.first(where: { $0.lower == index + 1 }) {
          set(.variable, SourceRange(pair.upper - 1, pair.upper))
        }
      } else {
        while end < bytes.count, bytes[end].isNamePart { end += 1 }
        if end == index + 1, bytes[end] == .hash || bytes[end] == UInt8(ascii: "@") { end += 1 }
      }
      if end > index + 1 { set(.variable, SourceRange(index, end)) }
    }
  }

  /// Whether a place is in single quotes, where a dollar sign is text.
  private func isLiteral(_ index: Int, _ scanner: CompletionScanner) -> Bool {
    guard roles[index] == .string else { return false }
    if let word = scanner.frame.current, word.quote == .quote, word.quoteStart <= index {
      return true
    }
    return scanner.quoted.contains {
      $0.lower <= index && index < $0.upper && bytes[$0.lower] == .quote
    }
  }
}
