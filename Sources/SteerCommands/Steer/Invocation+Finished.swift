import CommandParts
import Operations
import ShellLanguage
import ShellSession
import OpshTerminal

extension Invocation {
  /// Says which of the named operations have finished, so that the command has no effect on them.
  ///
  /// A pattern that matches an unfinished operation is not about the finished ones.
  ///
  /// - Parameter operation: The argument that names them.
  /// - Throws: A diagnostic if a name means no operation.
  func tellFinished(of operation: Positional<[OperationName]>) throws {
    var finished: [ObservableOperation] = []
    for (index, name) in call[operation].enumerated() {
      let meant = try operations(for: name.value, at: operation, index: index)
      if meant.allSatisfy({ $0.state == .finished }) { finished += meant }
    }
    guard let first = finished.first else { return }
    let verb = finished.count == 1 ? "has already finished" : "have already finished"
    let outcome = finished.count == 1 ? ": " + OperationTable.outcome(of: first) : ""
    print(StyledText(VisibleText.escape("\(OperationList.names(finished)) \(verb)")) + outcome)
  }
}
