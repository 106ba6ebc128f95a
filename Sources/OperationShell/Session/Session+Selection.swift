import Operations
import ShellLanguage

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
      guard let last = operations.last else {
        throw call.failure(
          "unknown-operation", "there is no last operation: none was built yet", at: argument)
      }
      return [last]
    default: break
    }
    if let operation = operations.operation(named: text) { return [operation] }
    if let id = Int(text) {
      if let operation = operations.operation(id: id) { return [operation] }
      let count = operations.count
      throw call.failure(
        "unknown-operation", "there is no operation \(id)", at: argument,
        help: count == 0 ? "none was built yet" : "'ops' lists all \(count)")
    }
    if let range = Self.idRange(text) {
      let matches = operations.all.filter { range.contains($0.id) }
      guard matches.isEmpty else { return matches }
      throw call.failure(
        "unknown-operation", "there is no operation with an id from '\(text)'", at: argument)
    }
    if GlobPattern.isPattern(text) {
      let matches = operations.all.filter { GlobPattern(text).matches($0.displayName) }
      guard matches.isEmpty else { return matches }
      throw call.failure(
        "unknown-operation", "no operation's name matches '\(text)'", at: argument,
        help: "'ops' lists the operations")
    }
    throw call.failure(
      "unknown-operation", "there is no operation '\(text)'", at: argument,
      help: Spelling.help(for: text, among: operations.names) ?? "'ops' lists the operations")
  }

  /// `3-7`, both ends included.
  private static func idRange(_ text: String) -> ClosedRange<Int>? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let lower = Int(parts[0]), let upper = Int(parts[1]), lower >= 0,
      lower <= upper
    else { return nil }
    return lower...upper
  }
}
