import OpshJSON

/// Finds keys that an object has more than once, of which most parsers silently keep one.
public enum RepeatedKeys: Sendable {
  /// Returns the keys that an object of a text has more than once, at any depth.
  ///
  /// A `value` has what a server sent, and is left out.
  ///
  /// - Parameter text: A JSON text.
  /// - Returns: The keys.
  /// - Throws: What is wrong with the text.
  public static func of(_ text: String) throws -> [String] {
    of(try JSONValue(parsing: Array(text.utf8)))
  }

  private static func of(_ value: JSONValue) -> [String] {
    switch value {
    case .array(let elements): return elements.flatMap(of)
    case .object(let members):
      let counts = Dictionary(members.map { ($0.name, 1) }, uniquingKeysWith: +)
      let own = members.filter { $0.name != "value" }
      return counts.filter { $0.value > 1 }.keys + own.flatMap { of($0.value) }
    default: return []
    }
  }
}
