package import OpshLocking
import OpshNetworking
package import Operations
import PracticeServer
import OpshSecrets
package import ShellLanguage
package import ShellOutput
package import OpshSystemCalls
import Synchronization
package import OpshTerminal

/// This run of opsh: its settings and clock, what was typed, what asks it to end, its recording, and the
/// waits of its statements.
///
/// A wait shows what happens and lets it happen, so that the run knows the other three values, which do
/// not know it. All members may be used on any thread, because bodies run on their own threads. Only
/// the interpreter's thread shows events, runs handlers and reads signals.
package final class Run: Sendable {
  package struct State {
    /// Standard input holds the statements, so nothing else can be read from there.
    package var readsProgramFromInput = false
    package var history: History?
    /// The editor of the prompt, used on the interpreter's thread; nil where no line is edited.
    package var editor: LineEditor?
    /// The number of credentials at the last search of the history file.
    var forgottenSecrets = 0
    /// The lines that were typed at the prompt and ran, for `save`.
    package var typed: [TypedLine] = []
    /// The operations that were unfinished after the last line.
    var unfinishedWhenTyping: [ObservableOperation] = []
    /// With `--keep-going`: the statements of the program that ended without an error.
    package var completedStatements: (source: SourceText, indices: Set<Int>)?
    /// The random seed.
    var seed: UInt64?
  }

  package let configuration: SessionConfiguration
  package let clock: SessionClock
  package let wakeUp: WakeUp
  /// The signals of the process, if this session answers them.
  package let signals: SignalReader?
  /// Shows the session to browsers; nil while it is not served.
  package let serving = Locked<(any SessionServing)?>(nil)
  /// Writes the recording of `record`; nil while nothing is recorded.
  let recording = Locked<Recorder?>(nil)
  package let state = Locked(State())
  /// What came in from outside, for `back`.
  package let inputs = InputLog()
  /// What gives the language its commands, while inputs are taken again.
  let retakingHost = Locked<(any CommandHost)?>(nil)
  /// What stops statements from outside.
  let interrupt = InterruptFlag()
  /// Whether the interpreter rests in a wait until an event comes, so that no statement follows.
  let interpreterRests = Atomic(false)
  /// Set while a step is being taken on the virtual clock.
  let isStepping = Atomic(false)
  /// The step that is being taken; nil while none is.
  let presentStep = Locked<StepProgress?>(nil)
  let commands: CommandSet
  let jobs: Jobs
  let outside: Outside
  let screen: Screen
  private let thread: SessionThread
  /// When `--timeout` began to count.
  let startInstant: ContinuousClock.Instant
  /// How much time passed on the virtual clock before the last `reset`.
  let spentTime: Duration

  init(
    _ configuration: SessionConfiguration, commands: CommandSet, signals: SignalReader?,
    wakeUp: WakeUp, thread: SessionThread, jobs: Jobs, outside: Outside, screen: Screen,
    succeeding other: (run: Run, spentTime: Duration)? = nil
  ) {
    self.configuration = configuration
    self.commands = commands
    self.signals = signals
    self.wakeUp = wakeUp
    self.thread = thread
    (self.jobs, self.outside, self.screen) = (jobs, outside, screen)
    clock = jobs.clock
    startInstant = other?.run.startInstant ?? jobs.clock.startInstant
    spentTime = other?.spentTime ?? .zero
    screen.output.ending.set(
      limit: configuration.timeout.map { [startInstant] in startInstant + $0 })
  }

  package var catalog: CommandCatalog { commands.catalog }

  /// Whether the calling thread is the interpreter's own.
  package var isOnInterpreterThread: Bool { thread.isCurrent }

  /// Returns the operation whose body the context belongs to; nil on the interpreter's thread.
  package func ownOperation(of context: ExecutionContext) -> ObservableOperation? {
    ContextInfo(of: context).operation
  }

  /// Asks the interpreter's thread to end the session; from any thread.
  package func requestEnd(_ end: SessionEnd) {
    interrupt.request(end)
    wakeUp.signal()
  }

  /// Returns whether an error is a request, such as to leave the shell, that no `try` catches.
  package func isControlTransfer(_ error: any Error) -> Bool {
    error is SessionEnd || error is Interruption || error is BodyEnded || error is UnreadText
      || error is SessionChange
  }

  // MARK: The seed

  /// The random seed; nil if none was set.
  package var seed: UInt64? { state.withLock { $0.seed } }

  /// Sets the random seed, which determines how long backoffs are, and the data and the faults of
  /// the practice server.
  package func setSeed(_ seed: UInt64) {
    state.withLock { $0.seed = seed }
    jobs.engine.setSeed(seed)
    outside.network.server.setSeed(seed)
  }

  /// Removes lines from the history file that contain a credential added since the last call.
  package func forgetSecretLines() {
    let generation = screen.secrets.known.generation
    let history = state.withLock { state -> History? in
      guard state.forgottenSecrets != generation else { return nil }
      state.forgottenSecrets = generation
      return state.history
    }
    history?.forget(where: screen.secrets.known.occur)
  }
}
