extension Diagnostic {
  /// The error for words that lead to no command.
  static func unknownCommand(
    _ match: CommandCatalog.Match, _ arguments: [Argument], _ catalog: CommandCatalog,
    definitions: [String], source: SourceText
  ) -> Diagnostic {
    let first = arguments[0]
    switch match {
    case .missingSubcommand(let count):
      return missingSubcommand(arguments, count, catalog, source)
    case .unknownSubcommand(let index):
      let path = arguments[..<index].compactMap(\.bareText)
      let word = arguments[index]
      let text = word.bareText ?? source.text(in: word.range)
      return Diagnostic(
        .unknownSubcommand, "'\(path.joined(separator: " "))' has no subcommand '\(text)'",
        source: source, range: word.range,
        help: helpForOtherWord(text, after: path, catalog)
          ?? Spelling.help(catalog.suggestions(for: path + [text]))
          ?? oneOf(catalog.subcommands(of: path)))
    case .unknownCommand, .command:
      guard let name = first.bareText else {
        return Diagnostic(
          .expectedCommand, "a statement begins with the name of a command", source: source,
          range: first.range,
          help: "'echo' shows a value: echo \(source.text(in: first.range).prefix(40))")
      }
      return Diagnostic(
        .unknownCommand, "there is no command '\(name)'", source: source, range: first.range,
        help: helpForUnknown(name, arguments, catalog, definitions))
    }
  }

  /// Names the subcommand that another word stands for, such as `queue suspend` for `queue pause`.
  private static func helpForOtherWord(
    _ word: String, after path: [String], _ catalog: CommandCatalog
  ) -> String? {
    let meant = catalog.subcommands(of: path).filter { other in
      catalog.signature(at: path + [other])?.searchTerms.contains(word.lowercased()) == true
    }
    guard meant.count == 1 else { return nil }
    return "in opsh it is '\((path + meant).joined(separator: " "))'"
  }

  private static func missingSubcommand(
    _ arguments: [Argument], _ count: Int, _ catalog: CommandCatalog, _ source: SourceText
  ) -> Diagnostic {
    let path = arguments[..<count].compactMap(\.bareText)
    let range = arguments[0].range.union(arguments[count - 1].range)
    if count < arguments.count, arguments[count].bareText?.hasPrefix("-") != true {
      return Diagnostic(
        .dynamicCommand, "the word after '\(path.joined(separator: " "))' must be written out",
        source: source, range: arguments[count].range, help: oneOf(catalog.subcommands(of: path)))
    }
    return Diagnostic(
      .missingSubcommand, "'\(path.joined(separator: " "))' what?", source: source, range: range,
      help: oneOf(catalog.subcommands(of: path)))
  }

  private static func oneOf(_ words: [String]) -> String? {
    words.isEmpty ? nil : "one of: " + words.joined(separator: ", ")
  }

  /// The help for a line that was copied from the screen.
  static let helpForPrompt = "'opsh>' is the prompt, not part of the statement after it"
  static let helpForLast =
    "'last' names an operation: 'show last' shows it, and let NAME = (last.name) keeps its name"

  private static func helpForUnknown(
    _ name: String, _ arguments: [Argument], _ catalog: CommandCatalog, _ definitions: [String]
  ) -> String? {
    if arguments.count > 2, arguments[1].bareText == "=" {
      return "to keep a value write: let \(name) = …"
    }
    if let equals = name.firstIndex(of: "="), equals > name.startIndex,
      name.first?.isLetter == true,
      name[..<equals].allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
    {
      let value = name[name.index(after: equals)...]
      return "to keep a value write: let \(name[..<equals]) = \(value.isEmpty ? "…" : value)"
    }
    if name == "count", arguments.count > 1, arguments[1].bareText == "of" {
      return "it is part of an expression: echo (count of …)"
    }
    if arguments.count > 1, case .expression = arguments[1],
      let help = BuiltinFunction.helpForCall(of: name)
    {
      return help
    }
    if name.hasPrefix("[") { return "a list is written (list(1, 2)) or (1..5)" }
    if name.contains("\u{A0}") { return "there is a no-break space in it" }
    if name == "opsh" || name == "opsh*" { return helpForPrompt }
    if name == "last" { return helpForLast }
    if name == "else" || name == "catch" {
      return "'\(name)' stands on the line of the closing brace: } \(name) …"
    }
    if ["cd", "chdir", "pushd"].contains(name) {
      return "opsh stays in the folder where it was started; to run a program elsewhere: "
        + "!cd FOLDER && PROGRAM, or run sh -c 'cd FOLDER && PROGRAM'"
    }
    if case .boolean(let value)? = LiteralReader.value(of: name.lowercased()) {
      return "'\(value)' is a value, not a command: echo \(value) prints it"
    }
    if Keyword(name) != nil {
      return "'\(name)' is a word of the language, and begins a statement of its own"
    }
    let names = catalog.names + definitions + Keyword.allCases.map(\.rawValue)
    // The beginning of a name comes before words of other languages, and those before spelling.
    let lowered = name.lowercased()
    let begun = Spelling.suggestions(for: name, among: names).filter {
      name.count > 1 && $0.lowercased().hasPrefix(lowered)
    }
    return Spelling.help(begun) ?? catalog.searchHelp(for: name)
      ?? Spelling.help(for: name, among: names)
  }
}

extension ErrorPage {
  package static let unknownCommand = ErrorPage(
    "unknown-command", "There is no such command",
    """
    A statement begins with the name of a command, of a 'def' further up, or with a word of \
    the language. Programs of the system run after '!' or '|', or with 'run'.
    """,
    help: "'apropos WORD' finds commands; '!' before it runs a program: !ls", wrong: "ecko hello",
    right: "echo hello")

  package static let unknownSubcommand = ErrorPage(
    "unknown-subcommand", "The command has no such further word",
    "Commands such as 'queue' and 'fetch' are named by two words or more.",
    help: "'help COMMAND' lists its further words", wrong: "queue puase", right: "queue pause")

  static let missingSubcommand = ErrorPage(
    "missing-subcommand", "A subcommand is missing",
    "By itself it does not say what is to be done.", wrong: "fetch --count 3",
    right: "fetch questions --count 3")

  static let dynamicCommand = ErrorPage(
    "dynamic-command", "The name of a command is in a variable",
    "All words that name a command are written out, so that a script can be checked.",
    help: "use 'if' to choose between commands", wrong: "let what = 'questions'\nfetch $what",
    right: "fetch questions")
}
