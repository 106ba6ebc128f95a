extension ArgumentBinder {
  /// Binds the options among the words, and keeps the words of a command that is an argument itself.
  ///
  /// - Returns: The words that are not about options; as long as there are no others, just what was
  ///   given.
  func bindOptions(
    in arguments: ArraySlice<Argument>, into call: inout CommandCall
  ) throws -> ArraySlice<Argument> {
    var positionals = arguments.prefix(0)
    var index = arguments.startIndex
    var optionsEnded = false
    while index < arguments.endIndex {
      let argument = arguments[index]
      if !optionsEnded, let written = OptionWord(argument) {
        index += 1
        if written.name.isEmpty {
          optionsEnded = true
          continue
        }
        try bind(written, arguments, at: &index, found: positionals.count, into: &call)
        continue
      }
      if let positional = commandNext(positionals) {
        let command = commandWords(
          arguments[index...], after: positional.keyword, &positionals, into: &call)
        if command.isEmpty {
          call.problems.append(
            problem(
              .missingArgument, "'\(signature.fullName)' needs a command here", argument.range,
              help: "usage: \(signature.briefUsage)"))
        } else {
          call.command = Array(command)
        }
        return positionals
      }
      if signature.is(.passesOptionsOn) { optionsEnded = true }
      if positionals.endIndex == index {
        positionals = arguments[arguments.startIndex...index]
      } else {
        positionals.append(argument)
      }
      index += 1
    }
    return positionals
  }

  /// The words of a command that is an argument itself, without the keyword before it.
  private func commandWords(
    _ words: ArraySlice<Argument>, after keyword: String?,
    _ positionals: inout ArraySlice<Argument>, into call: inout CommandCall
  ) -> ArraySlice<Argument> {
    guard let keyword, let first = words.first else { return words }
    if first.bareText == keyword { return words.dropFirst() }
    if let glued = positionals.last, glued.bareText?.contains(keyword) == true {
      // As other shells want it: `alias few=fetch`.
      positionals.removeLast()
      call.problems.append(
        problem(
          .badName, "'\(keyword)' stands between white space", glued.range,
          help: "usage: \(signature.briefUsage)"))
    } else {
      call.problems.append(
        problem(
          .missingArgument, "expected '\(keyword)' here", first.range,
          help: "usage: \(signature.briefUsage)"))
    }
    return words
  }

  /// The argument that is a command itself, if the next word begins it.
  private func commandNext(_ found: ArraySlice<Argument>) -> CommandSignature.Positional? {
    guard signature.takesBlock,
      let position = signature.positionals.firstIndex(where: { $0.kind == .command }),
      found.count >= position
    else { return nil }
    return signature.positionals[position]
  }

  /// Binds an option with its value: after an equals sign, or the next word.
  private func bind(
    _ written: OptionWord, _ arguments: ArraySlice<Argument>, at index: inout Int, found: Int,
    into call: inout CommandCall
  ) throws {
    guard let option = written.option(in: signature) else {
      let names = signature.options.map(\.name)
      // `-page`: one dash too few.
      let near =
        signature.option(named: written.name).map { [$0.name] }
        ?? Spelling.suggestions(for: written.name, among: names)
      call.problems.append(
        problem(
          .unknownOption, "'\(signature.fullName)' has no option '\(written.shown)'",
          written.nameRange,
          help: (HelpRequest.options.contains(written.shown)
            ? "'help \(signature.fullName)' shows its options" : nil)
            ?? near.first.map { "did you mean '--\($0)'?" }
            ?? (names.isEmpty
              ? "it has no options; '--' before a word keeps it from being one"
              : "its options: " + names.map { "--\($0)" }.joined(separator: " "))))
      return skipValue(of: written, arguments, at: &index, found: found)
    }
    if written.lacksValue {
      // What follows was meant as the value.
      if index < arguments.endIndex, option.kind != nil, OptionWord(arguments[index]) == nil {
        index += 1
      }
      call.problems.append(
        problem(
          .missingValue, "expected a value directly after '--\(option.name)='", written.range,
          help: option.kind == nil
            ? "'--\(option.name)' takes no value; leave out the '='"
            : "write '--\(option.name)=VALUE' or '--\(option.name) VALUE'"))
      return
    }
    guard let kind = option.kind else {
      if written.value != nil {
        call.problems.append(
          problem(.unexpectedValue, "'--\(option.name)' takes no value", written.range))
      }
      return try bind(option, at: written.range, to: nil, into: &call)
    }
    if let value = written.value {
      return try bind(option, at: written.range, to: (value, kind), into: &call)
    }
    // The next word is the value, unless it is plainly another option.
    if index < arguments.endIndex,
      OptionWord(arguments[index]) == nil || isChoice(arguments[index], option)
        || canBeValue(arguments[index], option)
    {
      index += 1
      let value = arguments[index - 1]
      return try bind(option, at: written.range, to: (value, kind), into: &call)
    }
    call.problems.append(
      problem(
        .missingValue, "'--\(option.name)' needs a value: \(kind.description)", written.range))
  }

  /// The value of an option that does not exist is most likely the next word; without this a
  /// misspelt option would be followed by an error about its value.
  private func skipValue(
    of written: OptionWord, _ arguments: ArraySlice<Argument>, at index: inout Int, found: Int
  ) {
    guard written.value == nil, index < arguments.endIndex, case .word = arguments[index],
      OptionWord(arguments[index]) == nil
    else { return }
    let meant =
      signature.option(named: written.name)
      ?? Spelling.suggestions(
        for: written.name, among: signature.options.map(\.name)
      ).first.flatMap { signature.option(named: $0) }
    let words = signature.positionals.filter { !$0.kind.takesBlock }
    let isFull =
      found >= words.count && words.allSatisfy { $0.arity == .required || $0.arity == .optional }
    if meant.map({ $0.kind != nil }) ?? isFull { index += 1 }
  }

  /// Whether a word that looks like an option is plainly a value: '--sort -wait'.
  private func isChoice(_ argument: Argument, _ option: CommandSignature.Option) -> Bool {
    guard case .word(let word) = argument, let text = word.constant,
      let kind = option.kind
    else { return false }
    return text.split(separator: ",").allSatisfy { kind.offers(String($0)) }
  }

  /// Whether it may be a value with a dash before it, perhaps misspelt: there is no such option.
  private func canBeValue(_ argument: Argument, _ option: CommandSignature.Option) -> Bool {
    switch option.kind {
    case .string?: break
    case .word(_, let words)? where words.contains(where: { $0.hasPrefix("-") }): break
    default: return false
    }
    guard let written = OptionWord(argument), written.isShort else { return false }
    return written.option(in: signature) == nil && signature.option(named: written.name) == nil
  }

  /// Whether the value that an option has already stands in the text of an alias.
  private func isOfAlias(_ bound: [BoundArgument]?) -> Bool {
    guard let bound, let start = source.aliasStart else { return false }
    return bound.allSatisfy { $0.range.lower >= start }
  }

  private func bind(
    _ option: CommandSignature.Option, at range: SourceRange,
    to written: (value: Argument, kind: ArgumentKind)?, into call: inout CommandCall
  ) throws {
    let name = option.name
    if !option.repeats, isOfAlias(call.given(name)) {
      // What is typed after an alias comes later, and counts.
      call.remove(name)
    }
    if !option.repeats, let bound = call.given(name) {
      var diagnostic = problem(.duplicateOption, "'--\(name)' is given twice", range)
      if let first = bound.first {
        diagnostic.labels = [.init("it has this value already", source: source, range: first.range)]
      }
      call.problems.append(diagnostic)
      return
    }
    guard let (value, kind) = written else {
      let isSet = BoundArgument(.value(.boolean(true)), range: range, text: "--\(name)")
      return call.append(isSet, for: name)
    }
    call.mention(name)
    var items: [Item] = []
    if option.repeats, case .word(let word) = value {
      for piece in word.splitAtCommas() { try appendItems(of: .word(piece), to: &items) }
    } else {
      try appendItems(of: value, to: &items)
    }
    items.removeAll(where: \.isNothing)
    if items.count != 1, !option.repeats {
      call.problems.append(
        problem(
          items.isEmpty ? .missingValue : .tooManyValues,
          "'--\(name)' needs exactly one value, found \(items.count)", value.range))
      return
    }
    for item in items { try bind(item, to: Slot(option, kind), into: &call) }
  }
}

/// A word that is an option: `--name`, `--name=value`, `-n`, or `--` alone with an empty name.
struct OptionWord {
  let name: String
  let isShort: Bool
  /// The value after an equals sign.
  let value: Argument?
  /// Whether nothing follows its equals sign.
  var lacksValue = false
  let range: SourceRange
  let nameRange: SourceRange

  /// How it is written, without a value.
  var shown: String { (isShort ? "-" : "--") + name }

  init?(_ argument: Argument) {
    let word: Word
    let dash = UInt8(ascii: "-")
    // Nearly all words are recognised by their first letter.
    if let constant = argument.constant, constant.utf8.first != dash { return nil }
    var expression: Argument?
    switch argument {
    case .word(let plain): word = plain
    case .assignedExpression(let head, let value, let range):
      word = head
      expression = .expression(value, SourceRange(head.range.upper, range.upper))
    case .expression, .block: return nil
    }
    guard let first = word.segments.first, !first.isQuoted, case .text(let text) = first.content,
      text.utf8.first == dash, text != "-"
    else { return nil }
    range = argument.range
    isShort = !text.hasPrefix("--")
    let body = text.dropFirst(isShort ? 1 : 2)
    if isShort {
      // `-5` is a number.
      guard let letter = body.first, letter.isLetter || letter == "?" else { return nil }
    }
    let dashes = isShort ? 1 : 2
    // To go through the characters takes long, and only few options have their value after a sign.
    guard body.utf8.contains(.equals), let equals = body.firstIndex(of: "=") else {
      // `--name$x` is no option that could be known; it is one with that unknown name.
      name =
        word.segments.count == 1
        ? String(body) : word.constant.map { String($0.dropFirst(dashes)) } ?? String(body)
      value = expression
      nameRange = word.range
      return
    }
    name = String(body[..<equals])
    nameRange = SourceRange(
      word.range.lower, word.range.lower + dashes + name.utf8.count)
    if let expression {
      value = expression
      return
    }
    let rest = String(body[body.index(after: equals)...])
    let start = nameRange.upper + 1
    var segments = Array(word.segments.dropFirst())
    if !rest.isEmpty {
      segments.insert(
        Word.Segment(
          content: .text(rest), isQuoted: false, range: SourceRange(start, first.range.upper)),
        at: 0)
    }
    lacksValue = segments.isEmpty
    value =
      segments.isEmpty
      ? nil
      : .word(Word(range: SourceRange(start, word.range.upper), segments: Word.Segments(segments)))
  }

  func option(in signature: CommandSignature) -> CommandSignature.Option? {
    if isShort {
      guard name.count == 1, let letter = name.first else { return nil }
      return signature.option(short: letter)
    }
    return signature.option(named: name)
  }
}

extension Word {
  /// The words between the commas of this one; commas in quotes and values do not count.
  func splitAtCommas() -> [Word] {
    var groups: [[Segment]] = [[]]
    for segment in segments {
      guard !segment.isQuoted, case .text(let text) = segment.content, text.contains(",") else {
        groups[groups.count - 1].append(segment)
        continue
      }
      // Places are exact where no escape stands in between, which bare text cannot have.
      var offset = segment.range.lower
      for (index, part) in text.split(separator: ",", omittingEmptySubsequences: false).enumerated()
      {
        if index > 0 { groups.append([]) }
        let end = offset + part.utf8.count
        if !part.isEmpty {
          groups[groups.count - 1].append(
            Segment(
              content: .text(String(part)), isQuoted: false, range: SourceRange(offset, end)))
        }
        offset = end + 1
      }
    }
    if groups.count == 1 { return [self] }
    groups.removeAll(where: \.isEmpty)
    // Commas alone are no list of nothing, but a wrong value.
    guard !groups.isEmpty else { return [self] }
    return groups.map { group in
      Word(
        range: group[0].range.union(group[group.count - 1].range), segments: Word.Segments(group))
    }
  }
}

extension ErrorPage {
  static let unknownOption = ErrorPage(
    "unknown-option", "The command has no such option",
    "'help COMMAND' lists the options of a command. '--' before a word keeps it from being one.",
    wrong: "delay 1s --cuont 3", right: "delay 1s --count 3")

  static let duplicateOption = ErrorPage(
    "duplicate-option", "An option is given twice",
    "Only options that take several values can be repeated.", help: "leave one of them out",
    wrong: "delay 1s --count 2 --count 3", right: "delay 1s --count 3")

  static let unexpectedValue = ErrorPage(
    "unexpected-value", "An option that is a mere flag has a value",
    "A flag is given or left out; it takes no value.", help: "leave the value out",
    wrong: "delay 1s --hold=true", right: "delay 1s --hold\nstart last")

  static let tooManyValues = ErrorPage(
    "too-many-values", "An option that takes one value gets several",
    "A list gives several words, of which this option can use only one.",
    help: "choose one element: $list[0]", wrong: "let times = (2..3)\ndelay 1ms --timeout $times",
    right: "let times = (2..3)\ndelay 1ms --timeout $times[0]", proof: .running)
}
