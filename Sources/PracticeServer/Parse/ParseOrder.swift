/// Compares values as the database behind Parse does.
enum ParseOrder {
  /// Whether two values are the same; numbers are the same whatever their notation.
  static func areEqual(_ left: JSONValue, _ right: JSONValue) -> Bool {
    if case .string(let a) = left { return right == .string(a) }
    if let a = left.number, let b = right.number { return a == b }
    if let a = ParseValue.milliseconds(left), let b = ParseValue.milliseconds(right) {
      return a == b
    }
    if let a = ParseValue.target(left), let b = ParseValue.target(right) { return a == b }
    switch (left, right) {
    case (.array(let a), .array(let b)):
      return a.count == b.count && zip(a, b).allSatisfy { areEqual($0, $1) }
    case (.object(let a), .object(let b)):
      return a.count == b.count
        && a.allSatisfy { key, value in b[key].map { areEqual(value, $0) } ?? false }
    default: return left == right
    }
  }

  /// Compares two values of the same kind.
  ///
  /// - Returns: Below, at or above 0; nil for values that no one compares.
  static func compare(_ left: JSONValue, _ right: JSONValue) -> Int? {
    if let a = left.number, let b = right.number { return a < b ? -1 : a == b ? 0 : 1 }
    if let a = left.string, let b = right.string {
      // By the bytes of UTF-8, as databases do, not by what Unicode counts as the same.
      if a.utf8.elementsEqual(b.utf8) { return 0 }
      return a.utf8.lexicographicallyPrecedes(b.utf8) ? -1 : 1
    }
    if let a = ParseValue.milliseconds(left), let b = ParseValue.milliseconds(right) {
      return a < b ? -1 : a == b ? 0 : 1
    }
    if let a = left.boolean, let b = right.boolean { return (a ? 1 : 0) - (b ? 1 : 0) }
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
    case .integer, .fraction: 1
    case .string: 2
    case .object(let object): object["__type"] == .string("Date") ? 6 : 3
    case .array: 4
    case .boolean: 5
    }
  }
}
