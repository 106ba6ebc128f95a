import OpshNetworking
import OpshProcesses
import Foundation
package import OpshLocking
package import Operations
import OpshSecrets
package import ShellLanguage
package import ShellOutput
import Synchronization
import OpshSystemCalls
package import OpshTerminal

/// What is shown: the output of statements, the transitions of what runs, errors and remarks, without
/// the secrets in them.
///
/// It knows what runs, because it shows that, but neither the run nor what is outside. All members may
/// be used on any thread; only the interpreter's thread shows events.
package final class Screen: Sendable {
  package struct State {
    package var typing = Typing.none
    /// The page of the last error that was shown, or that an operation failed with.
    package var lastErrorTopic: String?
    /// The place where a time limit or a lost output ended the run.
    package var endedAt: (source: SourceText, range: SourceRange)?
    /// The name of the running program in errors.
    package var programName = SourceText.promptName
    /// Whether text longer than the screen goes through the pager; set by the prompt.
    package var hasPager = false
    /// The colours of the line that is being typed.
    package var theme = ThemeChoice.auto
    package var prompt = PromptSettings()
    /// Whether `--json` describes errors and warnings in full: if the run only checks a script.
    package var describesDiagnostics = false
    /// The full screen that is shown, which Ctrl-Z leaves for as long as the process is stopped.
    package var fullScreen: FullScreen?
  }

  package let output: Output
  package let feed: EventFeed
  /// Masks secrets in all output and files.
  package let secrets: SecretMask
  let renderer: DiagnosticRenderer
  /// Writes the transcript of `--transcript`; nil without that option.
  package let transcript: TranscriptRecorder?
  /// What was typed, with the first line of its output.
  let typed: TypedLog
  /// The redirection of the command that runs on the calling thread, if any: while a command is
  /// redirected on one thread, a body prints on another.
  package let sink = ThreadSlot<any TextSink>()
  /// What is on the terminal while handlers run; nothing while a typed statement runs.
  package let live = ThreadSlot<any LiveScreen>()
  package let state = Locked(State())
  let thread: SessionThread
  private let tracing = Atomic(false)
  private let shortage: ThreadShortage.Observation

  /// Creates the output of a session.
  ///
  /// - Parameters:
  ///   - configuration: The options of the command line.
  ///   - jobs: What it shows.
  ///   - words: The words of the names of commands, which are never masked.
  ///   - wakeUp: Wakes the interpreter's thread when there is something to write.
  ///   - thread: The interpreter's thread.
  /// - Throws: The system's error for the file of the transcript.
  convenience init(
    _ configuration: SessionConfiguration, showing jobs: Jobs, commandWords words: Set<String>,
    wakeUp: WakeUp, thread: SessionThread
  ) throws {
    let secrets = SecretMask(commandWords: words)
    secrets.known.remember(ProxyChoice.credentials(in: configuration.environment))
    let typed = TypedLog(engine: jobs.engine, thread: thread)
    let output = Output(
      format: configuration.isJSON ? .json : .text, clock: jobs.clock,
      standardOutputColor: configuration.colorsStandardOutput,
      standardErrorColor: configuration.colorsStandardError, isASCII: configuration.isASCII,
      wakeUp: wakeUp, streams: configuration.streams, secrets: secrets.known,
      lineHandler: typed.take, width: configuration.width)
    let transcript = try configuration.transcriptFile.map { path in
      try TranscriptRecorder(
        path: configuration.path(path), columns: configuration.width(), secrets: secrets)
    }
    if let transcript { output.setTap(isSilent: false) { transcript.take($0) } }
    self.init(
      configuration, showing: jobs, thread: thread, secrets: secrets, output: output, typed: typed,
      transcript: transcript)
  }

  /// Creates the output of a session that will take the place of another one.
  ///
  /// - Parameters:
  ///   - other: What the other session shows.
  ///   - configuration: The options of the command line.
  ///   - jobs: What it shows.
  convenience init(
    succeeding other: Screen, _ configuration: SessionConfiguration, showing jobs: Jobs
  ) {
    let typed = TypedLog(engine: jobs.engine, thread: other.thread)
    self.init(
      configuration, showing: jobs, thread: other.thread, secrets: other.secrets,
      output: Output(succeeding: other.output, clock: jobs.clock, lineHandler: typed.take),
      typed: typed, transcript: other.transcript)
    let (typing, program) = other.state.withLock { ($0.typing, $0.programName) }
    state.withLock { state in
      (state.typing, state.programName) = (typing, program)
      if case .prompt(onTerminal: true) = typing { state.hasPager = true }
    }
    feed.folds = other.feed.folds
  }

  /// Has the settings of another screen: what `set` and `events` have changed.
  func keepSettings(of other: Screen) {
    let (hasPager, theme, prompt) = other.state.withLock { ($0.hasPager, $0.theme, $0.prompt) }
    state.withLock { ($0.hasPager, $0.theme, $0.prompt) = (hasPager, theme, prompt.succeeding()) }
    isTracing = other.isTracing
    feed.destination = other.feed.destination
    feed.filter = other.feed.filter
  }

  private init(
    _ configuration: SessionConfiguration, showing jobs: Jobs, thread: SessionThread,
    secrets: SecretMask, output: Output, typed: TypedLog, transcript: TranscriptRecorder?
  ) {
    self.typed = typed
    self.thread = thread
    self.secrets = secrets
    self.output = output
    self.transcript = transcript
    feed = EventFeed(
      engine: jobs.engine, output: output, operations: jobs.operations, ledger: jobs.failures,
      eventHandlers: jobs.eventHandlers, destination: configuration.events)
    renderer = DiagnosticRenderer(
      width: TextWidth.columns, columns: configuration.width, mask: secrets.mask,
      maskVersion: { secrets.known.generation })
    shortage = ThreadShortage.observe { [weak output] in output?.remarkShortage(of: $0) }
    // It keeps the feed, which keeps it, until the screen ends.
    output.held.begin { [feed, engine = jobs.engine] in
      guard !thread.isCurrent, feed.destination != .off else { return nil }
      guard engine.virtualClock.isInUse else { return engine.log.count }
      // No other thread runs meanwhile that could show them.
      feed.drainBeforeText()
      return nil
    }
    feed.finishHandler = { [self, adapting = jobs.adapting, engine = jobs.engine] operation in
      if let failure = operation.outcome?.failure {
        state.withLock { $0.lastErrorTopic = failure.topic }
      }
      guard !adapting.isEmpty else { return }
      for text in adapting.takeMessages(at: engine.now) { tell("queue width", text) }
    }
  }

  deinit { output.held.end(forced: true) }

  /// Whether each statement is shown before it runs.
  package var isTracing: Bool {
    get { tracing.load(ordering: .relaxed) }
    set { tracing.store(newValue, ordering: .relaxed) }
  }

  /// Stops what is called while the feed is drained, so that nothing keeps the screen.
  func end() {
    feed.finishHandler = nil
    feed.drainHandler = nil
  }

  // MARK: Who sees it

  /// Where the statements come from.
  package enum Typing: Sendable {
    /// Nothing is typed: a script runs.
    case none
    case prompt(onTerminal: Bool)
    /// A transcript, so that no user can press Ctrl-C; made from a script or from typed lines.
    case transcript(ofScript: Bool)
  }

  package var typing: Typing { state.withLock { $0.typing } }

  /// Whether lines are typed, or stand in a transcript.
  package var isInteractive: Bool { if case .none = typing { false } else { true } }

  /// Whether statements are typed at the prompt; false also while the transcript of a script runs,
  /// whose statements do and print what they did in the script.
  package var isTypedAtPrompt: Bool {
    switch typing {
    case .none, .transcript(ofScript: true): false
    case .prompt, .transcript: true
    }
  }

  // MARK: Text

  /// Prints text and ends its last line.
  ///
  /// A terminal gets it with control characters made visible, a file or a program as it is.
  func printText(_ text: String, isReceived: Bool = false) {
    if let sink = sink.value { return sink.write(bytes: Array((text + "\n").utf8)) }
    guard output.isShown(on: .standardOutput) else {
      // Not as a line, whose rendering makes control characters visible.
      let text = isReceived ? text : secrets.known.mask(text)
      typed.take(StyledText(text))
      return output.bytes(Array((text + "\n").utf8), beginsLine: true)
    }
    // By scalars: for characters, a carriage return and the newline after it are one.
    for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
      output.line(
        StyledText(VisibleText.escape(String(line), keepNewlines: true)), isReceived: isReceived)
    }
  }

  // MARK: Secrets

  /// Masks texts in all output and files from now on.
  package func noteSecrets(_ texts: [String]) { secrets.known.remember(texts) }

  /// Adds credentials that an operation is going to send, or its program receives.
  package func noteCredentials(of operation: ObservableOperation) {
    if let request = operation.networkMetrics {
      secrets.known.remember(request.credentials)
    } else if let process = operation as? ProcessOperation {
      noteCredentials(in: WordQuoting.spelled(process.words))
    }
  }

  /// Adds the credentials in a program's command line.
  package func noteCredentials(in commandLine: String) {
    secrets.known.remember(SecretText.credentials(in: commandLine))
  }
}
