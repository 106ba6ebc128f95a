package import Operations
package import ShellLanguage

extension Invocation {
  /// The option of every command that works on several operations: a condition for them.
  package static let condition = Option<ShellLanguage.Expression?>(
    "where", .condition(of: "operation"),
    help: "only operations for which the expression holds, such as (state == ready)")

  /// Returns whether the call says which operations it is about.
  package func selects(_ parameter: some Parameter<[OperationName]>) -> Bool {
    call.mentions(parameter) || call.has(Self.condition)
  }

  /// The operations that the words of an argument and `--where` stand for, each once, in the order
  /// named; a condition alone selects among those that the command can do something with.
  ///
  /// If a word for several, or a condition, selects none, it says so in one line.
  package func operations(
    _ parameter: some Parameter<[OperationName]>
  ) throws -> [ObservableOperation] {
    warnOfNames(at: parameter)
    var selected = try named(parameter)
    if let condition = call[Self.condition] { selected = try selected.filter(holding(condition)) }
    if selected.isEmpty { tellNothing(of: parameter) }
    return selected
  }

  private func named(
    _ parameter: some Parameter<[OperationName]>
  ) throws -> [ObservableOperation] {
    if !call.mentions(parameter), call.has(Self.condition) {
      let command = call.signature.shellCommand
      return jobs.operations.all.filter { command?.selects($0, isAll: false, in: jobs) != false }
    }
    var seen: Set<Int> = []
    return try call[parameter].enumerated().flatMap {
      try operations(for: $1.value, at: parameter, index: $0)
    }.filter { seen.insert($0.id).inserted }
  }

  /// Returns a test whether a condition holds for an operation.
  package func holding(
    _ condition: ShellLanguage.Expression
  ) -> (ObservableOperation) throws -> Bool {
    { operation in
      let subject = Value.object(OperationObject(operation, clock: jobs.clock))
      return try context.holds(condition, subject: subject)
    }
  }

  /// The states and outcomes among the words of an argument.
  private func selectionWords(
    in parameter: some Parameter<[OperationName]>
  ) -> [SelectionWord] {
    call.texts(of: parameter).flatMap { $0.text.split(separator: ",") }.compactMap {
      call.selectionWord(String($0), of: parameter)
    }
  }

  /// Warns where a state or an outcome is the name of an unfinished operation, and means that one
  /// alone.
  package func warnOfNames(at parameter: some Parameter<[OperationName]>) {
    for word in selectionWords(in: parameter) { warn(ofNameHiding: word, at: parameter) }
  }

  private func warn(ofNameHiding word: SelectionWord, at parameter: some Parameter) {
    guard let operation = jobs.operation(hiding: word) else { return }
    let index = call.texts(of: parameter).first { text, _ in
      text.split(separator: ",").contains(word.rawValue[...])
    }?.index
    var warning = call.failure(
      .selectionWord, SelectionWord.warning(of: word, naming: operation), at: parameter,
      index: index ?? 0)
    warning.help =
      word.state.map { "for these: '--where (state == \($0.rawValue))'" }
      ?? "for these: '--where (outcome == \(word.rawValue))'"
    warning.severity = .warning
    screen.report(warning)
  }

  /// Says that a selection has selected nothing; an empty list says nothing.
  private func tellNothing(of parameter: some Parameter<[OperationName]>) {
    let words = selectionWords(in: parameter)
    let command = call.signature.fullName
    guard !call.has(Self.condition) else {
      return printText("no operation for '\(command)' meets the condition")
    }
    guard !words.isEmpty else { return }
    let fitting = jobs.operations.all.filter { operation in
      words.contains { $0.selects(operation) }
    }
    let states = words.map(\.rawValue).joined(separator: " or ")
    guard let first = fitting.first else { return printText("no operation is \(states)") }
    printText(
      fitting.count == 1
        ? "'\(command)' does not apply to '\(first.displayName)', the only one that is \(states)"
        : "'\(command)' does not apply to the \(fitting.count) operations that are \(states)")
  }
}
