import ShellLanguage
import ShellSession

extension Positional where Value == [OperationName] {
  /// The operations that a command works on, one at least.
  static var operations: Self {
    Positional("operation", atLeastOne: true, help: "ids, names, patterns, 'last' or 'all'")
  }

  /// The operations that a list is limited to.
  static var shownOperations: Self {
    Positional("operation", help: "ids, names, patterns, 'last' (default: every operation)")
  }
}
