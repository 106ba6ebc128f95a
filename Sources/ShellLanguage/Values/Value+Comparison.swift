extension Value {
  /// Returns whether both are equal by the rules of the language.
  ///
  /// Numbers compare by what they amount to, whatever their kind; a string next to a value of
  /// another kind is read as a literal of that kind.
  public func isEqual(to other: Value) -> Bool {
    switch (self, other) {
    case (.spelled(_, let left), .spelled(_, let right))
    where Self.isLongInteger(left) && Self.isLongInteger(right):
      return left == right
    case (.spelled(_, let spelling), .string(let text)) where text == spelling: return true
    case (.string(let text), .spelled(_, let spelling)) where text == spelling: return true
    case (.spelled(let number, _), _): return number.isEqual(to: other)
    case (_, .spelled(let number, _)): return isEqual(to: number)
    case (.null, .null): return true
    case (.null, _), (_, .null): return false
    case (.string(let left), .string(let right)): return left == right
    case (.boolean(let left), .boolean(let right)): return left == right
    case (.object(let left), .object(let right)): return left === right
    case (.object(let object), .string(let text)), (.string(let text), .object(let object)):
      return object.text == text
    case (.list(let left), .list(let right)):
      return left.count == right.count && zip(left, right).allSatisfy { $0.isEqual(to: $1) }
    case (.record(let left), .record(let right)):
      return left.count == right.count
        && zip(left, right).allSatisfy { $0.name == $1.name && $0.value.isEqual(to: $1.value) }
    case (.string(let text), _):
      guard let read = other.reading(text) else { return false }
      return read.isEqual(to: other)
    case (_, .string(let text)):
      guard let read = reading(text) else { return false }
      return isEqual(to: read)
    default:
      return orderedMagnitudes(with: other).map { $0 == .same } ?? false
    }
  }

  /// Which of two values comes first.
  public enum Order: Sendable { case before, same, after, unordered }

  /// Words that stand for levels, the lowest first.
  private static let levels = ["veryLow", "low", "normal", "high", "veryHigh"]

  /// Returns the order of two texts: that of levels, such as the priorities of operations, for two
  /// words that stand for such, and else that of their characters.
  public static func order(of left: String, _ right: String) -> Order {
    guard left != right else { return .same }
    if let left = levels.firstIndex(of: left), let right = levels.firstIndex(of: right) {
      return left < right ? .before : .after
    }
    return left < right ? .before : .after
  }

  /// Returns the order of both, or fails where the kinds have none.
  func order(with other: Value) throws(UnplacedError) -> Order {
    switch (self, other) {
    case (.spelled(_, let left), .spelled(_, let right))
    where Self.isLongInteger(left) && Self.isLongInteger(right):
      return Self.order(ofLongIntegers: left, right)
    case (.spelled(let number, _), _): return try number.order(with: other)
    case (_, .spelled(let number, _)): return try order(with: number)
    case (.string(let left), .string(let right)):
      return Self.order(of: left, right)
    case (.string(let text), _):
      if let read = other.reading(text) { return try read.order(with: other) }
    case (_, .string(let text)):
      if let read = reading(text) { return try order(with: read) }
    default:
      if let order = orderedMagnitudes(with: other) { return order }
    }
    throw .mismatch("compare", self, other)
  }

  /// Whether a number is a whole one beyond 64 bits.
  ///
  /// Two of them are compared by their digits, which their nearest real numbers do not hold.
  private static func isLongInteger(_ spelling: String) -> Bool {
    let digits = spelling.utf8.drop { $0 == UInt8(ascii: "-") }
    return digits.count >= 19 && digits.allSatisfy { (0x30...0x39).contains($0) }
      && Int64(spelling) == nil
  }

  /// The order of two such numbers, which begin with no zeros.
  private static func order(ofLongIntegers left: String, _ right: String) -> Order {
    if left == right { return .same }
    let isNegative = left.hasPrefix("-")
    guard isNegative == right.hasPrefix("-") else { return isNegative ? .before : .after }
    let isShorter =
      left.utf8.count == right.utf8.count
      ? left < right : left.utf8.count < right.utf8.count
    return isShorter == isNegative ? .after : .before
  }

  /// Reads a text as a literal of this value's family, or returns nil.
  func reading(_ text: String) -> Value? {
    guard let value = LiteralReader.value(of: text) else { return nil }
    switch (self, value) {
    case (.integer, .integer), (.integer, .real), (.real, .integer), (.real, .real),
      (.boolean, .boolean), (.duration, .duration), (.duration, .integer), (.duration, .real),
      (.size, .size), (.size, .integer), (.percent, .percent), (.percent, .integer),
      (.percent, .real):
      return value
    default: return nil
    }
  }

  /// The order of two amounts; nil if they are not amounts of the same thing.
  private func orderedMagnitudes(with other: Value) -> Order? {
    switch (self, other) {
    case (.integer(let left), .integer(let right)), (.size(let left), .size(let right)),
      (.size(let left), .integer(let right)), (.integer(let left), .size(let right)):
      return left == right ? .same : left < right ? .before : .after
    case (.duration(let left), .duration(let right)):
      return left == right ? .same : left < right ? .before : .after
    case (.integer(let left), .real(let right)):
      return Self.order(left, right)
    case (.real(let left), .integer(let right)):
      switch Self.order(right, left) {
      case .before: return .after
      case .after: return .before
      case let order: return order
      }
    default:
      guard let left = plainNumber(beside: other), let right = other.plainNumber(beside: self)
      else { return nil }
      if left.isNaN || right.isNaN { return .unordered }
      return left == right ? .same : left < right ? .before : .after
    }
  }

  /// Compares without rounding the whole number to a `Double` first.
  private static func order(_ left: Int64, _ right: Double) -> Order {
    if right.isNaN { return .unordered }
    if right >= 9_223_372_036_854_775_808.0 { return .before }
    if right < -9_223_372_036_854_775_808.0 { return .after }
    let whole = Int64(right.rounded(.towardZero))
    if left != whole { return left < whole ? .before : .after }
    let rest = right - Double(whole)
    return rest == 0 ? .same : rest > 0 ? .before : .after
  }

  /// The number of an amount as it counts next to another: durations in seconds.
  private func plainNumber(beside other: Value) -> Double? {
    switch (self, other) {
    case (.integer(let number), .integer), (.integer(let number), .real),
      (.integer(let number), .percent), (.integer(let number), .duration):
      return Double(number)
    case (.real(let number), .integer), (.real(let number), .real),
      (.real(let number), .percent), (.real(let number), .duration), (.real(let number), .size):
      return number
    case (.percent(let number), .integer), (.percent(let number), .real),
      (.percent(let number), .percent):
      return number
    case (.duration(let duration), .integer), (.duration(let duration), .real):
      return duration / .seconds(1)
    case (.size(let count), .real): return Double(count)
    default: return nil
    }
  }
}
