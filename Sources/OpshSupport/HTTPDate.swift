public import Foundation

/// Parses and formats the dates of HTTP (RFC 9110, 5.6.7).
///
/// The three forms there are: `Sun, 06 Nov 1994 08:49:37 GMT`, and the two that only old servers
/// still send, `Sunday, 06-Nov-94 08:49:37 GMT` (RFC 850) and `Sun Nov  6 08:49:37 1994` (`asctime`
/// of C). Anything else is no date, also when its meaning could be guessed: a cache must not take
/// a malformed `Expires` for a time in the future.
///
/// A `DateFormatter` costs more than the rest of a request.
public enum HTTPDate: Sendable {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The day of the week of 1 January 1970 is the first.
  private static let weekdays = [
    "Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday",
  ]

  /// Parses a date.
  ///
  /// - Parameters:
  ///   - text: The date in one of the three forms.
  ///   - now: The time by which a year of two digits is understood, as the year nearest to it.
  /// - Returns: The date; nil for any other text, a day that its month does not have, and a wrong
  ///   zone.
  public static func parse(_ text: String, now: Date = Date()) -> Date? {
    var reader = Reader(text.utf8)
    guard let weekday = reader.letters() else { return nil }
    guard reader.skips(",") else { return asctime(weekday, &reader) }
    let isShort = weekdays.contains { $0.prefix(3) == weekday }
    guard isShort || weekdays.contains(weekday) else { return nil }
    let separator: Character = isShort ? " " : "-"
    guard reader.skips(" "), let day = reader.number(digits: 2), reader.skips(separator),
      let month = reader.letters(), reader.skips(separator),
      var year = reader.number(digits: isShort ? 4 : 2), reader.skips(" "),
      let second = reader.secondOfDay(), reader.skips(" "), reader.letters() == "GMT",
      reader.isAtEnd
    else { return nil }
    if !isShort { year = fullYear(year, now: now) }
    return date(year: year, month: month, day: day, second: second)
  }

  private static func asctime(_ weekday: String, _ reader: inout Reader) -> Date? {
    guard weekdays.contains(where: { $0.prefix(3) == weekday }), reader.skips(" "),
      let month = reader.letters(), reader.skips(" "),
      let day = reader.skips(" ") ? reader.number(digits: 1) : reader.number(digits: 2),
      reader.skips(" "), let second = reader.secondOfDay(), reader.skips(" "),
      let year = reader.number(digits: 4), reader.isAtEnd
    else { return nil }
    return date(year: year, month: month, day: day, second: second)
  }

  private static func fullYear(_ year: Int, now: Date) -> Int {
    let days = max(-700_000, min(now.timeIntervalSince1970 / 86_400, 2_900_000))
    let thisYear = CivilDate.date(ofDay: Int(days)).year
    let inThisCentury = thisYear / 100 * 100 + year
    if inThisCentury > thisYear + 50 { return inThisCentury - 100 }
    return inThisCentury < thisYear - 50 ? inThisCentury + 100 : inThisCentury
  }

  private static func date(year: Int, month: String, day: Int, second: Int) -> Date? {
    guard let month = months.firstIndex(of: month), day > 0 else { return nil }
    let days = CivilDate.day(year: year, month: month + 1, day: day)
    // A day that the month does not have would be one of the next month.
    guard CivilDate.date(ofDay: days).day == day else { return nil }
    return Date(timeIntervalSince1970: Double(days * 86_400 + second))
  }

  /// Formats a date.
  public static func text(secondsSince1970 seconds: Int) -> String {
    let (days, second) = seconds.flooredQuotient(by: 86_400)
    let date = CivilDate.date(ofDay: days)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let weekday = weekdays[days.flooredQuotient(by: 7).remainder].prefix(3)
    return "\(weekday), \(two(date.day)) \(months[date.month - 1]) \(date.year) "
      + "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60)) GMT"
  }
}

extension HTTPDate {
  /// Reads a date from left to right.
  private struct Reader {
    private var rest: Substring.UTF8View

    init(_ text: String.UTF8View) { rest = text[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skips(_ character: Character) -> Bool {
      guard let first = rest.first, first == character.asciiValue else { return false }
      rest.removeFirst()
      return true
    }

    /// A word of at least one ASCII letter.
    mutating func letters() -> String? {
      let word = rest.prefix { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
      rest = rest.dropFirst(word.count)
      return word.isEmpty ? nil : String(Substring(word))
    }

    /// A number of exactly so many digits.
    mutating func number(digits: Int) -> Int? {
      let word = rest.prefix(digits)
      guard word.count == digits, word.allSatisfy({ (0x30...0x39).contains($0) }) else {
        return nil
      }
      rest = rest.dropFirst(digits)
      return Int(Substring(word))
    }

    /// A time such as `08:49:37`; 60 is a leap second.
    mutating func secondOfDay() -> Int? {
      guard let hour = number(digits: 2), skips(":"), let minute = number(digits: 2), skips(":"),
        let second = number(digits: 2), hour < 24, minute < 60, second <= 60
      else { return nil }
      return (hour * 60 + minute) * 60 + second
    }
  }
}
