/// A kind of number that has a greatest value.
enum NumberKind: Sendable {
  case integer, real, duration, size

  /// The kind of a literal, such as `5`, `1e30`, `2h` or `64kB`.
  init(ofLiteral text: String) {
    switch text.utf8.last {
    case UInt8(ascii: "B"): self = .size
    case UInt8(ascii: "s"), UInt8(ascii: "m"), UInt8(ascii: "h"): self = .duration
    case UInt8(ascii: "%"): self = .real
    default:
      self = text.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: "-") } ? .integer : .real
    }
  }

  /// The greatest value, rounded down to the greatest unit.
  var greatest: String {
    switch self {
    case .integer: "9223372036854775807"
    case .real: "1.79e308"
    case .duration: "2562047h"
    case .size: "9223372TB"
    }
  }

  /// What to do about a number that is beyond the greatest.
  var help: String {
    switch self {
    case .integer: "a real number reaches further: 1e30"
    case .real: "a real number is at most \(greatest)"
    case .duration: "a duration is at most \(greatest), which is 292 years"
    case .size: "a size is at most \(greatest)"
    }
  }
}
