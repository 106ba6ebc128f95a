/// A place in the REST API of Parse.
struct ParsePlatformRoute: Equatable {
  /// Where the API begins, such as `/parse/1`.
  let base: String
  /// The class, or nil for a path that leads nowhere.
  let className: String?
  let objectIdentifier: String?

  /// Finds the place that a path leads to; nil for a path outside the API.
  init?(_ segments: [String]) {
    let length: Int
    switch segments.prefix(2) {
    case ["parse", "1"]: length = 2
    case let start where start.first == "parse" || start.first == "1": length = 1
    default: return nil
    }
    base = "/" + segments[..<length].joined(separator: "/")
    let rest = segments.dropFirst(length)
    guard rest.first == "classes", (2...3).contains(rest.count) else {
      (className, objectIdentifier) = (nil, nil)
      return
    }
    className = rest[length + 1]
    objectIdentifier = rest.count == 3 ? rest[length + 2] : nil
  }

  /// The place as documentation writes it.
  var pattern: String {
    if className == nil { return "unknown method" }
    return objectIdentifier == nil ? "classes/{class}" : "classes/{class}/{id}"
  }
}
