/// The calls that led to an error, the innermost first: of many, the first and the last ones.
public struct Backtrace: Sendable {
  /// How many calls are kept at either end.
  static let length = 4

  /// The innermost calls.
  public private(set) var innermost: [Diagnostic.Label] = []
  /// The outermost calls, where there are more; the outermost stands last.
  public private(set) var outermost: [Diagnostic.Label] = []
  /// How many calls between those are left out.
  public private(set) var omittedCount = 0

  /// Whether there is none.
  public var isEmpty: Bool { innermost.isEmpty }

  /// Adds a call further out, in constant time.
  mutating func append(_ call: Diagnostic.Label) {
    if innermost.count < Self.length {
      innermost.append(call)
      return
    }
    outermost.append(call)
    guard outermost.count > Self.length else { return }
    outermost.removeFirst()
    omittedCount += 1
  }

  /// Replaces each call that is kept.
  mutating func map(_ transform: (Diagnostic.Label) -> Diagnostic.Label) {
    innermost = innermost.map(transform)
    outermost = outermost.map(transform)
  }
}
