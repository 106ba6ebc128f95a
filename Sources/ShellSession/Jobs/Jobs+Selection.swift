package import Operations
import ShellLanguage

extension Jobs {
  /// Returns the unfinished operation whose name is a word that selects others.
  package func operation(hiding word: SelectionWord) -> ObservableOperation? {
    guard let operation = operations.operation(named: word.rawValue) else { return nil }
    return operation.state == .finished ? nil : operation
  }

  /// Returns the operations that a word selects: an id, a name, ids `3-7`, a pattern, `last`,
  /// `all`, a state or an outcome, or several of those separated by commas.
  ///
  /// - Throws: A diagnostic at the argument if a part selects no operation; `all`, a state and an
  ///   outcome may select none.
  func operations(
    matching text: String, in call: CommandCall, at parameter: some Parameter, index: Int,
    skipsMissing: Bool = false
  ) throws -> [ObservableOperation] {
    if operations.operation(named: text) == nil, text.contains(",") {
      let parts = text.split(separator: ",")
      guard !parts.isEmpty else {
        throw call.failure(
          .unknownOperation, "'\(text)' names no operation", at: parameter, index: index,
          help: "'ops' lists the operations")
      }
      return try parts.flatMap {
        try operations(
          matchingOne: String($0), in: call, at: parameter, index: index,
          skipsMissing: skipsMissing)
      }
    }
    return try operations(
      matchingOne: text, in: call, at: parameter, index: index, skipsMissing: skipsMissing)
  }

  private func operations(
    matchingOne text: String, in call: CommandCall, at parameter: some Parameter, index: Int,
    skipsMissing: Bool
  ) throws -> [ObservableOperation] {
    let command = call.signature.shellCommand
    switch text {
    case "all":
      return operations.all.filter {
        command?.selects($0, isAll: true, in: self) ?? ($0.state != .finished)
      }
    case "last":
      if let last = operations.last { return [last] }
      if let dropped = droppedRecordOfLast {
        throw call.failure(dropped, at: parameter, index: index)
      }
      throw call.failure(
        .unknownOperation, "there is no last operation: none was built yet", at: parameter,
        index: index)
    default: break
    }
    if let word = call.selectionWord(text, of: parameter), operation(hiding: word) == nil {
      return operations.all.filter {
        word.selects($0) && command?.selects($0, isAll: false, in: self) != false
      }
    }
    if let operation = operations.operation(named: text) { return [operation] }
    if let id = Int(text) { return [try operation(id: id, in: call, at: parameter, index: index)] }
    if let range = Self.idRange(text) {
      return try operations(
        range, in: call, at: parameter, index: index, skipsMissing: skipsMissing)
    }
    if GlobPattern.isPattern(text) {
      let matches = operations.all.filter { GlobPattern(text).matches($0.displayName) }
      guard matches.isEmpty else { return matches }
      if let dropped = droppedRecord(matching: text) {
        throw call.failure(dropped, at: parameter, index: index)
      }
      throw call.failure(
        .unknownOperation, "no operation's name matches '\(text)'", at: parameter, index: index,
        help: "'ops' lists the operations")
    }
    if let missing = laterOperation(text) ?? droppedRecord(named: text) {
      throw call.failure(missing, at: parameter, index: index)
    }
    throw call.failure(
      .unknownOperation, "there is no operation '\(text)'", at: parameter, index: index,
      help: queue(named: text).map { "'\($0.name)' is a queue: 'queue show \($0.name)' shows it" }
        ?? Spelling.help(for: text, among: operations.names + otherWords(for: parameter, in: call))
        ?? (text == "<"
          ? "no command reads a file after '<'; a program does: !PROGRAM < FILE" : nil)
        ?? Expression.BinaryOperator.help(forArgument: text) ?? Self.help(forDuration: text)
        ?? "'ops' lists the operations")
  }

  /// Help for `wait 5s`, which is a pause in other shells.
  static func help(forDuration text: String) -> String? {
    guard case .duration? = LiteralReader.value(of: text) else { return nil }
    return "'sleep \(text)' lets time pass; '--timeout \(text)' is the time limit of a wait"
  }

  /// Words that are valid in place of an operation.
  private func otherWords(for parameter: some Parameter, in call: CommandCall) -> [String] {
    ["all", "last"] + (call.takesSelectionWords(parameter) ? SelectionWord.texts : [])
  }

  private func operation(
    id: Int, in call: CommandCall, at parameter: some Parameter, index: Int
  ) throws -> ObservableOperation {
    if let operation = operations.operation(id: id) { return operation }
    if operations.wasDropped(id) {
      throw call.failure(
        UnplacedError.droppedRecord(of: "operation \(id)", in: operations), at: parameter,
        index: index)
    }
    throw call.failure(
      .unknownOperation, "there is no operation \(id)", at: parameter, index: index, help: listHelp)
  }

  private var listHelp: String {
    let count = operations.count
    return count == 0 ? "none was built yet" : "'ops' lists all \(count)"
  }

  /// Returns all operations with ids in the range; if missing ones are skipped, those that exist.
  private func operations(
    _ range: ClosedRange<Int>, in call: CommandCall, at parameter: some Parameter, index: Int,
    skipsMissing: Bool
  ) throws -> [ObservableOperation] {
    let matches = operations.all.filter { range.contains($0.id) }
    if !matches.isEmpty, skipsMissing { return matches }
    guard matches.count < range.count else { return matches }
    let found = Set(matches.map(\.id))
    let missing = range.lazy.filter { !found.contains($0) }
    let unknown = Array(missing.lazy.filter { !self.operations.wasDropped($0) }.prefix(4))
    guard !unknown.isEmpty else {
      let count = range.count - matches.count
      throw call.failure(
        UnplacedError.droppedRecord(
          of: Self.list(Array(missing.prefix(4)), count: count), isPlural: count > 1, in: operations
        ), at: parameter, index: index)
    }
    let isAlone = unknown.count == 1
    // In a long range, the dropped records are not listed one by one.
    let isAll = range.count - matches.count <= 4
    throw call.failure(
      .unknownOperation,
      "there \(isAlone ? "is" : "are") no \(Self.list(unknown, isWhole: isAll || unknown.count < 4))",
      at: parameter, index: index, help: listHelp)
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

  /// Parses `3-7`, both ends included.
  private static func idRange(_ text: String) -> ClosedRange<Int>? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let lower = Int(parts[0]), let upper = Int(parts[1]), lower >= 0,
      lower <= upper
    else { return nil }
    // The range of all integers has a count that exceeds an integer.
    return lower...min(max(lower, Int.max - 1), upper)
  }
}
