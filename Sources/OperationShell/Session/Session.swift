import Foundation
import Locking
import Networking
import Operations
import Persistence
import PracticeServer
import ShellLanguage
import Synchronization
import Terminal

/// One run of opsh: its operations, queues, world and output, and the host of its language.
///
/// Everything in it may be reached from any thread, for `block` bodies run on their own; what
/// draws events, runs handlers and reads signals happens on the interpreter's thread alone.
final class Session: Sendable {
  let configuration: SessionConfiguration
  let clock: SessionClock
  let log: EventLog
  let output: Output
  let feed: EventFeed
  let operations = OperationRegistry()
  let queues: QueueRegistry
  let world: World
  /// What is kept from one session to the next; opened by its first use.
  let fileStore: SQLiteStore
  /// What is kept as long as the session, on the virtual clock.
  let memoryStore = SQLiteStore.inMemory()
  let failures = FailureLedger()
  let processes = ProcessMonitor()
  let adapting = AdaptingQueues()
  let app: AppLife
  let reactions: Reactions
  let wakeUp: WakeUp?
  let signals: SignalReader?
  let renderer: DiagnosticRenderer
  let catalog: CommandCatalog
  /// Writes a transcript of the session, if one was asked for.
  let recorder: TranscriptRecorder?

  struct State {
    /// The file that `source` paths are relative to, innermost last.
    var sourceDirectories: [String] = []
    var requestedEnd: SessionEnd?
    var endsBodies = false
    var isInteractive = false
    /// Whether lines are typed at the prompt on a terminal.
    var isTypedOnTerminal = false
    /// The code of the last error that was shown, or that an operation failed with.
    var lastErrorCode: String?
    /// The lines that are typed come from a transcript: nobody is there to press Ctrl-C.
    var isTypedByTranscript = false
    /// Whether that transcript was made from a script, in which a wait that can't end is an error.
    var replaysScript = false
    /// Standard input holds the statements, so nothing else can be read from there.
    var readsProgramFromInput = false
    var lastPoll = ContinuousClock.Instant.now
    /// Where the run was when something ended it: a limit of time, a lost output.
    var endedAt: (source: SourceText, range: SourceRange)?
    /// What errors call the program that runs.
    var programName = SourceText.promptName
    /// Whether text that is longer than the screen goes through the pager: set by the prompt.
    var hasPager = false
    /// Whether `--json` tells all about errors and warnings: where nothing but them is asked for.
    var describesDiagnostics = false
    var history: History?
    /// How many credentials were known when the history file was last looked through.
    var forgottenSecrets = 0
    /// What was typed at the prompt and ran, for `save`.
    var typed: [TypedLine] = []
    /// What had not finished when the last line had run.
    var unfinishedWhenTyping: [ObservableOperation] = []
    /// What bodies that sit in a `wait` wait for, by the id of their operation.
    var awaitedByBodies: [Int: WaitTargets] = [:]
    /// The calls that led to the errors of bodies, by the id of their operation.
    var callsInBodies: [Int: CallTrail] = [:]
    /// From what number chance follows.
    var seed: UInt64?
  }

  let state: Locked<State>
  /// What is hidden in all that is shown or written.
  let secrets = SecretMask()
  private let tracing = Atomic(false)
  private let conditionChecks = Atomic(0)
  /// The thread that interprets, and the only one that draws, reads signals and runs handlers.
  private let interpreterThread: pthread_t

  /// Creates a session on the calling thread, which becomes the interpreter's.
  ///
  /// - Parameter configuration: What the command line asked for.
  /// - Throws: Where the descriptors for signals and wake-ups can't be had.
  init(configuration: SessionConfiguration) throws {
    self.configuration = configuration
    let secrets = secrets
    log = EventLog(
      capacity: OperationRegistry.logCapacity(keeping: OperationRegistry.defaultLimit),
      textLimit: OperationRegistry.logTextLimit(keeping: OperationRegistry.defaultSizeLimit))
    clock = SessionClock(log: log)
    app = AppLife(log: log)
    interpreterThread = pthread_self()
    let wakeUp = try WakeUp()
    self.wakeUp = wakeUp
    signals = configuration.readsSignals ? try SignalReader() : nil
    output = Output(
      format: configuration.isJSON ? .json : .text, clock: clock,
      standardOutputColor: configuration.colorsStandardOutput,
      standardErrorColor: configuration.colorsStandardError, isASCII: configuration.isASCII,
      wakeUp: wakeUp, secrets: secrets.known, width: configuration.width)
    reactions = Reactions(wakeUp: wakeUp)
    feed = EventFeed(
      log: log, output: output, operations: operations, ledger: failures, reactions: reactions,
      destination: configuration.events)
    queues = QueueRegistry(log: log)
    world = World(services: configuration.services)
    fileStore = SQLiteStore(directory: configuration.storeDirectory)
    catalog = CommandRegistry.catalog
    renderer = DiagnosticRenderer(width: TextWidth.columns, mask: secrets.mask)
    state = Locked(State())
    recorder = try configuration.transcriptFile.map { path in
      try TranscriptRecorder(path: path, columns: configuration.width(), secrets: secrets)
    }
    if let recorder { output.setTap(isSilent: false) { recorder.take($0) } }
    log.setWakeUp { [weak wakeUp] in wakeUp?.signal() }
    // Not weak: a weak reference would make every use of the session, of which each statement has
    // several, take the slow way of counting references. The feed ends with the session.
    feed.finishHandler = { [unowned self] operation in
      if let code = operation.outcome?.failure?.code { state.withLock { $0.lastErrorCode = code } }
      guard !adapting.isEmpty, let text = adapting.note(operation) else { return }
      tell("queue width", text)
    }
  }

  deinit {
    log.setWakeUp(nil)
    processes.shutDown()
    log.virtualClock.end()
    world.shutDown()
    closeStore()
  }

  /// Counts one more evaluation of the condition of a `count of`.
  func noteConditionCheck() { conditionChecks.add(1, ordering: .relaxed) }

  /// How often the conditions of `count of` were evaluated: what bounds how long expectations take.
  var conditionCheckCount: Int { conditionChecks.load(ordering: .relaxed) }

  /// Whether each statement is shown before it runs.
  var isTracing: Bool {
    get { tracing.load(ordering: .relaxed) }
    set { tracing.store(newValue, ordering: .relaxed) }
  }

  var isInteractive: Bool { state.withLock { $0.isInteractive } }

  /// Whether the calling thread is the interpreter's own.
  var isOnInterpreterThread: Bool { pthread_equal(pthread_self(), interpreterThread) != 0 }

  // MARK: Ending

  /// Asks the interpreter's thread to end the session; from any thread.
  func requestEnd(_ end: SessionEnd) {
    state.withLock { $0.requestedEnd = $0.requestedEnd ?? end }
    wakeUp?.signal()
  }
}
