/// An object that is kept for clients of the Parse API.
struct ParseObject: Equatable {
  let identifier: String
  /// Milliseconds since 1970.
  let createdAt: Int
  var updatedAt: Int
  /// The fields that clients write.
  var fields: JSONObject
  /// The members of its relations: for the name of each an array of pointers, the oldest first.
  ///
  /// Clients see of a relation only where it leads, and ask for its members in a query.
  var relations = JSONObject()

  /// A field by its name, or by names with dots between them for what is inside of it.
  func value(at path: [Substring]) -> JSONValue? {
    guard let first = path.first else { return nil }
    var value: JSONValue?
    switch first {
    case "objectId": value = .string(identifier)
    case "createdAt": value = ParseValue.date(createdAt)
    case "updatedAt": value = ParseValue.date(updatedAt)
    default: value = fields[String(first)] ?? relations[String(first)]
    }
    for name in path.dropFirst() { value = value?.object?[String(name)] }
    return value
  }

  /// The object as it is sent.
  ///
  /// - Parameter isWanted: Whether a field is to be sent; what tells objects apart always is.
  /// - Returns: Its keys and values.
  func json(where isWanted: (String) -> Bool = { _ in true }) -> JSONObject {
    var json = JSONObject([("objectId", .string(identifier))])
    for (key, value) in fields where isWanted(key) { json[key] = value }
    json["createdAt"] = .string(ParseDate.text(createdAt))
    json["updatedAt"] = .string(ParseDate.text(updatedAt))
    return json
  }
}

/// Values that are more than JSON has: each is an object with a `__type`.
enum ParseValue {
  static func date(_ milliseconds: Int) -> JSONValue {
    .object(
      JSONObject([
        ("__type", .string("Date")), ("iso", .string(ParseDate.text(milliseconds))),
      ]))
  }

  static func pointer(_ className: String, _ identifier: String) -> JSONValue {
    .object(
      JSONObject([
        ("__type", .string("Pointer")), ("className", .string(className)),
        ("objectId", .string(identifier)),
      ]))
  }

  /// What is sent in place of a relation's members.
  static func relation(to className: String) -> JSONValue {
    .object(
      JSONObject([("__type", .string("Relation")), ("className", .string(className))]))
  }

  /// The class and the identifier that a pointer leads to.
  static func target(_ value: JSONValue) -> (className: String, identifier: String)? {
    guard let object = value.object, object["__type"] == .string("Pointer"),
      let className = object["className"]?.string, let identifier = object["objectId"]?.string
    else { return nil }
    return (className, identifier)
  }

  /// A date in milliseconds since 1970, if the value is one.
  static func milliseconds(_ value: JSONValue) -> Int? {
    guard let object = value.object, object["__type"] == .string("Date") else { return nil }
    return object["iso"]?.string.flatMap(ParseDate.milliseconds)
  }

  /// The name of a value's type, as schemas call it; nil for null, which has none.
  ///
  /// - Throws: What is wrong with a value that claims to have a type.
  static func typeName(_ value: JSONValue) throws(ParseError) -> String? {
    switch value {
    case .null: return nil
    case .boolean: return "Boolean"
    case .integer, .fraction: return "Number"
    case .string: return "String"
    case .array: return "Array"
    case .object(let object):
      guard let type = object["__type"] else { return "Object" }
      switch type.string {
      case "Date":
        guard milliseconds(value) != nil else { throw ParseError(107, "invalid date") }
        return "Date"
      case "Pointer":
        guard let target = target(value) else { throw ParseError(106, "malformed pointer") }
        return "Pointer<\(target.className)>"
      case "GeoPoint":
        guard let latitude = object["latitude"]?.number,
          let longitude = object["longitude"]?.number, abs(latitude) <= 90, abs(longitude) <= 180
        else { throw ParseError(107, "invalid GeoPoint") }
        return "GeoPoint"
      case "File" where object["name"]?.string != nil: return "File"
      case "Bytes" where object["base64"]?.string != nil: return "Bytes"
      case "Polygon" where object["coordinates"]?.array != nil: return "Polygon"
      case "Relation":
        guard let target = object["className"]?.string else {
          throw ParseError(111, "This is not a valid Relation")
        }
        return relationType(to: target)
      default: throw ParseError(111, "This is not a valid \(type.string ?? "type")")
      }
    }
  }

  private static let relationStart = "Relation<"

  /// The name of the type of a relation.
  static func relationType(to className: String) -> String { "\(relationStart)\(className)>" }

  /// The class to which a relation leads, if that is the name of a relation's type.
  static func relationTarget(_ type: String) -> String? {
    type.hasPrefix(relationStart)
      ? String(type.dropFirst(relationStart.count).dropLast()) : nil
  }

  /// Refuses names inside of a value that could be taken for operators or paths.
  static func checkNestedKeys(_ value: JSONValue) throws(ParseError) {
    switch value {
    case .array(let items): for item in items { try checkNestedKeys(item) }
    case .object(let object):
      for (key, value) in object {
        if key.contains("$") || key.contains(".") {
          throw ParseError(121, "Nested keys should not contain the '$' or '.' characters")
        }
        try checkNestedKeys(value)
      }
    default: break
    }
  }
}
