public import Foundation

/// Parses and formats the dates of HTTP, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// A `DateFormatter` costs more than the rest of a request.
public enum HTTPDate: Sendable {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

  /// Parses a date.
  ///
  /// - Parameter text: The date in the one form that HTTP still has.
  /// - Returns: The date, or nil.
  public static func parse(_ text: String) -> Date? {
    let words = text.split(separator: " ")
    guard words.count == 6, words[5] == "GMT", let day = Int(words[1]), (1...31) ~= day,
      let month = months.firstIndex(of: String(words[2])), let year = Int(words[3]),
      (1970...9999) ~= year
    else { return nil }
    let clock = words[4].split(separator: ":").compactMap { Int($0) }
    guard clock.count == 3, (0...23) ~= clock[0], (0...59) ~= clock[1], (0...60) ~= clock[2]
    else { return nil }
    let days = CivilDate.day(year: year, month: month + 1, day: day)
    return Date(
      timeIntervalSince1970: Double(((days * 24 + clock[0]) * 60 + clock[1]) * 60 + clock[2]))
  }

  /// Formats a date.
  ///
  /// - Parameter seconds: Seconds since 1970.
  /// - Returns: The date.
  public static func text(secondsSince1970 seconds: Int) -> String {
    let (days, second) = seconds.flooredQuotient(by: 86_400)
    let date = CivilDate.date(ofDay: days)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let weekday = weekdays[days.flooredQuotient(by: 7).remainder]
    return "\(weekday), \(two(date.day)) \(months[date.month - 1]) \(date.year) "
      + "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60)) GMT"
  }
}
