/// `count of THINGS where E`: how many of the things there are, or fit.
public final class CountClause: Sendable {
  /// What is counted: a bare word or a pattern, which the host knows, or a list.
  public let things: Expression
  /// What they must fit; bare words in it are their properties.
  public let condition: Expression?

  init(things: Expression, condition: Expression?) {
    self.things = things
    self.condition = condition
  }
}
