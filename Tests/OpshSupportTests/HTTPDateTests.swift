import Foundation
import OpshSupport
import Testing

@Suite("Dates of HTTP")
struct HTTPDateTests {
  /// Sun, 06 Nov 1994 08:49:37 GMT, the example of RFC 9110, 5.6.7.
  private static let example = 784_111_777.0

  @Test(
    "The three forms of RFC 9110 are understood",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", example), ("Sunday, 06-Nov-94 08:49:37 GMT", example),
      ("Sun Nov  6 08:49:37 1994", example), ("Sun Nov 16 08:49:37 1994", example + 864_000),
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
      ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800),
      // A leap second is the first one of the next minute.
      ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
    ])
  func understood(text: String, seconds: Double) {
    #expect(HTTPDate.parse(text) == Date(timeIntervalSince1970: seconds))
  }

  @Test(
    "Any other text is not a date",
    arguments: [
      "", "0", "-1", "now", "Sun", "Sun,", "784111777", "Sun, 06 Nov 1994 08:49:37",
      "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 gmt",
      "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37 GMT ",
      " Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
      "Sun, 06  Nov 1994 08:49:37 GMT", "Sun,06 Nov 1994 08:49:37 GMT",
      "sun, 06 Nov 1994 08:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT",
      "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 November 1994 08:49:37 GMT",
      "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 19940 08:49:37 GMT",
      "Sun, 06-Nov-1994 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
      "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
      "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
      "Thu, 31 Nov 1994 08:49:37 GMT", "Wed, 29 Feb 2023 00:00:00 GMT",
      "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 94", "Sun Nov  6 08:49:37 1994 GMT",
      "Sun, 06 Nov 1994 ٠٨:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT, x",
    ])
  func refused(text: String) {
    #expect(HTTPDate.parse(text) == nil)
  }

  @Test(
    "A year of two digits is the one nearest to now",
    arguments: [
      ("94", 2026, 1994), ("26", 2026, 2026), ("76", 2026, 2076), ("77", 2026, 1977),
      ("00", 1999, 2000), ("99", 2000, 1999), ("10", 2080, 2110),
    ])
  func shortYears(year: String, now: Int, expected: Int) throws {
    let time = try #require(HTTPDate.parse("Mon, 01 Jan \(now) 00:00:00 GMT"))
    #expect(
      HTTPDate.parse("Monday, 01-Jan-\(year) 00:00:00 GMT", now: time)
        == HTTPDate.parse("Mon, 01 Jan \(expected) 00:00:00 GMT"))
  }

  @Test("A time out of range causes no crash")
  func absurdTimes() {
    for seconds in [Double.infinity, -.infinity, .nan, 1e300] {
      _ = HTTPDate.parse(
        "Sunday, 06-Nov-94 08:49:37 GMT", now: Date(timeIntervalSince1970: seconds))
    }
    #expect(HTTPDate.parse("Fri, 31 Dec 9999 23:59:59 GMT") != nil)
  }

  @Test("What is formatted is understood again")
  func formatted() {
    for seconds in stride(from: -3_000_000_000, to: 30_000_000_000, by: 86_399 * 1_001) {
      let text = HTTPDate.text(secondsSince1970: seconds)
      #expect(HTTPDate.parse(text) == Date(timeIntervalSince1970: Double(seconds)))
    }
    #expect(HTTPDate.text(secondsSince1970: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
  }
}
