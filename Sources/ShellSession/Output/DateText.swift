package import Foundation
import OpshSupport

/// Formats points in time in UTC.
package enum DateText {
  /// Such as `2012-09-30T14:03:07.000Z`, the form of the `--json` contract.
  package static func text(_ date: Date) -> String {
    // Foundation's format leaves out the rest of a millisecond, and most have no exact number.
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    // The years 1 to 9999.
    return CivilDate.timestamp(
      milliseconds: Int(min(max(milliseconds, -62_135_596_800_000), 253_402_300_799_999)))
  }

  /// Such as `2012-09-30 14:03`.
  package static func minute(_ date: Date) -> String {
    let text = date.formatted(Date.ISO8601FormatStyle())
    return text.prefix(10) + " " + text.dropFirst(11).prefix(5)
  }

  /// The time since an instant, such as `5 min 3 s ago`.
  package static func ago(_ date: Date, now: Date = Date()) -> String {
    let seconds = now.timeIntervalSince(date)
    guard seconds >= 1 else { return "just now" }
    return "\(DurationText(age: seconds)) ago"
  }
}
