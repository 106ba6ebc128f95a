import Foundation
import Locking
import ShellLanguage
import ShellOutput
import ShellSession

/// `save`: the typed lines, as a script.
enum Save: Command {
  static let file = Positional<String>("file", .file, help: "script to write")
  static let last = Option<Int?>(
    "last", .integer(minimum: 1), help: "number of lines, the latest (default: all)")
  static let replace = Flag("replace", help: "replace a file that exists")

  static let signature = CommandSignature(
    path: ["save"],
    summary: "Writes the lines typed at the prompt as a script that runs",
    discussion: """
      Statements that ended with an error or did not run are left out, and so are those that only \
      ask about the shell (help, history, save, watch, clear). 'record' is left out too: each run \
      of the script would replace the recording of this session. The script has the others as they \
      were typed, after the \
      aliases and definitions of the startup file that they use. Then it is checked like any \
      script before a run, and missing names are reported. '--replace' is needed to replace a file \
      that exists. Where an operation had finished before the next line was typed, the script \
      waits for it, with any outcome, so that it runs as the session did. A statement with a \
      secret, such as a '--key', becomes a comment with stars for the secret. In a script, 'save' \
      writes the statements before it.
      """,
    positionals: [file], options: [last, replace],
    examples: [
      .init("delay 10ms; wait; save lesson.opsh", "everything typed in this session")
    ],
    searchTerms: ["script", "keep", "export", "record", "write", "history"])

  /// First words of statements that no script needs; a recording is of this session only, and a
  /// script must not replace it.
  private static let left: Set<String> = [
    "save", "help", "history", "apropos", "version", "watch", "clear", "record",
  ]

  static let worksInReplay = true

  static func run(_ invocation: Invocation) throws -> Value {
    let (session, call) = (invocation.session, invocation.call)
    let typed = typed(in: session, invocation.context.aliases)
    // In a script, what a page has asked for is known, but not before which statement.
    let lines =
      session.isInteractive || !typed.allSatisfy(\.isSteering)
      ? typed : statements(before: invocation).map { TypedLine(text: $0, completed: $0) } + typed
    let kept = lines.suffix(call[last] ?? lines.count)
    guard !kept.isEmpty else {
      throw call.failure(.nothingTyped, "no command was typed yet that can be saved")
    }
    let (text, secrets) = withoutSecrets(
      head(of: script(Array(kept), session.secrets), invocation), session.secrets)
    let path = call[file]
    try invocation.writeNewFile(
      text, to: path, at: file, replaces: call[replace], mode: 0o700)
    // A pasted block has several.
    let number = kept.reduce(0) { $0 + $1.text.split(separator: "\n").count }
    let count = number == 1 ? "1 line" : "\(number) lines"
    var told = "\(count) in '\(path)'"
    if secrets > 0 {
      let places =
        secrets == 1
        ? "1 place that holds a secret is a comment"
        : "\(secrets) places that hold a secret are comments"
      told += "; \(places)"
    }
    invocation.printText(told)
    reportMissingNames(in: text, path, invocation)
    return .string(path)
  }

  /// The lines that belong in a script; a wait before a line that does not counts for the next one.
  private static func typed(in session: Session, _ aliases: [String: String]) -> [TypedLine] {
    var kept: [TypedLine] = []
    var waited: [TypedLine.Finished] = []
    for var line in session.state.withLock({ $0.typed }) {
      waited += line.finishedBefore
      guard let completed = line.completed, let text = withoutQuestions(completed, aliases)
      else { continue }
      line = TypedLine(
        text: text, completed: text, isSteering: line.isSteering, built: line.built,
        finishedBefore: line.finishedBefore, unfinishedBefore: line.unfinishedBefore)
      line.finishedBefore = waited
      waited = []
      kept.append(line)
    }
    return kept
  }

  /// The text without the statements that no script needs; nil where nothing remains.
  private static func withoutQuestions(_ text: String, _ aliases: [String: String]) -> String? {
    let script = Parser.parse(SourceText(name: SourceText.promptName, text: text))
    func isLeft(_ statement: Statement) -> Bool {
      guard case .command(let command) = statement.kind,
        let word = command.arguments.first?.bareText
      else { return false }
      return left.contains(word) || left.contains(firstWord(aliases[word] ?? ""))
    }
    guard script.statements.contains(where: isLeft) else { return text }
    guard !script.statements.allSatisfy(isLeft) else { return nil }
    var rest = ""
    var place = 0
    for (index, statement) in script.statements.enumerated() where isLeft(statement) {
      rest += script.source.text(in: SourceRange(place, max(place, statement.range.lower)))
      let isLast = index == script.statements.count - 1
      // The separator before the next statement is removed with it.
      place = isLast ? statement.range.upper : script.statements[index + 1].range.lower
      while isLast, let letter = rest.last, letter.isWhitespace || letter == ";" {
        rest.removeLast()
      }
    }
    return rest + script.source.text(in: SourceRange(place, script.source.count))
  }

  private static func firstWord(_ text: String) -> String {
    String(text.split(whereSeparator: \.isWhitespace).first ?? "")
  }

  /// The script after the aliases and definitions of the startup file that it uses: scripts do not
  /// read that file.
  private static func head(of script: String, _ invocation: Invocation) -> String {
    let (session, context) = (invocation.session, invocation.context)
    let lead = "#!/usr/bin/env opsh\n\n"
    var (head, known) = ("", Set<String>())
    while true {
      let parsed = Parser.parse(SourceText(name: "", text: lead + head + script))
      let empty = Interpreter(host: session).makeContext(source: parsed.source)
      let unknown = session.check(parsed, isWhole: true, isForLater: true, in: empty)
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
  private static func statements(before invocation: Invocation) -> [String] {
    let context = invocation.context
    let before = context.source.text(in: SourceRange(0, context.currentRange.lower))
    return (withoutQuestions(before, context.aliases) ?? "")
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

  /// More names than these are told with a pattern or `all`, where that means the same operations.
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
    let session = invocation.session
    let script = Parser.parse(SourceText(name: path, text: text))
    let empty = Interpreter(host: session).makeContext(source: script.source)
    for diagnostic in session.check(
      script, isWhole: true, names: .mistakes, isForLater: true, in: empty)
    where diagnostic.severity == .error {
      session.report(diagnostic)
    }
  }
}

extension ErrorPage {
  static let nothingTyped = ErrorPage(
    "nothing-typed", "Nothing was typed yet that a script could hold",
    "'save' writes what was typed at the prompt.", help: "type something first",
    wrong: "save a.opsh", right: "echo a > a.txt", proof: .running)
}
