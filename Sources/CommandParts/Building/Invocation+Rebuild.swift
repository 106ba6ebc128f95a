package import Operations
package import ShellLanguage
package import ShellSession

extension Invocation {
  /// Builds operations anew, each after those that it depends on.
  ///
  /// - Parameters:
  ///   - operations: Finished operations.
  ///   - uses: The uses of commands that build them again, in the same order.
  ///   - range: Where the call asks for it; nil for the whole call.
  /// - Returns: What was built, in the same order.
  /// - Throws: The first error of a command, at this statement.
  package func rebuild(
    _ operations: [ObservableOperation], by uses: [Invocation], at range: SourceRange? = nil
  ) throws -> [Value] {
    var built = [Value](repeating: .null, count: uses.count)
    let rebuild = {
      for place in dependenciesFirst(operations) {
        built[place] = try build(uses[place], at: range)
      }
    }
    // Of several the first that are ready start when all were added.
    if uses.count > 1 {
      try jobs.engine.withoutStarting(rebuild)
    } else {
      try rebuild()
    }
    return built
  }

  private func build(_ use: Invocation, at range: SourceRange?) throws -> Value {
    guard let command = use.call.signature.shellCommand else { return Value.null }
    do {
      try use.refuseWrongClock()
      let value = try command.run(use)
      if case .object(let object as OperationObject) = value, object.operation.isHeldBack {
        let name = object.operation.displayName
        printText("'\(name)' is held, as it was built: 'start \(name)' adds it")
      }
      return value
    } catch var error as Diagnostic {
      // The arguments stand elsewhere.
      error.labels.insert(
        Diagnostic.Label("the operation was built here", source: error.source, range: error.range),
        at: 0)
      (error.source, error.range) = (call.source, range ?? call.range)
      throw error
    }
  }

  /// The places of the operations, each after those that it depends on, so that it finds their retries.
  private func dependenciesFirst(_ operations: [ObservableOperation]) -> [Int] {
    let needs = operations.map { operation in
      Set(
        operation.upstream.flatMap { edge -> [Int] in
          let other = jobs.operations.newestRetry(of: edge.operation)
          return ([other] + other.enclosingGroups).map(\.id)
        })
    }
    var order: [Int] = []
    var rest = Array(operations.indices)
    while !rest.isEmpty {
      let ids = Set(rest.map { operations[$0].id })
      var next = rest.filter { needs[$0].isDisjoint(with: ids) }
      if next.isEmpty { next = rest }
      order += next
      let chosen = Set(next)
      rest.removeAll(where: chosen.contains)
    }
    return order
  }
}
