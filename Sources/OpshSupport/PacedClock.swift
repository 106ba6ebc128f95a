public import Foundation
import OpshLocking
import Synchronization

/// The system's monotonic clock, which can be slowed down.
///
/// It never goes back and never jumps: each change of its speed begins another stretch of its time,
/// which goes on from where the clock is. At full speed, reading it costs one branch more than the
/// system's clock, which also counts while the machine sleeps.
///
/// ```swift
/// let clock = PacedClock()
/// clock.setSpeed(0.1)  // A second of this clock takes ten seconds.
/// ```
public final class PacedClock: Sendable {
  /// Time that passes at one speed, in nanoseconds.
  private struct Stretch {
    /// When it began, by the system's clock.
    let system: Int64
    /// The same time by this clock.
    let paced: Int64
    let speed: Double

    func paced(at time: Int64) -> Int64 { paced + Int64(Double(time - system) * speed) }

    func system(at time: Int64) -> Int64 {
      let passed = (Double(time - paced) / speed).rounded(.up)
      guard passed < Double(Int64.max) else { return .max }
      let (sum, overflows) = system.addingReportingOverflow(Int64(passed))
      return overflows ? .max : sum
    }
  }

  private struct State {
    /// The stretches since the first change; before that the clock is the system's.
    var stretches: [Stretch] = []
    var handlers: [@Sendable () -> Void] = []

    func paced(at time: Int64) -> Int64 {
      stretches.last { $0.system <= time }?.paced(at: time) ?? time
    }

    func system(at time: Int64) -> Int64 {
      guard let index = stretches.lastIndex(where: { $0.paced <= time }) else { return time }
      let end = index + 1 < stretches.count ? stretches[index + 1].system : .max
      return min(stretches[index].system(at: time), end)
    }
  }

  /// When the clock was created, in nanoseconds.
  public let startNanoseconds: Int64
  /// The same time as an instant.
  public let startInstant: ContinuousClock.Instant
  private let hasChanged = Atomic(false)
  private let state = Locked(State())

  /// Creates a clock at full speed.
  public init() {
    startNanoseconds = Self.systemNanoseconds()
    startInstant = .now
  }

  #if os(Linux)
    private static let system = CLOCK_BOOTTIME
  #else
    private static let system = CLOCK_MONOTONIC
  #endif

  /// Returns the time of the system's clock, in nanoseconds.
  ///
  /// It is the clock of `ContinuousClock`, read as one number, which is half as large as an
  /// instant and needs no calls that cannot be inlined.
  public static func systemNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(system, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  // MARK: Speed

  /// How fast the clock goes, compared with the system's: at most 1.
  public var speed: Double { isPaced ? state.withLock { $0.stretches.last?.speed ?? 1 } : 1 }

  /// Whether the speed was ever changed, so that the clock is not the system's any more.
  public var isPaced: Bool { hasChanged.load(ordering: .acquiring) }

  /// Changes the speed from now on.
  ///
  /// - Parameter speed: More than 0 and at most 1.
  public func setSpeed(_ speed: Double) {
    precondition(speed > 0 && speed <= 1, "a clock can only be slowed down")
    let handlers = state.withLock { state in
      guard speed != state.stretches.last?.speed ?? 1 else { return [@Sendable () -> Void]() }
      // Before the stretch begins: a reader that does not see it has read an earlier time.
      hasChanged.store(true, ordering: .sequentiallyConsistent)
      let now = Self.systemNanoseconds()
      state.stretches.append(Stretch(system: now, paced: state.paced(at: now), speed: speed))
      return state.handlers
    }
    for handler in handlers { handler() }
  }

  /// Adds a handler that is called after each change of the speed, on the thread that changes it.
  ///
  /// What waits for a time of this clock has to calculate anew how long that takes.
  public func onChange(_ handler: @escaping @Sendable () -> Void) {
    state.withLock { $0.handlers.append(handler) }
  }

  // MARK: Time

  /// Returns the present time in nanoseconds.
  public func nanoseconds() -> Int64 {
    let now = Self.systemNanoseconds()
    return isPaced ? state.withLock { $0.paced(at: now) } : now
  }

  /// Returns the time of the system's clock at a time of this one; a future time assumes the present
  /// speed.
  public func systemNanoseconds(at nanoseconds: Int64) -> Int64 {
    isPaced ? state.withLock { $0.system(at: nanoseconds) } : nanoseconds
  }

  /// The present time.
  public var now: ContinuousClock.Instant { isPaced ? instant(at: nanoseconds()) : .now }

  /// The present date, which is behind the system's by as much as the clock is.
  public var date: Date { isPaced ? Date(timeIntervalSinceNow: -Double(lag) / 1e9) : Date() }

  /// How far the clock is behind the system's, in nanoseconds.
  public var lag: Int64 {
    guard isPaced else { return 0 }
    let now = Self.systemNanoseconds()
    return now - state.withLock { $0.paced(at: now) }
  }

  /// Returns the time of this clock at an instant of the system's.
  public func instant(atSystem instant: ContinuousClock.Instant) -> ContinuousClock.Instant {
    guard isPaced else { return instant }
    return self.instant(at: state.withLock { $0.paced(at: nanoseconds(at: instant)) })
  }

  /// Returns the instant of the system's clock at a time of this one; a future time assumes the
  /// present speed.
  public func systemInstant(at instant: ContinuousClock.Instant) -> ContinuousClock.Instant {
    isPaced ? self.instant(at: systemNanoseconds(at: nanoseconds(at: instant))) : instant
  }

  /// Returns how much of this clock's time passed while a time passed by the system's.
  ///
  /// - Parameters:
  ///   - duration: The time by the system's clock.
  ///   - start: When it began, by this clock.
  /// - Returns: The time by this clock.
  public func duration(
    ofSystem duration: Duration, from start: ContinuousClock.Instant
  ) -> Duration {
    isPaced ? instant(atSystem: systemInstant(at: start) + duration) - start : duration
  }

  private func instant(at nanoseconds: Int64) -> ContinuousClock.Instant {
    startInstant + .nanoseconds(nanoseconds - startNanoseconds)
  }

  /// Clamped: sums with the longest durations are beyond the range.
  private func nanoseconds(at instant: ContinuousClock.Instant) -> Int64 {
    let (seconds, attoseconds) = (instant - startInstant).components
    guard abs(seconds) < 4_000_000_000 else { return seconds < 0 ? .min / 2 : .max / 2 }
    return startNanoseconds + seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
