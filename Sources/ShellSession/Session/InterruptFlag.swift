import Foundation
import OpshLocking
import Synchronization

/// What stops statements from outside: a requested end, the end of bodies and, every ten
/// milliseconds, a look at signals.
///
/// It is asked before every statement, on every thread: it takes neither the lock nor the exact
/// clock then. A thread that only set the flag every ten milliseconds would wake an idle shell.
final class InterruptFlag: Sendable {
  private struct State {
    var requestedEnd: SessionEnd?
    var endsBodies = false
    var staysRaised = false
    var isRaised: Bool { endsBodies || staysRaised || requestedEnd != nil }
  }

  /// In nanoseconds; the coarse clock moves in steps of up to ten milliseconds.
  private static let interval: Int64 = 8_000_000

  private let state = Locked(State())
  private let raised = Atomic(false)
  private let lastLook = Atomic(InterruptFlag.coarseTime)

  /// Whether an end is requested, or bodies are to end.
  var isRaised: Bool { raised.load(ordering: .relaxed) }

  /// Whether every body is to end at its next statement.
  var endsBodies: Bool { state.withLock { $0.endsBodies } }

  func endBodies(_ ends: Bool = true) {
    state.withLock { state in
      state.endsBodies = ends
      raised.store(state.isRaised, ordering: .relaxed)
    }
  }

  /// Has it be raised before every statement, while inputs are taken again.
  func stayRaised(_ stays: Bool) {
    state.withLock { state in
      state.staysRaised = stays
      raised.store(state.isRaised, ordering: .relaxed)
    }
  }

  /// Requests an end, unless one is requested already.
  func request(_ end: SessionEnd) {
    state.withLock { state in
      state.requestedEnd = state.requestedEnd ?? end
      raised.store(true, ordering: .relaxed)
    }
  }

  /// Removes and returns the requested end.
  func takeEnd() -> SessionEnd? {
    state.withLock { state in
      defer { raised.store(state.isRaised, ordering: .relaxed) }
      return state.requestedEnd.take()
    }
  }

  /// Returns whether signals were last read long enough ago; the caller then reads them.
  func isLookDue() -> Bool {
    let now = Self.coarseTime
    guard now - lastLook.load(ordering: .relaxed) >= Self.interval else { return false }
    lastLook.store(now, ordering: .relaxed)
    return true
  }

  /// The time of a clock that is read in a tenth of the time of the exact one.
  private static var coarseTime: Int64 {
    #if os(Linux)
      let clock = CLOCK_MONOTONIC_COARSE
    #else
      let clock = CLOCK_MONOTONIC
    #endif
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
