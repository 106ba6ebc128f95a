/// Turns a regular expression into a program.
struct PatternCompiler {
  private indirect enum Node {
    case set(ParsePattern.CharacterSet)
    case assert(ParsePattern.Position)
    case sequence([Node])
    case choice([Node])
    case repetition(Node, least: Int, most: Int?)
  }

  private static let maximumProgram = 2_000
  private static let maximumDepth = 40
  private static let maximumPattern = 2_000

  private let pattern: [Unicode.Scalar]
  private var index = 0
  private var depth = 0
  private var ignoresCase: Bool
  private var hasLines: Bool
  private var dotTakesAll: Bool
  private var isSpaced: Bool
  private var program: [ParsePattern.Instruction] = []
  /// How many nodes were written: repeated nothing makes no program, but work.
  private var emissions = 0

  static func compile(
    _ pattern: String, options: String
  ) throws(ParseError) -> [ParsePattern.Instruction] {
    guard options.allSatisfy({ "imsxu".contains($0) }) else {
      throw .query("bad $options value for query: \(options)")
    }
    var compiler = PatternCompiler(pattern, options: options)
    guard compiler.pattern.count <= maximumPattern else { throw compiler.failure("too long") }
    let node = try compiler.choice()
    guard compiler.next == nil else { throw compiler.failure("an unmatched )") }
    try compiler.emit(node)
    try compiler.append(.match)
    return compiler.program
  }

  private init(_ pattern: String, options: String) {
    self.pattern = Array(pattern.unicodeScalars)
    ignoresCase = options.contains("i")
    hasLines = options.contains("m")
    dotTakesAll = options.contains("s")
    isSpaced = options.contains("x")
  }

  private func failure(_ why: String) -> ParseError {
    .query("bad $regex value: \(why) at \(index)")
  }

  private var next: Unicode.Scalar? { index < pattern.count ? pattern[index] : nil }

  private mutating func accept(_ text: String) -> Bool {
    guard pattern[index...].starts(with: text.unicodeScalars) else { return false }
    index += text.unicodeScalars.count
    return true
  }

  // MARK: Reading

  private mutating func choice() throws(ParseError) -> Node {
    guard depth < Self.maximumDepth else { throw failure("too deep") }
    depth += 1
    defer { depth -= 1 }
    var branches = [try sequence()]
    while accept("|") { branches.append(try sequence()) }
    return branches.count == 1 ? branches[0] : .choice(branches)
  }

  private mutating func sequence() throws(ParseError) -> Node {
    var nodes: [Node] = []
    while let scalar = next, scalar != "|", scalar != ")" {
      if accept("\\Q") {
        while next != nil, !accept("\\E") {
          nodes.append(literal(pattern[index]))
          index += 1
        }
        continue
      }
      if isSpaced, skipSpace() { continue }
      guard let atom = try atom() else { continue }
      nodes.append(try repeated(atom))
    }
    return .sequence(nodes)
  }

  private mutating func skipSpace() -> Bool {
    guard let scalar = next else { return false }
    if scalar == "#" {
      while let scalar = next, scalar != "\n" {
        _ = scalar
        index += 1
      }
      return true
    }
    guard scalar.properties.isWhitespace else { return false }
    index += 1
    return true
  }

  private mutating func atom() throws(ParseError) -> Node? {
    let scalar = pattern[index]
    index += 1
    switch scalar {
    case "(": return try group()
    case "[": return .set(try characterClass())
    case ".":
      let lines: [ClosedRange<UInt32>] = [0x0A...0x0A]
      return .set(.init(ranges: dotTakesAll ? [] : lines, isInverted: true))
    case "^": return .assert(hasLines ? .lineStart : .textStart)
    case "$": return .assert(hasLines ? .lineEnd : .textEnd)
    case "\\": return try escape()
    case "*", "+", "?": throw failure("nothing to repeat")
    default: return literal(scalar)
    }
  }

  private mutating func group() throws(ParseError) -> Node? {
    if accept("?") {
      if accept("i)") {
        ignoresCase = true
        return nil
      }
      if accept("<"), next != "=", next != "!" {
        // A name: it is of no use here, for nothing refers to it.
        while let scalar = next, scalar != ">" {
          _ = scalar
          index += 1
        }
        guard accept(">") else { throw failure("a name without an end") }
      } else if !accept(":") {
        throw failure("a group of a kind that is not supported")
      }
    }
    let node = try choice()
    guard accept(")") else { throw failure("an unmatched (") }
    return node
  }

  private mutating func repeated(_ atom: Node) throws(ParseError) -> Node {
    let bounds: (least: Int, most: Int?)
    switch next {
    case "*":
      bounds = (0, nil)
      index += 1
    case "+":
      bounds = (1, nil)
      index += 1
    case "?":
      bounds = (0, 1)
      index += 1
    case "{":
      guard let counted = counted() else { return atom }
      bounds = counted
    default: return atom
    }
    // Which match is preferred makes no difference to whether there is one.
    if next == "?" || next == "+" { index += 1 }
    if let most = bounds.most, most < bounds.least { throw failure("numbers out of order") }
    return .repetition(atom, least: bounds.least, most: bounds.most)
  }

  /// Reads `{2}`, `{2,}` or `{2,5}`; anything else after a brace is a brace.
  private mutating func counted() -> (Int, Int?)? {
    guard let end = pattern[index...].firstIndex(of: "}"), end - index <= 12 else { return nil }
    let text = String(String.UnicodeScalarView(pattern[(index + 1)..<end]))
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
    guard let least = parts.first ?? nil, least >= 0, parts.count <= 2 else { return nil }
    if parts.count == 2, parts[1] == nil, !text.hasSuffix(",") { return nil }
    index = end + 1
    return (least, parts.count == 2 ? parts[1] : least)
  }

  private func literal(_ scalar: Unicode.Scalar) -> Node {
    .set(.init(ranges: [scalar.value...scalar.value], ignoresCase: ignoresCase))
  }

  private mutating func escape() throws(ParseError) -> Node {
    switch next {
    case "b":
      index += 1
      return .assert(.wordBoundary)
    case "B":
      index += 1
      return .assert(.noWordBoundary)
    case "A":
      index += 1
      return .assert(.textStart)
    case "z", "Z":
      index += 1
      return .assert(.textEnd)
    default: return .set(try escapedSet())
    }
  }

  /// Reads what follows a backslash, where it stands for characters.
  private mutating func escapedSet() throws(ParseError) -> ParsePattern.CharacterSet {
    guard let scalar = next else { throw failure("a backslash at the end") }
    index += 1
    switch scalar {
    case "d", "D", "w", "W", "s", "S":
      let ranges: [ClosedRange<UInt32>]
      switch scalar {
      case "d", "D": ranges = [0x30...0x39]
      case "w", "W": ranges = [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
      default: ranges = [0x09...0x0D, 0x20...0x20, 0x85...0x85, 0xA0...0xA0]
      }
      return .init(ranges: ranges, isInverted: "DWS".unicodeScalars.contains(scalar))
    case "x", "u":
      let isBraced = accept("{")
      var digits = ""
      let length = isBraced ? 8 : scalar == "x" ? 2 : 4
      while digits.count < length, let digit = next, Character(digit).isHexDigit {
        digits.unicodeScalars.append(digit)
        index += 1
      }
      guard let value = UInt32(digits, radix: 16), !isBraced || accept("}") else {
        throw failure("a broken escape")
      }
      return .init(ranges: [value...value], ignoresCase: ignoresCase)
    default:
      let controls: [Unicode.Scalar: UInt32] = [
        "n": 0x0A, "r": 0x0D, "t": 0x09, "f": 0x0C, "v": 0x0B, "e": 0x1B, "0": 0,
      ]
      if let value = controls[scalar] { return .init(ranges: [value...value]) }
      guard !scalar.properties.isAlphabetic, scalar.properties.numericType == nil else {
        throw failure("an escape that is not supported")
      }
      return .init(ranges: [scalar.value...scalar.value])
    }
  }

  private mutating func characterClass() throws(ParseError) -> ParsePattern.CharacterSet {
    var set = ParsePattern.CharacterSet(ignoresCase: ignoresCase)
    set.isInverted = accept("^")
    var isFirst = true
    while let scalar = next, scalar != "]" || isFirst {
      isFirst = false
      index += 1
      var part = ParsePattern.CharacterSet(ranges: [scalar.value...scalar.value])
      if scalar == "\\" {
        part = next == "b" ? .init(ranges: [8...8]) : try escapedSet()
      }
      if let low = part.single, next == "-", index + 1 < pattern.count, pattern[index + 1] != "]" {
        index += 1
        let end = pattern[index]
        index += 1
        let last = end == "\\" ? try escapedSet().single : end.value
        guard let last, low <= last else { throw failure("a range out of order") }
        part = .init(ranges: [low...last])
      }
      set.ranges += part.isInverted ? part.inverseRanges : part.ranges
    }
    guard accept("]") else { throw failure("an unmatched [") }
    return set
  }

  // MARK: Writing

  private mutating func append(_ instruction: ParsePattern.Instruction) throws(ParseError) {
    guard program.count < Self.maximumProgram else { throw failure("too large") }
    program.append(instruction)
  }

  private mutating func emit(_ node: Node) throws(ParseError) {
    emissions += 1
    guard emissions <= 10 * Self.maximumProgram else { throw failure("too large") }
    switch node {
    case .set(let set): try append(.character(set))
    case .assert(let position): try append(.assert(position))
    case .sequence(let nodes): for node in nodes { try emit(node) }
    case .choice(let branches): try emitChoice(branches)
    case .repetition(let node, let least, let most):
      guard least <= Self.maximumProgram, most ?? 0 <= Self.maximumProgram else {
        throw failure("too large")
      }
      for _ in 0..<least { try emit(node) }
      if let most {
        for _ in least..<most { try emitOptional(node, isLoop: false) }
      } else {
        try emitOptional(node, isLoop: true)
      }
    }
  }

  private mutating func emitOptional(_ node: Node, isLoop: Bool) throws(ParseError) {
    let start = program.count
    try append(.split(start + 1, 0))
    try emit(node)
    if isLoop { try append(.jump(start)) }
    program[start] = .split(start + 1, program.count)
  }

  private mutating func emitChoice(_ branches: [Node]) throws(ParseError) {
    var exits: [Int] = []
    for (number, branch) in branches.enumerated() {
      let start = program.count
      let isLast = number == branches.count - 1
      if !isLast { try append(.split(start + 1, 0)) }
      try emit(branch)
      guard !isLast else { break }
      exits.append(program.count)
      try append(.jump(0))
      program[start] = .split(start + 1, program.count)
    }
    for exit in exits { program[exit] = .jump(program.count) }
  }
}

extension ParsePattern.CharacterSet {
  /// The only character of the set, if it is one.
  fileprivate var single: UInt32? {
    guard !isInverted, ranges.count == 1, ranges[0].count == 1 else { return nil }
    return ranges[0].lowerBound
  }

  /// All that is between the ranges, which must be sorted.
  fileprivate var inverseRanges: [ClosedRange<UInt32>] {
    var inverse: [ClosedRange<UInt32>] = []
    var start: UInt32 = 0
    for range in ranges {
      if range.lowerBound > start { inverse.append(start...range.lowerBound - 1) }
      start = range.upperBound + 1
    }
    return inverse + [start...0x10FFFF]
  }
}
