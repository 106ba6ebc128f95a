extension ScriptChecker {
  /// Checks a command that begins with an alias as if it were written out.
  func check(
    alias name: String, _ text: String, _ command: CommandStatement, in scope: CheckedScope
  ) {
    guard
      let expansion = AliasExpansion(
        name, text, in: command.arguments, command.range, of: source),
      aliasDepth < 100
    else { return }
    let outer = source
    let count = diagnostics.count
    let waiting = waitingCount
    aliasDepth += 1
    source = expansion.source
    checkCommand(
      expansion.command, in: scope,
      isOriginal: expansion.command.arguments.first?.bareText == name)
    source = outer
    aliasDepth -= 1
    for index in count..<diagnostics.count {
      diagnostics[index] = expansion.placed(diagnostics[index])
    }
    if waitingCount > waiting { expansions.append(expansion) }
  }

  /// How much is kept to be looked at once all is known.
  private var waitingCount: Int {
    symbols.uses.count + deferredChecks.count + missingScripts.count + constantCalls.count
  }

  /// Gives errors about aliases that were found at the end their place in the script.
  func placeAliases() {
    // Those inside others came later, and lead to them.
    for expansion in expansions.reversed() {
      for index in diagnostics.indices where diagnostics[index].isOfAlias {
        diagnostics[index] = expansion.placed(diagnostics[index])
      }
    }
  }

  /// Checks what an alias stands for, as far as it goes: what is missing may come where it is used.
  func define(
    alias result: ArgumentBinder.Result, _ signature: CommandSignature, in scope: CheckedScope
  ) {
    guard let argument = signature.positionals.first?.name,
      let bound = result.arguments[argument]?.first, let name = bound.value?.text,
      let command = result.command, let first = command.first
    else { return }
    if case .block = first {
      report(
        .badAlias, "an alias stands for the beginning of one command", first.range,
        help: "'def \(name) { … }' makes a command of several")
      return
    }
    if catalog.isReserved(name) {
      report(
        .nameTaken, "'\(name)' is a word of the language", bound.range,
        help: "an alias needs a name of its own")
      return
    }
    if let word = first.bareText, Keyword(word) != nil {
      report(
        .badAlias,
        "an alias stands for the beginning of a command; '\(word)' is a word of the language",
        first.range, help: "'def \(name) { … }' makes a command of any statements")
      return
    }
    let isCommand = catalog.hasCommand(name)
    if command.first?.bareText == name, !isCommand {
      report(.aliasLoop, "'\(name)' would stand for itself", bound.range)
      return
    }
    let written = source.text(in: first.range)
    if command.count == 1, first.bareText == nil, written.first == "\"" || written.first == "'" {
      report(
        .badAlias, "what an alias stands for is written without quotes", first.range,
        help: "write: alias \(name) = \(written.dropFirst().dropLast())")
      return
    }
    guard let statement = result.commandStatement else { return }
    let count = diagnostics.count
    let inherits = inheritsOptions
    inheritsOptions = true
    checkCommand(
      statement, in: scope, isOriginal: isCommand && command.first?.bareText == name)
    inheritsOptions = inherits
    let found = diagnostics[count...].filter {
      !$0.is(.missingArgument, .missingValue, .missingSubcommand)
    }
    diagnostics.replaceSubrange(count..., with: found)
    noteReplacing(name, bound.range)
    aliases[name] = source.text(in: statement.range)
    definitions[name] = nil
  }

  /// Notes, with a warning, that a definition or an alias takes the place of a command.
  func noteReplacing(_ name: String, _ range: SourceRange) {
    guard catalog.hasCommand(name), !catalog.isReserved(name) else { return }
    meanings.replaced.insert(name)
    report(
      .replacesCommand, "this replaces the command '\(name)' in this run", range,
      help: "'command \(name)' still runs the command", severity: .warning)
  }

  /// Refuses a redirection that applies to `alias` itself, not to the command of the alias.
  func refuseRedirectedAlias(_ command: CommandStatement) {
    guard let redirection = command.redirection, command.arguments.count > 2,
      command.arguments[0].bareText.flatMap(definition) == nil,
      case .command(let signature, _) = command.resolved(in: source, catalog).match,
      signature.is(.definesAlias)
    else { return }
    report(.badAlias, "an alias holds no '|' and no '>'", redirection.range)
  }
}

extension Diagnostic {
  /// Whether it stands in a text with that of an alias after it.
  fileprivate var isOfAlias: Bool {
    source.aliasStart != nil || labels.contains { $0.source.aliasStart != nil }
  }
}

extension ErrorPage {
  static let replacesCommand = ErrorPage(
    "replaces-command", "A definition or an alias replaces a command",
    """
    From here on its name means the definition or the alias, to the end of the run. Scripts that \
    were written before there was such a command go on as they did. Inside a 'def' its own name \
    means the 'def'.
    """,
    help: "'command NAME' still runs the command", wrong: "def echo text { }\necho a",
    right: "def say text { echo $text }\nsay a", proof: .warning
  )
}
