import Foundation
import OpshLocking
import Operations
import ShellLanguage
import ShellOutput
import ShellSession
import OpshSupport
import OpshSystemCalls
import OpshTerminal

/// The interactive shell: reads lines with the editor and runs them, while transitions appear
/// above the line being typed.
///
/// Everything here runs on the interpreter's thread, which is also the editor's. While a line is
/// read, handlers run between two keys; while a statement runs, the terminal is in its normal mode.
final class Prompt {
  private let shell: Shell
  private let completer: Completer
  private var editor: LineEditor?
  private var history: History?
  private var preview: LinePreview?
  /// An error of a handler at the prompt that ends more than the handler.
  private var pendingEnd: (any Error)?
  private var hasWarnedOfUnfinished = false
  private var hasToldOfRepetition = false
  /// What is asked instead of a statement.
  private var question: StyledText?
  /// The session that was pasted into the line.
  private var pasted: PastedSession?
  /// The text that was read last, and what its check found.
  private var typed: (script: Script, found: [Diagnostic]?)?

  private var session: Session { shell.session }

  /// The number of log entries handled between two keys: a few milliseconds' worth.
  private static let entriesPerFrame = 4096

  init(shell: Shell) {
    self.shell = shell
    completer = Completer(shell: shell)
  }

  /// Reads and runs lines until the user leaves.
  func run() throws {
    let streams = session.screen.output.streams
    let isTerminal = isatty(streams.input) == 1
    let capabilities = TerminalCapabilities.detect(
      environment: session.outside.environment, input: streams.input, output: streams.output)
    guard capabilities.isInteractive, let signals = session.run.signals
    else {
      try StandardInput(shell: shell, prompts: isTerminal).run()
      return
    }
    let wakeUp = session.run.wakeUp
    let file = session.run.configuration.historyFile
    let history = History(file: file, isPrivate: { [unowned self] in holdsSecret($0) }) {
      [unowned shell] code in
      shell.session.screen.remark(
        "lines are not stored: cannot write to the history '\(file ?? "")': "
          + String(cString: strerror(code)))
    }
    self.history = history
    preview = LinePreview(shell: shell, completer: completer, history: history)
    session.run.state.withLock { $0.history = history }
    let pace = session.screen.beginPacing()
    session.screen.feed.folds = true
    let editor = try LineEditor(
      delegate: self, history: history, capabilities: capabilities, wakeUp: wakeUp,
      signals: signals, pace: pace, color: session.screen.output.standardOutputColor,
      input: streams.input, output: streams.output)
    self.editor = editor
    session.run.state.withLock { $0.editor = editor }
    session.screen.state.withLock { $0.hasPager = true }
    defer {
      session.run.state.withLock { $0.editor = nil }
      editor.close()
    }
    try shell.runStartupFile()
    greet()
    if let deadline = session.run.runDeadline {
      // Nothing else may happen at a prompt until then. libdispatch could lack the descriptors.
      _ = RawThread.start(name: ThreadName.deadline, stackSize: 64 << 10) {
        Thread.sleep(forTimeInterval: (deadline - .now).seconds)
        wakeUp.signal()
      }
    }
    while try runOne(editor) {}
  }

  private func greet() {
    session.screen.output.line(
      StyledText(Version.text, style: .bold)
        + StyledText(", the operation shell. 'help' shows where to begin, Ctrl-D leaves."),
      folds: true)
  }

  /// - Returns: Whether to read another line.
  private func runOne(_ editor: LineEditor) throws -> Bool {
    session.screen.output.beginEditing()
    let result = editor.readLine()
    session.screen.output.endEditing()
    if let end = pendingEnd {
      pendingEnd = nil
      throw end
    }
    switch result {
    case .line(let text):
      hasWarnedOfUnfinished = false
      defer { session.run.forgetSecretLines() }
      defer { pasted = nil }
      // Each is typed by itself: an error in one ends only that one.
      let inputs = pasted.flatMap { $0.text == text ? $0.inputs : nil } ?? [text]
      shell.wasInterrupted = false
      for input in inputs where !shell.wasInterrupted {
        var next: String? = input
        while let line = next { next = try run(line: line, editor) }
      }
      session.screen.reportRepeatedErrors()
    case .interrupted:
      hasWarnedOfUnfinished = false
      session.screen.giveUpBacklog()
    case .endOfInput:
      return warnOfUnfinished()
    case .terminated(let signal):
      throw SessionEnd(cause: .signal(signal.number))
    }
    return true
  }

  /// Runs a typed line; of large durations without a unit, such as `delay 500`, it asks for the unit
  /// if the line is a single one.
  ///
  /// - Returns: The line to run next, which was typed in the place of a unit; nil for none.
  private func run(line: String, _ editor: LineEditor) throws -> String? {
    var text = line
    for doubt in doubtfulDurations(in: line).reversed() {
      switch try ask(doubt.choices, editor) {
      case .choice(let unit):
        let start = text.utf8.index(text.utf8.startIndex, offsetBy: doubt.range.lower)
        let end = text.utf8.index(text.utf8.startIndex, offsetBy: doubt.range.upper)
        text.replaceSubrange(start..<end, with: unit)
      case .nothing:
        session.screen.remark("nothing ran")
        return nil
      case .line(let next):
        // The rest of a paste answers no question.
        let shown = TextWidth.truncate(session.screen.secrets.mask(line), to: 60)
        session.screen.remark("'\(shown)' did not run")
        history?.append(next)
        return next
      }
    }
    try runTyped(text)
    return nil
  }

  /// What was typed after a question.
  private enum Answer {
    case choice(String)
    case nothing
    /// None of the choices.
    case line(String)
  }

  /// Asks which of several words is meant.
  private func ask(_ choices: [String], _ editor: LineEditor) throws -> Answer {
    question = StyledText(choices.joined(separator: " or ") + "? ", style: .bold)
    defer { question = nil }
    session.screen.output.beginEditing()
    let result = editor.readLine(isKept: false)
    session.screen.output.endEditing()
    if let end = pendingEnd {
      pendingEnd = nil
      throw end
    }
    switch result {
    case .line(let line):
      let answer = line.filter { !$0.isWhitespace }
      if answer.isEmpty { return .nothing }
      let choice = choices.first { $0 == answer || $0.drop(while: \.isNumber) == answer }
      guard let choice else { return .line(line) }
      return .choice(choice)
    case .interrupted, .endOfInput: return .nothing
    case .terminated(let signal): throw SessionEnd(cause: .signal(signal.number))
    }
  }

  private func runTyped(_ text: String) throws {
    let (script, found) = check(text)
    // What it does may change what a check of the same text finds.
    typed = nil
    try shell.noting(script) { try shell.runAtPrompt(script, found: found) }
  }

  /// Reads a typed text, unless it is the one that was read last.
  private func read(_ text: String) -> Script {
    if let typed, typed.script.source.text == text { return typed.script }
    let script = Parser.parse(SourceText(name: SourceText.promptName, text: text))
    typed = (script, nil)
    return script
  }

  /// Checks a typed text, unless nothing has run since it was checked.
  private func check(_ text: String) -> (script: Script, found: [Diagnostic]) {
    let script = read(text)
    let found = typed?.found ?? shell.check(typed: script)
    typed = (script, found)
    return (script, found)
  }

  /// Returns whether a typed line holds a secret, which its check finds: its run comes after it is
  /// stored.
  private func holdsSecret(_ line: String) -> Bool {
    _ = check(line)
    return session.screen.secrets.holdsSecret(line)
  }

  /// Returns the durations of a typed line that are large numbers without a unit, unless it has
  /// errors.
  private func doubtfulDurations(
    in line: String
  ) -> [(range: SourceRange, choices: [String])] {
    let (script, found) = check(line)
    guard script.source.isOneLine, !found.contains(where: { $0.severity == .error }) else {
      return []
    }
    return found.filter { $0.source.isSame(as: script.source) }.compactMap { diagnostic in
      diagnostic.durationChoices.map { (diagnostic.range, $0) }
    }
  }

  /// Says once that a request was sent again while an equal one was in flight.
  private func tellOfRepetition() {
    guard !hasToldOfRepetition, let hint = session.outside.network.repetitionHint else { return }
    hasToldOfRepetition = true
    session.screen.remark(hint)
  }

  /// Ctrl-D with unfinished operations shows a warning once.
  private func warnOfUnfinished() -> Bool {
    let unfinished = session.jobs.operations.unfinished.filter { !$0.isHeldBack }
    guard !unfinished.isEmpty, !hasWarnedOfUnfinished else { return false }
    hasWarnedOfUnfinished = true
    session.screen.remark(
      "not finished yet: \(OperationList.names(unfinished)); Ctrl-D again waits for what can run, "
        + "'quit --now' cancels")
    return true
  }
}

extension Prompt: LineEditorDelegate {
  func prompt() -> StyledText { question ?? session.run.promptText(showsActivity: true) }

  func isComplete(_ text: String) -> Bool { !read(text).isIncomplete }

  func completions(for text: String, cursor: Int) -> CompletionResult {
    question == nil ? completer.completions(for: text, cursor: cursor) : .none
  }

  func look(of text: String, cursor: Int?) -> LineLook {
    question == nil ? preview?.look(of: text, cursor: cursor) ?? .plain : .plain
  }

  func replacement(forPaste text: String, columns: Int) -> String? {
    guard question == nil, let pasted = PastedSession(text, columns: columns) else { return nil }
    self.pasted = pasted
    if pasted.outputCount > 0 || pasted.inputs.count != 1 {
      session.screen.remark(
        "a session was pasted: Enter runs the lines that were typed in it "
          + "(\(pasted.inputs.count)), not its output; Ctrl-_ shows the whole paste")
    }
    return pasted.text
  }

  func edit(_ text: String) -> String? {
    session.screen.output.endEditing()
    defer { session.screen.output.beginEditing() }
    do {
      return try ExternalEditor(session).edit(text)
    } catch let interruption as Interruption {
      session.screen.remark(interruption.message)
    } catch let error as SystemCallError {
      session.screen.remark("nothing was edited: \(error)")
    } catch let diagnostic as Diagnostic {
      session.screen.report(diagnostic)
    } catch {
      pendingEnd = error
      editor?.finish(with: .endOfInput)
    }
    return nil
  }

  func pendingOutput(limit: Int) -> PendingOutput {
    session.screen.feed.drain(limit: Self.entriesPerFrame)
    let pending = session.screen.output.takePending(limit: limit)
    return PendingOutput(
      lines: pending.lines, hasMore: pending.hasMore || session.screen.feed.hasNews)
  }

  func idle() {
    do {
      try session.screen.live.with(self) { try session.run.pumpAtPrompt() }
      tellOfRepetition()
    } catch let diagnostic as Diagnostic {
      session.screen.report(diagnostic)
    } catch let interruption as Interruption {
      session.screen.remark(interruption.message)
    } catch {
      pendingEnd = error
      editor?.finish(with: .endOfInput)
    }
  }
}

extension Prompt: LiveScreen {
  func drawDue() { editor?.drawPending() }
}

extension Shell {
  /// Returns what is wrong with a typed text.
  func check(typed script: Script) -> [Diagnostic] {
    session.run.check(script, isWhole: false, in: interpreter.makeContext(source: script.source))
  }

  private static let fewOperations = 100

  /// Says at the prompt what its end waits for, and how not to wait.
  func tellOfWait() {
    var awaited = session.jobs.operations.unfinished.filter { !$0.isHeldBack }
    // On the virtual clock it takes no time.
    guard !session.run.mode.isRepeatable else { return }
    // Each costs a search; the names of so many are not listed anyway.
    if awaited.count <= Self.fewOperations {
      awaited = awaited.filter { session.run.canFinish(anyOf: [$0]) }
    }
    let bodies = session.jobs.bodies.ofFinished
    var names = session.run.canFinish(anyOf: awaited) ? [OperationList.names(awaited)] : []
    if !bodies.isEmpty { names.append("the body of \(OperationList.names(bodies))") }
    guard !names.isEmpty else { return }
    session.screen.remark(
      "waiting for \(names.joined(separator: " and ")); Ctrl-C cancels, as 'quit --now' does")
  }

  /// Runs the typed text.
  ///
  /// Errors are shown and end only the rest of the text; so does Ctrl-C. One line says what did not
  /// run because of it.
  ///
  /// - Returns: How much of it ended without an error.
  /// - Throws: What ends the session.
  @discardableResult
  func runAtPrompt(
    _ script: Script, found: [Diagnostic]? = nil
  ) throws -> TypedLine.Completed {
    let found = found ?? check(typed: script)
    found.forEach(session.screen.report)
    guard !found.contains(where: { $0.severity == .error }) else {
      let count = script.statements.count
      if count > 1 {
        session.screen.remark("none of the \(count) statements ran: all are checked first")
      }
      return .nothing
    }
    var completed = 0
    var part = TypedLine.Completed.nothing
    do {
      try runStatements(
        of: script, notesTyped: false,
        completed: { [self] index in
          completed = index + 1
          let end = script.statements[index].range.upper
          part = .part(
            script.source.text(in: SourceRange(0, end)),
            operationCount: session.jobs.operations.count)
        })
      if try session.run.pump() { throw Interruption() }
      session.run.drainFeed()
      return .whole
    } catch let diagnostic as Diagnostic {
      report(diagnostic)
      session.run.drainFeed()
    } catch let interruption as Interruption {
      wasInterrupted = true
      session.screen.remark(interruption.message)
    }
    let rest = script.statements.dropFirst(completed + 1)
    if !rest.isEmpty { session.screen.remark("not run: " + names(of: rest, in: script.source)) }
    return completed == script.statements.count ? .whole : part
  }

  /// The first words of statements, on one line.
  private func names(of statements: ArraySlice<Statement>, in source: SourceText) -> String {
    let shown = statements.prefix(3).map { statement -> String in
      let text = session.screen.secrets.mask(source.text(in: statement.range))
      let line = text.prefix { !$0.isNewline }
      let start = TextWidth.truncate(String(line), to: 32, ellipsis: "…")
      return "'\(start)\(line.count < text.count && start == line ? " …" : "")'"
    }
    let more = statements.count - shown.count
    return shown.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }
}
