extension ArgumentBinder {
  typealias Positional = CommandSignature.Positional

  /// Gives the items to the positional arguments, from left to right.
  func bindPositionals(
    _ items: [Item], command: Item?, range: SourceRange, into call: inout CommandCall
  ) throws {
    let hasBlocks = items.contains(where: \.isBlock)
    var blocks = hasBlocks ? items.filter(\.isBlock) : []
    let words = hasBlocks ? items.filter { !$0.isBlock } : items
    if let command { blocks.append(command) }
    try bindBlocks(blocks, range: range, into: &call)

    var wanted =
      signature.takesBlock
      ? signature.positionals.filter { !$0.kind.takesBlock } : signature.positionals
    if wanted.contains(where: { $0.substitute != nil }) {
      wanted = wanted.map { $0.declared(for: call) }
    }
    if let firstUnknown = words.firstIndex(where: \.isUnknown) {
      try bindCertain(words, before: firstUnknown, wanted, into: &call)
      return
    }
    var next = 0
    for (index, positional) in wanted.enumerated() {
      if let keyword = positional.keyword {
        guard next < words.count, words[next].bareText == keyword else {
          if positional.isNeeded { reportMissing(positional, range, into: &call) }
          continue
        }
        next += 1
      }
      let end = segmentEnd(words, from: next, after: index, wanted)
      let available = max(0, end - next)
      var count = share(of: positional, at: index, available, wanted)
      if count == 1, available == 1, isForNext(words[next], positional, at: index, wanted) {
        count = 0
      }
      if count == 0,
        positional.isNeeded || (positional.keyword != nil && positional.arity != .repeating)
      {
        reportMissing(positional, range, into: &call)
        return
      }
      for item in words[next..<(next + count)] {
        try bind(item, to: Slot(positional), into: &call)
      }
      next += count
    }
    if next < words.count { reportUnexpected(words[next], into: &call) }
  }

  /// While checking: binds the words in front of the first one that only running shows.
  private func bindCertain(
    _ words: [Item], before end: Int, _ wanted: [Positional], into call: inout CommandCall
  ) throws {
    for index in 0..<min(end, wanted.count) {
      guard wanted[index].arity == .required, wanted[index].keyword == nil else { return }
      try bind(words[index], to: Slot(wanted[index]), into: &call)
    }
    if wanted.isEmpty, let first = words.first { reportUnexpected(first, into: &call) }
  }

  private func bindBlocks(
    _ blocks: [Item], range: SourceRange, into call: inout CommandCall
  ) throws {
    guard signature.takesBlock || !blocks.isEmpty else { return }
    var rest = blocks[...]
    for positional in signature.positionals where positional.kind.takesBlock {
      guard let item = rest.first else {
        if positional.isNeeded {
          call.problems.append(
            problem(
              .missingArgument, "'\(signature.fullName)' needs \(positional.kind.description)",
              range, help: "usage: \(signature.briefUsage)"))
        }
        continue
      }
      rest.removeFirst()
      try bind(item, to: Slot(positional), into: &call)
    }
    if let extra = rest.first {
      call.problems.append(
        problem(
          .unexpectedBlock,
          "'\(signature.fullName)' takes no \(blocks.count > 1 ? "further " : "")block",
          SourceRange(extra.range.lower, extra.range.lower + 1)))
    }
  }

  /// How many of the available words an argument takes, leaving later ones what they need.
  private func share(
    of positional: Positional, at index: Int, _ available: Int, _ wanted: [Positional]
  ) -> Int {
    var needed = 0
    for later in wanted[(index + 1)...] {
      if later.keyword != nil { break }
      if later.isNeeded { needed += 1 }
    }
    switch positional.arity {
    case .required: return min(1, available)
    case .optional:
      return positional.keyword != nil ? min(1, available) : available > needed ? 1 : 0
    case .repeating: return max(0, available - needed)
    case .oneOrMore: return max(min(1, available), available - needed)
    }
  }

  /// Whether the last word is not this name, which may be left out, but the number after it.
  ///
  /// Names begin with a letter, so that `queue step 3` can only mean three steps. What an expression
  /// comes to is not a name either.
  private func isForNext(
    _ item: Item, _ positional: Positional, at index: Int, _ wanted: [Positional]
  ) -> Bool {
    guard positional.arity == .optional, positional.keyword == nil, case .name = positional.kind,
      index + 1 < wanted.count, wanted[index + 1].keyword == nil,
      wanted[index + 1].arity == .optional, case .integer = wanted[index + 1].kind
    else { return false }
    switch item.content {
    case .value(let value, _): return (try? ArgumentKind.integer().accepting(value).get()) != nil
    case .expression: return true
    case .block, .nothing, .unknown, .unknownValue: return false
    }
  }

  /// Where the keyword of a later argument stands, or the end.
  private func segmentEnd(
    _ words: [Item], from start: Int, after index: Int, _ wanted: [Positional]
  ) -> Int {
    let keywords = wanted[(index + 1)...].compactMap(\.keyword)
    guard !keywords.isEmpty, start < words.count else { return words.count }
    return words[start...].firstIndex { word in
      word.bareText.map { keywords.contains($0) } ?? false
    } ?? words.count
  }

  private func reportMissing(
    _ positional: Positional, _ range: SourceRange, into call: inout CommandCall
  ) {
    // A problem found already, such as a misspelt option, is the more likely cause.
    guard call.problems.isEmpty else { return }
    let what = positional.keyword.map { "'\($0)' and " } ?? ""
    call.problems.append(
      problem(
        .missingArgument,
        "'\(signature.fullName)' needs \(what)"
          + (positional.isShownByKind ? "" : "\(positional.placeholder), ")
          + positional.kind.description, range, help: "usage: \(signature.briefUsage)"))
  }

  private func reportUnexpected(_ item: Item, into call: inout CommandCall) {
    let text = item.bareText ?? source.text(in: item.range)
    let shown = text.count > 40 ? text.prefix(40) + "…" : text[...]
    let quoted = item.bareText == nil && text.first == "'" ? String(shown) : "'\(shown)'"
    let keywords = signature.positionals.compactMap(\.keyword)
    call.problems.append(
      problem(
        .unexpectedArgument, "'\(signature.fullName)' takes no further argument, found \(quoted)",
        item.range,
        help: Spelling.help(for: text, among: keywords) ?? Spelling.help(
          for: text, among: catalog.subcommands(of: signature.path))
          ?? helpForUnexpected(text, call)))
  }

  private func helpForUnexpected(_ text: String, _ call: CommandCall) -> String {
    let positionals = signature.positionals
    if positionals.contains(where: { $0.keyword == text }) {
      return "the order is: \(signature.briefUsage)"
    }
    if positionals.contains(where: { $0.kind == .expression }),
      let help = Expression.BinaryOperator.help(forArgument: text)
    {
      return help
    }
    if let last = positionals.last, last.keyword != nil, last.kind == .string,
      call.given(last.name) != nil
    {
      return "put a text of several words in quotes"
    }
    // A misspelled further word of the command was taken for its first argument.
    if let first = positionals.first.flatMap({ call.given($0.name)?.first }), !first.isUnknown,
      let help = Spelling.help(
        for: source.text(in: first.range), among: catalog.subcommands(of: signature.path))
    {
      return help
    }
    return "usage: \(signature.briefUsage)"
  }
}

extension CommandSignature.Positional {
  var isNeeded: Bool { arity == .required || arity == .oneOrMore }
  var takesSeveral: Bool { arity == .repeating || arity == .oneOrMore }
}

extension ArgumentKind {
  /// Whether it is given as a block.
  var takesBlock: Bool {
    switch self {
    case .block, .command: true
    default: false
    }
  }
}

extension ErrorPage {
  package static let missingArgument = ErrorPage(
    "missing-argument", "An argument is missing",
    """
    The command needs more words than it has. For $1, $2 … it means that the script was \
    called with fewer arguments.
    """,
    help: "'help' and the name of the command say what it takes", wrong: "delay",
    right: "delay 1s")

  static let unexpectedArgument = ErrorPage(
    "unexpected-argument", "The command takes no such argument",
    "There are more words than the command can use. Several words that are one text are quoted.",
    help: "'help' and the name of the command say what it takes", wrong: "delay 1s 2s",
    right: "delay 1s; delay 2s")
}
