import Foundation
import OpshSupport

/// Parses the `Expires` of a cookie, which servers write in more forms than the dates of HTTP have.
enum CookieDate {
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// Parses a date by the rules of RFC 6265, 5.1.1: the parts may come in any order.
  static func parse(_ text: String) -> Date? {
    var time: (hour: Int, minute: Int, second: Int)?
    var (day, month, year): (Int?, Int?, Int?) = (nil, nil, nil)
    for token in text.lowercased().split(whereSeparator: isDelimiter) {
      if time == nil, let found = token.prefixMatch(of: /([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})/) {
        time = (Int(found.1) ?? 99, Int(found.2) ?? 99, Int(found.3) ?? 99)
      } else if day == nil, let found = number(token, digits: 1...2) {
        day = found
      } else if month == nil, let found = months.firstIndex(where: token.hasPrefix) {
        month = found + 1
      } else if year == nil, let found = number(token, digits: 2...4) {
        year = found < 70 ? found + 2_000 : found < 100 ? found + 1_900 : found
      }
    }
    guard let time, let day, let month, let year, (1...31).contains(day), year >= 1_601,
      time.hour < 24, time.minute < 60, time.second < 60
    else { return nil }
    let days = CivilDate.day(year: year, month: month, day: day)
    guard CivilDate.date(ofDay: days).day == day else { return nil }
    let seconds = days * 86_400 + (time.hour * 60 + time.minute) * 60 + time.second
    return Date(timeIntervalSince1970: Double(seconds))
  }

  private static func isDelimiter(_ character: Character) -> Bool {
    !(character.isLetter || character.isNumber || character == ":")
  }

  /// The number that a token begins with, if it has so many digits.
  private static func number(_ token: Substring, digits: ClosedRange<Int>) -> Int? {
    let found = token.prefix { ("0"..."9").contains($0) }
    return digits.contains(found.count) ? Int(found) : nil
  }
}
