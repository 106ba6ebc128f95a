/// The stage of its life that an operation is in.
///
/// An operation goes through `created`, `pending`, `ready`, `executing` and `finished`. Only a
/// ready one goes back: it is pending again if it gets an unfinished dependency before it starts.
/// One that is started directly, on no queue, is never pending. One that is cancelled or skipped
/// before it executes finishes without `executing`. Cancelling is not a state: it is a flag beside
/// the state (see ``ObservableOperation``).
public enum OperationState: String, Sendable, CaseIterable {
  /// Built, and not yet added to a queue.
  case created
  /// On a queue, with unfinished dependencies or a start delay that has not passed.
  case pending
  /// On a queue, and waiting only to be started.
  case ready
  /// Holding a slot of its queue.
  case executing
  /// Ended, with an outcome; it never leaves this state.
  case finished

  /// Returns whether an operation in this state may go to another one next.
  ///
  /// This is the one table that every transition of the engine is checked against.
  ///
  /// - Parameter next: The state to go to.
  /// - Returns: Whether that transition is legal.
  public func canBecome(_ next: OperationState) -> Bool {
    switch (self, next) {
    case (.created, .pending), (.pending, .ready), (.ready, .executing), (.executing, .finished):
      true
    // It was started directly, without a queue.
    case (.created, .ready):
      true
    // It got another dependency.
    case (.ready, .pending):
      true
    // Skipped because of a dependency, before the other dependencies had finished.
    case (.pending, .finished):
      true
    // Cancelled or skipped before it ran.
    case (.ready, .finished):
      true
    default:
      false
    }
  }

  /// Its place in the order of a life, as the log packs it.
  var ordinal: UInt8 {
    switch self {
    case .created: 0
    case .pending: 1
    case .ready: 2
    case .executing: 3
    case .finished: 4
    }
  }

  init(ordinal: UInt8) {
    self = Self.allCases[Int(ordinal)]
  }
}
