/// Finds the line that was meant by a statement that is refused.
///
/// It searches: the words of the statement are tried as the words of each command, corrected, in
/// another order, and without those that only other languages need; each such line has a cost. The
/// cheapest line that the check finds nothing wrong with is the correction, so that none is
/// suggested that would be refused in turn.
package struct LineCorrector {
  let catalog: CommandCatalog
  let variables: Set<String>
  let definitions: [CommandSignature]
  let aliases: [String: String]
  let facts: HostFacts

  /// A line that may be meant.
  struct Candidate {
    let line: String
    /// How much of it differs from what is written; the parts are in ``Cost``.
    let cost: Int
  }

  /// The cost of each difference.
  enum Cost {
    static let letterCase = 2
    static let dropped = 3
    static let shape = 5
    static let word = 6
    static let foreign = 8
    static let prefix = 10
    static let order = 10
    static let joined = 10
    static let impliedGroup = 14
    static let searchTerm = 16
    static let program = 24
    static let spelling = 26
  }

  /// How many lines are checked before none counts as found.
  private static let mostChecks = 80
  /// How much more a second line may cost to be as likely as the first.
  private static let tie = 1

  /// Creates a corrector for a place with these variables, definitions and aliases.
  package init(
    catalog: CommandCatalog, variables: Set<String>, definitions: [CommandSignature],
    aliases: [String: String], facts: HostFacts
  ) {
    self.catalog = catalog.replacing(with: definitions)
    self.variables = variables
    self.definitions = definitions
    self.aliases = aliases
    self.facts = facts
  }

  /// How many errors of a script are corrected: a search takes as long as a check of many lines.
  private static let mostCorrected = 20

  /// Returns errors with the lines that were meant as their help, where those are found.
  package func correcting(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
    var left = Self.mostCorrected
    return diagnostics.map { diagnostic in
      guard left > 0, diagnostic.severity == .error else { return diagnostic }
      left -= 1
      var copy = diagnostic
      if let help = help(for: diagnostic) { copy.help = help }
      return copy
    }
  }

  /// Returns the help that shows the line that was meant; nil where none is certain enough.
  func help(for diagnostic: Diagnostic) -> String? {
    guard diagnostic.severity == .error, Self.correctable.contains(diagnostic.code),
      diagnostic.source.aliasStart == nil,
      let statement = LooseStatement(
        around: diagnostic.range.lower, in: diagnostic.source,
        startsThere: diagnostic.is(.unknownCommand))
    else { return nil }
    // What follows is another command.
    if statement.words.first == LogPositionWord.command { return nil }
    let line = diagnostic.source.lineText(at: diagnostic.range.lower)
    let isWithoutValue = diagnostic.is(.missingArgument, .missingValue)
    // What is a text only when it runs is a text in other parentheses, too; and what is empty then
    // stays empty.
    guard !(diagnostic.phase == .running && diagnostic.is(.expectedCondition)),
      !(isWithoutValue && statement.words.contains { $0.hasPrefix("$") })
    else { return nil }
    let found = lines(
      for: statement, inLine: line, keepsWords: isWithoutValue,
      onlyShapes: diagnostic.is(.undefinedVariable, .expectedVariable, .expectedCondition))
    guard let first = found.first else { return nil }
    return found.count == 1 ? "write: \(first)" : Spelling.help(found)
  }

  /// The errors of a line whose words are not as they should be.
  private static let correctable = Set(
    [
      ErrorPage.unknownCommand, .unknownSubcommand, .missingSubcommand, .dynamicCommand,
      .unexpectedArgument, .missingArgument, .unknownOption, .missingValue, .unknownChoice,
      .wrongKind, .badURL, .unknownOperation, .unknownQueue, .missingSpace, .expectedCondition,
      .expectedCommand, .expectedBlock, .expectedVariable, .badName, .unexpectedBlock,
      .undefinedVariable,
    ].map(\.code))

  /// Returns the lines that may be meant, at most two.
  ///
  /// - Parameters:
  ///   - statement: The statement.
  ///   - line: The line that it stands in.
  ///   - keepsWords: Whether a value is missing: the words of a command are then as they were
  ///     meant, in their order.
  ///   - onlyShapes: Whether the error is in an expression, and the command is as it was meant.
  /// - Returns: The lines.
  private func lines(
    for statement: LooseStatement, inLine line: String, keepsWords: Bool, onlyShapes: Bool
  ) -> [String] {
    guard let first = statement.words.first, statement.words.count <= 12, !first.hasPrefix("!"),
      aliases[first] == nil,
      catalog.hasCommand(first) || LiteralReader.value(of: first.lowercased()) == nil
    else { return [] }
    let known =
      onlyShapes ? variables : variables.union(ShellLine.variables(in: statement.text))
    var candidates = shapes(of: statement, inLine: line)
    if keepsWords, Keyword(first) == nil, catalog.hasCommand(first) {
      let words = statement.plainWords(isName)
      candidates = [Candidate(line: words.joined(separator: " "), cost: Cost.shape)]
    } else if keepsWords, first == "let" {
      candidates = []
    } else if Keyword(first) == nil, !onlyShapes {
      let words = statement.plainWords(isName)
      candidates += things(statement) + expressions(statement) + commands(words)
      candidates += programs(statement)
    }
    var found: [Candidate] = []
    let text = statement.lead + statement.text
    var checked: Set<String> = [text.singleSpaced, "\(text) \(statement.tail)".singleSpaced]
    let mostChecked = checked.count + Self.mostChecks
    for candidate in candidates.enumerated().sorted(by: {
      ($0.element.cost, $0.offset) < ($1.element.cost, $1.offset)
    }).map(\.element) {
      if let best = found.first, candidate.cost > best.cost + Self.tie { break }
      let tail = candidate.line.hasSuffix("}") || statement.tail.isEmpty ? "" : " \(statement.tail)"
      let whole = statement.lead + candidate.line + tail
      guard checked.insert(whole.singleSpaced).inserted else { continue }
      guard checked.count <= mostChecked else { break }
      if isAccepted(whole, known) { found.append(Candidate(line: whole, cost: candidate.cost)) }
      if found.count == 2 { break }
    }
    return found.map(\.line)
  }

  /// Whether the check finds nothing wrong with a line.
  private func isAccepted(_ line: String, _ variables: Set<String>) -> Bool {
    let script = Parser.parse(SourceText(name: "", text: line))
    guard script.diagnostics.isEmpty, !script.isIncomplete, script.statements.count == 1 else {
      return false
    }
    let known = ScriptFacts(
      ScriptFacts.Setting(catalog: catalog, facts: facts, names: .all, warnsUnused: false),
      words: WordMeanings(definitions: definitions, aliases: [:], in: catalog))
    _ = known.check(script, variables: variables)
    return known.findings.allSatisfy { $0.is(.bareSeconds) }
  }

  /// Whether a word names an operation, a queue or a variable.
  func isName(_ word: String) -> Bool {
    variables.contains(word) || facts.namespaces.values.contains { $0.names.contains(word) }
  }

  /// The name of something that exists and is spelt like the word but for the case of letters.
  func nameIgnoringCase(_ word: String) -> String? {
    let lowered = word.lowercased()
    return facts.namespaces.values.lazy.flatMap(\.names)
      .filter { $0.lowercased() == lowered }.min()
  }

  // MARK: Candidates that are not commands with other words

  /// A line that only names something: `q1`, `q1.state`.
  private func things(_ statement: LooseStatement) -> [Candidate] {
    let words = statement.words.filter { !catalog.canBeLeftOut($0) }
    guard let word = words.first, words.allSatisfy({ !$0.hasPrefix("-") }) else { return [] }
    if words.count == 1, let match = word.wholeMatch(of: /\$?([A-Za-z][\w-]*)(\.\w+)+/) {
      let isVariable = variables.contains(String(match.1))
      let path = isVariable && !word.hasPrefix("$") ? "$\(word)" : "(\(word))"
      return [Candidate(line: "echo \(path)", cost: Cost.shape)]
    }
    let shown = facts.namespaces.sorted { $0.key < $1.key }.compactMap { _, namespace in
      namespace.shownBy.flatMap { command in
        words.allSatisfy(namespace.names.contains)
          ? Candidate(line: "\(command) \(words.joined(separator: " "))", cost: Cost.shape) : nil
      }
    }
    if !shown.isEmpty { return shown }
    return words.count == 1 && variables.contains(word)
      ? [Candidate(line: "echo $\(word)", cost: Cost.shape)] : []
  }

  /// A command that takes one expression, of which the parentheses are missing.
  private func expressions(_ statement: LooseStatement) -> [Candidate] {
    let words = statement.words
    guard words.count > 2, let signature = catalog.signature(at: [words[0]]),
      signature.positionals.first?.kind.isExpression == true
    else { return [] }
    return [
      Candidate(
        line: "\(words[0]) (\(words.dropFirst().joined(separator: " ")))", cost: Cost.shape)
    ]
  }

  /// A program of the system.
  private func programs(_ statement: LooseStatement) -> [Candidate] {
    let word = statement.words[0]
    guard statement.words.prefix(2).allSatisfy({ !catalog.isDeliberate($0) }),
      !word.hasPrefix("mkfs")
    else { return [] }
    let hasMeaning = statement.words.count == 1 && catalog.searchHelp(for: word) != nil
    return !catalog.hasCommand(word) && !hasMeaning && facts.isProgram(word)
      ? [Candidate(line: "!\(statement.text)", cost: Cost.program)] : []
  }
}

extension String {
  /// The text with one space where it has several blanks, and none at its ends.
  fileprivate var singleSpaced: String { split(separator: " ").joined(separator: " ") }
}
