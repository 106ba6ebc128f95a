/// A stretch of an operation's life on its queue, with what it went to.
public struct LifeSpan: Sendable, Equatable {
  /// What the time went to.
  public let cause: Cause
  /// When the stretch began.
  public let start: ContinuousClock.Instant
  /// When it ended; for what lasts, the time at which the log was read.
  public let end: ContinuousClock.Instant
  /// The operation that the time is owed to, if it is one: the dependency that finished last, the
  /// one that held the slot and gave it back, the one whose response asked for a pause.
  public let culprit: Int?

  /// Creates a stretch.
  public init(
    cause: Cause, start: ContinuousClock.Instant, end: ContinuousClock.Instant, culprit: Int? = nil
  ) {
    (self.cause, self.start, self.end, self.culprit) = (cause, start, end, culprit)
  }

  /// How long it was.
  public var duration: Duration { end - start }
}

/// The beginning of a span of an operation or a queue, as a page is told of it.
package struct SpanNews: Sendable {
  /// The operation or queue.
  package let subject: EventLog.Change.Subject
  var start: Int64
  /// What keeps it from now on; nil for nothing, or what the queue of the operation says.
  package let cause: Cause?
  /// The operation that the span is owed to, as far as known.
  package var culprit: Int?
  /// The operation that the span that ends was owed to, where only its end has told.
  package let owed: Int?
  /// Whether the operation is kept by what its queue keeps all its ready operations by, if that is
  /// something.
  package let isShared: Bool
  /// The place of such an operation among those of its queue: the least starts first.
  package var rank: Int?
  /// Whether the span goes on, and only its words or its rank are others.
  package var continues = false
}

/// The life of one operation, as far as the log has it.
public struct OperationLife: Sendable {
  /// Its name and kind.
  public let identity: OperationIdentity
  /// When it was added to its queue.
  public let added: ContinuousClock.Instant
  /// When it finished; nil for one that has not.
  public let finished: ContinuousClock.Instant?
}
