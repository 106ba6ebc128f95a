package import Operations
import OpshTerminal

/// Lists operations within a sentence.
package enum OperationList {
  /// The names of at most three operations; more are counted.
  package static func names(_ operations: [ObservableOperation]) -> String {
    let shown = operations.prefix(3).map { VisibleText.escape($0.displayName) }
    let rest = operations.count - shown.count
    return shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
}
