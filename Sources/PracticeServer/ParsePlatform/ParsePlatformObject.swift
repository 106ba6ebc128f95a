import OpshJSON

/// An object that is kept for clients of the Parse API.
struct ParsePlatformObject: Equatable {
  let identifier: String
  /// Milliseconds since 1970.
  let createdAt: Int
  var updatedAt: Int
  /// The fields that clients write.
  var fields: [JSONValue.Member]

  /// A field by its name, or by names with dots between them for what is inside of it.
  func value(at path: [Substring]) -> JSONValue? {
    guard let first = path.first else { return nil }
    var value: JSONValue?
    switch first {
    case "objectId": value = .string(identifier)
    case "createdAt": value = ParsePlatformValue.date(createdAt)
    case "updatedAt": value = ParsePlatformValue.date(updatedAt)
    default: value = fields[String(first)]
    }
    for name in path.dropFirst() { value = value?[String(name)] }
    return value
  }

  /// The object as it is sent.
  ///
  /// - Parameter keys: The fields to send beside the identifier and the times; nil for all.
  /// - Returns: The JSON object.
  func json(keys: Set<String>? = nil) -> JSONValue {
    var json = [JSONValue.Member(name: "objectId", value: identifier.json)]
    json += fields.filter { keys?.contains($0.name) ?? true }
    json["createdAt"] = ISODate.text(createdAt).json
    json["updatedAt"] = ISODate.text(updatedAt).json
    return .object(json)
  }
}
