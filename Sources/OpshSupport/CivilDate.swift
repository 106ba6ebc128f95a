/// Converts between calendar dates and days since 1 January 1970, without the cost of a formatter.
///
/// Years begin in March here, so that the leap day is the last day; 400 years are one cycle.
public enum CivilDate: Sendable {
  /// Returns the date of a day.
  ///
  /// - Parameter day: Days since 1 January 1970.
  /// - Returns: The date in the Gregorian calendar.
  public static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
    let (cycle, ofCycle) = (day + 719_468).flooredQuotient(by: 146_097)
    let yearOfCycle = (ofCycle - ofCycle / 1_460 + ofCycle / 36_524 - ofCycle / 146_096) / 365
    let ofYear = ofCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    let shifted = (5 * ofYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0)
    return (year, month, ofYear - (153 * shifted + 2) / 5 + 1)
  }

  /// Returns the day of a date.
  ///
  /// - Parameters:
  ///   - year: The year.
  ///   - month: The month, from 1.
  ///   - day: The day of the month, from 1.
  /// - Returns: Days since 1 January 1970.
  public static func day(year: Int, month: Int, day: Int) -> Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let (cycle, yearOfCycle) = shiftedYear.flooredQuotient(by: 400)
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let ofCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + ofYear
    return cycle * 146_097 + ofCycle - 719_468
  }

  /// Returns a time in the form of RFC 3339, in UTC: `2031-05-06T07:08:09.123Z`.
  public static func timestamp(milliseconds: Int) -> String {
    let (days, ofDay) = milliseconds.flooredQuotient(by: 86_400_000)
    let (year, month, day) = date(ofDay: days)
    let (second, fraction) = ofDay.quotientAndRemainder(dividingBy: 1_000)
    return "\(year.padded(to: 4))-\(month.padded(to: 2))-\(day.padded(to: 2))"
      + "T\((second / 3_600).padded(to: 2)):\((second / 60 % 60).padded(to: 2))"
      + ":\((second % 60).padded(to: 2)).\(fraction.padded(to: 3))Z"
  }
}

extension FixedWidthInteger {
  /// Returns the digits of a number that is not negative, with zeros before them.
  @inlinable package func padded(to width: Int, radix: Int = 10) -> String {
    let digits = String(self, radix: radix)
    return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
  }
}

extension Int {
  /// Divides and rounds down.
  ///
  /// - Parameter divisor: The divisor, above 0.
  /// - Returns: The quotient, and a remainder that is never negative.
  public func flooredQuotient(by divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
