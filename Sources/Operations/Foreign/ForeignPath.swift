import Foundation

/// Looks for cycles of dependencies that lead through operations of Foundation.
///
/// The engine's own order knows only those between operations of ours.
struct ForeignPath {
  /// How many operations are looked at where a way can only lead through dependencies that were
  /// added on Foundation's side to what is on a queue of ours.
  private static let shortWay = 16

  private let start: Operation
  private let end: Operation
  private let engine: OperationEngine
  private var reached: [ObjectIdentifier: Operation] = [:]

  private init(from start: Operation, to end: Operation, engine: OperationEngine) {
    self.start = Self.original(of: start)
    self.end = Self.original(of: end)
    self.engine = engine
  }

  /// Finds a way along unfinished dependencies.
  ///
  /// It takes the time of all that can be reached, but hardly any where the engine knows the answer.
  /// That does not know what was added on Foundation's side to operations that are on its queues;
  /// a cycle of many that was closed so is found when one of them is held up by it.
  ///
  /// - Parameters:
  ///   - start: Where it begins.
  ///   - end: Where it ends; it may be the same, for a cycle.
  ///   - engine: Where the operations that wrap others are known.
  /// - Returns: The names of those on the way, both ends included, or nil if there is none.
  static func names(from start: Operation, to end: Operation, engine: OperationEngine) -> [String]?
  {
    var path = ForeignPath(from: start, to: end, engine: engine)
    return path.find(beyondKnown: !path.isWayKnown)
  }

  /// Finds a cycle in the time of all that can be reached, also one closed on Foundation's side.
  static func cycle(through operation: Operation, engine: OperationEngine) -> [String]? {
    var path = ForeignPath(from: operation, to: operation, engine: engine)
    return path.find(beyondKnown: true)
  }

  /// Whether others have to do something before an operation can begin its work: those that the
  /// engine knows, or the code that puts it on a queue.
  static func waitsForOthers(_ operation: Operation, engine: OperationEngine) -> Bool {
    let path = ForeignPath(from: operation, to: operation, engine: engine)
    return path.isWithOthers(operation) || leadsToOthers(from: operation, engine: engine)
  }

  /// The same for what an operation depends on.
  static func leadsToOthers(from operation: Operation, engine: OperationEngine) -> Bool {
    var path = ForeignPath(from: operation, to: operation, engine: engine)
    return path.findOthers()
  }

  /// Whether what the engine knows need not be looked through.
  ///
  /// A way leads out of what the engine knows only through operations that are watched: on no queue of
  /// ours, and waited for. Where none of them leads on to the end, or back, there is no such way; and
  /// what lies all within, the engine finds itself.
  private var isWayKnown: Bool {
    let endIsKnown = isKnown(end)
    guard !endIsKnown || isKnown(start) else { return false }
    var next = engine.foreign.watched.filter { !isKnown($0) }
    var seen: Set<ObjectIdentifier> = []
    while let operation = next.popLast() {
      if operation === end { return false }
      guard seen.insert(ObjectIdentifier(operation)).inserted, Self.isWaiting(operation) else {
        continue
      }
      for dependency in operation.dependencies where !dependency.isFinished {
        if !isKnown(dependency) { next.append(dependency) } else if endIsKnown { return false }
      }
    }
    return true
  }

  /// One that runs already, or has, waits for nothing any more, nor does one that was cancelled.
  private static func isWaiting(_ operation: Operation) -> Bool {
    !operation.isExecuting && !operation.isFinished && !operation.isCancelled
  }

  private func isKnown(_ operation: Operation) -> Bool {
    operation is ObservableOperation || engine.foreign.wrapper(of: operation) != nil
  }

  private mutating func find(beyondKnown: Bool) -> [String]? {
    var next = [start]
    var steps = 0
    while let operation = next.popLast() {
      guard Self.isWaiting(operation) else { continue }
      steps += 1
      if !beyondKnown, steps > Self.shortWay, isKnown(operation) { continue }
      for dependency in dependencies(of: operation) where !dependency.isFinished {
        if dependency === end { return names(back: operation) + [name(end)] }
        let key = ObjectIdentifier(dependency)
        if reached[key] == nil {
          reached[key] = operation
          next.append(dependency)
        }
      }
    }
    return nil
  }

  /// Whether the engine runs it, or it is on no queue.
  private func isWithOthers(_ operation: Operation) -> Bool {
    !operation.isFinished && (isKnown(operation) || !ForeignState.isTaken(operation))
  }

  private mutating func findOthers() -> Bool {
    var next = [start]
    while let operation = next.popLast() {
      guard Self.isWaiting(operation) else { continue }
      for dependency in dependencies(of: operation) where !dependency.isFinished {
        if isWithOthers(dependency) { return true }
        if reached.updateValue(operation, forKey: ObjectIdentifier(dependency)) == nil {
          next.append(dependency)
        }
      }
    }
    return false
  }

  private func names(back last: Operation) -> [String] {
    var way = [last]
    while let operation = way.last, operation !== start,
      let before = reached[ObjectIdentifier(operation)]
    {
      way.append(before)
    }
    return way.reversed().map(name)
  }

  /// What an operation depends on by itself, and what that which wraps it does.
  private func dependencies(of operation: Operation) -> [Operation] {
    let wrapper = operation is ObservableOperation ? nil : engine.foreign.wrapper(of: operation)
    return (operation.dependencies + (wrapper?.dependencies ?? [])).map(Self.original)
  }

  private static func original(of operation: Operation) -> Operation {
    (operation as? WrappedOperation)?.wrapped ?? operation
  }

  private func name(_ operation: Operation) -> String {
    (operation as? ObservableOperation)?.displayName ?? operation.name
      ?? String(describing: type(of: operation))
  }
}
