/// Why a queue refused something; nothing has changed then.
public enum QueueError: CodedError, Sendable, Equatable {
  /// The operation is on a queue already.
  case alreadyOnQueue(name: String, queue: String)
  /// The operation was started by hand and runs.
  case executing(name: String)
  /// The operation has ended, and an operation runs only once.
  case finished(name: String)
  /// The same operation stands twice in one batch.
  case addedTwice(name: String)
  /// The operation belongs to another engine than the queue, so no lock covers both.
  case differentLogs(name: String, queue: String)
  /// A number of slots below -1.
  case invalidWidth(Int)
  /// Single steps are for a suspended queue.
  case notSuspended(queue: String)
  /// The group has finished and takes no more operations.
  case groupFinished(name: String)
  /// An operation of the queue wanted to wait until the queue is empty, which includes itself.
  case waitFromInside(queue: String)
  /// The operation would wait for itself; the path begins and ends with it.
  ///
  /// It is a Foundation operation in a cycle, or a group that the queue is in.
  case cycle(path: [String])
  /// A group and an operation in it need the same exclusive name: the group would have it until the
  /// operation has finished, which waits for it.
  case exclusiveConflict(exclusiveName: String, member: String, group: String)
  /// What runs the queue in another process can't do it.
  case driver(queue: String, reason: String)

  /// The stable code.
  public var code: String {
    switch self {
    case .alreadyOnQueue: "already-on-queue"
    case .executing: "already-executing"
    case .finished: "already-finished"
    case .addedTwice: "added-twice"
    case .differentLogs: "different-logs"
    case .invalidWidth: "invalid-width"
    case .notSuspended: "not-suspended"
    case .groupFinished: "group-finished"
    case .waitFromInside: "wait-from-inside"
    case .cycle: "dependency-cycle"
    case .exclusiveConflict: "exclusive-conflict"
    case .driver: "foundation-queue"
    }
  }

  /// One sentence for people, without a full stop at its end.
  public var message: String {
    switch self {
    case .alreadyOnQueue(let name, let queue):
      "'\(name)' is already on queue '\(queue)'"
    case .executing(let name):
      "'\(name)' is already executing"
    case .finished(let name):
      "'\(name)' has finished, and an operation runs only once"
    case .addedTwice(let name):
      "'\(name)' is in the batch twice"
    case .differentLogs(let name, let queue):
      "'\(name)' and queue '\(queue)' keep different logs"
    case .invalidWidth(let width):
      "a queue cannot be \(width) wide: the width is 0 or more, or -1 for unlimited"
    case .notSuspended(let queue):
      "queue '\(queue)' is not paused, so it takes no single steps"
    case .groupFinished(let name):
      "group '\(name)' has finished and takes no more operations"
    case .waitFromInside(let queue):
      "an operation on queue '\(queue)' cannot wait until that queue is empty"
    case .cycle(let path):
      "it would wait for itself: \(Wording.path(path))"
    case .exclusiveConflict(let exclusiveName, let member, let group):
      "'\(member)' would wait for ever for the exclusive name '\(exclusiveName)', which its group "
        + "'\(group)' has until '\(member)' has finished"
    case .driver(let queue, let reason):
      "queue '\(queue)' runs on Foundation: \(reason)"
    }
  }
}
