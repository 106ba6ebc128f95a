/// What an operation ends with, or refuses with, by the engine's own decision.
public enum OperationError: CodedError, Sendable, Equatable {
  /// It was cancelled.
  case cancelled
  /// A dependency did not succeed, and the policy on that edge is ``FailurePolicy/fail``.
  case dependencyFailed(name: String)
  /// A dependency did not succeed, and the policy on that edge is ``FailurePolicy/skip``.
  case skipped(name: String)
  /// What runs its queue has ended before the operation could start.
  case queueEnded(code: String, message: String)
  /// It was started by hand while dependencies are unfinished.
  case notReady(name: String, waitsFor: [String])
  /// It was started by hand, but its queue is to start it.
  case onQueue(name: String, queue: String)
  /// It was started a second time.
  case alreadyStarted(name: String, state: OperationState)
  /// It executed for as long as it may.
  case timedOut(limit: Duration)
  /// Its value was dropped to free memory; see ``ObservableOperation/dropValue()``.
  case valueDropped(name: String)

  /// The stable code.
  public var code: String {
    switch self {
    case .cancelled: "cancelled"
    case .dependencyFailed: "dependency-failed"
    case .skipped: "skipped"
    case .queueEnded(let code, _): code
    case .notReady: "not-ready"
    case .onQueue: "on-queue"
    case .alreadyStarted: "already-started"
    case .timedOut: "timed-out"
    case .valueDropped: "value-dropped"
    }
  }

  /// One sentence for people, without a full stop at its end.
  public var message: String {
    switch self {
    case .cancelled:
      "the operation was cancelled"
    case .dependencyFailed(let name):
      "the dependency '\(name)' did not succeed"
    case .skipped(let name):
      "skipped, because the dependency '\(name)' did not succeed"
    case .queueEnded(_, let message):
      message
    case .notReady(let name, let waitsFor) where waitsFor.isEmpty:
      "'\(name)' cannot start: its own code does not say that it is ready"
    case .notReady(let name, let waitsFor):
      "'\(name)' cannot start before \(Wording.list(waitsFor)) finished"
    case .onQueue(let name, let queue):
      "'\(name)' is on queue '\(queue)', which starts it"
    case .alreadyStarted(let name, let state):
      "'\(name)' was started already and is \(state.rawValue)"
    case .timedOut(let limit):
      "the operation took longer than \(Wording.duration(limit))"
    case .valueDropped(let name):
      "the value of '\(name)' was dropped"
    }
  }
}
