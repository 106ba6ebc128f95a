package import ShellLanguage
package import ShellSession

extension Positional where Value == [OperationName] {
  /// The operations that a command works on, one at least.
  package static var operations: Positional<[OperationName]> {
    Positional("operation", atLeastOne: true, help: "ids, names, patterns, 'last' or 'all'")
  }

  /// The operations that a list is limited to.
  package static var shownOperations: Positional<[OperationName]> {
    Positional("operation", help: "ids, names, patterns, 'last' (default: every operation)")
  }
}
