/// A query of a class: what it asks for, and in which form it wants the answer.
struct ParseQuery {
  private let store: ParseStore
  private let className: String
  private let budget = ParseBudget()
  private let form: Form
  private let condition: ParseConstraint
  private let order: [(path: [Substring], isDescending: Bool)]
  private let limit: Int
  private let skip: Int
  private let wantsCount: Bool

  /// Which fields of an object are sent, and which pointers are followed.
  struct Form {
    var keys: Set<String>?
    var excludedKeys: Set<String> = []
    var include: [[Substring]] = []
    var includesAll = false

    /// Reads what queries and single objects have in common.
    init(_ parameters: [String: String]) {
      func names(_ parameter: String) -> [Substring] {
        parameters[parameter]?.split(separator: ",") ?? []
      }
      if parameters["keys"] != nil {
        keys = Set(names("keys").map { String($0.prefix { $0 != "." }) })
      }
      excludedKeys = Set(names("excludeKeys").map(String.init))
      include = names("include").prefix(50).map { $0.split(separator: ".") }
      includesAll = parameters["includeAll"] == "true" || names("include").contains("*")
      // What is included has to be there.
      if keys != nil { keys?.formUnion(include.compactMap { $0.first.map(String.init) }) }
    }
  }

  private static let parameterNames: Set<String> = [
    "where", "order", "limit", "skip", "count", "keys", "excludeKeys", "include", "includeAll",
    "readPreference", "includeReadPreference", "subqueryReadPreference", "hint", "explain",
    "comment", "redirectClassNameForKey",
  ]
  private static let parameterNamesOfObject: Set<String> = [
    "keys", "excludeKeys", "include", "includeAll", "readPreference", "includeReadPreference",
    "subqueryReadPreference",
  ]

  /// Reads a query.
  ///
  /// - Parameters:
  ///   - parameters: The parameters.
  ///   - className: The class.
  ///   - store: What is searched.
  /// - Throws: What is wrong with a parameter.
  init(_ parameters: [String: String], of className: String, in store: ParseStore)
    throws(ParseError)
  {
    for name in parameters.keys.sorted() where !Self.parameterNames.contains(name) {
      throw .query("Invalid parameter for query: \(name)")
    }
    self.store = store
    self.className = className
    form = Form(parameters)
    var condition = JSONObject()
    if let text = parameters["where"], !text.isEmpty {
      // The real server does not catch this either.
      guard let json = try? JSONParser.parse(text) else { throw .internalError }
      guard let object = json.object else { throw .query("bad where: it is no object") }
      condition = object
    }
    self.condition = try ConstraintReader(store: store, budget: budget).read(condition)
    var order: [(path: [Substring], isDescending: Bool)] = []
    for part in (parameters["order"] ?? "").split(separator: ",").prefix(20) {
      let name = part.hasPrefix("-") || part.hasPrefix("+") ? part.dropFirst() : part
      guard ConstraintReader.isFieldPath(String(name)) else { throw .fieldName(String(name)) }
      order.append((String(name).split(separator: "."), part.hasPrefix("-")))
    }
    self.order = order
    limit = min(try Self.number(parameters, "limit") ?? 100, 1_000)
    skip = try Self.number(parameters, "skip") ?? 0
    wantsCount = ["1", "true"].contains(parameters["count"])
  }

  private static func number(
    _ parameters: [String: String], _ name: String
  ) throws(ParseError) -> Int? {
    guard let text = parameters[name] else { return nil }
    guard let number = Int(text), number >= 0 else { throw .query("bad \(name): \(text)") }
    return number
  }

  /// Finds what is asked for.
  ///
  /// - Returns: The answer's JSON.
  func run() throws(ParseError) -> [UInt8] {
    var found: [ParseObject] = []
    for object in store.objects(of: className) where try condition.matches(object, budget) {
      found.append(object)
    }
    let count = found.count
    sort(&found)
    var json = JSONWriter()
    json.beginObject()
    json.key("results")
    json.beginArray()
    for object in found.dropFirst(skip).prefix(limit) {
      try budget.spend(10)
      json.value(.object(try Self.json(object, of: className, form, store: store, budget: budget)))
    }
    json.endArray()
    if wantsCount { json.field("count", count) }
    json.endObject()
    return json.bytes
  }

  private func sort(_ objects: inout [ParseObject]) {
    guard !order.isEmpty else { return }
    let keyed = objects.map { object in (object, order.map { object.value(at: $0.path) }) }
    // Sorting is stable: of equal ones the oldest comes first.
    objects = keyed.sorted { left, right in
      for (index, key) in order.enumerated() {
        let sign = ParseOrder.sortOrder(left.1[index], right.1[index])
        if sign != 0 { return key.isDescending ? sign > 0 : sign < 0 }
      }
      return false
    }.map(\.0)
  }

  /// Reads the parameters that a single object may be asked for with.
  static func form(ofObject parameters: [String: String]) throws(ParseError) -> Form {
    for name in parameters.keys where !parameterNamesOfObject.contains(name) {
      throw .query("Improper encode of parameter")
    }
    return Form(parameters)
  }

  /// Makes what is sent of an object.
  static func json(
    _ object: ParseObject, of className: String, _ form: Form, store: ParseStore,
    budget: ParseBudget
  ) throws(ParseError) -> JSONObject {
    var json = store.json(object, of: className) { key in
      form.keys?.contains(key) ?? true && !form.excludedKeys.contains(key)
    }
    var paths = form.include
    if form.includesAll { paths += json.keys.map { [$0[...]] } }
    // The shortest first, so that what a longer one goes through is there.
    for path in paths.sorted(by: { $0.count < $1.count }) {
      if let changed = try included(.object(json), path[...], store, budget)?.object {
        json = changed
      }
    }
    return json
  }

  /// Puts the objects in place of the pointers that a path leads to.
  private static func included(
    _ value: JSONValue, _ path: ArraySlice<Substring>, _ store: ParseStore, _ budget: ParseBudget
  ) throws(ParseError) -> JSONValue? {
    try budget.spend(5)
    if let items = value.array {
      var changed: [JSONValue] = []
      for item in items {
        if let other = try included(item, path, store, budget) { changed.append(other) }
      }
      return .array(changed)
    }
    guard let name = path.first else {
      guard let target = ParseValue.target(value) else { return value }
      guard let object = store.object(target.identifier, of: target.className) else { return nil }
      var json = JSONObject([
        ("__type", .string("Object")), ("className", .string(target.className)),
      ])
      for (key, value) in store.json(object, of: target.className) { json[key] = value }
      return .object(json)
    }
    guard var object = value.object, let inner = object[String(name)] else { return value }
    object[String(name)] = try included(inner, path.dropFirst(), store, budget)
    return .object(object)
  }
}
