/// What only few operations need; guarded by the lock of the operation's log.
final class OperationExtras {
  /// The observers, which had the room that this took: ``OperationCore/observers`` finds them.
  var movedObservers: ObserverRegistry?
  /// Who cancelled it: ``OperationCore/cancelRequest`` finds that.
  var cancelRequest: CancelRequest?
  var waiters: [Waiter] = []
  /// How the operation has to end, because a dependency did not succeed and its policy says so.
  var dependencyFailure: OperationError?
  /// The id of that dependency.
  var failedDependency = 0
  var failure: OperationFailure?
  /// Whether observers are being told that it is about to be cancelled: cancelling it meanwhile, as
  /// one of them may do, does not tell them again.
  var isAnnouncingCancel = false
  /// How many calls of observers are due before it becomes ready.
  var announcements = 0
  var progress: Double?
  /// How many attempts have begun, once that is more than the first.
  var attempts = 0
  /// The attempt that the operation waits for, between two of them.
  var attemptPause: NextAttempt?
  /// The operation that does its work by this one.
  weak var outer: ObservableOperation?

  /// The latest pauses inside `executing`; the end is 0 while a pause lasts, and where it is not
  /// known when it is due, that is 0 too.
  var pauses: [(start: Int64, end: Int64, due: Int64, reason: String)] = []

  /// When the pause that begins next is due, while that is known; else 0.
  var pauseDue: Int64 = 0

  /// Why no further attempt follows although there may be more.
  var endOfAttempts: String?

  /// How long after adding it may become ready, in nanoseconds.
  var startDelay: Int64 = 0
  /// When the delay is over, while it lasts; else 0.
  var delayEnds: Int64 = 0
  /// Whether it waits until the app is in the foreground.
  var awaitsForeground = false
  /// The names it must have for itself while it executes.
  var exclusiveNames: [String] = []
  /// Its turn at them, while it waits for them outside of the order of starting.
  var turn: ExclusiveNames.Turn?
  /// Whether everything added to its queue before must finish first, and what comes after waits.
  var isBarrier = false
  var retryPolicy: RetryPolicy?
  /// How long it may execute, in nanoseconds; nil for no limit.
  var timeLimit: Int64?
  /// Ends the wait for the time limit or the next attempt.
  var timers: [TimerQueue.Token] = []
  /// What the body waits for at present.
  var awaited: [ObservableOperation] = []
  /// Whether that wait has a time limit.
  var isAwaitLimited = false
  /// Whether the body waits for something to happen, which may need others to run.
  var isExpecting = false
  /// Why the operation executes although its work is done.
  var finishWait: FinishWait?
  /// The phase of its work.
  var phase: PhaseProgress?
  /// What was asked for at its phases.
  var gate: PhaseGate?
  /// Whether it watches an operation that Foundation runs.
  var isForeign = false
  /// Why its driven queue never starts it.
  var obstacle: String?
  /// Handlers to call when it finishes.
  var completions = Completions()
  /// The mistakes of its code.
  var defects: OperationDefects = []
  /// Take values over from what it depends on, just before it begins.
  var inputs = OperationInputs()

  /// Whether a finished operation can do without all this; most of them only had a timer.
  ///
  /// What can still be asked of a finished operation must be named here: its pauses, for one.
  var isSpent: Bool {
    pauses.isEmpty && movedObservers == nil && waiters.isEmpty && dependencyFailure == nil
      && failure == nil
      && progress == nil && attempts == 0 && endOfAttempts == nil && startDelay == 0
      && exclusiveNames.isEmpty && turn == nil && !isBarrier && retryPolicy == nil
      && timeLimit == nil && timers.isEmpty && awaited.isEmpty && inputs.isEmpty && defects.isEmpty
      && completions.isEmpty && !isForeign && obstacle == nil
  }
}
