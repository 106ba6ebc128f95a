/// Sorts the words of a command into its arguments and options, and checks their kinds.
///
/// The same code runs before a script starts, when variables have no value yet (`context` is nil),
/// and when the command is about to run. Only what is certain is an error the first time.
struct ArgumentBinder {
  let signature: CommandSignature
  let source: SourceText
  let catalog: CommandCatalog
  /// Evaluates variables; nil while checking.
  let context: ExecutionContext?

  /// One argument before it is known what it is for.
  struct Item {
    enum Content {
      /// A text or a value, with the word it comes from.
      case value(Value, Word?)
      case expression(Expression)
      case block(Block)
      /// An empty list: it takes the place of an argument, for which it gives no value.
      case nothing
      /// A word whose value only running shows, but which is one argument.
      case unknownValue
      /// A word whose value only running shows; it may give any number of values.
      case unknown
    }

    let content: Content
    let range: SourceRange
    let argument: Argument

    /// How it is written.
    func text(in source: SourceText) -> String {
      if case .word(let word) = argument, word.range == range { return word.text(in: source) }
      return source.text(in: range)
    }

    /// The text of a bare word, which can be a keyword.
    var bareText: String? { argument.bareText }

    var isBlock: Bool {
      if case .block = content { return true }
      return false
    }

    var isUnknown: Bool {
      if case .unknown = content { return true }
      return false
    }

    var isNothing: Bool {
      if case .nothing = content { return true }
      return false
    }
  }

  /// What an item can be for: an argument known by its position, or the value of an option.
  struct Slot {
    let name: String
    let kind: ArgumentKind
    let repeats: Bool
    let isOption: Bool

    init(_ positional: CommandSignature.Positional) {
      (name, kind, repeats) = (positional.name, positional.kind, positional.takesSeveral)
      isOption = false
    }

    init(_ option: CommandSignature.Option, _ kind: ArgumentKind) {
      (name, self.kind, repeats) = (option.name, kind, option.repeats)
      isOption = true
    }

    /// How messages name it.
    var written: String { isOption ? "--\(name)" : name }
  }

  /// Binds the words after the command's name for a call.
  ///
  /// - Throws: The first problem in the text, and what evaluating throws.
  func bind(_ arguments: ArraySlice<Argument>, range: SourceRange) throws -> CommandCall {
    let call = try sort(arguments, range: range)
    if let problem = call.problems.min(by: { $0.range.lower < $1.range.lower }) {
      throw problem.whileRunning()
    }
    return call
  }

  /// Binds as far as can be known without running.
  func examine(_ arguments: ArraySlice<Argument>, range: SourceRange) -> CommandCall {
    // Only evaluating throws, and nothing is evaluated without a context.
    (try? sort(arguments, range: range))
      ?? CommandCall(signature: signature, source: source, range: range)
  }

  private func sort(_ arguments: ArraySlice<Argument>, range: SourceRange) throws -> CommandCall {
    var call = CommandCall(signature: signature, source: source, range: range)
    var items: [Item] = []
    for argument in try bindOptions(in: arguments, into: &call) {
      try appendItems(of: argument, to: &items)
    }
    if items.contains(where: \.isUnknown) { call.isDynamic = true }
    let command = call.command.map { rest in
      Item(
        content: .block(commandBlock(rest)),
        range: (rest.first?.range ?? range).union(rest.last?.range ?? range), argument: rest[0])
    }
    try bindPositionals(items, command: command, range: range, into: &call)
    return call
  }

  /// The rest of the line as a block of one statement.
  private func commandBlock(_ words: [Argument]) -> Block {
    if words.count == 1, case .block(let block) = words[0] { return block }
    let range = words[0].range.union(words[words.count - 1].range)
    let statement = CommandStatement(arguments: words, redirection: nil, range: range)
    return Block(
      range: range, statements: [Statement(.command(statement), range)], source: source)
  }

  /// What an argument is; when running, a list gives several items, and an empty one stands for none.
  ///
  /// To a command of a script a list is one argument; only `$@` gives it several.
  func appendItems(of argument: Argument, to items: inout [Item]) throws {
    func append(_ content: Item.Content, _ range: SourceRange) {
      items.append(Item(content: content, range: range, argument: argument))
    }
    switch argument {
    case .block(let block): append(.block(block), block.range)
    case .expression(let expression, let range), .assignedExpression(_, let expression, let range):
      append(.expression(expression), range)
    case .word(let word):
      if let constant = word.constant { return append(.value(.string(constant), word), word.range) }
      let isOne = signature.is(.isDefined) && !word.isAllArguments
      guard let context else { return append(isOne ? .unknownValue : .unknown, word.range) }
      let value = try Evaluator(context: context, source: source).value(of: word)
      guard !isOne, case .list(let values) = value else {
        return append(.value(value, nil), word.range)
      }
      for value in values { append(.value(value, nil), word.range) }
      if values.isEmpty, !signature.is(.isDefined) { append(.nothing, word.range) }
    }
  }

  func problem(
    _ page: ErrorPage, _ message: String, _ range: SourceRange, help: String? = nil
  ) -> Diagnostic {
    Diagnostic(page, message, source: source, range: range, help: help)
  }
}
