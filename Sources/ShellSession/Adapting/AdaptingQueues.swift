import Foundation
import OpshLocking
import OpshNetworking
package import Operations
import OpshSupport

/// The queues that adapt their width and their pace to the network (`queue width auto`).
///
/// The attempts of requests are recorded on the threads of the network, and the limits change there
/// at once. The interpreter's thread prints what changed.
package final class AdaptingQueues: Sendable {
  private struct Applied: Equatable {
    var width: Int
    /// Nil if the pace is not this type's to set.
    var pace: Duration?
  }

  private struct Entry {
    let queue: InspectableQueue
    var limits: AdaptiveLimits
    var applied: Applied
    /// Whether a thread is setting the limits of the queue.
    var isApplying = false
    /// The limits that were printed last, and when.
    var told: Applied
    var toldTime: ContinuousClock.Instant?

    var wanted: Applied {
      Applied(width: limits.width, pace: limits.limitsRate ? limits.pace : nil)
    }
  }

  /// A short list.
  private let entries = Locked<[Entry]>([])
  /// What a recording says of the limits of its queues, by the queues' ids.
  private let recorded = Locked<[Int: String]>([:])

  /// The shortest time between two messages about a queue.
  private static let messageInterval = Duration.milliseconds(400)

  var isEmpty: Bool { entries.withLock { $0.isEmpty } }

  /// Makes a queue adaptive, starting from its present width.
  ///
  /// A pace that the queue has is kept, and is not adapted.
  package func begin(_ queue: InspectableQueue) {
    end(queue)
    var limits = AdaptiveLimits(width: queue.maxConcurrentOperationCount)
    limits.limitsRate = queue.pace == .zero
    let applied = Applied(width: limits.width, pace: limits.limitsRate ? .zero : nil)
    try? queue.setWidth(limits.width)
    entries.withLock {
      $0.append(Entry(queue: queue, limits: limits, applied: applied, told: applied))
    }
  }

  /// Stops adapting a queue; its width stays, and a pace that was adapted is removed.
  ///
  /// Afterwards nothing changes its limits any more, so that they can be set.
  package func end(_ queue: InspectableQueue) {
    let ended = whenNotApplying(queue) { entries, index in entries.remove(at: index) }
    if let pace = ended?.applied.pace, pace > .zero { queue.pace = .zero }
  }

  /// Stops adapting the pace of a queue, because it is going to be set.
  package func endPace(_ queue: InspectableQueue) {
    whenNotApplying(queue) { entries, index in
      entries[index].limits.limitsRate = false
      entries[index].applied.pace = nil
      entries[index].told.pace = nil
    }
  }

  /// The limits of a queue that adapts, and why they changed last; nil for another queue.
  package func state(of queue: InspectableQueue) -> String? {
    if let text = recorded.withLock({ $0[queue.id] }) { return text }
    return entries.withLock { entries in
      entries.first { $0.queue === queue }.map { entry in
        let pace = entry.applied.pace.map { $0 > .zero ? " and its pace" : "" } ?? ""
        return "its width\(pace): \(entry.limits.reason)"
      }
    }
  }

  /// Shows the limits that a recording says a queue had.
  func show(_ queue: InspectableQueue, limits: String) {
    recorded.withLock { $0[queue.id] = limits }
  }

  /// Records the beginning or the end of an attempt, and changes the limits of its queue; on any
  /// thread.
  func note(_ attempt: AttemptReport) {
    guard !isEmpty, let queue = attempt.operation.queue else { return }
    let mayChange = entries.withLock { entries -> Bool in
      guard let index = entries.firstIndex(where: { $0.queue === queue }) else { return false }
      switch attempt.end {
      case nil:
        return entries[index].limits.attemptBegan(of: attempt.operation.id, at: attempt.time)
      case let end?:
        return entries[index].limits.attemptEnded(
          AdaptiveLimits.Attempt(
            request: attempt.operation.id, started: attempt.started, ended: attempt.time,
            result: Self.result(of: end)))
      }
    }
    if mayChange { apply(to: queue) }
  }

  /// Returns what changed since the last call, as a sentence for each queue; at most a few a second
  /// for each.
  func takeMessages(at now: ContinuousClock.Instant) -> [String] {
    entries.withLock { entries in
      entries.indices.compactMap { index in
        let entry = entries[index]
        guard entry.told != entry.applied,
          entry.toldTime.map({ now - $0 >= Self.messageInterval }) ?? true
        else { return nil }
        entries[index].told = entry.applied
        entries[index].toldTime = now
        return Self.message(of: entry)
      }
    }
  }

  private static func message(of entry: Entry) -> String {
    let (old, new) = (entry.told, entry.applied)
    var changes: [String] = []
    if old.width != new.width { changes.append("width \(old.width) → \(new.width)") }
    if let pace = new.pace, pace != old.pace {
      changes.append(pace > .zero ? "pace \(DurationText(pace))" : "no pace")
    }
    return "queue \(entry.queue.name): \(changes.joined(separator: ", ")): \(entry.limits.reason)"
  }

  /// Sets the limits of a queue as long as they change; without the lock, because that calls
  /// observers, and on one thread at a time, so that the last ones are set last.
  private func apply(to queue: InspectableQueue) {
    var isApplying = false
    while let wanted = nextToApply(to: queue, &isApplying) {
      try? queue.setWidth(wanted.width)
      if let pace = wanted.pace { queue.pace = pace }
    }
  }

  private func nextToApply(to queue: InspectableQueue, _ isApplying: inout Bool) -> Applied? {
    entries.withLock { entries in
      guard let index = entries.firstIndex(where: { $0.queue === queue }),
        isApplying || !entries[index].isApplying
      else { return nil }
      let wanted = entries[index].wanted
      isApplying = wanted != entries[index].applied
      entries[index].isApplying = isApplying
      entries[index].applied = wanted
      return isApplying ? wanted : nil
    }
  }

  /// Changes the entry of a queue while no thread is setting its limits, which takes no time.
  @discardableResult
  private func whenNotApplying<Value>(
    _ queue: InspectableQueue, _ change: (inout [Entry], Int) -> Value
  ) -> Value? {
    while true {
      let (isDone, value) = entries.withLock { entries -> (Bool, Value?) in
        guard let index = entries.firstIndex(where: { $0.queue === queue }) else {
          return (true, nil)
        }
        guard !entries[index].isApplying else { return (false, nil) }
        return (true, change(&entries, index))
      }
      if isDone { return value }
      usleep(100)
    }
  }

  private static func result(of end: AttemptReport.End) -> AdaptiveLimits.Result {
    guard case .failed(let error, let status) = end else {
      return end == .cancelled ? .cancelled : .answered
    }
    switch (error, status) {
    // 420 is Twitter's, and 502 the number that Stack Exchange gives its limit.
    case (_, 429?), (_, 420?), (.api(id: 502, _, _), _): return .tooFast(error.code)
    case (_, 502?), (_, 503?), (_, 504?), (.api(id: 503, _, _), _):
      return .refused(error.code, isStatus: true)
    case (.timedOut, _), (.connectionRefused, _), (.hostUnreachable, _), (.connectionLost, _):
      return .refused(error.code, isStatus: false)
    // A refusal of a request alone is an answer; without one nothing is known.
    default: return status == nil ? .cancelled : .answered
    }
  }
}
