/// Shows a span of time to people: `0.4 ms`, `276 ms`, `1.24 s`, `2 min 5 s`.
public struct DurationText: Sendable, Equatable, CustomStringConvertible {
  /// The span of time.
  public let duration: Duration

  /// Creates a span of time to be shown.
  public init(_ duration: Duration) { self.duration = duration }

  /// The time in the unit that suits it.
  public var description: String {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, attoseconds >= 0 else {
      return "-" + DurationText(.zero - duration).description
    }
    let microseconds = attoseconds / 1_000_000_000_000
    if seconds == 0, microseconds < 9_950 {
      let tenths = (microseconds + 50) / 100
      return "\(tenths / 10).\(tenths % 10) ms"
    }
    if seconds == 0, microseconds < 999_500 { return "\((microseconds + 500) / 1000) ms" }
    let hundredths = seconds.multipliedReportingOverflow(by: 100)
    if !hundredths.overflow, hundredths.partialValue < 6000 {
      let total = hundredths.partialValue + (microseconds + 5_000) / 10_000
      let fraction = total % 100
      if total < 6000 { return "\(total / 100).\(fraction < 10 ? "0" : "")\(fraction) s" }
      return "1 min 0 s"
    }
    if seconds < 3600 { return "\(seconds / 60) min \(seconds % 60) s" }
    return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
  }
}
