public import Foundation
import Synchronization

/// The base of all operations: a Foundation operation whose whole life can be watched.
///
/// It is added to an ``InspectableQueue``, which decides when it runs. Its ``state`` only goes
/// forwards (see ``OperationState``); cancelling is a flag beside the state and comes in two
/// phases: `cancel()` asks, and the operation *finishes* when its work stopped, or, if it has not
/// started, when the queue starts it.
///
/// A subclass that works synchronously overrides `main()`. One that works asynchronously inherits
/// from ``ConcurrentOperation``, one that blocks a thread from ``BlockingOperation``.
///
/// Every property can be read and written from any thread. An operation belongs on an
/// ``InspectableQueue`` and not on a Foundation queue; `start()` by hand works as in Foundation,
/// but where Foundation ends the process it does nothing (``startManually()`` says why).
open class ObservableOperation: Operation, @unchecked Sendable {
  // @unchecked because `core` is read and written only in transactions of `engine`, and the rest is
  // constant.

  /// What it does, such as `fetch questions`.
  public var kind: String { read { $0.label.kind } }
  /// Its number in its engine: 1, 2, 3.
  public let id: Int
  /// The engine whose lock, clock and log it uses.
  public let engine: OperationEngine
  // Unchecked, because the lock of the engine makes overlapping access impossible, and each check
  // costs as much as what it checks.
  @exclusivity(unchecked) final var core: OperationCore
  /// `isReady`, `isExecuting`, `isFinished`, `isCancelled` and ``awaitsInputs``, for reads
  /// without the lock.
  private let flags = Atomic<UInt8>(0)
  /// The ``thread``, packed; 0 for none.
  final let threadMark = Atomic<UInt32>(0)

  /// The operation whose body or `execute()` the current thread or task is running.
  @TaskLocal public static var current: ObservableOperation?

  /// Creates an operation that is on no queue.
  ///
  /// - Parameters:
  ///   - name: Its name; without one it is called by the last word of its kind and its number.
  ///   - kind: What it does.
  ///   - engine: Its engine; the same as its queue's.
  public init(name: String? = nil, kind: String = "operation", engine: OperationEngine = .shared) {
    self.engine = engine
    let (identity, position) = engine.register(kind: kind, name: name)
    id = identity.id
    core = OperationCore(label: identity.label, position: position, created: engine.nanoseconds())
    super.init()
    publishFlags()
  }

  /// Creates an operation of a log that is folded, with the number that it has there.
  package init(folded identity: OperationIdentity, engine: OperationEngine) {
    self.engine = engine
    id = identity.id
    core = OperationCore(
      label: identity.label, position: id, created: engine.start.nanoseconds)
    super.init()
    publishFlags()
  }

  deinit {
    // There is no other reference any more, so that this needs no transaction. But what it depends
    // on still lists it.
    if !core.upstream.isEmpty { withdraw() }
    core.discard()
  }

  private func withdraw() {
    var next = 0
    repeat {
      next = engine.guarded { core.upstream.withdraw(self, from: next) }
    } while next < core.upstream.count
  }

  /// Its name; set to nil it is called by the last word of its kind and its number.
  public final override var name: String? {
    get { displayName }
    set { setName(newValue) }
  }

  /// Its priority on the queue; it may change until the operation is started.
  ///
  /// An operation whose priority changes while it is queued goes to the end of its new level.
  public final override var queuePriority: Operation.QueuePriority {
    get { read { $0.priority } }
    set { setPriority(newValue) }
  }

  /// The class of service, which is the priority of the thread that it runs on.
  ///
  /// It counts from the start. On Linux it is the nice value of the thread that runs `main()` or
  /// a body: 2 more than the process has for `utility`, 10 more for `background`, and 2 less, if the
  /// process may do that, for `userInitiated` and `userInteractive`. With `default` the queue's
  /// counts. It has no effect on asynchronous operations, which work elsewhere, and, except for
  /// blocking bodies, none on the virtual clock.
  public final override var qualityOfService: QualityOfService {
    get { read { $0.quality } }
    set { setQuality(newValue) }
  }

  /// Whether everything it depends on has finished, or it was cancelled.
  ///
  /// As in Foundation this says nothing of queues; ``state`` does.
  public final override var isReady: Bool { has(Self.readyFlag) }

  /// Whether it holds a slot and works.
  public final override var isExecuting: Bool { has(Self.executingFlag) }

  /// Whether it has ended, in whichever way.
  public final override var isFinished: Bool { has(Self.finishedFlag) }

  /// Whether cancelling was asked for before it finished.
  public final override var isCancelled: Bool { has(Self.cancelledFlag) }

  /// Foundation's completion block, called on another thread after the operation has finished.
  ///
  /// It is removed when it is called, as on Apple's systems; ``CompletionOrder`` names other times.
  public final override var completionBlock: (@Sendable () -> Void)? {
    get { super.completionBlock }
    set { changeCompletionBlock(toNone: newValue == nil) { super.completionBlock = newValue } }
  }

  /// Whether it holds no thread while it executes, as a ``ConcurrentOperation`` and a
  /// ``GroupOperation`` do; false for one that works in `main()` and for a ``BlockingOperation``.
  ///
  /// As in Foundation it only describes the operation: a queue runs both kinds alike.
  open override var isAsynchronous: Bool { false }

  /// What it depends on, finished or not; ``upstream`` has the policies too.
  ///
  /// It keeps them, also when all have finished, as in Foundation. Where each operation depends on the
  /// one before and there is no end, the newest keeps all of them, some 800 bytes each; to begin
  /// afresh, let one wait for its predecessor without depending on it.
  public final override var dependencies: [Operation] {
    upstream.map(\.operation.publicOperation)
  }

  /// Makes it depend on another operation, if that is possible.
  ///
  /// This is Foundation's spelling, which cannot throw: what
  /// ``depend(on:policy:)-(ObservableOperation,_)`` refuses changes nothing, and is an entry of the
  /// log with the event ``EventLog/Entry/Event/refusal`` and the reason.
  ///
  /// - Parameter operation: What must finish first.
  public final override func addDependency(_ operation: Operation) {
    let known =
      operation as? ObservableOperation ?? engine.foreign.representative(of: operation)
    do {
      try depend(on: operation, policy: known.flatMap { upstreamPolicy(of: $0) } ?? .run)
    } catch {
      noteRefusal("dependency refused: \(error.message)")
    }
  }

  /// Makes it no longer depend on another operation, if that is still possible; if not, the log says
  /// so, as with ``addDependency(_:)``.
  ///
  /// - Parameter operation: What it need not wait for any more.
  public final override func removeDependency(_ operation: Operation) {
    guard let operation = dependency(for: operation) else { return }
    do {
      try removeDependency(on: operation)
    } catch {
      noteRefusal("the dependency stays: \(error.message)")
    }
  }

  /// Asks it to stop; see the type for what follows.
  ///
  /// An executing ``ConcurrentOperation`` finishes at once, any other when its body returns. One
  /// that is queued becomes ready at once and finishes when the queue starts it, without running.
  /// One on no queue is only marked. A finished one stays as it is.
  public final override func cancel() { requestCancel() }

  /// Runs it by hand, on this thread, as far as that is allowed; ``startManually()`` reports.
  public final override func start() {
    try? startManually()
  }

  /// Waits until it has finished; returns at once if called from its own body.
  public final override func waitUntilFinished() {
    waitUntilFinished(timeout: nil)
  }

  /// What to say about a finished operation, such as `30 questions, 14.9 kB, 276 ms`.
  ///
  /// It is asked for once, when an operation that has executed finishes. With nil the log says the
  /// error, or how long the operation took.
  open var outcomeSummary: String? { nil }

  /// How long it may execute, all attempts together; nil for as long as it takes.
  ///
  /// When the time is over, a ``ConcurrentOperation`` fails at once with
  /// ``OperationError/timedOut(limit:)``. Any other is cancelled, and fails with that error when
  /// its body returns. A pause before a further attempt that would last beyond the limit is not begun:
  /// the operation ends with the failure then. Setting it after the start does nothing.
  open var timeLimit: Duration? {
    get { read { $0.extras?.timeLimit }.map { .nanoseconds($0) } }
    set {
      guard newValue != nil || timeLimit != nil else { return }
      let limit = newValue.map { max(0, $0.wholeNanoseconds) }
      engine.transact { state in
        guard core.takesDependencies else { return }
        state.decide(.timeLimit(limit.map { .nanoseconds($0) }), of: self)
      }
    }
  }

  /// How often and when it is retried after a failure; nil for never.
  ///
  /// It counts for operations that can fail: a ``ConcurrentOperation`` or ``BlockingOperation``.
  open var retryPolicy: RetryPolicy? {
    get { read { $0.extras?.retryPolicy } }
    set {
      guard newValue != nil || retryPolicy != nil else { return }
      let old = engine.guarded {
        core.withExtras { extras -> RetryPolicy? in
          let old = extras.retryPolicy
          extras.retryPolicy = newValue
          return old
        }
      }
      // What the old one captured is released here, without the lock.
      withExtendedLifetime(old) {}
    }
  }

  /// The backoff of a retry policy without one: 100 ms, unless a subclass has another one.
  open var standardBackoff: Duration { .milliseconds(100) }

  /// The phases that the work of such an operation comes to; none unless a subclass says so.
  open var phases: Set<OperationPhase> { [] }

  /// Whether its body really hangs in a deadlock: no wait of its body is ended because it can't end.
  open var hangsInDeadlock: Bool { false }

  /// Decides whether and when to retry after a failure that the policy accepts, such as by what a
  /// server said.
  ///
  /// - Parameters:
  ///   - error: The failure.
  ///   - attempt: Which attempt failed: 1 for the first.
  ///   - policy: The operation's policy, which permits another attempt.
  /// - Returns: The decision; by default the delay of the policy.
  open func decideRetry(
    after error: any Error, attempt: Int, policy: RetryPolicy
  ) -> RetryDecision {
    .after(
      policy.delay(after: attempt, chance: engine.drawChance(), standard: standardBackoff))
  }

  /// The value of an operation that succeeded, for callers that do not know its type.
  open var resultValue: (any Sendable)? { nil }

  /// Whether ``dropValue()`` has dropped the value.
  open var isValueDropped: Bool { read { $0.isValueDropped } }

  /// Releases what the operation keeps of its value, because ``dropValue()`` was called.
  ///
  /// It is called once at most, on the thread of that call and without a lock. An override calls
  /// that of its superclass too.
  open func releaseValue() {}

  /// Whether it may begin on a lent thread; see ``SlotRunner/lent(at:)``.
  var mayBeginOnLentThread: Bool { false }

  /// Whether the thread that it begins on does its work, so that the class of service matters.
  ///
  /// What an asynchronous one begins may start threads that others use too, and those would inherit
  /// a low priority for good.
  var worksOnItsThread: Bool { true }

  /// Starts the work inline if it is cheap and calls no client code.
  ///
  /// On the way through Foundation's queue it would wait while others, perhaps none of ours, block the
  /// threads that all queues share.
  ///
  /// - Returns: Whether it did; if not, ``begin(on:)`` is to be called elsewhere.
  func beginsInline(followedBy actions: inout DeferredActions) -> Bool { false }

  /// Whether it is to be given values before it begins, which calls client code.
  ///
  /// It is known from when it executes, because then its dependencies are settled.
  final var awaitsInputs: Bool { has(Self.inputsFlag) }

  /// Begins the work, on a thread of Foundation's; the state is `executing`.
  func begin(on runner: SlotRunner) {
    takeInputs()
    runInside { main() }
    settleReturned(followedBy: &runner.actions)
  }

  /// Whether its result is decided, in a transaction.
  var hasResult: Bool { false }

  /// Does what must come before the operation is seen as finished.
  ///
  /// - Parameters:
  ///   - error: What stopped an operation that never ran.
  ///   - commit: What to call afterwards if it cannot be done on this thread.
  /// - Returns: Whether it is done; if not, `commit` will be called.
  func complete(unrun error: OperationError, commit: @escaping @Sendable () -> Void) -> Bool {
    let work = engine.guarded { takeWork(unrun: error) }
    withExtendedLifetime(work) {}
    return true
  }

  /// Takes out what an operation that never ran does not need any more, in a transaction.
  ///
  /// - Parameter error: What stopped it.
  /// - Returns: What must be released outside of the transaction; nil for nothing.
  func takeWork(unrun error: OperationError) -> AnyObject? { nil }

  /// Whether client code is called before it is finished, if it never ran; in a transaction.
  var callsOutUnrun: Bool { callsOutBeforeFinish }

  /// Interrupts the work after cancelling was asked for while executing.
  func interrupt() {}

  /// Interrupts the work and adds what follows to the list.
  func interrupt(followedBy actions: inout DeferredActions) { interrupt() }

  /// Whether cancelling interrupts it also before it executes.
  var isInterruptedEarly: Bool { false }

  /// The message of its error if its outcome is cancelled; in a transaction.
  var cancellationText: String {
    core.cancelRequest.map { "cancelled by \($0.requester)" } ?? OperationError.cancelled.message
  }

  /// Does what follows from another name, in a transaction.
  func nameChanged(in state: inout EngineState) {}

  /// Stops the work because it has taken as long as it may.
  func timeLimitReached() {
    stopForTime()
  }

  private static let readyFlag: UInt8 = 1
  private static let executingFlag: UInt8 = 2
  private static let finishedFlag: UInt8 = 4
  private static let cancelledFlag: UInt8 = 8
  private static let inputsFlag: UInt8 = 16

  private final func has(_ flag: UInt8) -> Bool {
    flags.load(ordering: .acquiring) & flag != 0
  }

  /// Shows the flags as they are now, in a transaction.
  final func publishFlags() {
    var flags: UInt8 = 0
    if core.showsReady { flags |= Self.readyFlag }
    if core.showsExecuting {
      flags |= Self.executingFlag
      if core.extras?.inputs.isEmpty == false { flags |= Self.inputsFlag }
    }
    if core.showsFinished { flags |= Self.finishedFlag }
    if core.isCancelled { flags |= Self.cancelledFlag }
    self.flags.store(flags, ordering: .releasing)
  }
}
