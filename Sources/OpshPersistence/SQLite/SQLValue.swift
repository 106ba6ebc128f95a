import Foundation

/// A value that can be bound to a statement.
enum SQLValue: Sendable, Equatable {
  case null
  case integer(Int)
  case text(String)
  case blob([UInt8])

  static func text(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }

  /// Times are stored as whole milliseconds since 1970.
  static func time(_ date: Date?) -> SQLValue {
    date.map { .integer(milliseconds(of: $0)) } ?? .null
  }

  /// Rounded, because 0.123 s is not exact in binary; limited, because a clock may have any value.
  private static func milliseconds(of date: Date) -> Int {
    let value = (date.timeIntervalSince1970 * 1000).rounded()
    return value.isFinite ? Int(max(-1e15, min(1e15, value))) : 0
  }
}
