extension EventLog {
  /// One thing that happened to one operation.
  public struct Entry: Sendable {
    /// What an entry records.
    public enum Event: String, Sendable, CaseIterable {
      /// The state changed.
      case transition
      /// Cancelling was asked for; the state stayed.
      case cancelling
      /// A further attempt began inside `executing`.
      case attempt
      /// A pause began inside `executing`: before a further attempt, or because a server asked for it.
      case pause
      /// A change that has no way to throw was refused, such as a dependency that would close a
      /// cycle; nothing changed.
      case refusal
      /// The work is done, and the operation goes on executing until it is finished from outside;
      /// see ``FinishWait``.
      case awaitsFinish
      /// A completion handler was called.
      case completion
      /// A phase that was asked for began inside `executing`; see ``OperationPhase``.
      case phase
    }

    /// Its place in the log: 0, 1, 2.
    public let sequence: Int
    /// When it happened.
    public let time: ContinuousClock.Instant
    /// The operation, with its name at that moment.
    public let operation: OperationIdentity
    /// The name of the queue that the operation is on.
    public let queue: String?
    /// The number of that queue in its engine.
    public let queueID: Int?
    /// What kind of thing happened.
    public let event: Event
    /// The state before.
    public let from: OperationState
    /// The state after; the same as before unless this is a transition.
    public let to: OperationState
    /// Whether the operation is cancelled, finished or not.
    public let isCancelled: Bool
    /// How it ended, in the entry that says that it finished.
    public let outcome: OperationOutcome?

    let cause: Cause
    /// The first of the dependencies that were met, and how many there were.
    let dependencies: (first: [OperationIdentity], count: Int)
    /// How these first dependencies ended.
    let endings: [OperationCore.Ending]

    /// The code of the failure that caused a further attempt; nil for entries that are not one.
    public var retriedFailure: String? {
      guard event == .attempt, case .text(let text) = cause else { return nil }
      return NextAttempt.code(inReason: text)
    }

    /// The reason as readable text.
    public var reason: String {
      switch cause {
      case .added, .addedWithDelay:
        return "added to \(queue ?? "a queue")"
      case .noDependencies:
        return Cause.noDependenciesText
      case .dependenciesMet:
        let (first, count) = dependencies
        let more = count > first.count ? " and \(count - first.count) more" : ""
        let names = zip(first, endings).map { identity, ending in
          ending == .succeeded || ending == .none ? identity.name : "\(identity.name) (\(ending))"
        }
        return "dependencies met: " + names.joined(separator: ", ") + more
      case .cancelledWhilePending:
        return Cause.cancelledWhilePendingText
      case .cancelling(let request):
        return CancelRequest.reason(request, in: from)
      case .slot(let slot, let width):
        let place = "on \(queue ?? "a queue")"
        return width < 0
          ? "slot \(slot) \(place), unlimited width" : "slot \(slot) of \(width) \(place)"
      case .spent(let nanoseconds):
        return Wording.duration(.nanoseconds(nanoseconds))
      case .text(let text):
        return text
      case .failure(let note):
        let failure = outcome?.failure.map { "\($0.code): \($0.message)" } ?? "failed"
        return note.map { "\(failure)\($0)" } ?? failure
      }
    }
  }
}

extension EventLog.Entry.Event {
  /// Its place among the cases, as the log packs it.
  var ordinal: UInt8 {
    switch self {
    case .transition: 0
    case .cancelling: 1
    case .attempt: 2
    case .pause: 3
    case .refusal: 4
    case .awaitsFinish: 5
    case .completion: 6
    case .phase: 7
    }
  }

  init(ordinal: UInt8) {
    self = Self.allCases[Int(ordinal)]
  }
}
