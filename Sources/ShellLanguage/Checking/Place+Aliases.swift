extension Place {
  /// Checks what an alias stands for, as far as it goes: what is missing may come where it is used.
  func define(alias result: CommandCall, _ signature: CommandSignature) {
    guard let argument = signature.positionals.first?.name,
      let bound = result.given(argument)?.first, let name = bound.value?.text,
      let command = result.command, let first = command.first
    else { return }
    let word = first.bareText
    let instead = "'def \(name) { … }' makes a command of"
    let written = source.text(in: first.range)
    if case .block = first {
      return report(
        .badAlias, "an alias stands for the beginning of one command", first.range,
        help: "\(instead) several")
    }
    if catalog.isReserved(name) {
      return report(
        .nameTaken, "'\(name)' is a word of the language", bound.range,
        help: "an alias needs a name of its own")
    }
    if let word, Keyword(word) != nil {
      return report(
        .badAlias,
        "an alias stands for the beginning of a command; '\(word)' is a word of the language",
        first.range, help: "\(instead) any statements")
    }
    let isItself = word == name
    if isItself, !catalog.hasCommand(name) {
      return report(.aliasLoop, "'\(name)' would stand for itself", bound.range)
    }
    if command.count == 1, word == nil, written.first == "\"" || written.first == "'" {
      return report(
        .badAlias, "what an alias stands for is written without quotes", first.range,
        help: "write: alias \(name) = \(written.dropFirst().dropLast())")
    }
    guard let statement = result.commandStatement else { return }
    findings {
      with { $0.inheritsOptions = true }.checkCall(statement, isOriginal: isItself)
    } changing: {
      $0.is(.missingArgument, .missingValue, .missingSubcommand) ? nil : $0
    }
    noteReplacing(name, bound.range)
    known.words.define(alias: name, as: source.text(in: statement.range))
  }

  /// Notes, with a warning, that a definition or an alias takes the place of a command.
  func noteReplacing(_ name: String, _ range: SourceRange) {
    guard catalog.hasCommand(name), !catalog.isReserved(name) else { return }
    known.words.replaced.insert(name)
    report(
      .replacesCommand, "this replaces the command '\(name)' in this run", range,
      help: "'command \(name)' still runs the command", severity: .warning)
  }
}

extension ErrorPage {
  static let replacesCommand = ErrorPage(
    "replaces-command", "A definition or an alias replaces a command",
    """
    From here on its name means the definition or the alias, to the end of the run. Scripts that \
    were written before there was such a command go on as they did. Inside a 'def' its own name \
    means the 'def'.
    """, help: "'command NAME' still runs the command", wrong: "def echo text { }\necho a",
    right: "def say text { echo $text }\nsay a", proof: .warning)
}
