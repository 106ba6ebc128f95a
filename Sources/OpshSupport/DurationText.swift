/// Formats a duration for people: `85 µs`, `1.7 ms`, `276 ms`, `1.24 s`, `3 min 20 s`, `2 h 5 min`,
/// `3 days`.
///
/// It has at most three digits or two units, and no fraction of zeros.
public struct DurationText: Sendable, Equatable, CustomStringConvertible {
  /// The duration.
  public let duration: Duration

  /// Creates the text of a duration.
  public init(_ duration: Duration) { self.duration = duration }

  /// Creates the text of an age, which counts in whole seconds.
  ///
  /// - Parameter seconds: The age in seconds; a negative one counts as 0.
  public init(age seconds: Double) {
    self.init(.seconds(Int64(min(max(0, seconds), 1e12))))
  }

  /// The duration in a suitable unit.
  public var description: String {
    guard duration >= .zero else { return "-" + DurationText(.zero - duration).description }
    let (seconds, attoseconds) = duration.components
    guard seconds < 60 else { return Self.text(minutesOf: Self.rounded(seconds, attoseconds)) }
    let microseconds = seconds * 1_000_000 + (attoseconds + 500_000_000_000) / 1_000_000_000_000
    switch microseconds {
    case 0: return "0 s"
    case ..<1_000: return "\(microseconds) µs"
    case ..<9_950: return Self.text((microseconds + 50) / 100, decimals: 1) + " ms"
    case ..<999_500: return "\((microseconds + 500) / 1_000) ms"
    case ..<59_995_000: return Self.text((microseconds + 5_000) / 10_000, decimals: 2) + " s"
    default: return Self.text(minutesOf: 60)
    }
  }

  private static func rounded(_ seconds: Int64, _ attoseconds: Int64) -> Int64 {
    attoseconds < 500_000_000_000_000_000 || seconds == .max ? seconds : seconds + 1
  }

  private static func text(minutesOf seconds: Int64) -> String {
    switch seconds {
    case ..<3_600: "\(seconds / 60) min \(seconds % 60) s"
    case ..<172_800: "\(seconds / 3_600) h \(seconds % 3_600 / 60) min"
    default: "\(seconds / 86_400) days"
    }
  }

  /// Returns a decimal number; a fraction of zeros is left out.
  private static func text(_ number: Int64, decimals: Int) -> String {
    let scale: Int64 = decimals == 1 ? 10 : 100
    let (whole, rest) = number.quotientAndRemainder(dividingBy: scale)
    return rest == 0 ? "\(whole)" : "\(whole)." + String(scale + rest).suffix(decimals)
  }
}

extension Duration {
  /// The duration in seconds.
  public var seconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
