import OpshJSON

/// Reads JSON as Parse does, and knows the values that are more than JSON has: objects with a
/// `__type`.
enum ParsePlatformValue {
  /// Deeper nesting is refused.
  private static let maximumDepth = 100

  /// Parses JSON as JavaScript does: numbers are doubles, and of equal names the last one counts.
  static func parse(_ bytes: [UInt8]) -> JSONValue? {
    (try? JSONValue(parsing: bytes, maximumDepth: maximumDepth)).flatMap(normalized)
  }

  private static func normalized(_ value: JSONValue) -> JSONValue? {
    switch value {
    case .null, .boolean, .integer, .string: return value
    case .real, .literal: return value.double.flatMap(number)
    case .array(let elements):
      let normal = elements.compactMap(normalized)
      return normal.count == elements.count ? .array(normal) : nil
    case .object(let members):
      var normal: [JSONValue.Member] = []
      for member in members {
        guard let value = normalized(member.value) else { return nil }
        normal[member.name] = value
      }
      return .object(normal)
    }
  }

  /// A number without a fraction where it has none; nil if it is too large for a double.
  static func number(_ number: Double) -> JSONValue? {
    guard number.isFinite else { return nil }
    if let whole = Int64(exactly: number), whole.magnitude < 1 << 53 { return .integer(whole) }
    return .real(number)
  }

  static func date(_ milliseconds: Int) -> JSONValue {
    JSONValue(["__type": "Date", "iso": ISODate.text(milliseconds)])
  }

  static func pointer(_ className: String, _ identifier: String) -> JSONValue {
    JSONValue(["__type": "Pointer", "className": className, "objectId": identifier])
  }

  /// A date in milliseconds since 1970, or nil if the value is not one.
  static func milliseconds(_ value: JSONValue) -> Int? {
    guard value["__type"] == .string("Date") else { return nil }
    return value["iso"]?.string.flatMap(ISODate.milliseconds)
  }

  /// The name of a value's type, as schemas call it; nil for null, which has none.
  ///
  /// - Throws: What is wrong with a value that claims to have a type.
  static func typeName(_ value: JSONValue) throws(ParsePlatformError) -> String? {
    switch value {
    case .null: return nil
    case .boolean: return "Boolean"
    case .integer, .real, .literal: return "Number"
    case .string: return "String"
    case .array: return "Array"
    case .object:
      guard let type = value["__type"] else { return "Object" }
      switch type.string {
      case "Date":
        guard milliseconds(value) != nil else { throw ParsePlatformError(107, "invalid date") }
        return "Date"
      case "Pointer":
        guard let className = value["className"]?.string, value["objectId"]?.string != nil
        else { throw ParsePlatformError(106, "malformed pointer") }
        return "Pointer<\(className)>"
      default: throw ParsePlatformError(111, "This is not a valid \(type.string ?? "type")")
      }
    }
  }

  /// Refuses names inside of a value that could be mistaken for operators or paths.
  static func checkNestedKeys(_ value: JSONValue) throws(ParsePlatformError) {
    for element in value.elements ?? [] { try checkNestedKeys(element) }
    for member in value.members ?? [] {
      if member.name.contains("$") || member.name.contains(".") {
        throw ParsePlatformError(
          121, "Nested keys should not contain the '$' or '.' characters")
      }
      try checkNestedKeys(member.value)
    }
  }

  // MARK: Comparing

  /// Whether two values are the same; members of objects may have any order.
  static func areEqual(_ left: JSONValue, _ right: JSONValue) -> Bool {
    if let a = left.double, let b = right.double { return a == b }
    if let a = milliseconds(left), let b = milliseconds(right) { return a == b }
    switch (left, right) {
    case (.array(let a), .array(let b)):
      return a.count == b.count && zip(a, b).allSatisfy(areEqual)
    case (.object(let a), .object(let b)):
      return a.count == b.count
        && a.allSatisfy { member in b[member.name].map { areEqual(member.value, $0) } ?? false }
    default: return left == right
    }
  }

  /// Compares two values of the same kind.
  ///
  /// - Returns: Below, at or above 0; nil for values that have no order.
  static func compare(_ left: JSONValue, _ right: JSONValue) -> Int? {
    if let a = left.double, let b = right.double { return a < b ? -1 : a == b ? 0 : 1 }
    if let a = left.string, let b = right.string {
      // By the bytes of UTF-8, as databases do, not by what Unicode counts as the same.
      if a.utf8.elementsEqual(b.utf8) { return 0 }
      return a.utf8.lexicographicallyPrecedes(b.utf8) ? -1 : 1
    }
    if let a = milliseconds(left), let b = milliseconds(right) { return (a - b).signum() }
    if case .boolean(let a) = left, case .boolean(let b) = right {
      return (a ? 1 : 0) - (b ? 1 : 0)
    }
    return nil
  }

  /// Compares any two values, for sorting: values of different kinds have an order too.
  static func sortOrder(_ left: JSONValue?, _ right: JSONValue?) -> Int {
    let (a, b) = (rank(left), rank(right))
    guard a == b, let left, let right else { return a - b }
    return compare(left, right) ?? 0
  }

  private static func rank(_ value: JSONValue?) -> Int {
    switch value {
    case nil, .null: 0
    case .integer, .real, .literal: 1
    case .string: 2
    case .object: value?["__type"] == .string("Date") ? 6 : 3
    case .array: 4
    case .boolean: 5
    }
  }
}
