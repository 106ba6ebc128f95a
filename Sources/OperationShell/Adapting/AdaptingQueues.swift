import Locking
import Networking
import Operations

/// The queues whose width follows what their requests achieve (`queue width auto`).
final class AdaptingQueues: Sendable {
  private struct Entry {
    var queue: InspectableQueue
    var width: AdaptiveWidth
    var reason: String?
  }

  private let entries = Locked<[ObjectIdentifier: Entry]>([:])

  /// Lets a queue adapt, from its present width on.
  func begin(_ queue: InspectableQueue) {
    let present = queue.maxConcurrentOperationCount
    let width = AdaptiveWidth(width: present < 1 ? 2 : present)
    entries.withLock { $0[ObjectIdentifier(queue)] = Entry(queue: queue, width: width) }
    if width.width != present { try? queue.setWidth(width.width) }
  }

  /// Leaves a queue's width to people again.
  func end(_ queue: InspectableQueue) {
    entries.withLock { $0[ObjectIdentifier(queue)] = nil }
  }

  /// Whether a queue adapts, and what it last went by.
  func state(of queue: InspectableQueue) -> String? {
    entries.withLock { entries in
      entries[ObjectIdentifier(queue)].map { $0.reason ?? "nothing has been measured yet" }
    }
  }

  /// Takes in the end of an operation.
  ///
  /// - Returns: What was decided by it, as a sentence.
  func note(_ operation: ObservableOperation) -> String? {
    guard let queue = operation.queue, let sample = Self.sample(of: operation) else { return nil }
    let decided = entries.withLock { entries -> (old: Int, AdaptiveWidth.Decision)? in
      guard var entry = entries[ObjectIdentifier(queue)] else { return nil }
      let old = entry.width.width
      let decision = entry.width.note(sample)
      entry.reason = decision?.reason ?? entry.reason
      entries[ObjectIdentifier(queue)] = entry
      return decision.map { (old, $0) }
    }
    guard let (old, decision) = decided else { return nil }
    guard decision.width != old else {
      return "queue \(queue.name) stays at width \(old): \(decision.reason)"
    }
    // Not under the lock: it tells observers.
    try? queue.setWidth(decision.width)
    return "queue \(queue.name): width \(old) → \(decision.width): \(decision.reason)"
  }

  var isEmpty: Bool { entries.withLock { $0.isEmpty } }

  private static func sample(of operation: ObservableOperation) -> AdaptiveWidth.Sample? {
    guard let metrics = operation as? any NetworkOperationMetrics,
      let started = operation.timestamps.executing, let finished = operation.timestamps.finished
    else { return nil }
    switch operation.outcome {
    case .succeeded?:
      return AdaptiveWidth.Sample(
        bytes: metrics.bytesReceived, started: started, finished: finished)
    case .failed(let failure)? where speaksOfTooMuch(failure.code):
      return AdaptiveWidth.Sample(
        bytes: 0, started: started, finished: finished, failure: failure.code)
    default: return nil
    }
  }

  /// Whether an error may come of too much at once; a 404 does not.
  private static func speaksOfTooMuch(_ code: String) -> Bool {
    [
      "timed-out", "connection-refused", "connection-lost", "invalid-status-code(420)",
      "invalid-status-code(429)", "invalid-status-code(502)", "invalid-status-code(503)",
      "invalid-status-code(504)",
    ].contains(code) || code.hasPrefix("api(502,") || code.hasPrefix("api(503,")
  }
}
