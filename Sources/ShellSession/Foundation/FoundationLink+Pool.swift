import Foundation
import OpshLocking
import Operations

/// Whether the process has a thread for its operations.
///
/// libdispatch gives the queue one thread for each processor or a few more, and another one each
/// second. While bodies that block hold all of them, what has a slot does not start.
extension FoundationLink {
  /// How long an operation may be on its way to a free thread.
  private static let handOver = Duration.milliseconds(25)

  /// The operations that hold a thread of the pool, in the order in which they were added.
  package var poolHolders: [FoundationOperation] {
    state.withLock { $0.operations.values.filter(\.holdsPoolThread) }.sorted { $0.id < $1.id }
  }

  /// How many threads the process has; nil if the system does not tell.
  package var threadCount: Int? {
    let process = state.withLock { $0.input < 0 ? 0 : $0.process }
    guard process > 0 else { return nil }
    return (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task"))?.count
  }

  /// Looks after a moment whether operations that have a slot wait for a thread.
  ///
  /// Once they do, each look tells at once who holds the threads now.
  func lookAtPool() {
    guard let queue = state.withLock({ $0.queue }) else { return }
    guard waitsForThread(on: queue) else { return queue.poolHolders = [] }
    if !queue.poolHolders.isEmpty { return queue.poolHolders = poolHolders }
    let count = state.withLock { state -> Int? in
      defer { state.isPoolLookDue = true }
      return state.isPoolLookDue ? nil : state.reportCount
    }
    guard let count else { return }
    _ = queue.engine.perform(after: Self.handOver) { [weak self] in self?.lookAgain(after: count) }
  }

  /// Notes that no thread is free, if nothing has started or ended since a number of reports.
  private func lookAgain(after count: Int) {
    let (queue, isQuiet) = state.withLock { state in
      state.isPoolLookDue = false
      return (state.queue, state.reportCount == count)
    }
    guard let queue, waitsForThread(on: queue) else { return }
    if isQuiet { queue.poolHolders = poolHolders } else { lookAtPool() }
  }

  /// Whether an operation is ready and has a slot, and bodies hold threads of the pool.
  private func waitsForThread(on queue: InspectableQueue) -> Bool {
    let width = queue.maxConcurrentOperationCount
    guard !hasEnded, !queue.isSuspended, width < 0 || queue.executingOperationCount < width,
      !poolHolders.isEmpty
    else { return false }
    return queue.operations.contains {
      $0.state == .ready && $0.obstacle == nil && ($0 as? FoundationOperation)?.isOnItsWay == true
    }
  }
}
