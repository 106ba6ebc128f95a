/// The pause that an operation makes between an attempt that failed and the next.
public struct AttemptPause: Sendable, Equatable {
  /// The attempt that follows, from 2.
  public let attempt: Int
  /// How many attempts are made at most.
  public let limit: Int
  /// How long it is until then.
  public let remaining: Duration
  /// The code of the error that the last attempt failed with, and what there is to add, such as the
  /// pause that a server asks for.
  public let code: String

  /// Creates a pause from a recording.
  package init(attempt: Int, limit: Int, remaining: Duration, code: String) {
    (self.attempt, self.limit, self.remaining, self.code) = (attempt, limit, remaining, code)
  }
}
