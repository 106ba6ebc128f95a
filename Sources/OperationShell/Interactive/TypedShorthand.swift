import ShellLanguage
import ShellSession

/// A statement that may be typed for short at the prompt, though not in scripts.
///
/// `wait?` is help, the name of an operation or of a queue shows it, and the beginning of a command
/// that no other one has stands for it. Nothing that has a meaning of its own is changed.
struct TypedShorthand {
  let session: Session
  let interpreter: Interpreter

  /// A beginning that is shorter may be a slip.
  private static let leastLength = 2
  /// A text with more of them is read as it is.
  private static let greatestCount = 8

  /// Returns what a text stands for; nil for one that is not for short.
  ///
  /// - Parameters:
  ///   - script: The text.
  ///   - found: What its check has found.
  ///   - check: Checks another text.
  /// - Returns: The text that is meant.
  func meaning(
    of script: Script, found: [Diagnostic], check: (Script) -> [Diagnostic]
  ) -> Script? {
    guard found.contains(where: { $0.severity == .error }) else { return nil }
    if let whole = meaning(ofWhole: script.source.text) { return Self.parse(whole) }
    var (current, problems) = (script, found)
    for _ in 0..<Self.greatestCount {
      guard
        let (range, word) = problems.lazy.compactMap({ abbreviation($0, in: current) }).first
      else { break }
      var text = current.source.text
      let start = text.utf8.index(text.utf8.startIndex, offsetBy: range.lower)
      let end = text.utf8.index(text.utf8.startIndex, offsetBy: range.upper)
      text.replaceSubrange(start..<end, with: word)
      current = Self.parse(text)
      problems = check(current)
    }
    // Errors are told of what was typed.
    return problems.contains { $0.severity == .error } ? nil : current
  }

  /// Returns whether a problem of a text is none at the prompt.
  func allows(_ problem: Diagnostic, in script: Script) -> Bool {
    abbreviation(problem, in: script) != nil || meaning(ofWhole: script.source.text) != nil
  }

  private static func parse(_ text: String) -> Script {
    Parser.parse(SourceText(name: SourceText.promptName, text: text))
  }

  // MARK: Whole lines

  private func meaning(ofWhole text: String) -> String? {
    let line = text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
    let whole = String(line)
    guard !whole.isEmpty, !whole.contains(where: \.isNewline) else { return nil }
    let words = whole.split(separator: " ")
    guard words.allSatisfy({ $0.allSatisfy(Self.isPlain) || $0 == words.last }) else { return nil }
    if whole.last == "?", whole.dropLast().allSatisfy({ Self.isPlain($0) || $0 == " " }) {
      return help(about: String(whole.dropLast()))
    }
    return words.count == 1 ? show(whole) : nil
  }

  private func help(about subject: String) -> String? {
    let words = subject.split(separator: " ").map(String.init)
    guard let first = words.first, words.last.map({ subject.hasSuffix($0) }) == true else {
      return nil
    }
    // Of several words, those of no command may be a pattern of names.
    if words.count > 1, session.run.catalog.signature(at: words) == nil { return nil }
    return words.count == 1 && !session.run.catalog.hasCommand(first) && show(first) != nil
      ? show(first) : "help \(subject)"
  }

  private func show(_ name: String) -> String? {
    if session.jobs.operations.operation(named: name) != nil { return "show \(name)" }
    if name == "last", session.jobs.operations.count > 0 { return "show last" }
    return session.jobs.queue(named: name).map { _ in "queue show \(name)" }
  }

  private static func isPlain(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "-" || character == "_"
  }

  // MARK: Beginnings of commands

  /// Returns the command, or the further word of one, that an unknown word is the only beginning of.
  private func abbreviation(
    _ problem: Diagnostic, in script: Script
  ) -> (range: SourceRange, word: String)? {
    guard problem.source.isSame(as: script.source),
      problem.is(.unknownCommand)
        || problem.is(.unknownSubcommand)
    else { return nil }
    let word = script.source.text(in: problem.range)
    guard word.count >= Self.leastLength, word.allSatisfy(Self.isPlain) else { return nil }
    let catalog = session.run.catalog
    var names: [String]
    if problem.is(.unknownCommand) {
      names = catalog.names + interpreter.definitions.map(\.fullName) + interpreter.aliases.keys
      // The beginning of a statement of the language is none of a command.
      names += Keyword.allCases.map(\.rawValue)
    } else {
      let before = script.source.text(in: SourceRange(0, problem.range.lower))
      let statement = before.reversed().prefix { !";{}\n".contains($0) }.reversed()
      names = catalog.subcommands(of: String(statement).split(separator: " ").map(String.init))
    }
    let meant = Set(names.filter { $0.hasPrefix(word) })
    guard meant.count == 1, let only = meant.first, Keyword(only) == nil else { return nil }
    return (problem.range, only)
  }
}

extension Shell {
  /// Returns the text that a typed one stands for, and says which that is.
  ///
  /// - Parameters:
  ///   - script: The typed text.
  ///   - found: What its check has found.
  /// - Returns: The text that runs, and what its check finds.
  func expanded(_ script: Script, found: [Diagnostic]) -> (script: Script, found: [Diagnostic]) {
    let shorthand = TypedShorthand(session: session, interpreter: interpreter)
    guard let meant = shorthand.meaning(of: script, found: found, check: check(typed:)) else {
      return (script, found)
    }
    var text = meant.source.text[...]
    while text.last?.isNewline == true { text.removeLast() }
    session.screen.remark("runs '\(session.screen.secrets.mask(String(text)))'")
    return (meant, check(typed: meant))
  }
}
