package import ShellLanguage
package import ShellSession

extension Positional where Value == [OperationName] {
  /// The operations that a command works on, one at least.
  package static var operations: Positional<[OperationName]> {
    Positional(
      "operation", SelectionWord.operations, atLeastOne: true,
      help: "ids, names, patterns, 'last', 'all', or a state or outcome: 'ready'")
  }

  /// The operations that a command changes, one at least, or a condition for them.
  package static var steeredOperations: Positional<[OperationName]> {
    operations.orOption(Invocation.condition)
  }

  /// The operations that a list is limited to.
  package static var shownOperations: Positional<[OperationName]> {
    Positional(
      "operation", SelectionWord.operations,
      help: "ids, names, patterns, 'last', a state or outcome (default: every operation)")
  }
}
