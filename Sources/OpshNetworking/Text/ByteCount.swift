/// Formats a number of bytes: `512 B`, `14.9 kB`, `3.0 MB`.
///
/// The units are decimal, a kilobyte has 1,000 bytes.
public struct ByteCount: Sendable, Equatable, CustomStringConvertible {
  /// The number of bytes.
  public let count: Int

  /// Creates a number of bytes to be shown.
  public init(_ count: Int) { self.count = count }

  /// The number with its unit, with one decimal from a kilobyte on.
  public var description: String {
    guard count.magnitude >= 1000 else { return "\(count) B" }
    var tenths = (count.magnitude + 50) / 100
    var unit = 0
    // Rounded at each step, so that 999,950 is 1.0 MB and not 1000.0 kB.
    while tenths >= 10_000, unit < Self.units.count - 1 {
      tenths = (tenths + 500) / 1000
      unit += 1
    }
    return "\(count < 0 ? "-" : "")\(tenths / 10).\(tenths % 10) \(Self.units[unit])"
  }

  private static let units = ["kB", "MB", "GB", "TB", "PB", "EB"]
}
