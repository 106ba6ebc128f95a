import Foundation

/// How large stress tests are: `scripts/test --long` makes them ten times as large, and the run
/// under the thread sanitizer, which is some ten times slower, a tenth.
public enum TestScale: Sendable {
  private static let environment = ProcessInfo.processInfo.environment

  /// Returns a number of rounds or operations for this run.
  ///
  /// - Parameter usual: The number in an ordinary run.
  /// - Returns: That number, made larger or smaller; at least 1.
  public static func count(_ usual: Int) -> Int {
    if isSanitized { return max(1, usual / 10) }
    if environment["OPSH_LONG_TESTS"] != nil { return usual * 10 }
    return usual
  }

  /// Whether this is a run under the thread sanitizer, where all takes ten times as long.
  public static var isSanitized: Bool { environment["OPSH_SANITIZED"] != nil }

  /// Returns a number of rounds that the long run does not simply make tenfold.
  ///
  /// - Parameters:
  ///   - usual: The number in an ordinary run.
  ///   - long: The number in a long one.
  /// - Returns: One of them, or a tenth of the usual one under the sanitizer; at least 1.
  public static func count(_ usual: Int, long: Int) -> Int {
    if !isSanitized, environment["OPSH_LONG_TESTS"] != nil { return long }
    return min(usual, count(usual))
  }
}
