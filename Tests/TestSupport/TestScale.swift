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
    if environment["OPSH_SANITIZED"] != nil { return max(1, usual / 10) }
    if environment["OPSH_LONG_TESTS"] != nil { return usual * 10 }
    return usual
  }
}
