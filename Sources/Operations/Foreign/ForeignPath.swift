import Foundation

/// Looks for circles of dependencies that lead through operations of Foundation's.
///
/// The engine's own order knows only those between operations of ours.
enum ForeignPath {
  /// Finds a way along unfinished dependencies.
  ///
  /// - Parameters:
  ///   - start: Where it begins.
  ///   - end: Where it ends; it may be the same, for a circle.
  ///   - log: Where the operations that wrap others are known.
  /// - Returns: The names of those on the way, both ends included, or nil if there is none.
  static func names(from start: Operation, to end: Operation, log: EventLog) -> [String]? {
    let end = original(of: end)
    var reached: [ObjectIdentifier: Operation] = [:]
    var next = [original(of: start)]
    while let operation = next.popLast() {
      // One that runs already, or has, waits for nothing any more.
      if operation.isExecuting || operation.isFinished { continue }
      for dependency in dependencies(of: operation, log: log) where !dependency.isFinished {
        if dependency === end { return names(back: operation, from: start, reached) + [name(end)] }
        let key = ObjectIdentifier(dependency)
        if reached[key] == nil {
          reached[key] = operation
          next.append(dependency)
        }
      }
    }
    return nil
  }

  private static func names(
    back last: Operation, from start: Operation, _ reached: [ObjectIdentifier: Operation]
  ) -> [String] {
    let start = original(of: start)
    var way = [last]
    while let operation = way.last, operation !== start,
      let before = reached[ObjectIdentifier(operation)]
    {
      way.append(before)
    }
    return way.reversed().map(name)
  }

  /// What an operation depends on by itself, and what that which wraps it does.
  private static func dependencies(of operation: Operation, log: EventLog) -> [Operation] {
    let wrapper = operation is ObservableOperation ? nil : log.foreign.wrapper(of: operation)
    return (operation.dependencies + (wrapper?.dependencies ?? [])).map(original)
  }

  private static func original(of operation: Operation) -> Operation {
    (operation as? WrappedOperation)?.wrapped ?? operation
  }

  private static func name(_ operation: Operation) -> String {
    (operation as? ObservableOperation)?.displayName ?? operation.name
      ?? String(describing: type(of: operation))
  }
}
