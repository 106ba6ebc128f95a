import Operations
import ShellLanguage

/// What the place where statements run means to the session.
struct ContextInfo: Sendable {
  /// The operation whose body they are; nil on the interpreter's own thread.
  var operation: ObservableOperation?
  /// The group that operations built there belong to.
  var group: GroupOperation?
  /// What operations of the group begin again with, unless they say otherwise.
  var retry = RetryChoice()
  /// What names mean while one statement evaluates its expressions again and again.
  var bindings: NameBindings?

  init(operation: ObservableOperation? = nil, group: GroupOperation? = nil) {
    self.operation = operation
    self.group = group
  }

  init(of context: ExecutionContext) {
    self = context.userInfo as? ContextInfo ?? ContextInfo()
  }
}

extension ExecutionContext {
  /// The same place for a block that runs later, on the interpreter's thread: it is nobody's body,
  /// and the group that it stands in has long been built.
  var forHandlers: ExecutionContext { with(userInfo: nil) }
}
