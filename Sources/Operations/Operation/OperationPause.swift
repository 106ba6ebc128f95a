/// A pause that an operation makes while it executes: before a further attempt, or because a server
/// asked for it.
public struct OperationPause: Sendable, Equatable {
  /// When it began.
  public let start: ContinuousClock.Instant
  /// When it ended; nil while it lasts.
  public let end: ContinuousClock.Instant?
  /// How long it was to be, and why, in words for people.
  public let reason: String
}

extension ObservableOperation {
  /// How many of its pauses an operation remembers.
  private static let mostPauses = 100

  /// The latest pauses, at most 100, in order.
  public var pauses: [OperationPause] {
    engine.guarded {
      guard let extras = core.extras else { return [] }
      let finished = core.times.finished
      return extras.pauses.map { pause in
        // What still lasted when the operation finished ended with it.
        let end = pause.end > 0 ? pause.end : finished
        return OperationPause(
          start: engine.start.instant(at: pause.start),
          end: end > 0 ? engine.start.instant(at: end) : nil,
          reason: pause.reason)
      }
    }
  }

  /// Records that a pause begins inside `executing`; the next attempt or remark about the work ends
  /// it.
  ///
  /// - Parameters:
  ///   - duration: How long it is to be; nil if that is not known.
  ///   - reason: How long and why, such as `pauses 3 s: Retry-After of the answer to 'a'`.
  public func notePause(for duration: Duration? = nil, reason: String) {
    engine.transact { state in
      guard core.state == .executing, !core.isFinishing else { return }
      beginPause(for: duration, reason: reason, in: &state)
    }
    outer?.notePause(for: duration, reason: reason)
  }

  func beginPause(for duration: Duration?, reason: String, in state: inout EngineState) {
    if let duration { state.decide(.pause(duration), of: self) }
    state.record(self, .pause, from: .executing, cause: .text(reason))
    addPause(at: state.time(), reason: reason)
  }

  /// Ends the pause that lasts and begins another one; in a transaction.
  func addPause(at time: Int64, reason: String) {
    endPause(at: time)
    core.withExtras { extras in
      let due = extras.pauseDue
      extras.pauseDue = 0
      if extras.pauses.count == Self.mostPauses { extras.pauses.removeFirst() }
      extras.pauses.append((time, 0, due, reason))
    }
  }

  /// Records that a server asked for a pause of all requests to a place.
  package func noteHostPause(of place: String, for duration: Duration) {
    engine.transact { $0.note(.hostPause(place, duration), of: self) }
  }

  /// Ends the pause that lasts, if there is one; in a transaction.
  func endPause(at time: Int64) {
    guard let extras = core.extras, let last = extras.pauses.indices.last,
      extras.pauses[last].end == 0
    else { return }
    extras.pauses[last].end = time
  }
}
