import Operations
import ShellLanguage
import Terminal

extension Session {
  /// The operations that a word stands for: an id, a name, ids `3-7`, a pattern, `last`, `all`,
  /// or several of those with commas between them.
  ///
  /// - Throws: A diagnostic at the argument where one of them stands for nothing; `all` may.
  func operations(
    matching text: String, in call: CommandCall, argument: String
  ) throws -> [ObservableOperation] {
    if operations.operation(named: text) == nil, text.contains(",") {
      return try text.split(separator: ",", omittingEmptySubsequences: true).flatMap {
        try operations(matchingOne: String($0), in: call, argument: argument)
      }
    }
    return try operations(matchingOne: text, in: call, argument: argument)
  }

  private func operations(
    matchingOne text: String, in call: CommandCall, argument: String
  ) throws -> [ObservableOperation] {
    switch text {
    case "all": return operations.unfinished
    case "last":
      if let last = operations.last { return [last] }
      if let dropped = droppedRecord(ofLast: ()) { throw dropped.diagnostic(call, at: argument) }
      throw call.failure(
        "unknown-operation", "there is no last operation: none was built yet", at: argument)
    default: break
    }
    if let operation = operations.operation(named: text) { return [operation] }
    if let id = Int(text) { return [try operation(id: id, in: call, argument: argument)] }
    if let range = Self.idRange(text) {
      return try operations(range, in: call, argument: argument)
    }
    if GlobPattern.isPattern(text) {
      let matches = operations.all.filter { GlobPattern(text).matches($0.displayName) }
      guard matches.isEmpty else { return matches }
      if let dropped = droppedRecord(matching: text) {
        throw dropped.diagnostic(call, at: argument)
      }
      throw call.failure(
        "unknown-operation", "no operation's name matches '\(text)'", at: argument,
        help: "'ops' lists the operations")
    }
    if let dropped = droppedRecord(named: text) { throw dropped.diagnostic(call, at: argument) }
    throw call.failure(
      "unknown-operation", "there is no operation '\(text)'", at: argument,
      help: Spelling.help(for: text, among: operations.names + otherWords(for: argument))
        ?? "'ops' lists the operations")
  }

  /// What may stand in place of an operation.
  private func otherWords(for argument: String) -> [String] {
    ["all", "last"]
      + (argument == Ops.filterArgument ? CompletionCandidate.statesAndOutcomes.map(\.text) : [])
  }

  private func operation(
    id: Int, in call: CommandCall, argument: String
  ) throws -> ObservableOperation {
    if let operation = operations.operation(id: id) { return operation }
    if operations.wasDropped(id) {
      throw DroppedRecord(what: "operation \(id)", in: operations)
        .diagnostic(call, at: argument)
    }
    throw call.failure(
      "unknown-operation", "there is no operation \(id)", at: argument, help: listHelp)
  }

  private var listHelp: String {
    let count = operations.count
    return count == 0 ? "none was built yet" : "'ops' lists all \(count)"
  }

  /// All operations with ids in the range; where the command only filters, those there are.
  private func operations(
    _ range: ClosedRange<Int>, in call: CommandCall, argument: String
  ) throws -> [ObservableOperation] {
    let matches = operations.all.filter { range.contains($0.id) }
    if !matches.isEmpty, argument == Ops.filterArgument { return matches }
    guard matches.count < range.count else { return matches }
    let found = Set(matches.map(\.id))
    let missing = range.lazy.filter { !found.contains($0) }
    let unknown = Array(missing.lazy.filter { !self.operations.wasDropped($0) }.prefix(4))
    guard !unknown.isEmpty else {
      let count = range.count - matches.count
      throw DroppedRecord(
        what: Self.list(Array(missing.prefix(4)), count: count), isPlural: count > 1,
        in: operations
      ).diagnostic(call, at: argument)
    }
    let isAlone = unknown.count == 1
    // Which of a long range were dropped is not counted one by one.
    let isAll = range.count - matches.count <= 4
    throw call.failure(
      "unknown-operation",
      "there \(isAlone ? "is" : "are") no \(Self.list(unknown, isWhole: isAll || unknown.count < 4))",
      at: argument, help: listHelp)
  }

  /// `operation 3`, `operations 3, 4 and 5`.
  private static func list(_ ids: [Int], count: Int? = nil, isWhole: Bool = true) -> String {
    guard ids.count > 1 else { return "operation \(ids.first ?? 0)" }
    var parts = ids.map { String($0) }
    if let count, count > ids.count { parts.append("\(count - ids.count) more") }
    if !isWhole { parts.append("more") }
    let last = parts.removeLast()
    return "operations " + parts.joined(separator: ", ") + " and " + last
  }

  /// `3-7`, both ends included.
  private static func idRange(_ text: String) -> ClosedRange<Int>? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let lower = Int(parts[0]), let upper = Int(parts[1]), lower >= 0,
      lower <= upper
    else { return nil }
    // A range of all integers has no count that an integer could hold.
    return lower...min(max(lower, Int.max - 1), upper)
  }
}
