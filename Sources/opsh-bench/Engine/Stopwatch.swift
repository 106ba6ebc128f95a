import Foundation
import OpshSupport

enum Stopwatch {
  static func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return start.duration(to: .now).seconds
  }

  /// Calls `body` until a third of a second is over or it was called often enough.
  static func secondsPerCall(atMost limit: Int, _ body: () -> Void) -> Double {
    let start = ContinuousClock.now
    var calls = 0
    repeat {
      body()
      calls += 1
    } while calls < limit && start.duration(to: .now) < .milliseconds(333)
    return start.duration(to: .now).seconds / Double(calls)
  }
}

enum Memory {
  /// The most memory that this process ever had resident; NaN where the system does not say.
  ///
  /// `getrusage` would begin with the peak of the process that started this one.
  static var peakMegabytes: Double {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    for line in status.split(separator: "\n") where line.hasPrefix("VmHWM:") {
      let kilobytes = line.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }.first
      return (kilobytes ?? .nan) / 1024
    }
    return .nan
  }
}
