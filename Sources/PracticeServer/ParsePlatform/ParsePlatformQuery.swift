import OpshJSON
import OpshWebAPIs

/// A query of a class: `where`, `order`, `limit`, `skip`, `keys` and `count`.
struct ParsePlatformQuery {
  private let selection: Selection<ParsePlatformObject>
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
    let matching = try ParsePlatformCondition(condition)
    var order: [(ParsePlatformObject, ParsePlatformObject) -> Int] = []
    for part in (parameters[Quotes.order.name] ?? "").split(separator: ",").prefix(20) {
      let name = part.hasPrefix("-") || part.hasPrefix("+") ? part.dropFirst() : part
      guard ParsePlatformCondition.isFieldPath(String(name)) else { throw .fieldName(String(name)) }
      let (path, sign) = (name.split(separator: "."), part.hasPrefix("-") ? -1 : 1)
      order.append {
        sign * ParsePlatformValue.sortOrder($0.value(at: path), $1.value(at: path))
      }
    }
    let limit = min(try Self.number(parameters, Quotes.limit), Quotes.maximumLimit)
    let skip = try Self.number(parameters, Quotes.skip)
    selection = Selection(
      conditions: [{ matching.matches($0) }], order: order, part: Part(start: skip, size: limit))
    keys = Self.keys(parameters)
    wantsCount = ["1", "true"].contains(parameters[Quotes.countsAll.name])
  }

  /// The fields that the parameter `keys` names; nil for all.
  static func keys(_ parameters: [String: String]) -> Set<String>? {
    parameters["keys"].map { Set($0.split(separator: ",").map(String.init)) }
  }

  private static func number(
    _ parameters: [String: String], _ parameter: APIParameter<Int>
  ) throws(ParsePlatformError) -> Int {
    guard let text = parameters[parameter.name] else { return parameter.standard }
    guard let number = Int(text), number >= 0 else {
      throw .query("bad \(parameter.name): \(text)")
    }
    return number
  }

  /// Finds what is asked for.
  ///
  /// - Parameter objects: The objects of the class, the oldest first.
  /// - Returns: The answer's JSON.
  func run(on objects: [ParsePlatformObject]) -> [UInt8] {
    let found = selection.run(on: objects)
    return JSONValue([
      "results": found.items.map { $0.json(keys: keys) },
      "count": wantsCount ? found.total : nil,
    ]).bytes()
  }
}
