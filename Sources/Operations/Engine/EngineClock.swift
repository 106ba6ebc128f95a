import Foundation

/// The clock of the engine: nanoseconds that also count while the machine sleeps.
///
/// It is the clock of `ContinuousClock`, read as one number: the engine takes two readings for
/// each operation and keeps five of them, where an `Instant` is twice as large and goes through
/// calls that cannot be inlined.
enum EngineClock {
  #if os(Linux)
    private static let clock = CLOCK_BOOTTIME
  #else
    private static let clock = CLOCK_MONOTONIC
  #endif

  static func nanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

extension Int64 {
  /// The sum, cut off at the upper end of the range.
  func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}

extension Duration {
  /// The same in nanoseconds, cut off at the ends of the range.
  var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !isTooLarge else { return seconds < 0 ? .min : .max }
    let (sum, overflows) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflows ? (seconds < 0 ? .min : .max) : sum
  }
}
