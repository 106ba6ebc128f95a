/// The words that mean something in an expression, as `and` does.
public enum ExpressionWord: String, Sendable, Hashable, CaseIterable {
  /// Both hold.
  case and
  /// One holds.
  case or
  /// It does not hold.
  case not
  /// Part of a list or a text.
  case `in`
  /// Fits a pattern.
  case matches
  /// An earlier time.
  case before
  /// A later time.
  case after
  /// How many things there are.
  case count
  /// A default for null.
  case coalesce = "??"

  /// How it is written.
  public var usage: String {
    switch self {
    case .and, .or: "E \(rawValue) E"
    case .not: "not E"
    case .in: "VALUE in LIST | TEXT"
    case .matches: "TEXT matches PATTERN"
    case .before, .after: "TIME \(rawValue) TIME"
    case .count: "count of ops | queues | PATTERN | LIST [where E]"
    case .coalesce: "A ?? B"
    }
  }

  /// What it gives, in one line.
  public var summary: String {
    switch self {
    case .and: "Whether both hold"
    case .or: "Whether one of them holds"
    case .not: "Whether it does not hold"
    case .in: "Whether the list contains the value, or a text contains the other one"
    case .matches: "Whether the text matches a pattern with * and ?"
    case .before: "Whether the first time comes before the second; not if one has not come yet"
    case .after: "Whether the first time comes after the second; not if one has not come yet"
    case .count: "The number of items, or of those that meet a condition; a bare word is a property"
    case .coalesce: "A, or B if A is null or absent; a bare name before ?? is a variable"
    }
  }

  /// A script that shows it.
  public var example: String {
    switch self {
    case .and: "echo (1 < 2 and 2 < 3)"
    case .or: "echo (1 > 2 or 2 < 3)"
    case .not: "echo (not (1 > 2))"
    case .in: "echo (2 in list(1, 2)) (\"a\" in \"abc\")"
    case .matches: "echo (\"tour.opsh\" matches \"*.opsh\")"
    case .before:
      "delay 1ms; delay 1ms --after delay-1; wait; echo (delay-1.finished before delay-2.started)"
    case .after:
      "delay 1ms; wait; delay 1ms; wait; echo (delay-2.started after delay-1.finished)"
    case .coalesce: "echo ($env.NOBODY_SETS_THIS ?? \"a default\") \"${env.HOME ?? \"no home\"}\""
    case .count: "delay 1ms --count 3; wait; echo (count of ops where state == finished)"
    }
  }
}
