/// Bounds how much work one request may cause on the server's only thread.
final class ParseBudget {
  private var left: Int

  init(steps: Int = 2_000_000) {
    left = steps
  }

  /// Takes note of some work.
  ///
  /// - Parameter steps: How much.
  /// - Throws: That the request takes too long.
  func spend(_ steps: Int = 1) throws(ParseError) {
    left -= steps
    if left < 0 { throw .tooMuchWork }
  }
}

@available(*, unavailable)
extension ParseBudget: Sendable {}
