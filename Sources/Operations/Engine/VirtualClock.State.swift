import Foundation
import OpshSupport

extension VirtualClock {
  /// A body with its thread.
  final class ScheduledBody: Sendable {
    let turn = DispatchSemaphore(value: 0)
  }

  enum Job {
    case call(@Sendable () -> Void)
    case resume(ScheduledBody)

    var scheduled: ScheduledBody? {
      if case .resume(let scheduled) = self { scheduled } else { nil }
    }
  }

  struct SuspendedBody {
    let scheduled: ScheduledBody
    let wakesOnEvents: Bool
  }

  struct State {
    /// What is due, in the order in which it became so.
    var jobs = FIFO<Job>()
    /// A body that was interrupted between two statements, and runs before all that is due.
    var paused: ScheduledBody?
    /// Until when timers are due that count as simultaneous with one that has run; nil if none is.
    var instantEnd: Int64?
    var timers = EngineTimers()
    /// The body whose turn it is.
    var running: ScheduledBody?
    /// Whether a body was given the turn, and the driving thread has not seen it return.
    var isBodyOut = false
    var suspended: [SuspendedBody] = []
    var hasMoved = false
    weak var engine: OperationEngine?
    /// Lasts while several things happen at one time.
    var hold: StartHold.Lease?
    /// Whether a timer or a call is under way on the driving thread.
    var isCalling = false
    /// How often timers that were set meanwhile, for the same time, may still extend the hold.
    var roundsLeft = 0
    /// A body that has slept lets others run twice at the end; one that does so for ever must not
    /// keep others from starting.
    static let mostRounds = 4

    /// Whether the hold goes on for a timer that is due by then.
    mutating func isMoreDue(until end: Int64) -> Bool {
      roundsLeft > 0 && hasTimer(until: end)
    }

    /// No call is due and no body.
    var hasNoJobs: Bool { jobs.isEmpty && paused == nil }

    /// Takes the body that was interrupted, or else the next job if it is a body.
    mutating func popBody() -> ScheduledBody? {
      if let body = paused.take() { return body }
      guard case .resume(let body)? = jobs.first else { return nil }
      _ = jobs.popFirst()
      return body
    }

    /// Takes the next job if it is a call.
    mutating func popCall() -> (@Sendable () -> Void)? {
      guard paused == nil, case .call(let body)? = jobs.first else { return nil }
      _ = jobs.popFirst()
      return body
    }

    mutating func hasTimer(until limit: Int64) -> Bool {
      timers.nextDeadline.map { $0 <= limit } == true
    }

    mutating func takeTimer(until limit: Int64) -> (Int64, TimerQueue.Token)? {
      guard let deadline = timers.nextDeadline, deadline <= limit else { return nil }
      return timers.popFirst().map { (deadline, $0) }
    }

    mutating func wake(_ scheduled: ScheduledBody) {
      guard let index = suspended.firstIndex(where: { $0.scheduled === scheduled }) else { return }
      suspended.remove(at: index)
      jobs.append(.resume(scheduled))
    }
  }
}
