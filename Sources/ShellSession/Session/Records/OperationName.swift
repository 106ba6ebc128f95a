package import ShellLanguage

extension UnplacedError {
  /// Something has the name: a queue, or an operation that is being built.
  package static func taken(_ name: String) -> UnplacedError {
    UnplacedError(.badName, "the name '\(name)' is taken", help: "choose another name")
  }

  /// An unfinished operation has the name.
  static func inUse(_ name: String, id: Int) -> UnplacedError {
    UnplacedError(
      .badName, "the name '\(name)' is taken: operation \(id) has it and has not finished",
      help: "'wait \(name)' before this statement, or choose another name")
  }

  /// Checks the name of a new operation or queue.
  package static func check(name: String, reserved: [String]) throws(UnplacedError) {
    guard let first = name.first, first.isLetter,
      name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
    else {
      throw UnplacedError(
        .badName,
        "'\(name)' is not a name: names begin with a letter and hold letters, digits, '-' and '_'")
    }
    guard !reserved.contains(name) else {
      throw UnplacedError(
        .badName, "'\(name)' is reserved",
        help: "choose another name; this word has a meaning already")
    }
  }
}
