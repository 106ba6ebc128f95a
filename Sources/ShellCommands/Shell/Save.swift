import CommandParts
import Foundation
import OpshLocking
import ShellLanguage
import ShellSession
import OpshTerminal

/// `save`: the typed lines, as a script.
enum Save: Command {
  static let file = Positional<String>("file", .file, help: "script to write")
  static let last = Option<Int?>(
    "last", .integer(minimum: 1), help: "number of lines, the latest (default: all)")
  static let replace = Flag("replace", help: "replace a file that exists")

  static let path = ["save"]
  static let declaration = CommandDeclaration(
    summary: "Writes the lines typed at the prompt as a script that runs",
    discussion: """
      Statements that ended with an error or did not run are left out, and so are lines that begin \
      with a space and those that only ask about the shell (help, history, save, watch, clear). So \
      is 'record', even with '--replace': a recording is of one session, and the next run would \
      overwrite the one of this session, which nothing makes again. 'export FILE' is left out \
      without '--replace', because it would find its file in the next run; a remark names these. \
      The script has the others as they were typed, after the aliases and definitions of the \
      startup file that they use. Then it is checked like any script before a run, and missing \
      names are reported. '--replace' is needed to replace a file that exists. Where an operation \
      had finished before the next line was typed, the script waits for it, with any outcome, so \
      that it runs as the session did. In place of a secret text of a variable or a parameter \
      ('help history' says which are) the script reads $env.PASSWORD or the like, after a comment; a \
      statement with another secret, such as a '--key', becomes a comment with stars for the secret. \
      In a script, 'save' writes the statements before it.
      """,
    positionals: [file], options: [last, replace],
    examples: [
      .init("delay 10ms; wait; save lesson.opsh", "everything typed in this session")
    ],
    searchTerms: ["script", "keep", "export", "record", "write", "history"],
    traits: [.worksInReplay])

  /// First words of statements that no script needs.
  private static let questions: Set<String> = [
    "save", "help", "history", "apropos", "version", "watch", "clear",
  ]

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    var files: [LeftFile] = []
    let typed = typed(in: invocation.run, invocation.context.aliases, &files)
    // In a script, what a page has asked for is known, but not before which statement.
    let lines =
      invocation.screen.isInteractive || !typed.allSatisfy(\.isSteering)
      ? typed
      : statements(before: invocation, &files).map { TypedLine(text: $0, completed: $0) } + typed
    let kept = lines.suffix(call[last] ?? lines.count)
    guard !kept.isEmpty else {
      throw call.failure(.nothingTyped, "no command was typed yet that can be saved")
    }
    let variables = SecretVariables(
      of: head(of: kept.map(\.text).joined(separator: "\n"), invocation),
      secrets: invocation.screen.secrets, in: invocation.run, host: invocation.context.host)
    let named = kept.map { $0.with(text: variables.replaced(in: $0.text)) }
    let (text, secrets) = withoutSecrets(
      variables.replaced(in: head(of: script(named, invocation.screen.secrets), invocation)),
      invocation.screen.secrets)
    let path = call[file]
    try invocation.writeNewFile(
      text, to: path, at: file, replaces: call[replace], mode: 0o700)
    // A pasted block has several.
    let number = kept.reduce(0) { $0 + $1.text.split(separator: "\n").count }
    let count = number == 1 ? "1 line" : "\(number) lines"
    var told = "\(count) in '\(path)'"
    let names = variables.names(in: text)
    if !names.isEmpty {
      told += "; set in the environment before a run: " + names.joined(separator: ", ")
    }
    if secrets > 0 {
      let places =
        secrets == 1
        ? "1 place that holds a secret is a comment"
        : "\(secrets) places that hold a secret are comments"
      told += "; \(places)"
    }
    let left = files.filter { call[last] == nil || $0.place >= lines.count - kept.count }
      .map { "'\($0.text)'" }
    if !left.isEmpty {
      told +=
        "; left out, because the next run would find the file: "
        + left.joined(separator: ", ")
    }
    invocation.print(StyledText(VisibleText.escape(told)))
    reportMissingNames(in: text, path, invocation)
    return .string(path)
  }

  /// The lines that belong in a script; a wait before a line that does not counts for the next one.
  private static func typed(
    in run: Run, _ aliases: [String: String], _ files: inout [LeftFile]
  ) -> [TypedLine] {
    var kept: [TypedLine] = []
    var waited: [TypedLine.Finished] = []
    for var line in run.state.withLock({ $0.typed }) {
      waited += line.finishedBefore
      guard let completed = line.completed else { continue }
      let (text, left) = withoutQuestions(completed, aliases)
      files += left.map { LeftFile(text: $0, place: text == nil ? kept.count - 1 : kept.count) }
      guard let text else { continue }
      line = line.with(text: text)
      line.finishedBefore = waited
      waited = []
      kept.append(line)
    }
    return kept
  }

  /// A statement that writes a file which a second run must not replace.
  private struct LeftFile {
    /// Its first line.
    let text: String
    /// Which of the lines that are kept it stands in or after.
    let place: Int
  }

  /// Why a statement is left out.
  private enum Reason { case error, question, file }

  private static func reason(_ statement: Statement, _ aliases: [String: String]) -> Reason? {
    guard case .command(let command) = statement.kind,
      let word = command.arguments.first?.bareText
    else { return nil }
    let text = aliases[word].map { firstWord($0) }
    func isCalled(_ name: String) -> Bool { word == name || text == name }
    if isCalled("record") {
      let next = command.arguments.dropFirst().first?.bareText
      return command.arguments.count == 1 || next == "off" ? .question : .file
    }
    if isCalled("export") {
      let replaces = command.arguments.contains { $0.bareText == "--replace" }
      return replaces ? nil : .file
    }
    return questions.contains { isCalled($0) } ? .question : nil
  }

  /// The text without the statements that no script needs, nil where nothing remains; and those of
  /// them that write a file.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - aliases: The aliases that it may use.
  ///   - ran: The indices of the statements that ended without an error; nil if all of them did.
  /// - Returns: The text and the first lines of the statements.
  private static func withoutQuestions(
    _ text: String, _ aliases: [String: String], ran: Set<Int>? = nil
  ) -> (text: String?, files: [String]) {
    let script = Parser.parse(SourceText(name: SourceText.promptName, text: text))
    let reasons = script.statements.enumerated().map { index, statement in
      ran.map { !$0.contains(index) } ?? false ? .error : reason(statement, aliases)
    }
    guard reasons.contains(where: { $0 != nil }) else { return (text, []) }
    let files = zip(script.statements, reasons).filter { $1 == .file }.map { statement, _ in
      String(script.source.text(in: statement.range).prefix { !$0.isNewline })
    }
    return (script.text { reasons[$0] != nil }, files)
  }

  private static func firstWord(_ text: String) -> String {
    String(text.split(whereSeparator: \.isWhitespace).first ?? "")
  }

  /// The script after the aliases and definitions of the startup file that it uses: scripts do not
  /// read that file.
  private static func head(of script: String, _ invocation: Invocation) -> String {
    let context = invocation.context
    let lead = "#!/usr/bin/env opsh\n\n"
    var (head, known) = ("", Set<String>())
    while true {
      let parsed = Parser.parse(SourceText(name: "", text: lead + head + script))
      let unknown = invocation.run.checkForLater(parsed, host: context.host)
        .filter { $0.is(.unknownCommand) }.map { $0.source.text(in: $0.range) }
      var found = ""
      for name in unknown where known.insert(name).inserted {
        if let text = context.definitionText(of: name) {
          found += text + "\n"
        } else if let text = context.aliases[name] {
          found += "alias \(name) = \(text)\n"
        }
      }
      // Definitions come after the ones that they use.
      if found.isEmpty { return lead + head + (head.isEmpty ? "" : "\n") + script }
      head = found + head
    }
  }

  /// In a script: its lines up to this call.
  private static func statements(
    before invocation: Invocation, _ files: inout [LeftFile]
  ) -> [String] {
    let context = invocation.context
    let before = context.source.text(in: SourceRange(0, context.currentRange.lower))
    let completed = invocation.run.state.withLock { $0.completedStatements }
      .flatMap { $0.source.isSame(as: context.source) ? $0.indices : nil }
    let ran = completed ?? invocation.run.inputs.statements(of: context.source)
    let (kept, left) = withoutQuestions(before, context.aliases, ran: ran)
    files += left.map { LeftFile(text: $0, place: .max) }
    var text = kept ?? ""
    while let last = text.last, last.isWhitespace || last == ";" { text.removeLast() }
    return
      text
      .split(separator: "\n").map(String.init)
      .filter { $0.contains { !$0.isWhitespace } && !$0.hasPrefix("#!") }
  }

  private static func script(_ lines: [TypedLine], _ secrets: SecretMask) -> String {
    var text = ""
    var built: Set<Int> = []
    for line in lines {
      // The script does not build the operations of lines that were left out.
      if let wait = wait(for: line.finishedBefore.filter { built.contains($0.id) }, before: line) {
        text += wait + "\n"
      }
      text += line.text.hasSuffix("\n") ? line.text : line.text + "\n"
      if !secrets.holdsSecret(line.text) { built.formUnion(line.built) }
    }
    return text
  }

  /// The statement that waits for operations that had finished when a line was typed.
  private static func wait(
    for finished: [TypedLine.Finished], before line: TypedLine
  ) -> String? {
    let next = line.text.split(whereSeparator: \.isWhitespace)
    guard !finished.isEmpty, next != ["wait"], next != ["wait", "all"] else { return nil }
    return "wait " + words(for: finished, before: line) + " --any-outcome"
  }

  /// More names than this become a pattern or `all`, where that selects the same operations.
  private static let mostNames = 3

  private static func words(for finished: [TypedLine.Finished], before line: TypedLine) -> String {
    let names = finished.map(\.name)
    guard names.count > mostNames, let unfinished = line.unfinishedBefore else {
      return names.joined(separator: " ")
    }
    if unfinished.isEmpty { return "all" }
    func beginning(_ name: String) -> Substring {
      name.lastIndex(of: "-").map { name[...$0] } ?? name[...]
    }
    let counts = Dictionary(names.map { (beginning($0), 1) }, uniquingKeysWith: +)
    var words: [String] = []
    var told: Set<Substring> = []
    for name in names {
      let beginning = beginning(name)
      if counts[beginning, default: 0] <= mostNames || !beginning.hasSuffix("-")
        || unfinished.contains(beginning: beginning)
      {
        words.append(name)
      } else if told.insert(beginning).inserted {
        words.append(beginning + "*")
      }
    }
    return words.joined(separator: " ")
  }

  /// Reports names that a line needs and the script lacks: from a line that was left out, or from
  /// the startup file.
  private static func reportMissingNames(
    in text: String, _ path: String, _ invocation: Invocation
  ) {
    let script = Parser.parse(SourceText(name: path, text: text))
    for diagnostic in invocation.run.checkForLater(
      script, names: .mistakes, host: invocation.context.host)
    where diagnostic.severity == .error {
      invocation.screen.report(diagnostic)
    }
  }
}

extension ErrorPage {
  static let nothingTyped = ErrorPage(
    "nothing-typed", "Nothing was typed yet that a script could hold",
    "'save' writes what was typed at the prompt.", help: "type something first",
    wrong: "save a.opsh", right: "echo a > a.txt", proof: .running)
}
