/// Reads the literals of the language: `5`, `-1.5`, `true`, `200ms`, `64kB`, `20%`, `null`.
public enum LiteralReader: Sendable {
  /// What reading a word as a literal gave.
  enum Outcome {
    case value(Value)
    /// It has the form of a number, but no value of the language can hold it.
    case outOfRange
    case notLiteral
  }

  /// Returns the value of a word that is a literal, or nil if it is just a word.
  public static func value(of text: String) -> Value? {
    if case .value(let value) = read(text) { return value }
    return nil
  }

  /// Returns the value of a word that is a literal; a number keeps how it is written.
  static func spelledValue(of text: String) -> Value? {
    guard let value = value(of: text) else { return nil }
    switch value {
    case .integer, .real: return value.text == text ? value : .spelled(value, text)
    default: return value
    }
  }

  /// Returns the value of a word if that value is written exactly so, else the word as a string.
  ///
  /// What a script or a `def` is called with goes through it: `5` can be added to, and `007`
  /// stays what was typed.
  public static func roundTrippingValue(of text: String) -> Value {
    guard text.utf8.count <= 40, let value = value(of: text), value.text == text else {
      return .string(text)
    }
    return value
  }

  static func read(_ text: String) -> Outcome {
    guard let first = text.utf8.first else { return .notLiteral }
    guard first.isDigit || first == UInt8(ascii: "-") else {
      // Nearly all words are recognised by their first letter.
      switch first {
      case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "o"):
        return isBoolean(text).map { .value(.boolean($0)) } ?? .notLiteral
      case UInt8(ascii: "n"): return text == "null" ? .value(.null) : .notLiteral
      default: return .notLiteral
      }
    }
    // Nearly all numbers in scripts are whole ones, which the standard library reads faster.
    if text.utf8.count <= 18, let whole = Int64(text) { return .value(.integer(whole)) }
    guard let number = Decimal(text) else { return .notLiteral }
    return number.value
  }

  static func isBoolean(_ text: String) -> Bool? {
    switch text {
    case "true", "on": true
    case "false", "off": false
    default: nil
    }
  }
}

extension LiteralReader {
  /// The parts of a number: sign, digits, fraction, exponent, unit.
  struct Decimal {
    private let isNegative: Bool
    private let whole: Substring.UTF8View
    private let fraction: Substring.UTF8View?
    private let hasExponent: Bool
    private let unit: String
    private let numeral: String

    init?(_ text: String) {
      var rest = Substring(text).utf8
      func isDigit(_ byte: UInt8?) -> Bool { byte.map { $0 >= 0x30 && $0 <= 0x39 } ?? false }
      let start = rest.startIndex
      isNegative = rest.first == 0x2D
      if isNegative { rest.removeFirst() }
      whole = rest.prefix { isDigit($0) }
      guard !whole.isEmpty else { return nil }
      rest = rest.dropFirst(whole.count)
      if rest.first == 0x2E {
        let digits = rest.dropFirst().prefix { isDigit($0) }
        guard !digits.isEmpty else { return nil }
        fraction = digits
        rest = rest.dropFirst(1 + digits.count)
      } else {
        fraction = nil
      }
      var exponent = 0
      if let mark = rest.first, mark == 0x65 || mark == 0x45 {
        var digits = rest.dropFirst()
        var length = 1
        if let sign = digits.first, sign == 0x2B || sign == 0x2D {
          digits.removeFirst()
          length += 1
        }
        let count = digits.prefix { isDigit($0) }.count
        if count > 0 { exponent = length + count }
      }
      rest = rest.dropFirst(exponent)
      hasExponent = exponent > 0
      numeral = String(text[start..<rest.startIndex])
      unit = String(Substring(rest))
      guard Self.units.contains(unit) else { return nil }
      if hasExponent && !unit.isEmpty { return nil }
    }

    private static let units: Set<String> = [
      "", "%", "ns", "us", "ms", "s", "m", "h", "B", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB",
      "TiB",
    ]

    private static let nanoseconds: [String: Int64] = [
      "ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "m": 60_000_000_000,
      "h": 3_600_000_000_000,
    ]

    var value: Outcome {
      switch unit {
      case "":
        if fraction == nil && !hasExponent {
          return Int64(numeral).map { .value(.integer($0)) } ?? .outOfRange
        }
        return real.map { .value(.real($0)) } ?? .outOfRange
      case "%":
        return real.map { .value(.percent($0)) } ?? .outOfRange
      default:
        if let factor = Self.nanoseconds[unit] {
          return scaled(by: factor).map { .value(.duration(.nanoseconds($0))) } ?? .outOfRange
        }
        let factor =
          (SizeUnit.decimal + SizeUnit.binary).first { $0.name == unit }?.factor ?? 1
        return scaled(by: factor).map { .value(.size($0)) } ?? .outOfRange
      }
    }

    private var real: Double? {
      guard let number = Double(numeral), number.isFinite else { return nil }
      return number
    }

    /// The number times a factor, rounded towards zero, without the errors of binary fractions.
    private func scaled(by factor: Int64) -> Int64? {
      guard let units = Int64(String(Substring(whole))) else { return nil }
      let (product, overflow) = units.multipliedReportingOverflow(by: factor)
      guard !overflow else { return nil }
      var digits: Int64 = 0
      var scale: Int64 = 1
      for digit in (fraction ?? Substring("").utf8).prefix(18) {
        digits = digits * 10 + Int64(digit - 0x30)
        scale *= 10
      }
      // The product needs 128 bits; the quotient is below the factor again.
      let part = scale.dividingFullWidth(digits.multipliedFullWidth(by: factor)).quotient
      let (sum, overflowed) = product.addingReportingOverflow(part)
      guard !overflowed else { return nil }
      return isNegative ? -sum : sum
    }
  }
}
