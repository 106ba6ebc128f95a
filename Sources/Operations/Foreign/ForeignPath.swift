import Foundation

/// Looks for circles of dependencies that lead through operations of Foundation's.
///
/// The engine's own order knows only those between operations of ours.
struct ForeignPath {
  /// How many operations are looked at where a way can only lead through dependencies that were
  /// added on Foundation's side to what is on a queue of ours.
  private static let shortWay = 16

  private let start: Operation
  private let end: Operation
  private let log: EventLog
  private var reached: [ObjectIdentifier: Operation] = [:]

  private init(from start: Operation, to end: Operation, log: EventLog) {
    self.start = Self.original(of: start)
    self.end = Self.original(of: end)
    self.log = log
  }

  /// Finds a way along unfinished dependencies.
  ///
  /// It takes the time of all that can be reached, but hardly any where the engine knows the answer.
  /// That does not know what was added on Foundation's side to operations that are on its queues;
  /// a circle of many that was closed so is found when one of them is held up by it.
  ///
  /// - Parameters:
  ///   - start: Where it begins.
  ///   - end: Where it ends; it may be the same, for a circle.
  ///   - log: Where the operations that wrap others are known.
  /// - Returns: The names of those on the way, both ends included, or nil if there is none.
  static func names(from start: Operation, to end: Operation, log: EventLog) -> [String]? {
    var path = ForeignPath(from: start, to: end, log: log)
    return path.find(beyondKnown: !path.isWayKnown)
  }

  /// Finds a circle, whoever closed it, in the time of all that can be reached.
  static func circle(through operation: Operation, log: EventLog) -> [String]? {
    var path = ForeignPath(from: operation, to: operation, log: log)
    return path.find(beyondKnown: true)
  }

  /// Whether an operation waits for one that the engine knows, or for one of Foundation's that does.
  static func leadsToKnown(from operation: Operation, log: EventLog) -> Bool {
    var path = ForeignPath(from: operation, to: operation, log: log)
    return path.findKnown()
  }

  /// Whether what the engine knows need not be looked through.
  ///
  /// Unless somebody waits for an operation that is on no queue of ours, no way leads out of what the
  /// engine knows; and what lies all in there, it finds itself.
  private var isWayKnown: Bool {
    !log.foreign.isWatching && (!isKnown(end) || isKnown(start))
  }

  private func isKnown(_ operation: Operation) -> Bool {
    operation is ObservableOperation || log.foreign.wrapper(of: operation) != nil
  }

  private mutating func find(beyondKnown: Bool) -> [String]? {
    var next = [start]
    var steps = 0
    while let operation = next.popLast() {
      // One that runs already, or has, waits for nothing any more.
      if operation.isExecuting || operation.isFinished { continue }
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

  private mutating func findKnown() -> Bool {
    var next = [start]
    while let operation = next.popLast() {
      if operation.isExecuting || operation.isFinished { continue }
      for dependency in dependencies(of: operation) where !dependency.isFinished {
        if isKnown(dependency) { return true }
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
    let wrapper = operation is ObservableOperation ? nil : log.foreign.wrapper(of: operation)
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
