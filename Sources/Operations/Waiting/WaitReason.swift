/// One reason why an operation is not running now.
public struct WaitReason: Sendable {
  /// What kind of reason it is.
  public let code: Cause
  /// The operations it is about, such as the holders of the slots.
  ///
  /// Of those on a queue, which may be very many, the first four. Of a deadlock the whole cycle: each
  /// waits for the next, and the last for the first.
  public let operations: [ObservableOperation]
  /// The names of the operations, or of the queue, at that moment; of a deadlock only the last one.
  public let subject: [String]
  /// How many operations it is about, of which ``operations`` may be the first ones.
  public let count: Int
  /// The queue in question, if there is one.
  public let queue: InspectableQueue?
  /// The reason in words, without a full stop.
  public let text: String
  /// The same in a few words beside the name of the operation that waits: `q is paused`.
  public let short: String
  /// How many dependencies away it is: 0 for the operation's own.
  public let depth: Int
}
