/// The functions that an expression can call: `length($name)`.
public enum BuiltinFunction: Sendable {
  /// What a function is called and how it is used.
  public struct Description: Sendable {
    /// The name.
    public let name: String
    /// How it is written.
    public let usage: String
    /// What it gives.
    public let summary: String
    /// A script that shows it.
    public var example: String { BuiltinFunction.examples[name] ?? "" }
    let arity: ClosedRange<Int>
    let body: @Sendable ([Value]) throws(UnplacedError) -> Value
  }

  /// All functions, by name.
  public static var all: [Description] { table.values.sorted { $0.name < $1.name } }

  private static let examples: [String: String] = [
    "upper": "echo (upper(\"abc\"))", "lower": "echo (lower(\"ABC\"))",
    "trim": "echo (trim(\"  abc \"))", "replace": "echo (replace(\"a-b-c\", \"-\", \"+\"))",
    "starts-with": "echo (starts-with(\"tour.opsh\", \"tour\"))",
    "ends-with": "echo (ends-with(\"tour.opsh\", \".opsh\"))",
    "format": "echo (format(\"{} of {:>6.2}\", 1, 2.5))", "length": "echo (length(\"abc\"))",
    "contains": "echo (contains(list(1, 2), 2))",
    "split": "for part in (split(\"a,b\", \",\")) { echo $part }",
    "join": "echo (join(list(1, 2), \" and \"))", "list": "echo (length(list(1, 2, 3)))",
    "number": "echo (number(\"5\") + 1)", "text": "echo (text(5) + \"!\")",
  ]

  /// Returns the function of a name.
  public static func function(named name: String) -> Description? { table[name] }

  /// What to do where a call of a function stands outside of an expression; nil for other names.
  static func helpForCall(of name: String) -> String? {
    table[name].map { "'\(name)' is a function, which is called in an expression: (\($0.usage))" }
  }

  static func description(of name: String) -> Description? { table[name] }

  static func call(_ name: String, _ values: [Value]) throws(UnplacedError) -> Value {
    guard let function = table[name] else {
      throw UnplacedError(.unknownFunction, "there is no function '\(name)'")
    }
    guard function.arity.contains(values.count) else {
      throw UnplacedError(.wrongArity, arityMessage(function, values.count))
    }
    return try function.body(values)
  }

  static func arityMessage(_ function: Description, _ count: Int) -> String {
    let wanted =
      function.arity.lowerBound == function.arity.upperBound
      ? "\(function.arity.lowerBound)"
      : function.arity.upperBound == Int.max
        ? "at least \(function.arity.lowerBound)"
        : "\(function.arity.lowerBound) to \(function.arity.upperBound)"
    return "'\(function.name)' takes \(wanted) argument\(wanted == "1" ? "" : "s"), found \(count)"
  }

  private static let table: [String: Description] = {
    let functions = texts + lists + numbers
    return Dictionary(uniqueKeysWithValues: functions.map { ($0.name, $0) })
  }()

  private static func function(
    _ usage: String, _ summary: String, _ arity: ClosedRange<Int>,
    _ body: @escaping @Sendable ([Value]) throws(UnplacedError) -> Value
  ) -> Description {
    let name = String(usage.prefix { $0 != "(" })
    return Description(name: name, usage: usage, summary: summary, arity: arity, body: body)
  }

  /// A function whose arguments are texts, so that none can be null.
  private static func textFunction(
    _ usage: String, _ summary: String, _ arity: ClosedRange<Int>,
    _ body: @escaping @Sendable ([String]) throws(UnplacedError) -> Value
  ) -> Description {
    let name = String(usage.prefix { $0 != "(" })
    return function(usage, summary, arity) { values throws(UnplacedError) in
      var texts: [String] = []
      for value in values { texts.append(try text(value, of: name)) }
      return try body(texts)
    }
  }

  private static func text(_ value: Value, of name: String) throws(UnplacedError) -> String {
    if value.hasNull { throw .nullArgument(name, value) }
    return value.text
  }

  private static var texts: [Description] {
    [
      textFunction("upper(TEXT)", "The text in capital letters", 1...1) {
        texts throws(UnplacedError) in
        .string(texts[0].uppercased())
      },
      textFunction("lower(TEXT)", "The text in small letters", 1...1) {
        texts throws(UnplacedError) in
        .string(texts[0].lowercased())
      },
      textFunction("trim(TEXT)", "The text without white space around it", 1...1) {
        texts throws(UnplacedError) in
        .string(trimmed(texts[0]))
      },
      textFunction("replace(TEXT, OLD, NEW)", "The text with every OLD replaced by NEW", 3...3) {
        texts throws(UnplacedError) in
        .string(try replaced(texts[0], texts[1], texts[2]))
      },
      textFunction("starts-with(TEXT, PREFIX)", "Whether the text begins so", 2...2) {
        texts throws(UnplacedError) in
        .boolean(texts[0].hasPrefix(texts[1]))
      },
      textFunction("ends-with(TEXT, SUFFIX)", "Whether the text ends so", 2...2) {
        texts throws(UnplacedError) in
        .boolean(texts[0].hasSuffix(texts[1]))
      },
      function(
        "format(PATTERN, VALUE…)", "The pattern with the values put in for {}, {2}, {:>8.2}",
        1...Int.max
      ) { values throws(UnplacedError) in
        .string(try TextPattern(text(values[0], of: "format")).filled(with: values.dropFirst()))
      },
    ]
  }

  private static var lists: [Description] {
    [
      function("length(VALUE)", "The number of characters, elements or fields", 1...1) {
        values throws(UnplacedError) in
        switch values[0] {
        case .list(let elements): return .integer(Int64(elements.count))
        case .record(let fields): return .integer(Int64(fields.count))
        case .null: return .integer(0)
        case let value: return .integer(Int64(value.text.count))
        }
      },
      function("contains(TEXT or LIST, PART)", "Whether the part is in it", 2...2) {
        values throws(UnplacedError) in
        try Evaluator.apply(.in, values[1], values[0])
      },
      textFunction("split(TEXT, SEPARATOR)", "The parts of the text between separators", 2...2) {
        texts throws(UnplacedError) in
        .list(try parts(of: texts[0], between: texts[1]).map { .string($0) })
      },
      function("join(LIST, SEPARATOR)", "The elements as one text", 2...2) {
        values throws(UnplacedError) in
        let (whole, separator) = (
          try text(values[0], of: "join"), try text(values[1], of: "join")
        )
        guard case .list(let elements) = values[0] else { return .string(whole) }
        return .string(elements.map(\.text).joined(separator: separator))
      },
      function("list(VALUE…)", "A list of these values", 0...Int.max) {
        values throws(UnplacedError) in
        _ = try ListSize(of: values)
        return .list(values)
      },
    ]
  }

  private static var numbers: [Description] {
    [
      function("number(TEXT)", "The number that the text is, or null", 1...1) {
        values throws(UnplacedError) in
        switch values[0].unspelled {
        case .integer, .real: return values[0].unspelled
        case .duration(let duration): return .real(duration / .seconds(1))
        case .size(let count): return .integer(count)
        case .percent(let share): return .real(share)
        case .boolean(let flag): return .integer(flag ? 1 : 0)
        case let value:
          switch LiteralReader.value(of: trimmed(value.text)) {
          case .integer(let number)?: return .integer(number)
          case .real(let number)?: return .real(number)
          default: return .null
          }
        }
      },
      textFunction("text(VALUE)", "The value as a text", 1...1) { texts throws(UnplacedError) in
        .string(texts[0])
      },
    ]
  }

  private static func trimmed(_ text: String) -> String {
    let tail = text.drop { $0.isWhitespace }
    guard let last = tail.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(tail[...last])
  }

  private static func parts(
    of text: String, between separator: String
  ) throws(UnplacedError) -> [String] {
    if separator.isEmpty {
      guard text.count <= ListSize.maximumCount else { throw .tooLarge }
      return text.map { String($0) }
    }
    let result = text.split(separator: separator, omittingEmptySubsequences: false)
      .map { String($0) }
    if result.count > ListSize.maximumCount { throw .tooLarge }
    return result
  }

  private static func replaced(
    _ text: String, _ old: String, _ new: String
  ) throws(UnplacedError) -> String {
    if old.isEmpty { return text }
    let pieces = try parts(of: text, between: old)
    let length = text.utf8.count + pieces.count * new.utf8.count
    if length > Evaluator.maximumTextLength { throw .tooLarge }
    return pieces.joined(separator: new)
  }
}
