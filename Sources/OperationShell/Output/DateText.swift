import Foundation
import Networking

/// Points in time for people, in UTC.
enum DateText {
  /// Such as `2012-09-30T14:03:07.000Z`, the form of the `--json` contract.
  static func text(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  /// Such as `2012-09-30 14:03`.
  static func minute(_ date: Date) -> String {
    let text = date.formatted(Date.ISO8601FormatStyle())
    return text.prefix(10) + " " + text.dropFirst(11).prefix(5)
  }

  /// How long ago something was, such as `5 min 3 s ago`.
  static func ago(_ date: Date, now: Date = Date()) -> String {
    let seconds = now.timeIntervalSince(date)
    guard seconds >= 1 else { return "just now" }
    return "\(span(seconds)) ago"
  }

  /// A span of time in at most two units, such as `12 s`, `5 min 3 s`, `2 h 10 min`, `3 days`.
  static func span(_ seconds: Double) -> String {
    let whole = Int(min(max(0, seconds), 1e12))
    guard whole >= 48 * 3600 else {
      return whole < 60 ? "\(whole) s" : DurationText(.seconds(whole)).description
    }
    return "\(whole / 86_400) days"
  }
}
