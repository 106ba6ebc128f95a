import Locking
import Networking
package import Operations

/// The queues with an adaptive width (`queue width auto`).
package final class AdaptingQueues: Sendable {
  private struct Entry {
    let queue: InspectableQueue
    var width: AdaptiveWidth
    var reason: String?
  }

  /// A short list.
  private let entries = Locked<[Entry]>([])

  /// Makes a queue adaptive, starting from its present width.
  package func begin(_ queue: InspectableQueue) {
    let present = queue.maxConcurrentOperationCount
    let width = AdaptiveWidth(width: present < 1 ? 2 : present)
    entries.withLock { entries in
      entries.removeAll { $0.queue === queue }
      entries.append(Entry(queue: queue, width: width))
    }
    if width.width != present { try? queue.setWidth(width.width) }
  }

  /// Stops adapting a queue's width.
  package func end(_ queue: InspectableQueue) {
    entries.withLock { entries in entries.removeAll { $0.queue === queue } }
  }

  /// Whether a queue adapts, and the reason of its last change.
  package func state(of queue: InspectableQueue) -> String? {
    entries.withLock { entries in
      entries.first { $0.queue === queue }.map { $0.reason ?? "nothing has been measured yet" }
    }
  }

  /// Records the end of an operation.
  ///
  /// - Returns: The resulting decision, as a sentence.
  func note(_ operation: ObservableOperation) -> String? {
    guard let queue = operation.queue, let sample = Self.sample(of: operation) else { return nil }
    let decided = entries.withLock { entries -> (old: Int, AdaptiveWidth.Decision)? in
      guard let index = entries.firstIndex(where: { $0.queue === queue }) else { return nil }
      let old = entries[index].width.width
      let decision = entries[index].width.note(sample)
      entries[index].reason = decision?.reason ?? entries[index].reason
      return decision.map { (old, $0) }
    }
    guard let (old, decision) = decided else { return nil }
    guard decision.width != old else {
      return "queue \(queue.name) stays at width \(old): \(decision.reason)"
    }
    // Not under the lock: it calls observers.
    try? queue.setWidth(decision.width)
    return "queue \(queue.name): width \(old) → \(decision.width): \(decision.reason)"
  }

  var isEmpty: Bool { entries.withLock { $0.isEmpty } }

  private static func sample(of operation: ObservableOperation) -> AdaptiveWidth.Sample? {
    guard let metrics = operation.networkMetrics,
      let started = operation.timestamps.executing, let finished = operation.timestamps.finished
    else { return nil }
    switch operation.outcome {
    case .succeeded?:
      return AdaptiveWidth.Sample(
        bytes: metrics.bytesReceived, started: started, finished: finished)
    case .failed(let failure)? where indicatesOverload(failure.code):
      return AdaptiveWidth.Sample(
        bytes: 0, started: started, finished: finished, failure: failure.code)
    default: return nil
    }
  }

  /// Whether an error may be caused by too many concurrent requests; a 404 is not.
  private static func indicatesOverload(_ code: String) -> Bool {
    [
      "timed-out", "connection-refused", "connection-lost", "invalid-status-code(420)",
      "invalid-status-code(429)", "invalid-status-code(502)", "invalid-status-code(503)",
      "invalid-status-code(504)",
    ].contains(code) || code.hasPrefix("api(502,") || code.hasPrefix("api(503,")
  }
}
