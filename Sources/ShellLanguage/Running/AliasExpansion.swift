/// A command that begins with an alias, written out.
///
/// The text of the alias is appended to the script that uses it, so that the positions in the
/// script do not change.
struct AliasExpansion {
  /// The script with the alias after it.
  let source: SourceText
  let command: CommandStatement
  private let name: String
  private let text: String
  private let nameRange: SourceRange
  private let original: SourceText

  /// Returns nil if the alias is not a command; defining one like that is refused.
  init?(
    _ name: String, _ text: String, in arguments: [Argument], _ range: SourceRange,
    of original: SourceText
  ) {
    let whole = SourceText(original, alias: text)
    guard let words = Self.words(in: whole, from: original.count + 1), let first = arguments.first
    else { return nil }
    source = whole
    self.name = name
    self.text = text
    self.original = original
    nameRange = first.range
    command = CommandStatement(
      arguments: words + arguments.dropFirst(), redirection: nil, range: range)
  }

  private static func words(in source: SourceText, from start: Int) -> [Argument]? {
    let script = Parser.parse(source, SourceRange(start, source.count))
    guard script.statements.count == 1, case .command(let command) = script.statements[0].kind,
      script.diagnostics.isEmpty
    else { return nil }
    return command.arguments
  }

  /// The words of an alias; nil if it is not a command.
  static func words(of text: String) -> [Argument]? {
    words(in: SourceText(name: "alias", text: text), from: 0)
  }

  /// Whether its command is the host's, because the word means the command in its own alias.
  var isOriginal: Bool { command.arguments[0].bareText == name }

  /// Returns the same error in the script itself; what is wrong with a word of the alias is so at
  /// its name.
  func placed(_ diagnostic: Diagnostic) -> Diagnostic {
    var placed = diagnostic.mapPlaces(placed)
    if diagnostic.source.isSame(as: source), placed.range != diagnostic.range {
      placed.help = diagnostic.help ?? "'\(name)' stands for: \(text)"
    }
    return placed
  }

  /// Returns where a range is in the script itself.
  func placed(_ text: SourceText, _ range: SourceRange) -> (source: SourceText, range: SourceRange)
  {
    guard text.isSame(as: source) else { return (text, range) }
    let isOfAlias = range.lower > original.count || range.upper > original.count
    return (original, isOfAlias ? nameRange : range)
  }
}

extension ExecutionContext {
  /// The aliases there are, with what they stand for.
  public var aliases: [String: String] { state.aliases }

  /// Makes a word stand for the beginning of a command.
  ///
  /// - Parameters:
  ///   - name: The word.
  ///   - text: The beginning of a command.
  /// - Throws: A `Diagnostic` where the name is a word of the language, or it would stand for itself.
  public func defineAlias(_ name: String, as text: String) throws {
    if host.catalog.isReserved(name) {
      throw failure(
        .nameTaken, "'\(name)' is a word of the language", help: "an alias needs a name of its own")
    }
    guard let words = AliasExpansion.words(of: text) else {
      throw failure(
        .badAlias, "an alias stands for the beginning of one command",
        help: "'def \(name) { … }' makes a command of several")
    }
    // As in other shells, the word means the command in what it stands for itself.
    var seen: Set<String> = []
    var (word, next) = (name, words.first?.bareText)
    while let first = next, first != word || !host.catalog.hasCommand(word) {
      guard first != name, seen.insert(first).inserted else {
        throw failure(.aliasLoop, "'\(name)' would stand for itself")
      }
      word = first
      next = state.aliases[first].flatMap { AliasExpansion.words(of: $0)?.first?.bareText }
    }
    state.setAlias(name, text)
  }

  /// Forgets an alias.
  ///
  /// - Parameter name: The word.
  /// - Returns: Whether it was one.
  public func removeAlias(_ name: String) -> Bool { state.removeAlias(name) }

  /// Runs a command that begins with an alias.
  func call(
    alias text: String, _ command: CommandStatement, keepsOutput: Bool
  ) throws -> Value {
    let name = command.arguments.first?.bareText ?? ""
    guard
      let expansion = AliasExpansion(
        name, text, in: command.arguments, command.range, of: source)
    else { throw failure(.badAlias, "'\(name)' stands for no command: \(text)") }
    guard execution.enterCall() else { throw tooDeep() }
    defer { execution.leaveCall() }
    let context = ExecutionContext(
      state: state, globals: globals, scope: scope, source: expansion.source,
      execution: execution, arguments: self.arguments, isBody: isBody, userInfo: userInfo)
    do {
      return try context.call(
        expansion.command, keepsOutput: keepsOutput, isOriginal: expansion.isOriginal)
    } catch let diagnostic as Diagnostic {
      throw expansion.placed(diagnostic)
    }
  }
}

extension Interpreter {
  /// The aliases there are, with what they stand for.
  public var aliases: [String: String] { makeContext().aliases }
}

extension ErrorPage {
  static let badAlias = ErrorPage(
    "bad-alias", "An alias stands for the beginning of one command",
    "It can be neither a block nor several commands, and holds no '|' and no '>'.",
    help: "'def NAME { … }' makes a command of anything", wrong: "alias two = { echo one }",
    right: "def two { echo one; echo two }\ntwo")

  static let aliasLoop = ErrorPage(
    "alias-loop", "An alias would stand for itself",
    "What an alias stands for may begin with another alias, but not come back to it.",
    help: "name another command", wrong: "alias again = again",
    right: "alias again = echo once more\nagain")
}
