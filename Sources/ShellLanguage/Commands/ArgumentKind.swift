/// What an argument of a command must be.
public indirect enum ArgumentKind: Sendable, Hashable {
  /// Any text.
  case string
  /// A whole number within bounds.
  case integer(minimum: Int64? = nil, maximum: Int64? = nil)
  /// A number.
  case real
  /// `true`, `false`, `on` or `off`.
  case boolean
  /// A length of time; a bare number counts as seconds.
  case duration
  /// A number of bytes; a bare number counts as bytes.
  case size
  /// A share between 0% and 100%; a bare number counts as one.
  case percent
  /// One of several words.
  case choice([String])
  /// One of many words, too many to list: help and messages say what they name instead.
  case word(of: String, [String])
  /// The name of something, such as an `operation` or a `queue`; says what to complete.
  case name(String)
  /// A name for something new: a letter, then letters, digits, `-` and `_`; not one of those that
  /// mean something else.
  case newName(reserved: [String])
  /// A path.
  case file
  /// An address that begins with `http://` or `https://` and has a host, or a path that begins
  /// with one slash: the host of the language knows the service.
  case url
  /// An expression that the command evaluates itself.
  case expression
  /// An expression in which bare words are properties of something, such as an `operation`.
  case condition(of: String)
  /// Statements in braces.
  case block
  /// The rest of the line as a command of its own, or a block.
  case command
  /// A value of any kind.
  case any
  /// The first of several kinds that fits.
  case oneOf([ArgumentKind])

  /// How messages and help name it.
  public var description: String {
    switch self {
    case .string: "a text"
    case .integer(let minimum?, let maximum?): "an integer from \(minimum) to \(maximum)"
    case .integer(let minimum?, nil): "an integer of at least \(minimum)"
    case .integer(nil, let maximum?): "an integer of at most \(maximum)"
    case .integer: "an integer"
    case .real: "a number"
    case .boolean: "on or off"
    case .duration: "a duration such as 200ms, 2s or 1m"
    case .size: "a size such as 10B, 64kB or 1MB"
    case .percent: "a percentage such as 20%"
    case .choice(let words): Self.list(words)
    case .word(let noun, _): "the name of \(Self.withArticle(noun))"
    case .name(let namespace): "the name of \(Self.withArticle(namespace))"
    case .newName(let reserved):
      "a name that begins with a letter and holds letters, digits, '-' and '_'"
        + (reserved.isEmpty ? "" : ", and is not reserved")
    case .file: "a path"
    case .url: "an address such as http://example.org/path"
    case .expression, .condition: "an expression in parentheses"
    case .block: "a block in braces"
    case .command: "a command"
    case .any: "a value"
    case .oneOf(let kinds): Self.list(kinds.map(\.description))
    }
  }

  /// How usage lines show a value of it.
  public var placeholder: String {
    switch self {
    case .string: "TEXT"
    case .integer, .real: "N"
    case .boolean: "on|off"
    case .duration: "DURATION"
    case .size: "SIZE"
    case .percent: "PERCENT"
    case .choice(let words):
      words.joined(separator: "|").count <= 24 ? words.joined(separator: "|") : "WORD"
    case .word(let noun, _): noun.uppercased()
    case .name(let namespace): namespace.uppercased()
    case .newName: "NAME"
    case .file: "FILE"
    case .url: "URL"
    case .expression, .condition: "(EXPRESSION)"
    case .block: "{ … }"
    case .command: "COMMAND"
    case .any: "VALUE"
    case .oneOf(let kinds):
      kinds.map(\.placeholder).reduce(into: [String]()) { words, word in
        if !words.contains(word) { words.append(word) }
      }.joined(separator: "|")
    }
  }

  /// Whether its placeholder says more than the name of an argument.
  var isShown: Bool {
    switch self {
    case .integer, .real, .boolean, .duration, .size, .percent, .newName, .file, .url: true
    case .choice: placeholder != "WORD"
    case .oneOf(let kinds):
      kinds.contains(where: \.isShown) && kinds.allSatisfy { $0.isShown || $0.namespace != nil }
    case .string, .word, .name, .expression, .condition, .block, .command, .any: false
    }
  }

  private static func withArticle(_ noun: String) -> String {
    ("aeiou".contains(noun.first ?? "x") ? "an " : "a ") + noun
  }

  private static func list(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "nothing" }
    return words.dropLast().joined(separator: ", ") + " or " + last
  }

  /// The words it offers, for completion and for suggestions.
  public var choices: [String] {
    switch self {
    case .choice(let words): words
    case .boolean: ["on", "off"]
    case .oneOf(let kinds): kinds.flatMap(\.choices)
    default: []
    }
  }

  /// The words that it offers, those among too many to list included.
  package var offeredWords: [String] {
    switch self {
    case .word(_, let words): words
    case .oneOf(let kinds): kinds.flatMap(\.offeredWords)
    default: choices
    }
  }

  /// Whether it is an expression that the command evaluates itself.
  var isExpression: Bool {
    switch self {
    case .expression, .condition: true
    default: false
    }
  }

  /// What it names, such as an `operation`; nil if it is not the name of something that exists.
  var namespace: String? {
    switch self {
    case .name(let namespace): namespace
    case .oneOf(let kinds): kinds.lazy.compactMap(\.namespace).first
    default: nil
    }
  }

  /// Whether a word is one of those that it names.
  func offers(_ word: String) -> Bool {
    offeredWords.contains(word)
  }
}
