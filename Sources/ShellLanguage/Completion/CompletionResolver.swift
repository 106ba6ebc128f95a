/// Decides what can stand at the cursor, from the words before it.
struct CompletionResolver {
  private let bytes: [UInt8]
  private let scanner: CompletionScanner
  private let catalog: CommandCatalog
  private let frame: CompletionScanner.Frame
  private let current: CompletionScanner.Word

  private let aliases: [String: String]

  init(
    bytes: [UInt8], scanner: CompletionScanner, catalog: CommandCatalog,
    aliases: [String: String] = [:]
  ) {
    self.aliases = aliases
    self.bytes = bytes
    self.scanner = scanner
    self.catalog = catalog
    self.frame = scanner.frame
    self.current = scanner.frame.current ?? CompletionScanner.Word(start: bytes.count)
  }

  func resolve() -> CompletionContext {
    if scanner.isInComment { return result([]) }
    if let variable = variableContext() { return variable }
    if frame.kind == .expression { return expressionContext() }
    switch frame.target {
    case .program: return result(frame.words.isEmpty ? [.program] : [.file])
    case .file: return result([.file])
    case .none: break
    }
    return statementContext(frame.words)
  }

  private var openQuote: Character? {
    current.quote.map { Character(Unicode.Scalar($0)) }
  }

  private func result(
    _ expectations: [CompletionContext.Expectation], dropping count: Int = 0
  ) -> CompletionContext {
    // After `--name=` or a comma only the rest of the word is replaced.
    let start = count == 0 ? current.start : current.offsets[count - 1] + 1
    return CompletionContext(
      expectations, from: start, to: bytes.count,
      prefix: String(decoding: current.bytes.dropFirst(count), as: UTF8.self), quote: openQuote,
      words: frame.words.map(\.text))
  }

  /// `$na` and `$name.pro` at the cursor.
  private func variableContext() -> CompletionContext? {
    guard current.quote != .quote else { return nil }
    var start = bytes.count
    while start > current.start,
      bytes[start - 1].isNamePart || bytes[start - 1] == .dot || bytes[start - 1] == .closeBracket
        || bytes[start - 1] == .openBracket
    {
      start -= 1
    }
    guard start > current.start, bytes[start - 1] == .dollar else { return nil }
    let path = bytes[start...]
    guard let dot = path.lastIndex(of: .dot) else {
      return CompletionContext(
        [.variable], from: start, to: bytes.count, prefix: String(decoding: path, as: UTF8.self),
        quote: openQuote, words: frame.words.map(\.text))
    }
    return CompletionContext(
      [.property(of: "$" + String(decoding: path[..<dot], as: UTF8.self))], from: dot + 1,
      to: bytes.count, prefix: String(decoding: path[(dot + 1)...], as: UTF8.self),
      quote: openQuote, words: frame.words.map(\.text))
  }

  private func expressionContext() -> CompletionContext {
    if current.quote == nil, let dot = current.bytes.lastIndex(of: .dot), dot > 0 {
      let base = String(decoding: current.bytes[..<dot], as: UTF8.self)
      let variable: [CompletionContext.Expectation] =
        canBeVariable ? [.property(of: "$" + base)] : []
      return result([.property(of: base)] + variable, dropping: dot + 1)
    }
    if canBeVariable, current.quote == nil { return result([.variable, .operand]) }
    if let count = countContext() { return count }
    if let property = frame.comparedProperty { return result([.comparand(property: property)]) }
    if followsOperand { return result([.operators]) }
    return result(isCondition ? [.property(of: ""), .operand] : [.operand])
  }

  /// Whether a value stands before the cursor, which only an operator can follow.
  private var followsOperand: Bool {
    guard let last = frame.words.last, current.bytes.isEmpty, current.isBare else { return false }
    let before = bytes[..<current.start].last { !$0.isBlank && $0 != .newline }
    guard before != .comma, before != .openParenthesis else { return false }
    let isOperator =
      Expression.BinaryOperator(last.text) != nil
      || ["not", "where", "of", "count"].contains(last.text)
    return !(last.isBare && isOperator)
  }

  /// Whether the expression is a condition over properties: `ops --where (sta`.
  private var isCondition: Bool {
    // The last word is the parenthesis.
    let words = scanner.frames.last { $0.kind == .statement }?.words.dropLast() ?? []
    guard let option = words.last?.text.prefix(while: { $0 != "=" }), option.hasPrefix("--"),
      case .command(let signature, _) = catalog.lookup(words.map { $0.isBare ? $0.text : nil }),
      case .condition? = signature.option(named: String(option.dropFirst(2)))?.kind
    else { return false }
    return true
  }

  /// Whether the word begins `${ … }`, where a name is a variable's.
  private var canBeVariable: Bool { frame.isInterpolation && frame.words.isEmpty }

  /// `count of ops where …`.
  private func countContext() -> CompletionContext? {
    let words = frame.words.map(\.text)
    if words.last == "count" { return result([.keyword(["of"])]) }
    guard let count = words.lastIndex(of: "count"), words.dropFirst(count + 1).first == "of" else {
      return nil
    }
    switch words.count - count {
    case 2: return result([.keyword(catalog.collections), .operand])
    case 3: return result([.keyword(["where"])])
    default: return words[count + 3] == "where" ? result([.property(of: ""), .operand]) : nil
    }
  }

  // MARK: Statements

  private func statementContext(_ words: [CompletionScanner.Word]) -> CompletionContext {
    guard let first = words.first, first.isBare, let keyword = Keyword(first.text) else {
      return commandContext(words)
    }
    let texts = words.map(\.text)
    switch keyword {
    case .let:
      guard words.count >= 2 else { return result([]) }
      if words.count == 2 { return result([.keyword(["="])]) }
      return texts[2] == "=" ? commandContext(Array(words.dropFirst(3))) : result([])
    case .if, .while:
      if texts.last == "{" { return result(keyword == .if ? [.keyword(["else"])] : []) }
      if texts.last == "else" { return result([.keyword(["if", "{"])]) }
      return result([.keyword([texts.last == "(" ? "{" : "("])])
    case .repeat: return result(words.count == 2 ? [.keyword(["{"])] : [])
    case .try:
      let catches = texts.contains("catch")
      if texts.last == "{" { return result(catches ? [] : [.keyword(["catch"])]) }
      return result(texts.last == "catch" ? [] : [.keyword(["{"])])
    case .for:
      if words.count == 2 { return result([.keyword(["in"])]) }
      guard words.count > 2, !texts.contains("{") else { return result([]) }
      if words.count == 3 { return result([.keyword(["all"] + catalog.collections)]) }
      guard let selecting = catalog.selectingWords[texts[3]] else {
        return result([.keyword(["{"])])
      }
      return result(texts.contains("where") ? [] : [.keyword(selecting + ["where", "{"])])
    case .def: return result(words.count >= 2 && texts.last != "{" ? [.keyword(["{"])] : [])
    case .return: return result([.operand])
    default: return result([])
    }
  }

  private func commandContext(_ typed: [CompletionScanner.Word]) -> CompletionContext {
    let words = writtenOut(typed)
    let path = words.prefix { $0.isBare }.map(\.text)
    let known = catalog.knownStart(of: path)
    var expectations: [CompletionContext.Expectation] = []
    if known.count == words.count, !catalog.subcommands(of: known).isEmpty || known.isEmpty {
      expectations.append(.command(path: known))
    }
    if words.isEmpty { return result(expectations) }
    guard case .command(let signature, let count) = catalog.lookup(path) else {
      return result(expectations)
    }
    return argumentContext(signature, Array(words.dropFirst(count)), expectations)
  }

  /// The words with an alias at their beginning written out.
  private func writtenOut(_ words: [CompletionScanner.Word]) -> [CompletionScanner.Word] {
    var words = words
    // Aliases of aliases end somewhere.
    for _ in 0..<100 {
      guard let first = words.first, first.isBare, let text = aliases[first.text] else { break }
      var scanner = CompletionScanner(Array((text + " ").utf8))
      scanner.scan()
      words = scanner.frame.words + words.dropFirst()
      // In what it stands for itself, the word is the command.
      if words.first?.text == first.text { break }
    }
    return words
  }

  private func argumentContext(
    _ signature: CommandSignature, _ words: [CompletionScanner.Word],
    _ found: [CompletionContext.Expectation]
  ) -> CompletionContext {
    var expectations = found
    let typed = TypedArguments(words, of: signature)
    if let index = typed.command { return commandContext(Array(words[index...])) }
    let (taken, optionsEnded) = (typed.positionals, typed.optionsEnded)
    if let pending = typed.pending, let kind = pending.kind {
      return value(kind, "--\(pending.name)", signature, repeats: pending.repeats, from: 0)
    }
    if !optionsEnded, current.isOption || current.isBare && current.bytes == [.minus] {
      guard let equals = current.bytes.firstIndex(of: .equals) else {
        return result([.option(signature)])
      }
      guard let option = signature.option(typed: current.text), let kind = option.kind else {
        return result([])
      }
      return value(kind, "--\(option.name)", signature, repeats: option.repeats, from: equals + 1)
    }
    for positional in candidates(signature, taken) {
      if positional.kind == .command { expectations.append(.command(path: [])) }
      if let keyword = positional.keyword, taken.last?.text != keyword {
        expectations.append(.keyword([keyword]))
      } else if signature.is(.passesOptionsOn), positional.kind == .string {
        if let word = programWord(isName: taken.isEmpty) { expectations.append(word) }
      } else {
        expectations.append(.value(positional.kind, name: positional.name, of: signature))
      }
    }
    // Where an amount must follow, examples of it are shown alone.
    let needsAmount = expectations.contains { expectation in
      guard case .value(let kind, let name, _) = expectation else { return false }
      return [.duration, .size, .percent].contains(kind)
        && signature.positional(named: name)?.arity == .required
    }
    if current.bytes.isEmpty, current.isBare, !needsAmount, !signature.options.isEmpty,
      !optionsEnded
    {
      expectations.append(.option(signature))
    }
    return result(expectations)
  }

  /// What a word of a program can be: its name, of which an empty word lists none, or a path; '~'
  /// is not a folder there, since no shell reads it.
  private func programWord(isName: Bool) -> CompletionContext.Expectation? {
    if isName { return current.bytes.isEmpty ? nil : .program }
    return current.bytes.first == UInt8(ascii: "~") ? nil : .file
  }

  private func value(
    _ kind: ArgumentKind, _ name: String, _ signature: CommandSignature, repeats: Bool,
    from start: Int
  ) -> CompletionContext {
    var start = start
    if repeats, let comma = current.bytes.lastIndex(of: .comma) { start = max(start, comma + 1) }
    return result([.value(kind, name: name, of: signature)], dropping: start)
  }

  /// The positional arguments that the next word can belong to.
  private func candidates(
    _ signature: CommandSignature, _ taken: [CompletionScanner.Word]
  ) -> [CommandSignature.Positional] {
    let positionals = signature.positionals
    var next = 0
    var isRepeating = false
    var index = 0
    while index < taken.count {
      let word = taken[index]
      if word.isBare,
        let found = positionals[next...].firstIndex(where: { $0.keyword == word.text })
      {
        next = found
        if index == taken.count - 1 { return [positionals[found]] }
      } else if isRepeating, next + 1 < positionals.count, word.isBare,
        positionals[next + 1].kind.offers(word.text)
      {
        // `on a b finished`: the choice after several names ends them.
        next += 2
        isRepeating = false
      } else if next < positionals.count {
        switch positionals[next].arity {
        case .required, .optional: next += 1
        case .repeating, .oneOrMore: isRepeating = true
        }
      }
      if next >= positionals.count { return [] }
      index += 1
    }
    var result: [CommandSignature.Positional] = []
    var isTaken = false
    for (place, positional) in positionals.enumerated().dropFirst(next) {
      if isTaken, positional.keyword == nil {
        // A word goes to the first argument that may take it; a number may follow a missing name.
        guard case .integer = positional.kind else { continue }
      }
      result.append(positional)
      if positional.arity == .optional, positional.keyword == nil {
        isTaken = isTaken || !positionals[(place + 1)...].contains(where: \.isNeeded)
      }
      if positional.arity == .required { break }
      if positional.arity == .oneOrMore, !isRepeating { break }
      isRepeating = false
    }
    return result
  }
}
