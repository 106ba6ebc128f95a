import Operations
package import ShellLanguage

/// The objects that names stand for.
extension Jobs {
  /// Returns the operation or queue that a name means at a place.
  package func object(named name: String, in context: ExecutionContext) -> Value? {
    guard let bindings = ContextInfo(of: context).bindings else { return object(named: name) }
    return bindings.object(named: name) { object(named: name) }
  }

  func object(named name: String) -> Value? {
    // No name begins with a digit.
    if let operation = operations.operation(named: name)
      ?? Int(name).flatMap({ operations.operation(id: $0) })
    {
      return .object(OperationObject(operation, clock: clock))
    }
    if name == "last", let operation = operations.last {
      return .object(OperationObject(operation, clock: clock))
    }
    return queues.queue(meant: name).map { .object(QueueObject($0)) }
  }

  /// Returns what `count of` and `for` go through under a name; nil if it is none of a collection.
  package func collection(named name: String) -> [Value]? {
    switch name {
    case "ops": return objects(operations.all)
    case "queues": return allQueues.map { .object(QueueObject($0)) }
    default:
      guard GlobPattern.isPattern(name) else { return nil }
      let pattern = GlobPattern(name)
      return objects(operations.all.filter { pattern.matches($0.displayName) })
    }
  }

  /// Returns the operations that had been built at the moment that expressions refer to.
  private func objects(_ operations: [ObservableOperation]) -> [Value] {
    let moment = CurrentMoment.value
    return operations.filter { moment?.has($0) ?? true }
      .map { .object(OperationObject($0, clock: clock)) }
  }

  /// Returns the operations that words of `for` select.
  ///
  /// - Throws: An `UnplacedError` if a pattern matches none.
  func operations(in selection: OperationSelection) throws -> [Value] {
    let selected: [ObservableOperation]
    switch selection {
    case .all: selected = operations.all
    case .collection(let name, let words):
      guard !words.isEmpty else { return collection(named: name) ?? [] }
      let selecting = words.compactMap(SelectionWord.init)
      let named = selecting.compactMap(operation(hiding:)).map(\.id)
      selected = operations.all.filter { operation in
        named.contains(operation.id)
          || selecting.contains { self.operation(hiding: $0) == nil && $0.selects(operation) }
      }
    case .matching(let pattern, let written):
      selected = operations.all.filter { pattern.matches($0.displayName) }
      if selected.isEmpty {
        if let dropped = droppedRecord(matching: written) { throw dropped }
        throw UnplacedError(
          .unknownOperation, "no operation's name matches '\(written)'",
          help: "'ops' lists the operations; where the star is text, quote the word")
      }
    }
    return selected.map { .object(OperationObject($0, clock: clock)) }
  }
}
