/// What can stand at the cursor of a line that is being typed.
///
/// ```swift
/// let context = CompletionContext.at("queue pa", cursor: 8, catalog: catalog)
/// context.prefix        // "pa"
/// context.expectations  // [.command(path: ["queue"])]
/// ```
/// The language knows commands, options and words to choose from; the host fills in what lives,
/// such as the names of operations.
public struct CompletionContext: Sendable {
  /// One kind of thing that can stand there.
  public enum Expectation: Sendable {
    /// The next word of a command's name, after these; none for the first, where a keyword or a
    /// command of the script's own can stand as well.
    case command(path: [String])
    /// An option of the command.
    case option(CommandSignature)
    /// A value of a kind, for the argument or option of this name.
    case value(ArgumentKind, name: String, of: CommandSignature)
    /// One of these words of the language.
    case keyword([String])
    /// The name of a variable, without the dollar sign.
    case variable
    /// A property of a variable (`$q.`, with the dollar sign) or of an object (`last.`).
    case property(of: String)
    /// A value in an expression: a name, a function, a word.
    case operand
    /// What stands between two values of an expression.
    case operators
    /// What a property is compared with: `last.state`, or `state` in a condition.
    case comparand(property: String)
    /// A program that text is sent to.
    case program
    /// A path.
    case file
  }

  /// What can stand there, the likeliest first.
  public let expectations: [Expectation]
  /// What is to be replaced, in UTF-8 offsets of the text; it ends at the cursor.
  public let range: SourceRange
  /// What has been typed of it, quotes and escapes resolved.
  public let prefix: String
  /// The quote that is open at the cursor.
  public let quote: Character?
  /// The words before the cursor in the statement or expression that it is in.
  public let words: [String]

  /// Finds out what can stand at a cursor.
  ///
  /// - Parameters:
  ///   - text: What has been typed, several lines if they belong together.
  ///   - cursor: The cursor, as a UTF-8 offset.
  ///   - catalog: The commands there are.
  ///   - definitions: The commands that scripts have defined.
  ///   - aliases: Words that stand for the beginning of a command.
  /// - Returns: What can stand there.
  public static func at(
    _ text: String, cursor: Int, catalog: CommandCatalog, definitions: [CommandSignature] = [],
    aliases: [String: String] = [:]
  ) -> CompletionContext {
    let bytes = Array(text.utf8.prefix(max(0, cursor)))
    var scanner = CompletionScanner(bytes)
    scanner.scan()
    return CompletionResolver(
      bytes: bytes, scanner: scanner, catalog: catalog.replacing(with: definitions),
      aliases: aliases
    ).resolve()
  }

  /// Returns the property that the text before a word of an expression compares; nil if the text does
  /// not end in a comparison.
  ///
  /// - Parameter text: The expression up to the word, such as `state == `.
  /// - Returns: The property, such as `state`.
  public static func comparedProperty(in text: String) -> String? {
    var scanner = CompletionScanner(Array(("(" + text).utf8))
    scanner.scan()
    return scanner.frame.comparedProperty
  }

  init(
    _ expectations: [Expectation], from start: Int, to end: Int, prefix: String, quote: Character?,
    words: [String]
  ) {
    self.expectations = expectations
    self.range = SourceRange(start, end)
    self.prefix = prefix
    self.quote = quote
    self.words = words
  }
}
