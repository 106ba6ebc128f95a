package import Foundation

import OpshLocking

/// Where a log that has dropped its beginning has all that is to be known.
package struct WholeLives: Sendable {
  /// The position from which on every operation that had not finished is known from its beginning.
  package fileprivate(set) var position: Int
  /// The time of it.
  package fileprivate(set) var time: ContinuousClock.Instant
  /// How many operations of each queue finished in what the log has.
  package fileprivate(set) var finished: [Int: Int] = [:]
}

extension EventLog {
  /// Finds from where on a fold of what the log still has is exact.
  ///
  /// It takes time in proportion to what the log has.
  ///
  /// - Parameter unfinished: The operations on queues that have not finished.
  /// - Returns: The position; nil if the log lacks the beginning of one of these.
  package func wholeLives(of unfinished: [ObservableOperation]) -> WholeLives? {
    let firstChange = changes(from: 0, limit: 1).changes.first
    // What was said before of the operations of earlier entries is missing.
    let start = firstChange.map { $0.sequence > 0 ? $0.position : 0 } ?? 0
    var lives = WholeLives(position: 0, time: engine.startInstant)
    var (known, lacking): (Set<Int>, Set<Int>) = ([], [])
    var cursor = 0
    while true {
      let page = entries(from: cursor, limit: LogChunk.size)
      if page.entries.isEmpty { break }
      if known.isEmpty, lacking.isEmpty, let first = page.entries.first {
        (lives.position, lives.time) = (position(after: first) - 1, first.time)
      }
      for entry in page.entries {
        let id = entry.operation.id
        if !known.contains(id), entry.from != .created || entry.sequence < start {
          lacking.insert(id)
        }
        known.insert(id)
        guard entry.event == .transition, entry.to == .finished else { continue }
        if let queue = entry.queueID { lives.finished[queue, default: 0] += 1 }
        if lacking.remove(id) != nil {
          (lives.position, lives.time) = (position(after: entry), entry.time)
        }
      }
      cursor = page.next
    }
    return unfinished.contains { !known.contains($0.id) || lacking.contains($0.id) } ? nil : lives
  }
}

/// A queue as it was at the beginning of what a log still has.
package struct QueueBeginning: Sendable {
  package let name: String
  package let width: Int
  package let isSuspended: Bool
  package let pace: Duration
  package let quality: QualityOfService
  /// How many of its operations had finished.
  package let finished: Int

  /// Undoes what a log says of a queue that there is.
  package init(of queue: InspectableQueue, before changes: [EventLog.Change], finishedSince: Int) {
    var (name, width) = (queue.name, queue.maxConcurrentOperationCount)
    var (isSuspended, pace, quality) = (queue.isSuspended, queue.pace, queue.qualityOfService)
    for change in changes.reversed() where change.subject == .queue(queue.id) {
      switch change.event {
      case .width(let old?, _): width = old
      case .suspended(let new): isSuspended = !new
      case .pace(let old, _): pace = old
      case .quality(let old, _): quality = old
      case .renamed(let old?, _): name = old
      default: break
      }
    }
    (self.name, self.width, self.isSuspended) = (name, width, isSuspended)
    (self.pace, self.quality) = (pace, quality)
    finished = max(0, queue.snapshot.finished - finishedSince)
  }
}

extension WorldFold {
  /// Creates a queue whose creation the log does not have any more.
  package func begin(_ id: Int, as beginning: QueueBeginning) throws(Mismatch) {
    let queue = try queue(id)
    engine.state.withLock { _ in
      queue.core.label = QueueLabel(name: beginning.name, id: id)
      queue.core.width = beginning.width
      queue.core.isSuspended = beginning.isSuspended
      queue.core.pace = max(0, beginning.pace.wholeNanoseconds)
      queue.core.quality = beginning.quality
      queue.core.begin(withFinished: beginning.finished)
    }
  }
}
