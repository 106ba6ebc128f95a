import Foundation
import OpshLocking
import OpshNetworking
package import Operations
import OpshSupport

/// The queues that adapt their width and their pace to the network (`queue width auto`).
///
/// The ends of requests' attempts arrive on the threads of the network, and the limits change there
/// at once. The interpreter's thread prints what changed.
package final class AdaptingQueues: Sendable {
  private struct Applied: Equatable {
    var width: Int
    var pace: Duration?
  }

  private struct Entry {
    let queue: InspectableQueue
    var limits: AdaptiveLimits
    /// The limits that were printed last, and when.
    var told: Applied
    var toldTime: ContinuousClock.Instant?

    var applied: Applied { Applied(width: limits.width, pace: limits.pace) }
  }

  /// The adapting queues by their ids.
  ///
  /// A queue asks for its entry in a transaction, so nothing that takes the engine's lock may run
  /// under this one.
  private let entries = Locked<[Int: Entry]>([:])
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
    try? queue.setWidth(limits.width)
    let told = Applied(width: limits.width, pace: limits.pace)
    entries.withLock { $0[queue.id] = Entry(queue: queue, limits: limits, told: told) }
  }

  /// Stops adapting a queue; its width stays, and a pace that was adapted is removed.
  ///
  /// Afterwards nothing changes its limits any more, so that they can be set.
  package func end(_ queue: InspectableQueue) {
    let ended = entries.withLock { $0.removeValue(forKey: queue.id) }
    if let pace = ended?.limits.pace, pace > .zero { queue.pace = .zero }
  }

  /// Stops adapting the pace of a queue, because it is going to be set.
  package func endPace(_ queue: InspectableQueue) {
    entries.withLock { entries in
      entries[queue.id]?.limits.limitsRate = false
      entries[queue.id]?.told.pace = nil
    }
  }

  /// The limits of a queue that adapts, and why they changed last; nil for another queue.
  package func state(of queue: InspectableQueue) -> String? {
    if let text = recorded.withLock({ $0[queue.id] }) { return text }
    guard let entry = entries.withLock({ $0[queue.id] }) else { return nil }
    let pace = entry.limits.pace ?? .zero > .zero ? " and its pace" : ""
    return "its width\(pace): \(entry.limits.reason)"
  }

  /// Shows the limits that a recording says a queue had.
  func show(_ queue: InspectableQueue, limits: String) {
    recorded.withLock { $0[queue.id] = limits }
  }

  /// Records the end of an attempt, and changes the limits of its queue; on any thread.
  func note(_ attempt: AttemptReport) {
    guard !isEmpty, let queue = attempt.operation.queue else { return }
    let end = AdaptiveLimits.Attempt(
      started: attempt.started, ended: attempt.time, result: Self.result(of: attempt.end))
    let changed = entries.withLock { entries -> Applied? in
      let old = entries[queue.id]?.applied
      entries[queue.id]?.limits.attemptEnded(end)
      return entries[queue.id].flatMap { $0.applied == old ? nil : $0.applied }
    }
    guard let changed else { return }
    // The queue asks in its transaction, so that the last limits are set last, and none after 'end'.
    let isPresent: () -> Bool = { self.entries.withLock { $0[queue.id]?.applied == changed } }
    queue.setWidth(changed.width, if: isPresent)
    if let pace = changed.pace { queue.setPace(pace, if: isPresent) }
  }

  /// Returns what changed since the last call, as a sentence for each queue; at most a few a second
  /// for each.
  func takeMessages(at now: ContinuousClock.Instant) -> [String] {
    let changed = entries.withLock { entries in
      entries.keys.sorted().compactMap { id -> Entry? in
        guard let entry = entries[id], entry.told != entry.applied,
          entry.toldTime.map({ now - $0 >= Self.messageInterval }) ?? true
        else { return nil }
        entries[id]?.told = entry.applied
        entries[id]?.toldTime = now
        return entry
      }
    }
    return changed.map(Self.message)
  }

  private static func message(of entry: Entry) -> String {
    let (old, new) = (entry.told, entry.applied)
    let width = old.width == new.width ? nil : "width \(old.width) → \(new.width)"
    let pace = new.pace == old.pace ? nil : new.pace.map { "pace \(DurationText($0))" }
    let changes = [width, pace].compactMap(\.self).joined(separator: ", ")
    return "queue \(entry.queue.name): \(changes): \(entry.limits.reason)"
  }

  private static func result(of end: AttemptReport.End) -> AdaptiveLimits.Result {
    guard case .failed(let error, let status) = end else {
      return end == .cancelled ? .cancelled : .answered
    }
    switch (error, status) {
    // 420 is Twitter's, and 502 the number that Stack Exchange gives its limit.
    case (_, 429?), (_, 420?), (.api(id: 502, _, _), _): return .tooFast(error.code)
    case (_, 502?), (_, 503?), (_, 504?), (.api(id: 503, _, _), _),
      (.timedOut, _), (.connectionRefused, _), (.hostUnreachable, _), (.connectionLost, _):
      return .refused(error.code)
    // A refusal of a request alone is an answer; without one nothing is known.
    default: return status == nil ? .cancelled : .answered
    }
  }
}
