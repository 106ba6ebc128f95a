extension EventLog {
  /// One thing that happened to one operation.
  public struct Entry: Sendable {
    /// What an entry tells of.
    public enum Event: String, Sendable, CaseIterable {
      /// The state changed.
      case transition
      /// Cancelling was asked for; the state stayed.
      case cancelling
      /// A further attempt began inside `executing`.
      case attempt
    }

    /// Its place in the log: 0, 1, 2.
    public let sequence: Int
    /// When it happened.
    public let time: ContinuousClock.Instant
    /// Whom it happened to, with the name of that moment.
    public let operation: OperationIdentity
    /// The name of the queue that the operation is on.
    public let queue: String?
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

    /// Why, in words for people.
    public var reason: String { cause.text }
  }

  /// The reason of an entry as data; the text is made when somebody reads it.
  enum Cause: Sendable {
    case added(queue: String)
    case noDependencies
    case dependenciesMet(first: [String], count: Int)
    case cancelledWhilePending
    case slot(Int, width: Int, queue: String)
    case text(String)

    var text: String {
      switch self {
      case .added(let queue):
        return "added to \(queue)"
      case .noDependencies:
        return "no dependencies"
      case .dependenciesMet(let first, let count):
        let more = count > first.count ? " and \(count - first.count) more" : ""
        return "dependencies met: " + first.joined(separator: ", ") + more
      case .cancelledWhilePending:
        return "cancelled, its dependencies no longer count"
      case .slot(let slot, let width, let queue):
        return width < 0
          ? "slot \(slot) on \(queue), unlimited width" : "slot \(slot) of \(width) on \(queue)"
      case .text(let text):
        return text
      }
    }
  }
}
