/// What a query asks of objects, checked once and then compared with each.
indirect enum ParseConstraint {
  /// One demand on the value of a field.
  enum Test {
    case equal(JSONValue)
    case notEqual(JSONValue)
    /// The signs that a comparison may give.
    case compare(Set<Int>, JSONValue)
    case oneOf([JSONValue])
    case noneOf([JSONValue])
    case all([JSONValue])
    case exists(Bool)
    case pattern(ParsePattern)
    case words([String])
  }

  case field([Substring], [Test])
  case all([ParseConstraint])
  case any([ParseConstraint])
  case none([ParseConstraint])
  /// An object with one of these identifiers.
  case oneOf(Set<String>)

  /// Whether an object is what is asked for.
  func matches(_ object: ParseObject, _ budget: ParseBudget) throws(ParseError) -> Bool {
    try budget.spend()
    switch self {
    case .field(let path, let tests):
      let value = object.value(at: path)
      for test in tests where try !test.holds(for: value, budget) { return false }
      return true
    case .all(let parts):
      for part in parts where try !part.matches(object, budget) { return false }
      return true
    case .any(let parts):
      for part in parts where try part.matches(object, budget) { return true }
      return false
    case .none(let parts):
      for part in parts where try part.matches(object, budget) { return false }
      return true
    case .oneOf(let identifiers): return identifiers.contains(object.identifier)
    }
  }
}

extension ParseConstraint.Test {
  /// Whether a value is what is asked for; nil stands for a field that is not there.
  func holds(for value: JSONValue?, _ budget: ParseBudget) throws(ParseError) -> Bool {
    switch self {
    case .equal(let wanted): return try Self.isEqual(value, wanted, budget)
    case .notEqual(let unwanted): return try !Self.isEqual(value, unwanted, budget)
    case .oneOf(let values): return try Self.isAmong(value, values, budget)
    case .noneOf(let values): return try !Self.isAmong(value, values, budget)
    case .exists(let wanted): return (value != nil) == wanted
    case .compare(let signs, let other):
      return Self.candidates(value).contains { candidate in
        ParseOrder.compare(candidate, other).map { signs.contains($0.signum()) } ?? false
      }
    case .all(let values):
      guard value?.array != nil else { return false }
      for wanted in values where try !Self.isEqual(value, wanted, budget) { return false }
      return true
    case .pattern(let pattern):
      for candidate in Self.candidates(value) {
        if let text = candidate.string, try pattern.matches(text, budget: budget) { return true }
      }
      return false
    case .words(let words):
      guard let text = value?.string?.lowercased() else { return false }
      try budget.spend(text.utf8.count / 8)
      let own = Set(text.split { !$0.isLetter && !$0.isNumber })
      return words.contains { own.contains($0[...]) }
    }
  }

  /// The value itself, or the values in it: a demand on an array is met by any of its elements.
  private static func candidates(_ value: JSONValue?) -> [JSONValue] {
    value?.array ?? value.map { [$0] } ?? []
  }

  private static func isEqual(
    _ value: JSONValue?, _ wanted: JSONValue, _ budget: ParseBudget
  ) throws(ParseError) -> Bool {
    guard let value, value != .null else { return wanted == .null }
    if ParseOrder.areEqual(value, wanted) { return true }
    guard let items = value.array else { return false }
    try budget.spend(items.count)
    return items.contains { ParseOrder.areEqual($0, wanted) }
  }

  private static func isAmong(
    _ value: JSONValue?, _ values: [JSONValue], _ budget: ParseBudget
  ) throws(ParseError) -> Bool {
    for wanted in values {
      try budget.spend()
      if try isEqual(value, wanted, budget) { return true }
    }
    return false
  }
}
