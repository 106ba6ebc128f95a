import OpshJSON
import OpshWebAPIs

/// A query of a class: `where`, `order`, `limit`, `skip`, `keys` and `count`.
struct ParsePlatformQuery {
  private let condition: ParsePlatformCondition
  private let order: [(path: [Substring], isDescending: Bool)]
  private let limit: Int
  private let skip: Int
  private let keys: Set<String>?
  private let wantsCount: Bool

  private static let parameterNames = Set(Quotes.parameters.map(\.declaration.name) + ["keys"])

  /// Reads a query.
  init(_ parameters: [String: String]) throws(ParsePlatformError) {
    for name in parameters.keys.sorted() where !Self.parameterNames.contains(name) {
      throw .query("Invalid parameter for query: \(name)")
    }
    var condition: [JSONValue.Member] = []
    if let text = parameters[Quotes.conditions.name], !text.isEmpty {
      // Parse Server does not expect this either.
      guard let json = ParsePlatformValue.parse(Array(text.utf8)) else { throw .notJSON }
      guard let members = json.members else { throw .query("bad where: it is not an object") }
      condition = members
    }
    self.condition = try ParsePlatformCondition(condition)
    var order: [(path: [Substring], isDescending: Bool)] = []
    for part in (parameters[Quotes.order.name] ?? "").split(separator: ",").prefix(20) {
      let name = part.hasPrefix("-") || part.hasPrefix("+") ? part.dropFirst() : part
      guard ParsePlatformCondition.isFieldPath(String(name)) else { throw .fieldName(String(name)) }
      order.append((name.split(separator: "."), part.hasPrefix("-")))
    }
    self.order = order
    limit = min(
      try Self.number(parameters, Quotes.limit.name) ?? Quotes.limit.standard, Quotes.maximumLimit)
    skip = try Self.number(parameters, Quotes.skip.name) ?? Quotes.skip.standard
    keys = Self.keys(parameters)
    wantsCount = ["1", "true"].contains(parameters[Quotes.countsAll.name])
  }

  /// The fields that the parameter `keys` names; nil for all.
  static func keys(_ parameters: [String: String]) -> Set<String>? {
    parameters["keys"].map { Set($0.split(separator: ",").map(String.init)) }
  }

  private static func number(
    _ parameters: [String: String], _ name: String
  ) throws(ParsePlatformError) -> Int? {
    guard let text = parameters[name] else { return nil }
    guard let number = Int(text), number >= 0 else { throw .query("bad \(name): \(text)") }
    return number
  }

  /// Finds what is asked for.
  ///
  /// - Parameter objects: The objects of the class, the oldest first.
  /// - Returns: The answer's JSON.
  func run(on objects: [ParsePlatformObject]) -> [UInt8] {
    var found = objects.filter(condition.matches)
    sort(&found)
    var json = JSONWriter()
    json.beginObject()
    json.key("results")
    json.beginArray()
    for object in found.dropFirst(skip).prefix(limit) { json.value(object.json(keys: keys)) }
    json.endArray()
    if wantsCount { json.field("count", found.count) }
    json.endObject()
    return json.bytes
  }

  private func sort(_ objects: inout [ParsePlatformObject]) {
    guard !order.isEmpty else { return }
    let keyed = objects.map { object in (object, order.map { object.value(at: $0.path) }) }
    // Sorting is stable: of equal ones the oldest comes first.
    objects = keyed.sorted { left, right in
      for (index, key) in order.enumerated() {
        let sign = ParsePlatformValue.sortOrder(left.1[index], right.1[index])
        if sign != 0 { return key.isDescending ? sign > 0 : sign < 0 }
      }
      return false
    }.map(\.0)
  }
}
