package import ShellLanguage
import ShellSession
import Terminal

/// `help`: the commands, and how each is used.
enum Help: Command {
  static let command = Positional<[String]>(
    "command", .name("command"), help: "words of a command, word of the language, or function")

  static let signature = CommandSignature(
    path: ["help"],
    summary: "Shows the commands, or how one is used",
    discussion: """
      It also has pages about the words of the language and the functions. 'help changes' lists \
      the changes of meaning that can affect saved scripts, 'help network' the limits of requests \
      and the variables of the environment for proxies and certificates. 'apropos WORD' finds \
      commands by topic, and 'help concepts' lists the pages about isReady, KVO and the like.
      """,
    positionals: [command],
    examples: [
      .init("help queue pause", "one command"), .init("help length", "a function"),
      .init("help isReady", "a concept"),
      .init("help changes", "what has changed for scripts"),
    ],
    searchTerms: [
      "manual", "usage", "commands", "man", "?", "changes", "migration", "upgrade", "compatibility",
    ],
    traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value {
    var words = invocation.call[command]
    if words.count == 1, let name = words.first, let text = invocation.context.aliases[name] {
      invocation.printText(
        invocation.session.secrets.mask("'\(name)' is an alias: \(text)"))
      invocation.print("")
      let written = text.split(separator: " ").map(String.init)
      words = CommandRegistry.longestPath(of: written)
      if words.isEmpty { return .null }
    }
    if words.count == 1, let text = invocation.context.definitionText(of: words[0]) {
      invocation.printText("'\(words[0])' is defined in a script:")
      let shown = invocation.session.secrets.mask(text)
      for line in shown.split(separator: "\n") { invocation.printText("  " + line) }
      guard CommandRegistry.catalog.names.contains(words[0]) else { return .null }
      invocation.print("")
      invocation.printText("'command \(words[0])' runs the command:")
      invocation.print("")
    }
    guard !words.isEmpty else {
      overview(invocation)
      return .null
    }
    let signatures = CommandRegistry.signatures.filter {
      Array($0.path.prefix(words.count)) == words
    }
    if signatures.isEmpty, words == [ConceptList.name] {
      ConceptList.lines.forEach(invocation.print)
      return .null
    }
    if words.count == 1, let page = conceptPage(words[0], signatures) {
      page.lines.forEach(invocation.print)
      furtherWords(of: words, signatures, invocation)
      return .null
    }
    if signatures.isEmpty, words == [ScriptChange.topic] {
      ScriptChange.lines.forEach(invocation.print)
      return .null
    }
    if signatures.isEmpty, words.count == 1, let topic = HelpTopic.named(words[0]) {
      topic.lines.forEach(invocation.print)
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
    guard let exact = signatures.first else {
      // The first word alone, too: 'fetch' is no command by itself, but has a page.
      let all =
        CommandRegistry.signatures.flatMap {
          [$0.path.joined(separator: " "), $0.path.first ?? ""]
        } + BuiltinFunction.all.map(\.name) + [ScriptChange.topic] + HelpTopic.all.map(\.name)
        + Concept.all.map(\.name) + [ConceptList.name]
      throw invocation.call.failure(
        .unknownCommand, "there is no command '\(words.joined(separator: " "))'", at: command,
        help: Spelling.help(for: words.joined(separator: " "), among: all)
          ?? "'help' lists all, 'apropos WORD' searches")
    }
    if exact.path == words {
      HelpPage(exact).lines.forEach(invocation.print)
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

  private static func furtherWords(
    of words: [String], _ signatures: [CommandSignature], _ invocation: Invocation
  ) {
    let further = signatures.filter { $0.path.count > words.count }
    guard !further.isEmpty else { return }
    invocation.print("")
    invocation.print(StyledText("Further words", style: .bold))
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

  private static func overview(_ invocation: Invocation) {
    for (title, commands) in CommandRegistry.groups {
      invocation.print(StyledText(title, style: .bold))
      list(commands.map { $0.signature }, invocation)
    }
    invocation.print("")
    invocation.print("'help COMMAND' says how it is used, 'apropos WORD' searches.")
    invocation.print("The language: let if while repeat for def return break continue try.")
    invocation.print("'help changes' lists changes of meaning that can affect saved scripts.")
    invocation.print("'help \(ConceptList.name)': \(ConceptList.heading).")
    for topic in HelpTopic.all { invocation.print("'help \(topic.name)': \(topic.heading).") }
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

/// The page of one command, derived from its signature.
package struct HelpPage {
  private let signature: CommandSignature

  package init(_ signature: CommandSignature) {
    self.signature = signature
  }

  /// Prose is broken at this many columns, whatever the terminal's width: longer lines are hard
  /// to read.
  package static let proseWidth = 80

  /// What an argument means, with the words there are to choose from unless it names them itself.
  private static func help(_ text: String, _ kind: ArgumentKind?) -> String {
    let named = Set(text.split { !$0.isLetter && $0 != "-" }.map(String.init))
    guard let words = kind?.choices, !named.isSuperset(of: words) else { return text }
    return text + ": " + words.joined(separator: ", ")
  }

  package static func wrap(_ text: String, columns: Int = proseWidth) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, TextWidth.columns(of: last + " " + word) <= columns {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }

  /// The arguments and options, with what they mean.
  package var arguments: [(usage: String, help: String)] {
    signature.positionals.map { (usage: $0.usage, help: Self.help($0.help, $0.kind)) }
      + signature.options.map { (usage: $0.usage, help: Self.help($0.help, $0.kind)) }
  }

  var lines: [StyledText] {
    var lines: [StyledText] = [
      StyledText(signature.usage, style: .bold), "", StyledText(signature.summary + "."),
    ]
    lines += Self.wrap(signature.discussion).map { StyledText($0) }
    if !arguments.isEmpty {
      let width = min(arguments.map(\.usage.count).max() ?? 0, 32)
      lines.append("")
      for (usage, help) in arguments {
        lines.append(
          "  " + StyledText(TextWidth.pad(usage, to: width), style: TextStyle(color: .cyan))
            + StyledText("  " + help))
      }
    }
    for example in signature.examples {
      lines.append("")
      lines.append(StyledText("Example: \(example.explanation)", style: .dim))
      lines.append(StyledText("  " + example.text))
    }
    return lines
  }
}

extension CommandSignature.Positional {
  /// The argument as the page lists it.
  fileprivate var usage: String { (keyword.map { $0 + " " } ?? "") + placeholder }
}
