package import Operations
import OpshTerminal

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
    self.init(named: rows.lazy.map { (id: $0.id, name: $0.name) })
  }

  /// Creates the labels of a table whose rows show these names.
  package init(named rows: some Sequence<(id: Int, name: String)>) {
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
    label(of: identity.id, named: identity.name)
  }

  /// The label of an operation by the name that the table shows.
  ///
  /// - Parameters:
  ///   - id: Its number.
  ///   - name: The name.
  ///   - columns: The greatest width, of which a number takes its part first; nil for no limit.
  /// - Returns: The name, with control characters made visible.
  package func label(of id: Int, named name: String, columns: Int? = nil) -> String {
    let mark = shared.contains(name) ? " (\(id))" : ""
    let name = VisibleText.escape(name)
    return (columns.map { TextWidth.truncate(name, to: $0 - mark.count, ellipsis: "…") } ?? name)
      + mark
  }
}
