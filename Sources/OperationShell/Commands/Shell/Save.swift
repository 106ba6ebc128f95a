import Foundation
import Locking
import ShellLanguage

/// `save`: what was typed, as a script.
enum Save: Command {
  static let signature = CommandSignature(
    path: ["save"],
    summary: "Writes what was typed at the prompt as a script that runs",
    discussion: """
      Lines that ended with an error are left out, and so are statements that only ask about the \
      shell (help, history, save). The rest stands in the script as it was typed, behind the \
      aliases and definitions of the startup file that it uses. It is then checked as it is before \
      it runs: what it needs and does not have is told. A file that is there is replaced only with \
      '--replace'. Where an operation had finished before the next line was typed, the script \
      waits for it there, with any outcome, so that it runs as the session did. What holds a \
      secret, such as a '--key', becomes a comment with stars for the secret. In a script it \
      writes what stands before it.
      """,
    positionals: [.init("file", .file, help: "the script to write")],
    options: [
      .init("last", .integer(minimum: 1), help: "only the last so many lines"),
      .init("replace", help: "write over a file that is there"),
    ],
    examples: [
      .init("delay 10ms; wait; save lesson.opsh", "everything typed in this session")
    ],
    searchTerms: ["script", "keep", "export", "record", "write", "history"])

  /// First words of statements that have no place in a script.
  private static let left: Set<String> = ["save", "help", "history", "apropos", "version"]

  static func run(_ invocation: Invocation) throws -> Value {
    let (session, call) = (invocation.session, invocation.call)
    let typed = typed(in: session, invocation.context.aliases)
    let lines =
      typed.isEmpty && !session.isInteractive
      ? statements(before: invocation).map { TypedLine(text: $0, isGood: true) } : typed
    let kept = lines.suffix(call.integer("last") ?? lines.count)
    guard !kept.isEmpty else {
      throw call.failure("nothing-typed", "nothing was typed yet that a script could hold")
    }
    let (text, secrets) = withoutSecrets(
      head(of: script(Array(kept), session.secrets), invocation), session.secrets)
    let path = call.string("file") ?? ""
    try write(text, to: path, invocation)
    let count = kept.count == 1 ? "1 line" : "\(kept.count) lines"
    var told = "\(count) in '\(path)'"
    if secrets > 0 {
      let places =
        secrets == 1
        ? "1 place that holds a secret is a comment"
        : "\(secrets) places that hold a secret are comments"
      told += "; \(places)"
    }
    invocation.printText(told)
    tellWhatIsMissing(in: text, path, invocation)
    return .string(path)
  }

  /// The lines that have a place in a script; what was waited for before one that has none counts
  /// for the next one.
  private static func typed(in session: Session, _ aliases: [String: String]) -> [TypedLine] {
    var kept: [TypedLine] = []
    var waited: [TypedLine.Finished] = []
    for var line in session.state.withLock({ $0.typed }) {
      waited += line.finishedBefore
      guard line.isGood, let text = withoutQuestions(line.text, aliases) else { continue }
      line = TypedLine(
        text: text, isGood: true, built: line.built, finishedBefore: line.finishedBefore)
      line.finishedBefore = waited
      waited = []
      kept.append(line)
    }
    return kept
  }

  /// The text without the statements that have no place in a script; nil where nothing remains.
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
      // What separates it from the next one goes with it.
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

  /// The script with the aliases and definitions before it that it uses and does not make: those of
  /// the startup file, which no script reads.
  private static func head(of script: String, _ invocation: Invocation) -> String {
    let (session, context) = (invocation.session, invocation.context)
    let lead = "#!/usr/bin/env opsh\n\n"
    var (head, known) = ("", Set<String>())
    while true {
      let parsed = Parser.parse(SourceText(name: "", text: lead + head + script))
      let empty = Interpreter(host: session).makeContext(source: parsed.source)
      let unknown = session.check(parsed, isWhole: true, isForLater: true, in: empty)
        .filter { $0.code == "unknown-command" }.map { $0.source.text(in: $0.range) }
      var found = ""
      for name in unknown where known.insert(name).inserted {
        if let text = context.definitionText(of: name) {
          found += text + "\n"
        } else if let text = context.aliases[name] {
          found += "alias \(name) = \(text)\n"
        }
      }
      // What a definition uses stands before it.
      if found.isEmpty { return lead + head + (head.isEmpty ? "" : "\n") + script }
      head = found + head
    }
  }

  /// Where nothing is typed: the lines of the script itself, up to here.
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
      // What a line that was left out has built is not there in the script.
      if let wait = wait(for: line.finishedBefore.filter { built.contains($0.id) }, before: line) {
        text += wait + "\n"
      }
      text += line.text.hasSuffix("\n") ? line.text : line.text + "\n"
      if !secrets.holdsSecret(line.text) { built.formUnion(line.built) }
    }
    return text
  }

  /// At the prompt one waits by simply typing later; a script has to say so.
  private static func wait(
    for finished: [TypedLine.Finished], before line: TypedLine
  ) -> String? {
    let next = line.text.split(whereSeparator: \.isWhitespace)
    guard !finished.isEmpty, next != ["wait"], next != ["wait", "all"] else { return nil }
    return "wait " + finished.map(\.name).joined(separator: " ") + " --any-outcome"
  }

  private static func write(_ text: String, to path: String, _ invocation: Invocation) throws {
    let (call, files) = (invocation.call, FileManager.default)
    let url = URL(fileURLWithPath: path)
    if !call.has("replace"), files.fileExists(atPath: url.path) {
      throw call.failure(
        "file-exists", "'\(path)' is there already", at: "file",
        help: "'--replace' writes over it")
    }
    do {
      // In one step, so that a full disk leaves what was there.
      try Data(text.utf8).write(to: url, options: .atomic)
      // For the user alone: what was typed may hold an unknown secret.
      try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: url.path)
    } catch {
      // Foundation tells less than the system does.
      let isWritable = access(url.deletingLastPathComponent().path + "/", W_OK) == 0
      let reason = isWritable ? error.localizedDescription : String(cString: strerror(errno))
      throw call.failure("file", "'\(path)' can't be written: \(reason)", at: "file")
    }
  }

  /// A line may rest on one that was left out, or on the startup file.
  private static func tellWhatIsMissing(
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
