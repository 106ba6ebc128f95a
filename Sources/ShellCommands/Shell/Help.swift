import CommandParts
import ShellLanguage
import ShellSession
import OpshTerminal

/// `help`: the commands, and how each is used.
enum Help: Command {
  static let command = Positional<[String]>(
    "command", .name("command"),
    help: "words of a command, topic, word of the language, or function"
  ).refused(allowsDefined: true) { call, command in
    call.known(command).flatMap(refusal).map {
      call.failure(.unknownCommand, $0.message, at: command, help: $0.help)
    }
  }

  static let path = ["help"]
  static let declaration = CommandDeclaration(
    summary: "Shows where to begin, or the page of a command or topic",
    discussion: """
      'help' alone shows twelve commands to begin with and the topics. Words of the language, \
      functions, topics and concepts have pages too: 'help concepts' lists those about isReady, KVO \
      and the like. 'COMMAND --help' does the same as 'help COMMAND'. 'apropos WORD' finds commands \
      by topic.
      """,
    positionals: [command],
    examples: [
      .init("help queue pause", "one command"), .init("help queues", "a group of commands"),
      .init("help isReady", "a concept"), .init("help length", "a function"),
    ],
    searchTerms: ["manual", "usage", "commands", "man", "?"],
    traits: [.inspects])

  /// The error and what to do where no page has the words as its name.
  private static func refusal(of words: [String]) -> (message: String, help: String)? {
    let name = words.joined(separator: " ")
    guard !words.isEmpty, signatures(beginning: words).isEmpty, name != ConceptList.name,
      HelpTopic.named(name) == nil, Concept.named(name) == nil, languagePage(name) == nil,
      ReferenceWord.named(name) == nil
    else { return nil }
    // The first word alone, too: 'fetch' is no command by itself, but has a page.
    let all =
      CommandRegistry.signatures.flatMap {
        [$0.path.joined(separator: " "), $0.path.first ?? ""]
      } + BuiltinFunction.all.map(\.name) + [ConceptList.name] + HelpTopic.all.map(\.name)
      + Concept.all.map(\.name)
    return (
      "there is no command '\(name)'",
      Spelling.help(for: name, among: all) ?? AproposEntry.help(for: name)
        ?? "'help' shows where to begin, 'apropos WORD' searches"
    )
  }

  private static func signatures(beginning words: [String]) -> [CommandSignature] {
    CommandRegistry.signatures.filter { Array($0.path.prefix(words.count)) == words }
  }

  static func run(_ invocation: Invocation) throws -> Value {
    var words = invocation.call[command]
    if words.count == 1, let name = words.first, let text = invocation.context.aliases[name] {
      invocation.printText(
        invocation.screen.secrets.mask("'\(name)' is an alias: \(text)"))
      invocation.print("")
      let written = text.split(separator: " ").map(String.init)
      words = CommandRegistry.longestPath(of: written)
      if words.isEmpty { return .null }
    }
    if words.count == 1, let text = invocation.context.definitionText(of: words[0]) {
      invocation.printText("'\(words[0])' is defined in a script:")
      let shown = invocation.screen.secrets.mask(text)
      for line in shown.split(separator: "\n") { invocation.printText("  " + line) }
      guard CommandRegistry.catalog.names.contains(words[0]) else { return .null }
      invocation.print("")
      invocation.printText("'command \(words[0])' runs the command:")
      invocation.print("")
    }
    guard !words.isEmpty else {
      HelpOverview.lines(width: invocation.width).forEach(invocation.print)
      return .null
    }
    let signatures = signatures(beginning: words)
    if signatures.isEmpty, words == [ConceptList.name] {
      ConceptList.lines.forEach(invocation.print)
      return .null
    }
    if words.count == 1, let page = conceptPage(words[0], signatures) {
      page.lines(terminal: invocation.width).forEach(invocation.print)
      furtherWords(of: words, signatures, invocation)
      return .null
    }
    if signatures.isEmpty, let topic = HelpTopic.named(words.joined(separator: " ")) {
      topic.lines(terminal: invocation.width).forEach(invocation.print)
      return .null
    }
    if signatures.isEmpty, words.count == 1, let page = languagePage(words[0]) {
      invocation.print(StyledText(page.usage, style: .bold))
      invocation.print("")
      invocation.print(StyledText(page.summary + "."))
      invocation.print("")
      invocation.print(StyledText("Example:", style: .dim))
      invocation.print(StyledText("  " + page.example))
      return .null
    }
    if signatures.isEmpty, let word = ReferenceWord.named(words.joined(separator: " ")) {
      show(word, invocation)
      return .null
    }
    if let exact = signatures.first, exact.path == words {
      HelpPage(exact).lines(terminal: invocation.width).forEach(invocation.print)
      furtherWords(of: words, signatures, invocation)
    } else {
      list(signatures, invocation)
    }
    return .null
  }

  /// The page of a concept; with the usage of the command, if a command has the same name.
  private static func conceptPage(
    _ word: String, _ signatures: [CommandSignature]
  ) -> ConceptPage? {
    guard let exact = signatures.first(where: { $0.path == [word] }) else {
      guard signatures.isEmpty, Keyword(word) == nil, BuiltinFunction.function(named: word) == nil
      else { return nil }
      return Concept.named(word).map { ConceptPage($0) }
    }
    return Concept.all.first { $0.name == word }.map { ConceptPage($0, command: exact) }
  }

  private static func show(_ word: ReferenceWord, _ invocation: Invocation) {
    invocation.print(StyledText(word.names[0], style: .bold) + StyledText(" \(word.summary)."))
    invocation.print("")
    invocation.print(StyledText("To see it:", style: .dim))
    for line in word.experiment.split(separator: "\n") { invocation.print(StyledText("  " + line)) }
    invocation.print("")
    let pages = word.pages.map { "help \($0)" }.joined(separator: ", ")
    invocation.print(StyledText("See also: \(pages)"))
  }

  /// The other commands of the group that the words name, or those that begin with the words.
  private static func furtherWords(
    of words: [String], _ signatures: [CommandSignature], _ invocation: Invocation
  ) {
    let name = words.joined(separator: " ")
    let topic = HelpTopic.named(name)
    let further =
      topic.map { topic in
        let others = topic.items.map(\.name).filter { $0 != name }
        return CommandRegistry.signatures.filter { others.contains($0.fullName) }
      } ?? signatures.filter { $0.path.count > words.count }
    guard !further.isEmpty else { return }
    invocation.print("")
    let title = topic == nil ? "Further words" : "Related commands"
    invocation.print(StyledText(title, style: .bold))
    list(further, invocation)
  }

  /// The page of a word of the language or a function.
  private static func languagePage(
    _ word: String
  ) -> (usage: String, summary: String, example: String)? {
    if let keyword = Keyword(word) {
      return (keyword.usage, keyword.summary, keyword.example)
    }
    if let function = BuiltinFunction.function(named: word) {
      return (function.usage, function.summary, function.example)
    }
    return ExpressionWord(rawValue: word).map { ($0.usage, $0.summary, $0.example) }
  }

  static func list(_ signatures: [CommandSignature], _ invocation: Invocation) {
    let width = CommandRegistry.signatures.map { $0.path.joined(separator: " ").count }.max() ?? 0
    for signature in signatures {
      let name = signature.path.joined(separator: " ")
      invocation.print(
        "  " + StyledText(TextWidth.pad(name, to: width), style: TextStyle(color: .cyan))
          + StyledText("  " + signature.summary))
    }
  }
}
