extension Value {
  /// The value as `echo` shows it.
  public var text: String {
    switch self {
    case .null: "null"
    case .string(let text): text
    case .integer(let number): String(number)
    case .real(let number): Self.text(ofReal: number)
    case .boolean(let flag): flag ? "true" : "false"
    case .duration(let duration): Self.text(of: duration)
    case .size(let count): Self.text(ofSize: count)
    case .percent(let number): Self.text(ofDecimal: number) + "%"
    case .spelled(_, let text): text
    case .list(let values): values.map(\.text).joined(separator: " ")
    case .record(let fields):
      "{" + fields.map { "\($0.name): \($0.value.text)" }.joined(separator: ", ") + "}"
    case .object(let object): object.text
    }
  }

  /// Whether it is null, or a list with a null in it, neither of which can be part of a text.
  public var hasNull: Bool {
    switch self {
    case .null: true
    case .list(let values): values.contains(where: \.hasNull)
    default: false
    }
  }

  /// Writes a duration in the unit that a person would choose, without losing a nanosecond.
  static func text(of duration: Duration) -> String {
    guard let nanoseconds = Self.nanoseconds(of: duration) else {
      return "\(duration.components.seconds)s"
    }
    if nanoseconds == 0 { return "0s" }
    let magnitude = nanoseconds.magnitude
    let sign = nanoseconds < 0 ? "-" : ""
    let unit: (size: UInt64, name: String)
    switch magnitude {
    case let amount where amount % 3_600_000_000_000 == 0: unit = (3_600_000_000_000, "h")
    case let amount where amount % 60_000_000_000 == 0: unit = (60_000_000_000, "m")
    case 1_000_000_000...: unit = (1_000_000_000, "s")
    case 1_000_000...: unit = (1_000_000, "ms")
    case 1_000...: unit = (1_000, "us")
    default: unit = (1, "ns")
    }
    let (whole, rest) = magnitude.quotientAndRemainder(dividingBy: unit.size)
    if rest == 0 { return "\(sign)\(whole)\(unit.name)" }
    var fraction = String(rest + unit.size).dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    return "\(sign)\(whole).\(fraction)\(unit.name)"
  }

  /// Writes a number of bytes in the largest unit that divides it.
  static func text(ofSize count: Int64) -> String {
    guard count != 0 else { return "0B" }
    for (name, factor) in SizeUnit.decimal.reversed() where count % factor == 0 {
      return "\(count / factor)\(name)"
    }
    for (name, factor) in SizeUnit.binary.reversed() where count % factor == 0 {
      return "\(count / factor)\(name)"
    }
    return "\(count)B"
  }

  /// Writes a number in digits, down to a nanosecond in seconds; smaller and very large ones have an
  /// exponent.
  static func text(ofReal number: Double) -> String {
    let text = String(number)
    let parts = text.split(separator: "e-")
    guard parts.count == 2, let exponent = Int(parts[1]), exponent <= 9 else { return text }
    let zeros = String(repeating: "0", count: exponent - 1)
    return (number < 0 ? "-0." : "0.") + zeros + parts[0].filter(\.isNumber)
  }

  /// Writes a number without a fraction where it has none.
  static func text(ofDecimal number: Double) -> String {
    if let whole = Int64(exactly: number) { return String(whole) }
    return text(ofReal: number)
  }

  /// The duration in whole nanoseconds, or nil beyond 292 years.
  static func nanoseconds(of duration: Duration) -> Int64? {
    let (seconds, attoseconds) = duration.components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return nil }
    let (sum, overflowed) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflowed ? nil : sum
  }
}

/// The units of sizes, smallest first.
enum SizeUnit {
  static let decimal: [(name: String, factor: Int64)] = [
    ("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000),
  ]
  static let binary: [(name: String, factor: Int64)] = [
    ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40),
  ]
}
