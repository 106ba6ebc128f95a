/// A stretch of an operation's life on its queue, with what it went to.
public struct LifeSpan: Sendable, Equatable {
  /// What the time went to.
  public let cause: Cause
  /// When the stretch began.
  public let start: ContinuousClock.Instant
  /// When it ended; for what lasts, the time at which the history was read.
  public let end: ContinuousClock.Instant
  /// The operation that the time is owed to, if it is one: the dependency that finished last, the
  /// one that made room in the queue, the one whose answer asked for a pause.
  public let culprit: Int?

  /// How long it was.
  public var duration: Duration { end - start }
}

/// The life of one operation, as far as the log has it.
public struct OperationLife: Sendable {
  /// Its number.
  public let id: Int
  /// Its name in its latest entry of the log; nil if only changes of it are kept.
  public internal(set) var identity: OperationIdentity?
  /// The number of its queue.
  public internal(set) var queueID: Int?
  /// When it was added to its queue; nil where the log no longer tells.
  public internal(set) var added: ContinuousClock.Instant?
  /// When it started.
  public internal(set) var started: ContinuousClock.Instant?
  /// When it finished; nil for one that has not.
  public internal(set) var finished: ContinuousClock.Instant?

  var ready: ContinuousClock.Instant?
  /// Its dependencies since it was created, and when they were added and removed.
  var edges: [(id: Int, added: ContinuousClock.Instant, removed: ContinuousClock.Instant?)] = []
  /// When it was cancelled, after which its dependencies do not count.
  var cancelled: ContinuousClock.Instant?
  var hasDelay = false
  var exclusiveNames: [String] = []
  var isBarrier = false
  /// Its place among the operations that were added to its queue.
  var turn = 0
  /// What changed while it executed, in order.
  var changes: [(time: ContinuousClock.Instant, cause: Cause, culprit: Int?)] = []

  init(id: Int) { self.id = id }
}
