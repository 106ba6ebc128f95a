import Foundation

/// The pattern of `format`: text with places for values.
///
/// A place is `{}` for the next value, `{2}` for the second one, and may say how the value is laid
/// out after a colon: `<`, `>` or `^` for left, right or centred, a width that may begin with 0,
/// and a point with the number of decimals, as in `{:>8.2}`. `{{` and `}}` are braces.
struct TextPattern {
  private enum Piece {
    case text(String)
    case place(number: Int?, Layout)
  }

  private struct Layout {
    enum Side { case left, right, middle }

    var side: Side?
    var width = 0
    var isZeroFilled = false
    var decimals: Int?
  }

  private static let greatestWidth = 10_000
  private static let greatestDecimals = 100
  private let pieces: [Piece]

  init(_ pattern: String) throws(UnplacedError) {
    var pieces: [Piece] = []
    var text = ""
    var rest = Substring(pattern)
    while let character = rest.popFirst() {
      if character == "{" || character == "}", rest.first == character {
        rest.removeFirst()
        text.append(character)
      } else if character == "{" {
        guard let end = rest.firstIndex(of: "}") else { throw .badPattern("a '{' is not closed") }
        if !text.isEmpty { pieces.append(.text(text)) }
        text = ""
        pieces.append(try Self.place(rest[..<end]))
        rest = rest[rest.index(after: end)...]
      } else if character == "}" {
        throw .badPattern("a '}' closes nothing")
      } else {
        text.append(character)
      }
    }
    if !text.isEmpty { pieces.append(.text(text)) }
    self.pieces = pieces
  }

  private static func place(_ content: Substring) throws(UnplacedError) -> Piece {
    let parts = content.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    var number: Int?
    if let written = parts.first, !written.isEmpty {
      guard let value = Int(written), value >= 1 else {
        throw .badPattern("'{\(content)}' names no value")
      }
      number = value
    }
    return .place(number: number, parts.count == 2 ? try layout(parts[1], content) : Layout())
  }

  private static func layout(
    _ text: Substring, _ content: Substring
  ) throws(UnplacedError) -> Layout {
    var layout = Layout()
    var rest = text
    switch rest.first {
    case "<": layout.side = .left
    case ">": layout.side = .right
    case "^": layout.side = .middle
    default: break
    }
    if layout.side != nil { rest.removeFirst() }
    let width = rest.prefix { $0 != "." }
    rest = rest.dropFirst(width.count)
    layout.isZeroFilled = width.first == "0" && width.count > 1
    if !width.isEmpty {
      guard let number = Int(width), (0...greatestWidth).contains(number) else {
        throw .badPattern("expected a width from 0 to \(greatestWidth) in '{\(content)}'")
      }
      layout.width = number
    }
    if rest.first == "." {
      guard let number = Int(rest.dropFirst()), (0...greatestDecimals).contains(number) else {
        throw .badPattern("expected 0 to \(greatestDecimals) decimals after '.' in '{\(content)}'")
      }
      layout.decimals = number
    }
    return layout
  }

  /// Checks that there is a value for each place, and a place for each value.
  func check(count: Int) throws(UnplacedError) {
    var used: Set<Int> = []
    var next = 0
    for case .place(let number, _) in pieces {
      let index = number.map { $0 - 1 } ?? next
      if number == nil { next += 1 }
      guard index < count else {
        let given = count == 1 ? "1 value is given" : "\(count) values are given"
        throw .badPattern("there is no value \(index + 1) for it: \(given)")
      }
      used.insert(index)
    }
    // A value that goes nowhere is most likely a place forgotten.
    if let unused = (0..<count).first(where: { !used.contains($0) }) {
      throw .badPattern("value \(unused + 1) has no place in it")
    }
  }

  func filled(with values: ArraySlice<Value>) throws(UnplacedError) -> String {
    try check(count: values.count)
    let values = Array(values)
    var next = 0
    var result = ""
    for piece in pieces {
      switch piece {
      case .text(let text): result += text
      case .place(let number, let layout):
        let index = number.map { $0 - 1 } ?? next
        if number == nil { next += 1 }
        if values[index].hasNull { throw .nullInPattern(index + 1, values[index]) }
        result += try Self.text(of: values[index], layout)
      }
      if result.utf8.count > Evaluator.maximumTextLength { throw .tooLarge }
    }
    return result
  }

  private static func text(of value: Value, _ number: Double, decimals: Int) -> String {
    // A whole number need not fit into a real one.
    guard case .integer = value else { return String(format: "%.\(decimals)f", number) }
    return decimals == 0 ? value.text : value.text + "." + String(repeating: "0", count: decimals)
  }

  private static func text(of value: Value, _ layout: Layout) throws(UnplacedError) -> String {
    var text = value.text
    var number: Double?
    switch value.unspelled {
    case .integer(let whole): number = Double(whole)
    case .real(let real), .percent(let real): number = real
    default: break
    }
    if let decimals = layout.decimals {
      guard let number else {
        throw .badPattern("decimals are for numbers, found \(value.describedType)")
      }
      text = Self.text(of: value.unspelled, number, decimals: decimals)
      if case .percent = value { text += "%" }
    }
    let missing = layout.width - text.count
    guard missing > 0 else { return text }
    let isNegative = text.hasPrefix("-")
    if layout.isZeroFilled, number != nil, layout.side == nil {
      return (isNegative ? "-" : "") + String(repeating: "0", count: missing)
        + text.dropFirst(isNegative ? 1 : 0)
    }
    switch layout.side ?? (number == nil ? .left : .right) {
    case .left: return text + String(repeating: " ", count: missing)
    case .right: return String(repeating: " ", count: missing) + text
    case .middle:
      return String(repeating: " ", count: missing / 2) + text
        + String(repeating: " ", count: missing - missing / 2)
    }
  }
}

extension UnplacedError {
  /// What to do where a value that may be null becomes a text.
  static let helpForNull = "give it a default: ($value ?? \"none\")"

  static func nullInPattern(_ number: Int, _ value: Value) -> UnplacedError {
    let what = if case .list = value { "holds null" } else { "is null" }
    return UnplacedError(
      .noValue, "value \(number) \(what) and cannot be part of a text", help: helpForNull)
  }

  static func nullArgument(_ function: String, _ value: Value) -> UnplacedError {
    let what = if case .list = value { "a list that holds null" } else { "null" }
    return UnplacedError(.noValue, "'\(function)' needs a text, found \(what)", help: helpForNull)
  }

  static func badPattern(_ why: String) -> UnplacedError {
    UnplacedError(
      .badPattern, "the pattern cannot be filled: \(why)",
      help: "{} stands for the next value, {2} for the second, {:>8.2} sets width and decimals; "
        + "{{ is a brace")
  }
}

extension ErrorPage {
  static let badPattern = ErrorPage(
    "bad-pattern", "The pattern of 'format' cannot be filled",
    """
    {} stands for the next value and {2} for the second one; {:>8.2} is eight columns wide, \
    to the right, with two decimals. Each value needs a place, and each place a value. {{ and \
    }} are braces.
    """,
    wrong: "echo (format(\"{} of {}\", 1))", right: "echo (format(\"{} of {}\", 1, 2))")
}
