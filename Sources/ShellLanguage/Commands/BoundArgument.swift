/// What one argument of a call came to.
public struct BoundArgument: Sendable {
  /// The kinds of content.
  public enum Content: Sendable {
    /// A value of the kind that the signature asks for.
    case value(Value)
    /// Statements, not yet run.
    case block(Block)
    /// An expression, not yet evaluated.
    case expression(Expression)
    /// Something that only running shows, or that is refused.
    case unknown
  }

  /// The content.
  public let content: Content
  /// Where it stands in the source of the call.
  public let range: SourceRange
  /// How it is written.
  public let text: String

  /// Creates an argument.
  public init(_ content: Content, range: SourceRange, text: String) {
    self.content = content
    self.range = range
    self.text = text
  }

  /// The value, if it is known, and neither a block nor an expression.
  public var value: Value? {
    if case .value(let value) = content { return value }
    return nil
  }

  /// Whether only running shows what it is.
  var isUnknown: Bool {
    if case .unknown = content { return true }
    return false
  }
}
