package import Operations
import Terminal

/// The labels of operations in a table: the name, with the id where two rows have the same name.
///
/// ```
/// load (1)  finished
/// load (4)  executing
/// ```
package struct OperationLabels {
  private let shared: Set<String>

  /// Creates the labels of a table; takes time proportional to the number of rows.
  package init(_ rows: some Sequence<OperationIdentity>) {
    var owners: [String: Int] = [:]
    var shared: Set<String> = []
    for row in rows {
      if let known = owners.updateValue(row.id, forKey: row.name), known != row.id {
        shared.insert(row.name)
      }
    }
    self.shared = shared
  }

  /// Creates the labels of a table with a row for each operation.
  package init(_ operations: some Sequence<ObservableOperation>) {
    self.init(operations.lazy.map(\.identity))
  }

  /// The label of an operation, with control characters made visible.
  package func label(of operation: ObservableOperation) -> String { label(of: operation.identity) }

  /// The label of an operation of the log.
  package func label(of identity: OperationIdentity) -> String {
    let name = VisibleText.escape(identity.name)
    return shared.contains(identity.name) ? "\(name) (\(identity.id))" : name
  }
}
