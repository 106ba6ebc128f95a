/// One reason why an operation is not running now.
public struct WaitReason: Sendable {
  /// The kinds of reasons.
  public enum Code: String, Sendable, CaseIterable {
    /// It was never added to a queue, so nothing will start it.
    case notOnQueue = "not-on-queue"
    /// Its queue is suspended.
    case queuePaused = "queue-paused"
    /// All slots of its queue are taken.
    case queueFull = "queue-full"
    /// Its queue has no slots.
    case widthZero = "width-zero"
    /// It depends on something that has not finished.
    case dependency
    /// Others on its queue are to start before it.
    case higherPriority = "higher-priority"
    /// A barrier was added before it, or it is one and something was added before.
    case barrier
    /// Another operation has a name that it needs for itself.
    case exclusive
    /// The delay before it may become ready is not over.
    case delay
    /// The pace of its queue does not let anything start yet.
    case pace
    /// What it waits for has failed, and lets some time pass before it tries again.
    case pause
    /// The group that it is in has not begun.
    case group
    /// Its work, or that of the operation it waits for, is done, but nothing has finished it; see
    /// ``FinishWait``.
    case awaitsFinish = "awaits-finish"
    /// It is on a queue that Foundation runs, which will never start it.
    case foundation
    /// It waits for something that waits for it, so nothing will ever start it.
    case deadlock
  }

  /// What kind of reason it is.
  public let code: Code
  /// The operations it is about, such as the holders of the slots.
  ///
  /// Of those on a queue, which may be very many, the first four. Of a deadlock the whole cycle: each
  /// waits for the next, and the last for the first.
  public let operations: [ObservableOperation]
  /// The names of the operations, or of the queue, at that moment; of a deadlock only the last one.
  public let subject: [String]
  /// How many operations it is about, of which ``operations`` may be the first four.
  public let count: Int
  /// The queue in question, if there is one.
  public let queue: InspectableQueue?
  /// The reason in words, without a full stop.
  public let text: String
  /// How many dependencies away it is: 0 for the operation's own.
  public let depth: Int
}
