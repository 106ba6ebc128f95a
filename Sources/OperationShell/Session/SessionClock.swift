import Foundation
import Operations

/// Turns instants of the monotonic clock into what people read: seconds since the start, and UTC.
///
/// Both are derived from one reading at the start, so they never disagree, even when somebody
/// sets the machine's clock meanwhile. On the virtual clock of the session's log both are that one's.
struct SessionClock: Sendable {
  let startInstant: ContinuousClock.Instant
  private let systemDate: Date
  private let log: EventLog?

  init(startInstant: ContinuousClock.Instant = .now) {
    self.init(startInstant: startInstant, log: nil)
  }

  /// The clock of a session with that log.
  init(log: EventLog) {
    self.init(startInstant: log.startInstant, log: log)
  }

  private init(startInstant: ContinuousClock.Instant, log: EventLog?) {
    self.startInstant = startInstant
    self.log = log
    systemDate = Date().addingTimeInterval((startInstant - .now).seconds)
  }

  /// The present time.
  var now: ContinuousClock.Instant { log?.now ?? .now }

  /// The present time as a date.
  var date: Date { log?.date ?? Date() }

  /// The date at which the session started.
  var startDate: Date {
    isVirtual ? VirtualClock.startDate : systemDate
  }

  /// Seconds since the session started.
  func elapsed(_ instant: ContinuousClock.Instant) -> Double {
    (instant - startInstant).seconds
  }

  /// The number of seconds that scripts compare and count with.
  ///
  /// On the virtual clock it is whole milliseconds: what happens at one time is a nanosecond apart
  /// there, which keeps its order and is nobody's time.
  func number(_ seconds: Double) -> Double {
    isVirtual ? (seconds * 1000).rounded() / 1000 : seconds
  }

  /// Whether it is the virtual clock.
  var isVirtual: Bool { log?.virtualClock.isInUse == true }

  /// An instant without the nanoseconds that only keep the order of what happens at one time.
  func rounded(_ instant: ContinuousClock.Instant) -> ContinuousClock.Instant {
    guard isVirtual else { return instant }
    return startInstant + .milliseconds(((instant - startInstant) / .milliseconds(1)).rounded())
  }

  /// RFC 3339 with milliseconds, in UTC: `2031-05-06T07:08:09.123Z`.
  func timestamp(_ instant: ContinuousClock.Instant) -> String {
    let seconds = startDate.timeIntervalSince1970 + elapsed(instant)
    let milliseconds = Int64((seconds * 1000).rounded(.down))
    let whole = milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000
    let days = whole >= 0 ? whole / 86_400 : (whole - 86_399) / 86_400
    let second = Int(whole - days * 86_400)
    let (year, month, day) = Self.date(daysSince1970: Int(days))
    func pad(_ number: Int, _ width: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    return pad(year, 4) + "-" + pad(month, 2) + "-" + pad(day, 2) + "T" + pad(second / 3600, 2)
      + ":" + pad(second / 60 % 60, 2) + ":" + pad(second % 60, 2) + "."
      + pad(Int(milliseconds - whole * 1000), 3) + "Z"
  }

  /// The proleptic Gregorian date of a day, by Howard Hinnant's `civil_from_days`.
  ///
  /// A formatter of Foundation costs some 20 µs a line, and every line of `--json` has a time.
  private static func date(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }
}

extension Duration {
  /// The duration in seconds.
  var seconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
