/// The words that begin a statement of the language itself.
public enum Keyword: String, Sendable, Hashable, CaseIterable {
  /// Keeps a value.
  case `let`
  /// Runs a block on a condition.
  case `if`
  /// Belongs to `if`.
  case `else`
  /// Runs a block while a condition holds.
  case `while`
  /// Runs a block a number of times.
  case `repeat`
  /// Runs a block for each of several values.
  case `for`
  /// Defines a command.
  case def
  /// Leaves a `def`.
  case `return`
  /// Leaves a loop.
  case `break`
  /// Goes on with the next turn of a loop.
  case `continue`
  /// Runs a block and catches its error.
  case `try`
  /// Belongs to `try`.
  case `catch`

  /// Returns the keyword that a word is.
  public init?(_ word: String) { self.init(rawValue: word) }

  /// How it is written.
  public var usage: String {
    switch self {
    case .let: "let NAME = COMMAND… | (EXPRESSION) | VALUE | !PROGRAM…"
    case .if, .else: "if (E) { … } else if (E) { … } else { … }"
    case .while: "while (E) { … }"
    case .repeat: "repeat N { … }"
    case .for: "for NAME in WORD… { … }"
    case .def: "def NAME PARAM… { … }"
    case .return: "return [VALUE]"
    case .break: "break"
    case .continue: "continue"
    case .try, .catch: "try { … } catch NAME { … }"
    }
  }

  /// Words of other languages that it is found by.
  public var searchTerms: [String] {
    switch self {
    case .let: ["var", "const", "local", "declare"]
    case .else: ["elif", "elseif", "elsif"]
    case .while: ["until", "loop"]
    case .for: ["foreach"]
    case .def: ["function", "func", "fn", "proc"]
    case .catch: ["except", "rescue", "finally"]
    case .if: ["unless", "switch", "case"]
    case .repeat, .return, .break, .continue, .try: []
    }
  }

  /// What to write in place of a word of other languages that one of ours is found by.
  static func help(for word: String) -> String? {
    let wanted = word.lowercased()
    guard let keyword = allCases.first(where: { $0.searchTerms.contains(wanted) }) else {
      return nil
    }
    return "in opsh it is '\(keyword.rawValue)': \(keyword.usage)"
  }

  /// A script that shows it.
  public var example: String {
    switch self {
    case .let: "let n = (2 + 3); echo $n"
    case .if, .else: "let n = 5; if ($n > 3) { echo many } else { echo few }"
    case .while: "let n = 3; while ($n > 0) { echo $n; let n = ($n - 1) }"
    case .repeat: "repeat 2 { echo again }"
    case .for: "for n in 1..3 { delay 1ms }; wait; for op in ops finished { echo $op.name }"
    case .def: "def greet name word=hello { echo $word $name }; greet you"
    case .return: "def double n { return ($n * 2) }; let four = double 2; echo $four"
    case .break: "for n in 1..9 { if ($n > 2) { break }; echo $n }"
    case .continue: "for n in 1..3 { if ($n == 2) { continue }; echo $n }"
    case .try, .catch: "try { fail \"no paint\" } catch e { echo $e.message }"
    }
  }

  /// What it does, in one line.
  public var summary: String {
    switch self {
    case .let: "Keep a value under a name"
    case .if, .else: "Run a block if a condition holds"
    case .while: "Run a block as long as a condition holds"
    case .repeat: "Run a block a number of times"
    case .for: "Run a block for each word, number of a range, or operation (ops where (…))"
    case .def: "Define a command of your own"
    case .return: "Leave a def, perhaps with a value"
    case .break: "Leave the loop"
    case .continue: "Continue with the next iteration of the loop"
    case .try, .catch: "Run a block, and another one if it fails"
    }
  }
}
