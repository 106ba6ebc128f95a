import Foundation
package import Locking
import Networking
package import Operations
import Persistence
package import Processes
import Secrets
package import ShellLanguage
package import ShellOutput
import Synchronization
package import SystemCalls
package import Terminal

/// One run of opsh: its operations, queues, network and output, and the host of its language.
///
/// It holds no state of the process, so that several can run in one process, each on a thread of its
/// own. Signals and terminals belong to the program, which hands them to the session that may use
/// them.
///
/// All members may be used on any thread, because `block` bodies run on their own threads. Only the
/// interpreter's thread shows events, runs handlers and reads signals.
package final class Session: Sendable {
  package let configuration: SessionConfiguration
  package let clock: SessionClock
  package let engine: OperationEngine
  package let output: Output
  package let feed: EventFeed
  package let operations = OperationRegistry()
  package let queues: QueueRegistry
  package let network: NetworkEnvironment
  /// The store that persists from one session to the next; opened on first use.
  let fileStore: SQLiteStore
  /// The store for the virtual clock, which ends with the session.
  let memoryStore = SQLiteStore.inMemory()
  package let failures = FailureLedger()
  package let processes = ProcessMonitor()
  let engineResources = EngineResources()
  package let adapting = AdaptingQueues()
  package let app: AppLife
  package let eventHandlers: EventHandlers
  package let wakeUp: WakeUp?
  package let signals: SignalReader?
  let renderer: DiagnosticRenderer
  let commands: CommandSet
  /// Writes the transcript of `--transcript`; nil without that option.
  package let recorder: TranscriptRecorder?
  /// Shows the session to browsers; nil while it is not served.
  package let serving = Locked<(any SessionServing)?>(nil)
  /// Writes the recording of `record`; nil while nothing is recorded.
  let recording = Locked<Recorder?>(nil)

  package struct State {
    /// The file that `source` paths are relative to, innermost last.
    package var sourceDirectories: [String] = []
    package var isInteractive = false
    /// Whether lines are typed at the prompt on a terminal.
    package var isTypedOnTerminal = false
    /// The page of the last error that was shown, or that an operation failed with.
    package var lastErrorTopic: String?
    /// Whether typed lines come from a transcript, so that no user can press Ctrl-C.
    package var isTypedByTranscript = false
    /// Whether that transcript was made from a script, in which a wait that can't end is an error.
    package var replaysScript = false
    /// Standard input holds the statements, so nothing else can be read from there.
    package var readsProgramFromInput = false
    /// The place where a time limit or a lost output ended the run.
    package var endedAt: (source: SourceText, range: SourceRange)?
    /// The name of the running program in errors.
    package var programName = SourceText.promptName
    /// Whether text longer than the screen goes through the pager; set by the prompt.
    package var hasPager = false
    /// Whether `--json` describes errors and warnings in full: if the run only checks a script.
    package var describesDiagnostics = false
    package var history: History?
    /// The full screen that is shown, which Ctrl-Z leaves for as long as the process is stopped.
    package var fullScreen: FullScreen?
    /// The number of credentials at the last search of the history file.
    var forgottenSecrets = 0
    /// The lines that were typed at the prompt and ran, for `save`.
    package var typed: [TypedLine] = []
    /// The operations that were unfinished after the last line.
    var unfinishedWhenTyping: [ObservableOperation] = []
    /// The calls that led to the errors of bodies, by the id of their operation.
    package var callsInBodies: [Int: Backtrace] = [:]
    /// With `--keep-going`: the statements of the program that ended without an error.
    package var completedStatements: (source: SourceText, indices: Set<Int>)?
    /// The operations of 'async' whose bodies run, each as often as it has attempts that do.
    package var runningBodies: [ObservableOperation] = []
    /// Where the running bodies of operations are.
    package var bodyPlaces: [Int: BodyPlace] = [:]
    /// The random seed.
    var seed: UInt64?
  }

  package let state: Locked<State>
  /// What stops statements from outside.
  let interrupt = InterruptFlag()
  /// Masks secrets in all output and files.
  package let secrets: SecretMask
  /// The redirection of the command that runs on the calling thread, if any: while a command is
  /// redirected on one thread, a body prints on another.
  package let sink = ThreadSlot<any TextSink>()
  /// What is on the terminal while handlers run; nothing while a typed statement runs.
  package let screen = ThreadSlot<any LiveScreen>()
  private let tracing = Atomic(false)
  private let conditionChecks = Atomic(0)
  /// Whether the interpreter rests in a wait until an event comes, so that no statement follows.
  let interpreterRests = Atomic(false)
  /// The interpreter's thread, the only one that shows events, reads signals and runs handlers.
  private let interpreterThread: pthread_t

  /// Creates a session on the calling thread, which becomes the interpreter's.
  ///
  /// - Parameters:
  ///   - configuration: The options of the command line.
  ///   - commands: The commands that it runs.
  ///   - signals: The signals of the process, if this session answers them.
  /// - Throws: An error if the descriptor for wake-ups can't be created.
  package init(
    configuration: SessionConfiguration, commands: CommandSet, signals: SignalReader? = nil
  ) throws {
    self.configuration = configuration
    self.commands = commands
    let secrets = SecretMask(commandWords: commands.words)
    secrets.known.remember(ProxyChoice.credentials(in: configuration.environment))
    self.secrets = secrets
    engine = OperationEngine(
      logCapacity: OperationRegistry.logCapacity(keeping: OperationRegistry.defaultLimit),
      logTextLimit: OperationRegistry.logTextLimit(keeping: OperationRegistry.defaultSizeLimit))
    clock = SessionClock(engine: engine)
    app = AppLife(engine: engine)
    interpreterThread = pthread_self()
    let wakeUp = try WakeUp()
    self.wakeUp = wakeUp
    self.signals = signals
    output = Output(
      format: configuration.isJSON ? .json : .text, clock: clock,
      standardOutputColor: configuration.colorsStandardOutput,
      standardErrorColor: configuration.colorsStandardError, isASCII: configuration.isASCII,
      wakeUp: wakeUp, streams: configuration.streams, secrets: secrets.known,
      width: configuration.width)
    eventHandlers = EventHandlers(wakeUp: wakeUp)
    feed = EventFeed(
      engine: engine, output: output, operations: operations, ledger: failures,
      eventHandlers: eventHandlers,
      destination: configuration.events)
    queues = QueueRegistry(engine: engine, mainExecutor: eventHandlers.runMain)
    network = NetworkEnvironment(
      services: configuration.services, environment: configuration.environment)
    fileStore = SQLiteStore(directory: configuration.storeDirectory)
    renderer = DiagnosticRenderer(
      width: TextWidth.columns, columns: configuration.width, mask: secrets.mask,
      maskVersion: { [secrets] in secrets.known.generation })
    state = Locked(State())
    output.ending.set(limit: configuration.timeout.map { [clock] in clock.startInstant + $0 })
    recorder = try configuration.transcriptFile.map { path in
      try TranscriptRecorder(
        path: configuration.path(path), columns: configuration.width(), secrets: secrets)
    }
    if let recorder { output.setTap(isSilent: false) { recorder.take($0) } }
    engine.log.setWakeUp { [weak wakeUp] in wakeUp?.signal() }
    ThreadShortage.handler.withLock { $0 = { [weak output] in output?.remarkShortage(of: $0) } }
    // Not weak: each statement uses the session several times, and a weak reference would make each
    // use take the slow path of reference counting. The feed ends with the session.
    feed.finishHandler = { [unowned self] operation in
      if let failure = operation.outcome?.failure {
        state.withLock { $0.lastErrorTopic = failure.topic }
      }
      guard !adapting.isEmpty else { return }
      for text in adapting.takeMessages(at: engine.now) { tell("queue width", text) }
    }
    // It keeps the feed, which keeps it, until the session ends.
    output.held.begin { [feed, engine, interpreterThread] in
      guard pthread_equal(pthread_self(), interpreterThread) == 0, feed.destination != .off
      else { return nil }
      guard engine.virtualClock.isInUse else { return engine.log.count }
      // No other thread runs meanwhile that could show them.
      feed.drainBeforeText()
      return nil
    }
    feed.drainHandler = { [unowned self] in writeRecording(through: $0) }
    network.attemptHandler = { [adapting] in adapting.note($0) }
  }

  deinit {
    engine.log.setWakeUp(nil)
    output.held.end(forced: true)
    processes.shutDown()
    engine.virtualClock.end()
    network.shutDown()
    closeStore()
  }

  /// Counts one evaluation of the condition of a `count of`.
  package func noteConditionCheck() { conditionChecks.add(1, ordering: .relaxed) }

  /// How often `count of` conditions were evaluated, which bounds the time that expectations take.
  var conditionCheckCount: Int { conditionChecks.load(ordering: .relaxed) }

  /// Whether each statement is shown before it runs.
  package var isTracing: Bool {
    get { tracing.load(ordering: .relaxed) }
    set { tracing.store(newValue, ordering: .relaxed) }
  }

  package var catalog: CommandCatalog { commands.catalog }

  package var isInteractive: Bool { state.withLock { $0.isInteractive } }

  /// Whether statements are typed at the prompt; false also while the transcript of a script runs,
  /// whose statements do and print what they did in the script.
  package var isTypedAtPrompt: Bool {
    state.withLock { $0.isInteractive && !$0.replaysScript }
  }

  /// Whether the calling thread is the interpreter's own.
  package var isOnInterpreterThread: Bool { pthread_equal(pthread_self(), interpreterThread) != 0 }

  // MARK: Ending

  /// Asks the interpreter's thread to end the session; from any thread.
  package func requestEnd(_ end: SessionEnd) {
    interrupt.request(end)
    wakeUp?.signal()
  }
}
