import Foundation
import OpshJSON
import OpshSupport
import Testing

@testable import ShellOutput

@Suite("The session's clock")
struct SessionClockTests {
  /// The text of the nearest millisecond.
  private func timestamp(secondsSince1970 seconds: Double) -> String {
    let clock = SessionClock()
    let offset = seconds - clock.startDate.timeIntervalSince1970
    return clock.timestamp(clock.startInstant + .seconds(offset))
  }

  @Test(
    "Instants are formatted as dates in UTC",
    arguments: [
      (0.0, "1970-01-01T00:00:00.000Z"), (0.123, "1970-01-01T00:00:00.123Z"),
      (86_399.999, "1970-01-01T23:59:59.999Z"), (951_782_400, "2000-02-29T00:00:00.000Z"),
      (951_868_800, "2000-03-01T00:00:00.000Z"), (1_078_012_800, "2004-02-29T00:00:00.000Z"),
      (4_107_456_000, "2100-02-28T00:00:00.000Z"), (4_107_542_400, "2100-03-01T00:00:00.000Z"),
      (1_935_817_689.123, "2031-05-06T07:08:09.123Z"), (1_704_067_199, "2023-12-31T23:59:59.000Z"),
      (-1, "1969-12-31T23:59:59.000Z"), (-0.25, "1969-12-31T23:59:59.750Z"),
      (-86_400, "1969-12-31T00:00:00.000Z"), (-2_203_891_200, "1900-03-01T00:00:00.000Z"),
      (-2_203_977_600, "1900-02-28T00:00:00.000Z"), (253_402_300_799, "9999-12-31T23:59:59.000Z"),
    ])
  func dates(_ seconds: Double, _ expected: String) {
    #expect(timestamp(secondsSince1970: seconds) == expected)
  }

  @Test("Dates equal Foundation's over six centuries")
  func agrees() {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    var seconds = -11_676_096_000.0
    while seconds < 7_258_118_400 {
      let date = Date(timeIntervalSince1970: seconds)
      let parts = calendar.dateComponents([.year, .month, .day], from: date)
      let text = String(
        format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
      // Foundation uses the Julian calendar before 1582.
      #expect(timestamp(secondsSince1970: seconds).hasPrefix(text))
      seconds += 86_400 * 97 + 13_337
    }
  }

  @Test("Elapsed time and time of day come from the same reading")
  func consistent() {
    let clock = SessionClock()
    let instant = clock.startInstant + .milliseconds(2500)
    #expect(clock.elapsed(instant) == 2.5)
    #expect(clock.elapsed(clock.startInstant - .seconds(1)) == -1)
    let start = clock.startDate.timeIntervalSince1970
    #expect(abs(start - Date().timeIntervalSince1970) < 60)
  }

  @Test(
    "Time of day and elapsed time are rounded alike", arguments: [19, 500, 1019, 19_719, 999_600])
  func rounding(_ microseconds: Int) {
    let clock = SessionClock()
    let instant = clock.startInstant + .microseconds(microseconds)
    let elapsed = JSONValue.seconds(clock.elapsed(instant)).double ?? -1
    let whole = clock.startInstant + .milliseconds(Int((elapsed * 1000).rounded()))
    #expect(clock.timestamp(instant) == clock.timestamp(whole))
  }

  @Test(
    "A duration in seconds keeps its fraction",
    arguments: [
      (Duration.milliseconds(1500), 1.5), (.zero, 0), (.milliseconds(-250), -0.25),
      (.seconds(3_000_000_000), 3e9),
    ])
  func durations(_ duration: Duration, _ seconds: Double) {
    #expect(duration.seconds == seconds)
  }
}
