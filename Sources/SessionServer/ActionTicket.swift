import OpshLocking

/// The result of an action.
package struct ActionReply: Sendable, Equatable {
  /// The command that the action became.
  package let command: String
  /// Why the command failed; nil if it did not.
  package let error: String?

  /// Creates a reply.
  package init(command: String, error: String? = nil) {
    (self.command, self.error) = (command, error)
  }
}

/// An action between the server, which waits for the reply, and the shell, which runs it.
///
/// Exactly one of two things happens: the shell claims it and answers, or the server gives it up, and
/// then it never runs.
package final class ActionTicket: Sendable {
  private enum State {
    case waiting
    case claimed
    case answered(ActionReply)
    case givenUp
  }

  private let state = Locked(State.waiting)
  private let answered: @Sendable (ActionReply) -> Void

  /// Creates a ticket for an action that waits.
  ///
  /// - Parameter answered: Called with the reply, on the thread that gives it.
  init(answered: @escaping @Sendable (ActionReply) -> Void) {
    self.answered = answered
  }

  /// Claims the action, in order to run it.
  ///
  /// - Returns: False if the server has given it up, or it was claimed before.
  package func claim() -> Bool {
    state.withLock { state in
      guard case .waiting = state else { return false }
      state = .claimed
      return true
    }
  }

  /// Sets the reply to the claimed action.
  package func answer(_ reply: ActionReply) {
    state.withLock { $0 = .answered(reply) }
    answered(reply)
  }

  /// The reply, once there is one.
  var reply: ActionReply? {
    state.withLock { if case .answered(let reply) = $0 { reply } else { nil } }
  }

  /// Withdraws the action.
  ///
  /// - Returns: False if it was claimed before.
  func giveUp() -> Bool {
    state.withLock { state in
      guard case .waiting = state else { return false }
      state = .givenUp
      return true
    }
  }
}
