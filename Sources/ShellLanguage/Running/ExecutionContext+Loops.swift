extension ExecutionContext {
  func performWhile(_ condition: Expression, _ block: Block) throws -> Completion {
    var inner = Scope(parent: scope)
    while try holds(condition) {
      if let leaving = try turn(block, in: &inner) { return leaving }
    }
    return .normal(.null)
  }

  func performRepeat(_ argument: Argument, _ block: Block) throws -> Completion {
    let value = try evaluator.literalValue(of: argument)
    var count: Int64?
    switch value.unspelled {
    case .integer(let number): count = number
    case .string(let text): count = Int64(text)
    default: break
    }
    guard let count, count >= 0 else {
      throw Diagnostic.invalidCount(value.text, source, argument.range).whileRunning()
    }
    var inner = Scope(parent: scope)
    var turns: Int64 = 0
    while turns < count {
      turns += 1
      if let leaving = try turn(block, in: &inner) { return leaving }
    }
    return .normal(.null)
  }

  func performFor(_ name: Name, _ items: [Argument], _ block: Block) throws -> Completion {
    var inner = Scope(parent: scope)
    if let collection = LoopCollection(items, in: host.catalog) {
      for value in try values(of: collection) {
        host.willBind(name.text, to: value)
        inner.define(name.symbol, value)
        if let leaving = try turn(block, in: &inner) { return leaving }
      }
      return .normal(.null)
    }
    for item in items {
      if let range = try countedRange(item) {
        for number in range {
          inner.define(name.symbol, .integer(number))
          if let leaving = try turn(block, in: &inner) { return leaving }
        }
        continue
      }
      for value in try values(of: item) {
        host.willBind(name.text, to: value)
        inner.define(name.symbol, value)
        if let leaving = try turn(block, in: &inner) { return leaving }
      }
    }
    return .normal(.null)
  }

  /// Runs the block once; nil means that the loop goes on, and the scope is empty again.
  ///
  /// A loop that breaks ends normally, so `.breaking` becomes `.normal` here.
  private func turn(_ block: Block, in inner: inout Scope) throws -> Completion? {
    try host.checkInterrupt(in: self)
    switch try perform(block, in: &inner) {
    case .normal, .continuing: break
    case .breaking: return .normal(.null)
    case .returning(let value): return .returning(value)
    }
    // A handler that was made in this turn keeps the scope.
    if isKnownUniquelyReferenced(&inner) { inner.removeAll() } else { inner = Scope(parent: scope) }
    if block.statements.isEmpty, !isBody { try host.betweenStatements() }
    return nil
  }

  /// `1..5` written as a word or an expression is counted, not built.
  private func countedRange(_ item: Argument) throws -> StrideThrough<Int64>? {
    let (first, last, range): (Value, Value, SourceRange)
    switch item {
    case .word(let word):
      guard let ends = word.rangeEnds else { return nil }
      (first, last, range) = (try value(of: ends.lower), try value(of: ends.upper), word.range)
    case .expression(let expression, _):
      guard case .binary(.range, let lower, let upper, let sign) = expression.kind else {
        return nil
      }
      (first, last, range) = (try evaluate(lower), try evaluate(upper), sign)
    default: return nil
    }
    return try evaluator.placed(range) { () throws(UnplacedError) in
      let ends = try Evaluator.rangeEnds(first, last)
      return stride(from: ends.lower, through: ends.upper, by: 1)
    }
  }

  private func value(of end: Word.RangeEnd) throws -> Value {
    switch end {
    case .literal(let number): .integer(number)
    case .expression(let expression): try evaluate(expression)
    }
  }

  /// Reads `1..5`.
  static func rangeLiteral(_ text: String) -> (lower: Int64, upper: Int64)? {
    guard text.contains(".."), text.utf8.count <= 42 else { return nil }
    let parts = text.split(separator: "..", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let lower = Int64(parts[0]), let upper = Int64(parts[1]) else {
      return nil
    }
    return (lower, upper)
  }

  /// The values of one item of a `for`: a list gives several, `all` and a pattern operations.
  private func values(of item: Argument) throws -> [Value] {
    if case .word(let word) = item, let selection = try selection(word) {
      return try operations(selection, at: word.range)
    }
    if let bare = item.bareText { return [LiteralReader.roundTrippingValue(of: bare)] }
    let value: Value
    if case .word(let word) = item {
      value = try evaluator.value(of: word)
    } else {
      value = try evaluator.literalValue(of: item)
    }
    if case .list(let values) = value { return values }
    return [value]
  }
}

extension ExecutionContext {
  private func values(of collection: LoopCollection) throws -> [Value] {
    let values = try operations(
      .collection(collection.name, words: collection.words), at: collection.range)
    guard let condition = collection.condition else { return values }
    return try values.filter { try holds(condition, subject: $0) }
  }

  /// The operations that a word of `for` selects, if it selects any.
  private func selection(_ word: Word) throws -> OperationSelection? {
    guard word.selectsOperations else { return nil }
    if word.bareText == "all" { return .all }
    var pattern = GlobPattern("")
    for segment in word.segments {
      switch segment.content {
      case .text(let text): pattern.append(GlobPattern(text))
      case .expression(let expression):
        let value = try evaluator.value(of: expression, in: segment)
        if value.hasNull { throw evaluator.nullInText(segment.range, value) }
        pattern.append(literal: value.text)
      }
    }
    return .matching(pattern, written: try evaluator.text(of: word))
  }

  private func operations(
    _ selection: OperationSelection, at range: SourceRange
  ) throws -> [Value] {
    do {
      return try host.operations(in: selection)
    } catch let error as UnplacedError {
      throw error.placed(at: range, in: source)
    }
  }
}

extension Diagnostic {
  static func invalidCount(_ text: String, _ source: SourceText, _ range: SourceRange) -> Diagnostic
  {
    Diagnostic(
      .wrongKind, "'repeat' needs an integer of at least 0, found '\(text)'", source: source,
      range: range)
  }
}
