/// Says which requests a fault applies to: a path, with `*` for any characters, and maybe a method.
///
/// `/2.3/questions` is that path alone, with or without a slash at its end; `/2.3/*` is everything
/// under it; `POST /1/classes/*` is what writes to any class.
///
/// ```swift
/// let pattern = try RoutePattern("/search.json")
/// ```
public struct RoutePattern: Sendable, Hashable, CustomStringConvertible {
  /// The pattern of every request.
  public static let everything: RoutePattern = RoutePattern(method: nil, path: "*")

  private let method: String?
  private let path: String

  private init(method: String?, path: String) {
    self.method = method
    self.path = path
  }

  /// Reads a pattern.
  ///
  /// - Parameter text: A path that begins with `/` or `*`, after a method and a space if only
  ///   requests with that method are meant.
  /// - Throws: `bad-route`.
  public init(_ text: String) throws(PracticeServerError) {
    var parts = text.split(separator: " ")
    let first = parts.first ?? ""
    let isMethod = first.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    var method: String?
    if parts.count == 2, isMethod { method = String(parts.removeFirst()) }
    guard parts.count == 1, let path = parts.first, path.hasPrefix("/") || path.hasPrefix("*"),
      text.utf8.count <= 1_000
    else { throw .badRoute(text) }
    self.init(method: method, path: path == "/*" ? "*" : Self.withoutLastSlash(String(path)))
  }

  /// The pattern as it is written.
  public var description: String { method.map { "\($0) \(path)" } ?? path }

  /// Whether a request is meant, by its method and its path, decoded and without a query.
  func matches(method: String, path: String) -> Bool {
    if let wanted = self.method, wanted != method { return false }
    if self.path == "*" { return true }
    return Self.matches(Array(self.path.utf8), Array(Self.withoutLastSlash(path).utf8))
  }

  private static func withoutLastSlash(_ path: String) -> String {
    path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  /// Compares with a pattern, in time that is at worst the product of the lengths.
  private static func matches(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
    var (position, index) = (0, 0)
    // Where to go on when a star has to take one character more.
    var retry: (position: Int, index: Int)?
    while index < text.count {
      if position < pattern.count, pattern[position] == UInt8(ascii: "*") {
        retry = (position, index)
        position += 1
      } else if position < pattern.count, pattern[position] == text[index] {
        position += 1
        index += 1
      } else if let last = retry {
        retry = (last.position, last.index + 1)
        position = last.position + 1
        index = last.index + 1
      } else {
        return false
      }
    }
    return pattern[position...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}

extension PracticeServerError {
  static func badRoute(_ text: String) -> PracticeServerError {
    PracticeServerError(
      code: "bad-route",
      message:
        "'\(text)' is not a route; expected a path such as /2.3/questions, with * for anything")
  }
}
