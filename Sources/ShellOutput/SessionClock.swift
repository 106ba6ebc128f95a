package import Foundation
package import Operations
import OpshSupport

/// Converts instants of the monotonic clock to seconds since the start, and to UTC.
///
/// Both are derived from one reading at the start, so they never disagree, even if the machine's
/// clock is set meanwhile. In a session on the virtual clock, both show virtual time; in one that is
/// slowed down, the seconds pass slowly, and UTC is the true time.
package struct SessionClock: Sendable {
  package let startInstant: ContinuousClock.Instant
  /// When the session started, by the system's clock.
  private let systemStart: ContinuousClock.Instant
  private let systemDate: Date
  private let engine: OperationEngine?
  /// How much time passed on the virtual clock before it was turned back, which dates count.
  package let offset: Duration

  package init(startInstant: ContinuousClock.Instant = .now) {
    self.init(startInstant: startInstant, engine: nil, offset: .zero)
  }

  /// The clock of a session with that engine.
  package init(engine: OperationEngine, offset: Duration = .zero) {
    self.init(startInstant: engine.startInstant, engine: engine, offset: offset)
  }

  private init(
    startInstant: ContinuousClock.Instant, engine: OperationEngine?, offset: Duration
  ) {
    self.startInstant = startInstant
    self.engine = engine
    self.offset = offset
    systemStart = engine?.systemInstant(at: startInstant) ?? startInstant
    // Whole milliseconds, so that a recording, which has them, gives the same times of day.
    let start = Date().timeIntervalSince1970 + (systemStart - .now).seconds
    systemDate = Date(timeIntervalSince1970: (start * 1000).rounded() / 1000)
  }

  /// The present time.
  package var now: ContinuousClock.Instant { engine?.now ?? .now }

  /// The present time as a date.
  package var date: Date { engine?.date ?? Date() }

  /// The date at which the session started.
  package var startDate: Date {
    guard let engine, engine.virtualClock.isInUse else { return systemDate }
    return engine.recorded?.date ?? VirtualClock.startDate.addingTimeInterval(offset.seconds)
  }

  /// Returns the instant of the system's clock at a time of the session; on the virtual clock that is
  /// the same.
  package func systemInstant(at instant: ContinuousClock.Instant) -> ContinuousClock.Instant {
    engine?.systemInstant(at: instant) ?? instant
  }

  /// Seconds since the session started.
  package func elapsed(_ instant: ContinuousClock.Instant) -> Double {
    (instant - startInstant).seconds
  }

  /// The number of seconds that scripts compare and calculate with.
  ///
  /// On the virtual clock it is whole milliseconds: simultaneous events are a nanosecond apart
  /// there, which keeps their order and is not part of the time shown.
  package func number(_ seconds: Double) -> Double {
    isVirtual ? (seconds * 1000).rounded() / 1000 : seconds
  }

  /// Whether it is the virtual clock, or shows a recording of that.
  package var isVirtual: Bool {
    guard let engine, engine.virtualClock.isInUse else { return false }
    return engine.recorded?.isVirtual ?? true
  }

  /// Removes the nanoseconds that only keep the order of simultaneous events.
  package func rounded(_ instant: ContinuousClock.Instant) -> ContinuousClock.Instant {
    guard isVirtual else { return instant }
    return startInstant + .milliseconds(((instant - startInstant) / .milliseconds(1)).rounded())
  }

  /// RFC 3339 with milliseconds, in UTC: `2031-05-06T07:08:09.123Z`.
  ///
  /// Foundation's formatters take some 20 µs a line, and every line of `--json` has a time.
  package func timestamp(_ instant: ContinuousClock.Instant) -> String {
    // Each is rounded for itself, so that this agrees with the seconds since the start.
    let start = (startDate.timeIntervalSince1970 * 1000).rounded()
    let first = isVirtual ? startInstant : systemStart
    let passed = (systemInstant(at: instant) - first).seconds * 1000
    return CivilDate.timestamp(milliseconds: Int(start + passed.rounded()))
  }
}
