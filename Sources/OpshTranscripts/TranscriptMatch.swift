/// The result of comparing a step's output with the expected output.
package enum TranscriptMatch: Equatable {
  /// It matches; this number of lines at its end belong to the next step.
  case whole(rest: [TranscriptLine])
  /// It matches so far; more output is expected.
  case beginning
  case different

  /// Compares the output with the expected output.
  ///
  /// Transitions happen on other threads: without a `…` alone on a line, only their order among
  /// each other counts, and that of the other lines among each other. Empty lines at the end are
  /// ignored: the file can't distinguish them from those before the next prompt.
  ///
  /// - Parameters:
  ///   - actual: The actual output.
  ///   - expected: The expected output.
  package init(_ actual: [TranscriptLine], _ expected: [TranscriptLine]) {
    guard !expected.contains(where: \.isAnything) else {
      self = Self.withGaps(Self.trimmed(actual), Self.trimmed(expected))
      return
    }
    self = Self.lineByLine(actual, expected)
    if case .whole = self { return }
    // A line such as '[time]  …' may be a transition or not; its context decides.
    let inTurn = Self.inTurn(Self.trimmed(actual), Self.trimmed(expected))
    if inTurn != .different { self = inTurn }
  }

  private static func inTurn(
    _ actual: [TranscriptLine], _ expected: [TranscriptLine]
  ) -> TranscriptMatch {
    guard zip(expected, actual).allSatisfy({ $0.accepts($1) }) else { return .different }
    guard actual.count >= expected.count else { return .beginning }
    let rest = Array(actual.dropFirst(expected.count))
    return rest.allSatisfy(\.isTransition) ? .whole(rest: rest) : .different
  }

  private static func trimmed(_ lines: [TranscriptLine]) -> [TranscriptLine] {
    Array(lines[..<(lines.lastIndex { !$0.isBlank }.map { $0 + 1 } ?? 0)])
  }

  private static func lineByLine(
    _ actual: [TranscriptLine], _ expected: [TranscriptLine]
  ) -> TranscriptMatch {
    let wantedTexts = trimmed(expected.filter { !$0.isTransition })
    let wantedTransitions = expected.filter(\.isTransition)
    let texts = trimmed(actual.filter { !$0.isTransition })
    let transitions = actual.filter(\.isTransition)
    guard zip(wantedTexts, texts).allSatisfy({ $0.accepts($1) }),
      zip(wantedTransitions, transitions).allSatisfy({ $0.accepts($1) }),
      texts.count <= wantedTexts.count
    else { return .different }
    guard texts.count == wantedTexts.count, transitions.count >= wantedTransitions.count else {
      return .beginning
    }
    return .whole(rest: Array(transitions.dropFirst(wantedTransitions.count)))
  }

  private static func withGaps(
    _ actual: [TranscriptLine], _ expected: [TranscriptLine]
  ) -> TranscriptMatch {
    // The number of matched expected lines, for every number of actual lines.
    var reached = [Bool](repeating: false, count: actual.count + 1)
    reached[0] = true
    for line in expected {
      var next = [Bool](repeating: false, count: actual.count + 1)
      if line.isAnything {
        let first = reached.firstIndex(of: true) ?? reached.count
        for index in first..<next.count { next[index] = true }
      } else {
        for index in actual.indices where reached[index] && line.accepts(actual[index]) {
          next[index + 1] = true
        }
      }
      reached = next
    }
    if reached[actual.count] { return .whole(rest: []) }
    // Transitions at the end may belong to the next step.
    if let end = reached.lastIndex(of: true), actual[end...].allSatisfy(\.isTransition) {
      return .whole(rest: Array(actual[end...]))
    }
    return canGoOn(actual, expected) ? .beginning : .different
  }

  /// Whether further lines could complete the match: the output matches a prefix.
  private static func canGoOn(
    _ actual: [TranscriptLine], _ expected: [TranscriptLine]
  ) -> Bool {
    var next = 0
    for line in expected {
      if line.isAnything { return true }
      if next == actual.count { return true }
      guard line.accepts(actual[next]) else { return false }
      next += 1
    }
    return false
  }
}
