/// A regular expression whose search takes time in proportion to the text, whatever the expression.
///
/// Foundation's would try all ways to match one after the other, and a client could stop the
/// server's only thread with a pattern such as `(a+)+$`. This one follows all ways at once
/// (Thompson, 1968), which rules out references to groups and looking around.
struct ParsePattern {
  /// One thing that the program does.
  enum Instruction: Equatable {
    case character(CharacterSet)
    case split(Int, Int)
    case jump(Int)
    case assert(Position)
    case match
  }

  /// A place between two characters.
  enum Position: Equatable {
    case textStart, textEnd, lineStart, lineEnd, wordBoundary, noWordBoundary
  }

  /// A set of characters.
  struct CharacterSet: Equatable {
    var ranges: [ClosedRange<UInt32>] = []
    var isInverted = false
    var ignoresCase = false

    func contains(_ scalar: Unicode.Scalar) -> Bool {
      var found = has(scalar.value)
      if !found, ignoresCase {
        let properties = scalar.properties
        found = [properties.lowercaseMapping, properties.uppercaseMapping].contains { mapping in
          let scalars = mapping.unicodeScalars
          return scalars.count == 1 && scalars.first.map { has($0.value) } == true
        }
      }
      return found != isInverted
    }

    private func has(_ value: UInt32) -> Bool {
      ranges.contains { $0.contains(value) }
    }
  }

  private let program: [Instruction]

  /// Prepares a search.
  ///
  /// - Parameters:
  ///   - pattern: The expression.
  ///   - options: Any of `i`, `m`, `s`, `x`.
  /// - Throws: What is wrong with the expression.
  init(_ pattern: String, options: String = "") throws(ParseError) {
    program = try PatternCompiler.compile(pattern, options: options)
  }

  /// Whether the expression matches somewhere in a text.
  func matches(_ text: String, budget: ParseBudget) throws(ParseError) -> Bool {
    let scalars = Array(text.unicodeScalars)
    var current = ThreadList(count: program.count)
    var following = ThreadList(count: program.count)
    for index in 0...scalars.count {
      if try add(0, to: &current, at: index, in: scalars, budget) { return true }
      guard index < scalars.count else { return false }
      try budget.spend(current.threads.count)
      for thread in current.threads {
        if case .character(let set) = program[thread], set.contains(scalars[index]),
          try add(thread + 1, to: &following, at: index + 1, in: scalars, budget)
        {
          return true
        }
      }
      swap(&current, &following)
      following.removeAll()
    }
    return false
  }

  /// Adds a thread with all that it leads to without a character.
  ///
  /// - Returns: Whether one of them is a match.
  private func add(
    _ start: Int, to list: inout ThreadList, at index: Int, in text: [Unicode.Scalar],
    _ budget: ParseBudget
  ) throws(ParseError) -> Bool {
    var pending = [start]
    while let thread = pending.popLast() {
      guard list.insert(thread) else { continue }
      try budget.spend()
      switch program[thread] {
      case .match: return true
      case .jump(let target): pending.append(target)
      case .split(let first, let second):
        pending.append(second)
        pending.append(first)
      case .assert(let position):
        if Self.holds(position, at: index, in: text) { pending.append(thread + 1) }
      case .character: list.keep(thread)
      }
    }
    return false
  }

  private static func holds(_ position: Position, at index: Int, in text: [Unicode.Scalar]) -> Bool
  {
    let before = index > 0 ? text[index - 1] : nil
    let after = index < text.count ? text[index] : nil
    switch position {
    case .textStart: return before == nil
    case .textEnd: return after == nil || (after == "\n" && index == text.count - 1)
    case .lineStart: return before == nil || before == "\n"
    case .lineEnd: return after == nil || after == "\n"
    case .wordBoundary: return isWord(before) != isWord(after)
    case .noWordBoundary: return isWord(before) == isWord(after)
    }
  }

  private static func isWord(_ scalar: Unicode.Scalar?) -> Bool {
    scalar.map { $0 == "_" || $0.properties.isAlphabetic || $0.properties.numericType != nil }
      ?? false
  }

  /// The threads of the program that are alive at one place in the text.
  private struct ThreadList {
    private(set) var threads: [Int] = []
    private var seen: [Bool]
    private var marked: [Int] = []

    init(count: Int) {
      seen = Array(repeating: false, count: count)
    }

    /// Marks a thread, unless it is marked.
    mutating func insert(_ thread: Int) -> Bool {
      guard !seen[thread] else { return false }
      seen[thread] = true
      marked.append(thread)
      return true
    }

    mutating func keep(_ thread: Int) { threads.append(thread) }

    mutating func removeAll() {
      for thread in marked { seen[thread] = false }
      marked.removeAll(keepingCapacity: true)
      threads.removeAll(keepingCapacity: true)
    }
  }
}
