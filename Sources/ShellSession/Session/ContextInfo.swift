package import Operations
package import ShellLanguage

/// The session's data about the place where statements run.
package struct ContextInfo: Sendable {
  /// The operation whose body is running; nil on the interpreter's own thread.
  package var operation: ObservableOperation?
  /// The handler that is running, in words; nil if none is.
  package var handler: String?
  /// The group that newly built operations join.
  package var group: GroupOperation?
  /// The group that this one is built anew for.
  package var formerGroup: ObservableOperation?
  /// The default retry settings of operations in the group.
  package var retry = RetryChoice()
  /// Fixed meanings of names while one statement evaluates its expressions repeatedly.
  var bindings: NameBindings?

  package init(operation: ObservableOperation? = nil, group: GroupOperation? = nil) {
    self.operation = operation
    self.group = group
  }

  init(of context: ExecutionContext) {
    self = context.userInfo.flatMap { $0 as? ContextInfo } ?? ContextInfo()
  }
}

extension Invocation {
  /// Who asks to cancel, in words: the handler or the body that runs the command, or the command.
  package func requester(_ command: String) -> String {
    if let handler = info.handler { return "the handler '\(handler)'" }
    return info.operation.map { "the body of '\($0.displayName)'" } ?? command
  }
}

extension ExecutionContext {
  /// The same place for a block that runs later on the interpreter's thread.
  ///
  /// Such a block belongs to no operation body, and its group has been built by then.
  ///
  /// - Parameter handler: What the block is, in words, for operations that it cancels.
  /// - Returns: The place.
  package func forHandler(_ handler: String) -> ExecutionContext {
    var info = ContextInfo()
    info.handler = handler
    return forLater(userInfo: info)
  }
}
