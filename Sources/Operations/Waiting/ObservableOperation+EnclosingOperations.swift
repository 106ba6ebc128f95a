/// The operations whose code led to the code of another one on the same thread or task, the nearest
/// first: a body that starts an operation by hand, or finishes one and so calls its handler.
final class EnclosingOperations: Sendable {
  let operation: ObservableOperation
  let further: EnclosingOperations?

  init(_ operation: ObservableOperation, _ further: EnclosingOperations?) {
    self.operation = operation
    self.further = further
  }

  /// The operations that enclose the current one.
  @TaskLocal static var present: EnclosingOperations?
}

extension ObservableOperation {
  /// Runs code of this operation, which can wait neither for this nor for one that encloses it.
  final func runInside<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard let outer = Self.current, outer !== self else {
      return try Self.$current.withValue(self, operation: body)
    }
    return try EnclosingOperations.$present.withValue(EnclosingOperations(outer, .present)) {
      try Self.$current.withValue(self, operation: body)
    }
  }

  /// Whether the caller is code of an unfinished operation that meets a condition, directly, through
  /// an enclosing operation or through a group.
  ///
  /// Finished operations do not count: a task that a body started may outlive it.
  static func isInside(where isMeant: (ObservableOperation) -> Bool) -> Bool {
    guard let current else { return false }
    if current.holdsUp(where: isMeant) { return true }
    var next = EnclosingOperations.present
    while let around = next {
      if around.operation.holdsUp(where: isMeant) { return true }
      next = around.further
    }
    return false
  }

  /// Whether it, or a group around it, is unfinished and meets the condition.
  private func holdsUp(where isMeant: (ObservableOperation) -> Bool) -> Bool {
    var next: ObservableOperation? = self
    while let operation = next, operation.state != .finished {
      if isMeant(operation) { return true }
      next = operation.group
    }
    return false
  }
}
