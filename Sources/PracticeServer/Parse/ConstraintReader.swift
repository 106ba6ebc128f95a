/// Reads the `where` of a query.
struct ConstraintReader {
  let store: ParseStore
  let budget: ParseBudget

  /// Reads the demands on an object.
  ///
  /// - Parameter json: The value of `where`.
  /// - Returns: All of them together.
  /// - Throws: What is wrong with one of them.
  func read(_ json: JSONObject) throws(ParseError) -> ParseConstraint {
    var parts: [ParseConstraint] = []
    for (key, value) in json {
      try budget.spend()
      switch key {
      case "$or": parts.append(.any(try branches(value, key)))
      case "$and": parts.append(.all(try branches(value, key)))
      case "$nor": parts.append(.none(try branches(value, key)))
      case "$relatedTo": parts.append(.oneOf(try members(value)))
      default:
        guard Self.isFieldPath(key) else { throw ParseError(105, "Invalid key name: \(key)") }
        parts.append(.field(key.split(separator: "."), try tests(value)))
      }
    }
    return .all(parts)
  }

  private func branches(_ value: JSONValue, _ key: String) throws(ParseError) -> [ParseConstraint] {
    guard let items = value.array, !items.isEmpty else {
      throw .query("Bad \(key) format - use an array of objects.")
    }
    var branches: [ParseConstraint] = []
    for item in items {
      guard let object = item.object else {
        throw .query("Bad \(key) format - use an array of objects.")
      }
      branches.append(try read(object))
    }
    return branches
  }

  /// The identifiers of the members of a relation.
  private func members(_ value: JSONValue) throws(ParseError) -> Set<String> {
    guard let owner = value.object?["object"].flatMap(ParseValue.target),
      let key = value.object?["key"]?.string
    else { throw .query("improper usage of $relatedTo") }
    let object = store.object(owner.identifier, of: owner.className)
    let members = object?.relations[key]?.array ?? []
    try budget.spend(members.count)
    return Set(members.compactMap { ParseValue.target($0)?.identifier })
  }

  static func isFieldPath(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return !parts.isEmpty && parts.allSatisfy { ParseStore.isName($0) || Int($0) != nil }
      && ParseStore.isName(parts[0])
  }

  private func tests(_ value: JSONValue) throws(ParseError) -> [ParseConstraint.Test] {
    guard let object = value.object, object.keys.contains(where: { $0.hasPrefix("$") }) else {
      _ = try ParseValue.typeName(value)
      return [.equal(value)]
    }
    var tests: [ParseConstraint.Test] = []
    for (key, value) in object where key != "$options" {
      tests.append(try test(key, value, options: object["$options"]))
    }
    if object.keys == ["$options"] { throw .query("got a bad $options") }
    return tests
  }

  private func test(
    _ key: String, _ value: JSONValue, options: JSONValue?
  ) throws(ParseError) -> ParseConstraint.Test {
    switch key {
    case "$lt": return .compare([-1], value)
    case "$lte": return .compare([-1, 0], value)
    case "$gt": return .compare([1], value)
    case "$gte": return .compare([0, 1], value)
    case "$eq": return .equal(value)
    case "$ne": return .notEqual(value)
    case "$in": return .oneOf(try list(value, key))
    case "$nin": return .noneOf(try list(value, key))
    case "$all": return .all(try list(value, key))
    case "$exists":
      guard let wanted = value.boolean else { throw .query("bad $exists value") }
      return .exists(wanted)
    case "$regex":
      guard let pattern = value.string else { throw .query("bad regex: it is no text") }
      return .pattern(try ParsePattern(pattern, options: try text(options, "$options") ?? ""))
    case "$text":
      guard let search = value.object?["$search"]?.object, let term = search["$term"]?.string
      else { throw .query("bad $text: $search and its $term are required") }
      return .words(term.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init))
    case "$select": return .oneOf(try selected(value, key))
    case "$dontSelect": return .noneOf(try selected(value, key))
    case "$inQuery": return .oneOf(try pointers(value, key))
    case "$notInQuery": return .noneOf(try pointers(value, key))
    default: throw ParseError(107, "bad constraint: \(key)")
    }
  }

  private func text(_ value: JSONValue?, _ key: String) throws(ParseError) -> String? {
    guard let value else { return nil }
    guard let text = value.string else { throw .query("got a bad \(key)") }
    return text
  }

  private func list(_ value: JSONValue, _ key: String) throws(ParseError) -> [JSONValue] {
    guard let items = value.array else { throw .query("bad \(key) value") }
    return items
  }

  /// The values of a field in what another query finds.
  private func selected(_ value: JSONValue, _ key: String) throws(ParseError) -> [JSONValue] {
    guard let object = value.object, let field = object["key"]?.string,
      let query = object["query"]?.object
    else { throw .query("improper usage of \(key)") }
    let path = field.split(separator: ".")
    return try found(query, key).objects.compactMap { $0.value(at: path) }
  }

  /// Pointers to what another query finds.
  private func pointers(_ value: JSONValue, _ key: String) throws(ParseError) -> [JSONValue] {
    guard let query = value.object else { throw .query("improper usage of \(key)") }
    let (className, objects) = try found(query, key)
    return objects.map { ParseValue.pointer(className, $0.identifier) }
  }

  private func found(
    _ query: JSONObject, _ key: String
  ) throws(ParseError) -> (className: String, objects: [ParseObject]) {
    guard let className = query["className"]?.string else {
      throw .query("improper usage of \(key)")
    }
    guard ParseStore.isName(className) else { throw .className(className) }
    let condition = try read(query["where"]?.object ?? JSONObject())
    try budget.spend(store.count(of: className))
    var objects: [ParseObject] = []
    for object in store.objects(of: className) where try condition.matches(object, budget) {
      objects.append(object)
    }
    return (className, objects)
  }
}
