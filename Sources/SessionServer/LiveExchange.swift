/// What a live server remembers of a connection while it does not answer at once.
final class LiveExchange {
  enum Phase {
    /// The lines are sent.
    case following(Follower)
    /// The shell is to run an action, until a point in time.
    case acting(ActionTicket, deadline: UInt64)
  }

  let phase: Phase

  init(_ phase: Phase) {
    self.phase = phase
  }
}

@available(*, unavailable)
extension LiveExchange: Sendable {}
