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
  /// True while it is asked whether to leave, and the end of all work is an answer.
  private var isLeaving = false
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
      return try runWhole(text, editor)
    case .interrupted:
      session.screen.giveUpBacklog()
    case .endOfInput:
      return try !leavesAtEndOfInput(editor)
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
    var text = expanded(line)
    for doubt in doubtfulDurations(in: text).reversed() {
      switch try ask(doubt.choices, editor) {
      case .choice(let unit):
        let start = text.utf8.index(text.utf8.startIndex, offsetBy: doubt.range.lower)
        let end = text.utf8.index(text.utf8.startIndex, offsetBy: doubt.range.upper)
        text.replaceSubrange(start..<end, with: unit)
      case .nothing, .endOfInput, .interrupted:
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
    try announcing(text, on: editor) { try runTyped(text) }
    return nil
  }

  /// Runs a line: the title of the window says which one, and its end is announced if it has waited
  /// for long.
  private func announcing(_ text: String, on editor: LineEditor, _ run: () throws -> Void) throws {
    let shown = session.screen.secrets.mask(text.replacing("\n", with: " "))
    editor.setTitle("opsh: " + shown)
    let failures = session.jobs.failures.count
    session.screen.state.withLock { state in
      (state.prompt.longestWait, state.prompt.failuresBefore) = (.zero, failures)
    }
    defer { editor.lastStatus = shell.lineStatus }
    try run()
    // It may be another session now.
    let (wait, limit) = session.screen.state.withLock { state in
      state.prompt.lastStatus = shell.lineStatus
      return (state.prompt.longestWait, state.prompt.noticeLimit)
    }
    guard let limit, wait >= limit, !shell.wasInterrupted else { return }
    editor.notify(
      "opsh: '\(shown)' has ended after \(DurationText(wait))", showsText: showsNotifications)
  }

  /// True for a terminal that is known to show what OSC 9 says.
  private var showsNotifications: Bool {
    let environment = session.outside.environment
    return ["iTerm.app", "WezTerm", "ghostty"].contains(environment["TERM_PROGRAM"])
      || environment["KITTY_WINDOW_ID"] != nil || environment["WT_SESSION"] != nil
  }

  /// Returns the text that a line stands for.
  private func expanded(_ line: String) -> String {
    let (script, found) = check(line)
    typed = shell.expanded(script, found: found)
    return typed?.script.source.text ?? line
  }

  /// What was typed after a question.
  private enum Answer {
    case choice(String)
    case nothing
    case endOfInput
    case interrupted
    /// None of the choices.
    case line(String)
  }

  /// Asks which of several words is meant.
  private func ask(_ choices: [String], _ editor: LineEditor) throws -> Answer {
    let list = choices.dropLast().joined(separator: ", ") + " or " + (choices.last ?? "")
    question = StyledText(list + "? ", style: .bold)
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
      let choice = choices.first { choice in
        choice == answer || choice.drop(while: \.isNumber) == answer
          || choice.first?.isLetter == true && choice.hasPrefix(answer)
      }
      guard let choice else { return .line(line) }
      return .choice(choice)
    case .interrupted: return .interrupted
    case .endOfInput: return .endOfInput
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

  // MARK: Leaving

  private var hasLiveWork: Bool {
    session.jobs.isExecutingAnything() || shell.awaitedAtEnd != nil
  }

  /// Asks what becomes of unfinished work; while the question stands, the work goes on, and its end
  /// is an answer.
  ///
  /// - Parameters:
  ///   - names: The names of what is unfinished.
  ///   - canEnd: Whether a wait for it has an end.
  ///   - isQuit: Whether `quit` asks, whose wait Ctrl-C ends by cancelling.
  ///   - editor: The editor of the prompt.
  /// - Returns: Whether to leave.
  /// - Throws: The end of a session that cancels.
  private func leaves(
    _ names: String, canEnd: Bool, isQuit: Bool = false, _ editor: LineEditor
  ) throws -> Bool {
    let choices = canEnd ? ["wait", "cancel", "stay"] : ["leave", "cancel", "stay"]
    isLeaving = canEnd
    defer { isLeaving = false }
    isQuit ? shell.tellOfWait() : session.screen.remark("not finished yet: \(names)")
    switch try ask(choices, editor) {
    case .interrupted where isQuit: throw SessionEnd(cause: .signal(SIGINT))
    case .choice("stay"), .nothing, .interrupted: return false
    case .choice("cancel"): throw SessionEnd(cause: .quit(status: nil, now: true))
    case .choice, .endOfInput: return true
    case .line(let line):
      history?.append(line)
      return try !runWhole(line, editor)
    }
  }

  /// Ctrl-D leaves at once only if nothing is unfinished.
  private func leavesAtEndOfInput(_ editor: LineEditor) throws -> Bool {
    let unfinished = session.jobs.operations.unfinished.filter { !$0.isHeldBack }
    guard !unfinished.isEmpty else { return true }
    let canEnd = session.run.mode.isRepeatable || shell.awaitedAtEnd != nil
    return try leaves(OperationList.names(unfinished), canEnd: canEnd, editor)
  }

  /// Runs an entered text; a `quit` in it that would wait asks first.
  ///
  /// - Returns: Whether to read another line.
  private func runWhole(_ text: String, _ editor: LineEditor) throws -> Bool {
    defer {
      session.run.forgetSecretLines()
      pasted = nil
    }
    // Each input of a paste is typed by itself: an error in one ends only that one.
    let inputs = pasted.flatMap { $0.text == text ? $0.inputs : nil } ?? [text]
    shell.lineStatus = 0
    do {
      for input in inputs where !shell.wasInterrupted {
        var next: String? = input
        while let line = next { next = try run(line: line, editor) }
      }
    } catch let end as SessionEnd {
      guard case .quit(_, now: false) = end.cause, !session.run.mode.isRecorded,
        let awaited = shell.awaitedAtEnd, try !leaves(awaited, canEnd: true, isQuit: true, editor)
      else { throw end }
    }
    session.screen.reportRepeatedErrors()
    return true
  }
}

extension Prompt: LineEditorDelegate {
  func prompt() -> StyledText {
    question ?? session.run.livePromptText(columns: session.screen.output.width() ?? 80)
  }

  func title() -> String? { session.run.titleText }

  func isComplete(_ text: String) -> Bool { !read(text).isIncomplete }

  func completions(for text: String, cursor: Int) -> CompletionResult {
    question == nil ? completer.completions(for: text, cursor: cursor) : .none
  }

  func look(of text: String, cursor: Int?) -> LineLook {
    question == nil ? preview?.look(of: text, cursor: cursor) ?? .plain : .plain
  }

  func replacement(forPaste text: String, columns: Int) -> String? {
    let template = session.screen.state.withLock { $0.prompt.template }
    guard question == nil, let pasted = PastedSession(text, columns: columns, template: template)
    else { return nil }
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
      if isLeaving, !hasLiveWork { editor?.finish(with: .endOfInput) }
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
