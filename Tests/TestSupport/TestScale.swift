import Foundation

/// The size of stress tests: `scripts/test --long` makes them ten times as large, and a run under
/// the thread sanitizer, which is some ten times slower, a tenth as large.
public enum TestScale: Sendable {
  private static let environment = ProcessInfo.processInfo.environment

  /// Returns a number of rounds or operations for this run.
  ///
  /// - Parameter usual: The number in an ordinary run.
  /// - Returns: The scaled number; at least 1.
  public static func count(_ usual: Int) -> Int {
    if isSanitized { return max(1, usual / 10) }
    if environment["OPSH_LONG_TESTS"] != nil { return usual * 10 }
    return usual
  }

  /// Whether this run uses the thread sanitizer, under which everything takes ten times as long.
  public static var isSanitized: Bool { environment["OPSH_SANITIZED"] != nil }

  /// Returns a number of rounds with a separate value for the long run.
  ///
  /// - Parameters:
  ///   - usual: The number in an ordinary run.
  ///   - long: The number in a long run.
  /// - Returns: One of them, or a tenth of the usual one under the sanitizer; at least 1.
  public static func count(_ usual: Int, long: Int) -> Int {
    if !isSanitized, environment["OPSH_LONG_TESTS"] != nil { return long }
    return min(usual, count(usual))
  }

  /// Returns all of some cases that differ in their text alone, or every tenth under the sanitizer.
  public static func sample<Case>(of cases: [Case]) -> [Case] {
    guard isSanitized else { return cases }
    return stride(from: 0, to: cases.count, by: 10).map { cases[$0] }
  }
}
