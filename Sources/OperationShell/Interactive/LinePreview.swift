import OpshLocking
import ShellLanguage
import ShellSession
import OpshTerminal

/// Shows a line before it is entered: its parts in colours, what Enter would refuse, and what could
/// follow.
struct LinePreview {
  private let shell: Shell
  private let completer: Completer
  private let history: History

  /// Longer texts have no colours: each key would have to read them all.
  private static let greatestText = 32_768
  /// Longer texts are not checked for each key.
  private static let greatestChecked = 4_096

  init(shell: Shell, completer: Completer, history: History) {
    self.shell = shell
    self.completer = completer
    self.history = history
  }

  // After 'reset' and 'back' the shell has others.
  private var session: Session { shell.session }
  private var interpreter: Interpreter { shell.interpreter }

  /// Returns the look of a text.
  ///
  /// - Parameters:
  ///   - text: What has been typed.
  ///   - cursor: The UTF-8 offset of the cursor; nil if the text has been entered.
  /// - Returns: Its colours, what is open in it, and what could follow.
  func look(of text: String, cursor: Int?) -> LineLook {
    guard text.utf8.count <= Self.greatestText else { return .plain }
    let typed = TypedText(
      text, catalog: session.run.catalog, definitions: interpreter.definitions,
      aliases: interpreter.aliases)
    var look = LineLook(continuations: continuations(of: typed, text))
    let (choice, isPlain) = session.screen.state.withLock { ($0.theme, $0.prompt.isPlain) }
    guard !isPlain, let theme = LineTheme(choice, environment: session.outside.environment) else {
      return look
    }
    look.stretches = stretches(of: typed, text, cursor: cursor, theme)
    guard let cursor, cursor == text.utf8.count, cursor > 0, typed.lineStarts.isEmpty else {
      return look
    }
    look.suggestionStyle = theme.style(of: .suggestion)
    look.suggestion = suggestion(after: text) ?? ""
    if look.suggestion.isEmpty, text.last?.isWhitespace == true {
      look.hint = completer.nextArgument(after: text) ?? ""
    }
    return look
  }

  // MARK: Colours

  private func stretches(
    of typed: TypedText, _ text: String, cursor: Int?, _ theme: LineTheme
  ) -> [LineLook.Stretch] {
    var stretches: [LineLook.Stretch] = []
    func add(_ range: SourceRange, _ element: LineTheme.Element) {
      let style = theme.style(of: element)
      if style != .plain { stretches.append(.init(range.lower..<range.upper, style)) }
    }
    let source = SourceText(name: SourceText.promptName, text: text)
    for part in typed.parts {
      if part.role != .word {
        add(part.range, .part(part.role))
      } else if isName(source.text(in: part.range)) {
        add(part.range, .name)
      }
    }
    if let pair = typed.pairs.first(where: { $0.lower == cursor || $0.upper == cursor }) {
      add(SourceRange(pair.lower, pair.lower + 1), .pair)
      add(SourceRange(pair.upper - 1, pair.upper), .pair)
    }
    for place in typed.openings { add(SourceRange(place, place + 1), .unclosed) }
    for range in errors(in: typed, text, cursor: cursor) { add(range, .error) }
    return stretches
  }

  /// Whether operations or queues are called so, with commas between several.
  private func isName(_ word: String) -> Bool {
    word.split(separator: ",").allSatisfy { name in
      session.jobs.operations.operation(named: String(name)) != nil
        || session.jobs.queue(named: String(name)) != nil
    }
  }

  /// Finds what the check at Enter would refuse, whatever else is typed.
  private func errors(in typed: TypedText, _ text: String, cursor: Int?) -> [SourceRange] {
    guard text.utf8.count <= Self.greatestChecked else { return [] }
    let count = text.utf8.count
    return problems(in: typed.closed, words: text).filter { problem in
      let range = problem.range
      guard range.upper <= count, !range.isEmpty else { return false }
      guard let cursor else { return true }
      // A word is still being typed as long as the cursor is at it.
      if range.lower <= cursor, cursor <= range.upper { return false }
      return !problem.canStillBeCompleted || isLeft(range, text, cursor: cursor)
    }.map(\.range)
  }

  private func problems(in text: String, words: String) -> [Diagnostic] {
    let script = Parser.parse(SourceText(name: SourceText.promptName, text: text))
    let names = words.split { !$0.isLetter && !$0.isNumber && $0 != "-" && $0 != "_" }
    let found = session.run.checkWhileTyped(
      script, words: Set(names.map(String.init)),
      in: interpreter.makeContext(source: script.source)
    ).filter { $0.severity == .error && $0.source.isSame(as: script.source) }
    let shorthand = TypedShorthand(session: session, interpreter: interpreter)
    return found.filter { !shorthand.allows($0, in: script) }
  }

  /// Whether the statement of a place has been ended before the cursor.
  private func isLeft(_ range: SourceRange, _ text: String, cursor: Int) -> Bool {
    var depth = 0
    for byte in text.utf8.prefix(cursor).dropFirst(range.upper) {
      switch Character(Unicode.Scalar(byte)) {
      case "{", "(": depth += 1
      case "}", ")": depth -= 1
      case ";" where depth == 0, "\n" where depth == 0: return true
      default: break
      }
      if depth < 0 { return true }
    }
    return false
  }

  // MARK: Further lines

  private func continuations(of typed: TypedText, _ text: String) -> [StyledText] {
    guard !typed.lineStarts.isEmpty else { return [] }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
    return zip(typed.lineStarts, lines).map { start, line in
      let sign = start.sign.map { String($0) } ?? ""
      // A line with white space of its own, as in pasted text, keeps that.
      let isIndented = start.isQuoted || line.first?.isWhitespace == true
      let closes = line.first == "}" || line.first == ")"
      let depth = isIndented ? 0 : max(0, start.depth - (closes ? 1 : 0))
      return StyledText(sign, style: .dim) + LineLook.continuation
        + StyledText(String(repeating: "  ", count: min(depth, 8)))
    }
  }

  // MARK: What could follow

  /// The latest entry of the history that begins with the text and would not be refused, or else the
  /// first candidate for the word at the cursor.
  private func suggestion(after text: String) -> String? {
    let found = history.entries.lazy.reversed().filter { entry in
      entry.hasPrefix(text) && entry.utf8.count > text.utf8.count
    }.prefix(3)
    if let entry = found.first(where: { problems(in: $0, words: $0).isEmpty }) {
      return String(entry.dropFirst(text.count))
    }
    return completer.likeliestEnd(of: text)
  }
}

extension Diagnostic {
  /// Whether more text may mend it.
  fileprivate var canStillBeCompleted: Bool {
    ["missing-", "expected-", "unclosed-", "unfinished-"].contains { code.hasPrefix($0) }
  }
}
