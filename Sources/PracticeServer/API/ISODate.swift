import OpshSupport

/// Formats and reads times such as `2031-05-06T07:08:09.123Z`.
enum ISODate {
  /// Formats milliseconds since 1970.
  static func text(_ milliseconds: Int) -> String {
    CivilDate.timestamp(milliseconds: milliseconds)
  }

  /// Reads what `text` writes; the milliseconds may be missing.
  static func milliseconds(_ text: String) -> Int? {
    let bytes = Array(text.utf8)
    guard bytes.count == 20 || bytes.count == 24, bytes.last == UInt8(ascii: "Z") else {
      return nil
    }
    func number(_ range: Range<Int>) -> Int? {
      guard bytes[range].allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      return bytes[range].reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
    let marks: [(Int, Unicode.Scalar)] = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")]
    guard marks.allSatisfy({ bytes[$0.0] == UInt8(ascii: $0.1) }),
      let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
      let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
      (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60
    else { return nil }
    var fraction = 0
    if bytes.count == 24 {
      guard bytes[19] == UInt8(ascii: "."), let value = number(20..<23) else { return nil }
      fraction = value
    }
    let days = CivilDate.day(year: year, month: month, day: day)
    return (days * 86_400 + hour * 3_600 + minute * 60 + second) * 1_000 + fraction
  }
}
