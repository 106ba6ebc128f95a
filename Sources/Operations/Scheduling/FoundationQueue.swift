import Foundation
import OpshLocking

/// Where the operations of a queue run: a queue of Foundation's, which is made when something first
/// runs on it, or the executor that the queue was given.
///
/// To make one costs as much as a tenth of a shell's start, because Foundation writes its address
/// into a text, and many a queue is only looked at.
final class FoundationQueue: Sendable {
  private let name: String
  private let made = Locked<OperationQueue?>(nil)
  /// Runs the operations in place of Foundation; nil for most queues.
  let executor: InspectableQueue.Executor?

  init(name: String, executor: InspectableQueue.Executor? = nil) {
    self.name = name
    self.executor = executor
  }

  /// Has it run an operation; outside of transactions.
  func addOperation(_ operation: Operation) {
    let queue = made.withLock { made in
      if let made { return made }
      let queue = OperationQueue()
      queue.name = name
      made = queue
      return queue
    }
    queue.addOperation(operation)
  }
}
