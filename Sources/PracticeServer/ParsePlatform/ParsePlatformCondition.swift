import OpshJSON

/// The `where` of a query, checked once and then compared with each object.
indirect enum ParsePlatformCondition {
  /// A comparison with the value of a field.
  enum Comparison {
    case equal(JSONValue)
    case notEqual(JSONValue)
    /// Which results of `ParsePlatformValue.compare` are wanted.
    case ordered(Set<Int>, JSONValue)
    case oneOf([JSONValue])
    case noneOf([JSONValue])
    case exists(Bool)
  }

  case field([Substring], [Comparison])
  case all([ParsePlatformCondition])
  case any([ParsePlatformCondition])

  /// Operators of Parse that this server does not have.
  private static let missingOperators: Set<String> = [
    "$regex", "$options", "$text", "$all", "$select", "$dontSelect", "$inQuery", "$notInQuery",
    "$nor", "$relatedTo",
  ]

  /// Reads a `where`.
  ///
  /// - Parameter json: The members of its object; an object has to meet all of them.
  /// - Throws: What is wrong with one of them, or which operator is not supported.
  init(_ json: [JSONValue.Member]) throws(ParsePlatformError) {
    var parts: [ParsePlatformCondition] = []
    for member in json {
      switch member.name {
      case "$or": parts.append(.any(try Self.branches(member)))
      case "$and": parts.append(.all(try Self.branches(member)))
      case let name where Self.missingOperators.contains(name): throw Self.unsupported(name)
      case let name:
        guard Self.isFieldPath(name) else {
          throw ParsePlatformError(105, "Invalid key name: \(name)")
        }
        parts.append(.field(name.split(separator: "."), try Self.comparisons(member.value)))
      }
    }
    self = .all(parts)
  }

  private static func unsupported(_ name: String) -> ParsePlatformError {
    .query("bad constraint: \(name) is not supported")
  }

  private static func branches(
    _ member: JSONValue.Member
  ) throws(ParsePlatformError) -> [ParsePlatformCondition] {
    let objects = member.value.elements?.compactMap(\.members) ?? []
    guard !objects.isEmpty, objects.count == member.value.elements?.count else {
      throw .query("Bad \(member.name) format - use an array of objects.")
    }
    var branches: [ParsePlatformCondition] = []
    for object in objects { branches.append(try ParsePlatformCondition(object)) }
    return branches
  }

  /// Whether a text is a field's name, or several with dots between them.
  static func isFieldPath(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return !parts.isEmpty && ParsePlatformStore.isName(parts[0])
      && parts.allSatisfy { ParsePlatformStore.isName($0) || Int($0) != nil }
  }

  private static func comparisons(
    _ value: JSONValue
  ) throws(ParsePlatformError) -> [Comparison] {
    guard let members = value.members, members.contains(where: { $0.name.hasPrefix("$") }) else {
      _ = try ParsePlatformValue.typeName(value)
      return [.equal(value)]
    }
    var comparisons: [Comparison] = []
    for member in members { comparisons.append(try comparison(member.name, member.value)) }
    return comparisons
  }

  private static func comparison(
    _ name: String, _ value: JSONValue
  ) throws(ParsePlatformError) -> Comparison {
    switch name {
    case "$lt": return .ordered([-1], value)
    case "$lte": return .ordered([-1, 0], value)
    case "$gt": return .ordered([1], value)
    case "$gte": return .ordered([0, 1], value)
    case "$eq": return .equal(value)
    case "$ne": return .notEqual(value)
    case "$in", "$nin":
      guard let values = value.elements else { throw .query("bad \(name) value") }
      return name == "$in" ? .oneOf(values) : .noneOf(values)
    case "$exists":
      guard case .boolean(let isWanted) = value else { throw .query("bad $exists value") }
      return .exists(isWanted)
    case _ where missingOperators.contains(name): throw unsupported(name)
    default: throw ParsePlatformError(107, "bad constraint: \(name)")
    }
  }

  /// Whether an object meets the condition.
  func matches(_ object: ParsePlatformObject) -> Bool {
    switch self {
    case .field(let path, let comparisons):
      let value = object.value(at: path)
      return comparisons.allSatisfy { $0.holds(for: value) }
    case .all(let parts): return parts.allSatisfy { $0.matches(object) }
    case .any(let parts): return parts.contains { $0.matches(object) }
    }
  }
}

extension ParsePlatformCondition.Comparison {
  /// Whether the comparison holds for a value; nil stands for a field that is not there.
  ///
  /// One with an array holds if it holds for any of the elements.
  func holds(for value: JSONValue?) -> Bool {
    switch self {
    case .equal(let wanted): return Self.isEqual(value, wanted)
    case .notEqual(let unwanted): return !Self.isEqual(value, unwanted)
    case .oneOf(let values): return values.contains { Self.isEqual(value, $0) }
    case .noneOf(let values): return !values.contains { Self.isEqual(value, $0) }
    case .exists(let isWanted): return (value != nil) == isWanted
    case .ordered(let signs, let other):
      let candidates = value?.elements ?? value.map { [$0] } ?? []
      return candidates.contains { candidate in
        ParsePlatformValue.compare(candidate, other).map { signs.contains($0.signum()) } ?? false
      }
    }
  }

  private static func isEqual(_ value: JSONValue?, _ wanted: JSONValue) -> Bool {
    guard let value, value != .null else { return wanted == .null }
    return ParsePlatformValue.areEqual(value, wanted)
      || value.elements?.contains { ParsePlatformValue.areEqual($0, wanted) } ?? false
  }
}
