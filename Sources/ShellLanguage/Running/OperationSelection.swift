/// The operations that a word of `for` stands for.
public enum OperationSelection: Sendable {
  /// What messages and checks call one of what is selected.
  static let namespace = "operation"

  /// `all`: every one, perhaps none.
  case all
  /// Those that words of the host select in one of its collections; all of it without words.
  case collection(String, words: [String])
  /// Those whose names match a pattern; the text is the pattern as messages show it.
  case matching(GlobPattern, written: String)
}

extension Word {
  /// One end of a range.
  enum RangeEnd {
    case literal(Int64)
    case expression(Expression)
  }

  /// The ends of the range that the word is in a `for`: `1..5`, `1..$n`, `$first..$last`.
  ///
  /// Only what is written counts: a text with two dots in a variable is not a range.
  var rangeEnds: (lower: RangeEnd, upper: RangeEnd)? {
    let halves = rangeHalves
    guard halves.count == 2, let lower = Self.end(halves[0]), let upper = Self.end(halves[1])
    else { return nil }
    return (lower, upper)
  }

  /// Describes why the word is not the range that it was meant as; nil for a range, and for a text.
  ///
  /// It was meant as one if an integer or a variable is on one side of its dots, as in `1...3`.
  var rangeFault: (found: String, help: String)? {
    let halves = rangeHalves
    guard halves.count > 1, rangeEnds == nil, halves.contains(where: { Self.end($0) != nil })
    else { return nil }
    let other = halves.first { Self.end($0) == nil } ?? halves[2]
    let help =
      if halves.count > 2 || other.text.contains("..") {
        "a range counts in steps of 1 and has two ends: 1..10"
      } else if other.text.hasPrefix(".") {
        "a range has two dots: 1..3"
      } else if other.text.hasPrefix("<") {
        "a range includes both ends: 0..2 counts 0, 1 and 2"
      } else if !other.expressions.isEmpty {
        "a range that is computed is an expression: (1..$n - 1)"
      } else {
        "a range is written 1..5; quote a text that has '..' in it"
      }
    if !other.expressions.isEmpty { return ("a variable with '\(other.text)'", help) }
    return (other.text.isEmpty ? "nothing" : "'\(other.text)'", help)
  }

  private typealias RangeHalf = (text: String, expressions: [Expression])

  /// What is on both sides of two dots; one element for a word that cannot be a range.
  private var rangeHalves: [RangeHalf] {
    var halves: [RangeHalf] = [("", [])]
    // Nearly all words are one piece without dots.
    if let constant, !constant.utf8.contains(.dot) { return halves }
    for segment in segments {
      guard !segment.isQuoted else { return [("", [])] }
      switch segment.content {
      case .expression(let expression): halves[halves.count - 1].expressions.append(expression)
      case .text(let text):
        let parts = text.split(separator: "..", maxSplits: 1, omittingEmptySubsequences: false)
        halves[halves.count - 1].text += parts[0]
        if parts.count == 2 { halves.append((String(parts[1]), [])) }
      }
    }
    return halves
  }

  private static func end(_ half: RangeHalf) -> RangeEnd? {
    if half.expressions.isEmpty {
      guard half.text.utf8.first != UInt8(ascii: "+") else { return nil }
      return Int64(half.text).map { .literal($0) }
    }
    guard half.expressions.count == 1, half.text.isEmpty else { return nil }
    return .expression(half.expressions[0])
  }

  /// Whether the word stands for operations in a `for`: `all`, or a pattern with a `*` in it that is
  /// written out and not quoted.
  var selectsOperations: Bool {
    if let bareText { return bareText == "all" || bareText.utf8.contains(UInt8(ascii: "*")) }
    guard constant == nil else { return false }
    var hasStar = false
    for segment in segments {
      if segment.isQuoted { return false }
      if case .text(let text) = segment.content, text.contains("*") { hasStar = true }
    }
    return hasStar
  }
}

extension Argument {
  /// Whether it stands for operations in a `for`.
  var selectsOperations: Bool {
    if case .word(let word) = self { word.selectsOperations } else { false }
  }
}
