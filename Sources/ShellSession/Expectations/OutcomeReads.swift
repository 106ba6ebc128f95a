package import Operations

/// Notes the failed operations whose outcome an expression reads: a met expectation expects them.
///
/// In `count of … where …` only what is counted is noted.
final class OutcomeReads {
  /// The properties that tell how an operation ended.
  static let properties: Set<String> = [
    "outcome", "error", "status", "refusal", "cancelled", "isCancelled",
  ]

  /// The operations, each once.
  private(set) var operations: [ObservableOperation] = []
  private var ids: Set<Int> = []
  /// What the conditions around the present place are asked about, the innermost last.
  private var subjects: [(id: Int, hasRead: Bool)] = []

  /// Notes that a property was read, at a moment if the expression is not about the present.
  func note(_ property: String, of operation: ObservableOperation, at moment: LogMoment?) {
    guard Self.properties.contains(property), operation.outcome?.failure != nil,
      moment.map({ $0.state(of: operation) == .finished }) ?? true
    else { return }
    // What a condition reads of its own subject counts only if the subject is counted.
    if let index = subjects.lastIndex(where: { $0.id == operation.id }) {
      subjects[index].hasRead = true
    } else {
      add(operation)
    }
  }

  /// Asks whether a condition counts an operation.
  func counting(_ operation: ObservableOperation, _ fits: () throws -> Bool) rethrows -> Bool {
    subjects.append((operation.id, false))
    var isCounted = false
    defer {
      let hasRead = subjects.removeLast().hasRead
      if isCounted, hasRead { add(operation) }
    }
    isCounted = try fits()
    return isCounted
  }

  private func add(_ operation: ObservableOperation) {
    if ids.insert(operation.id).inserted { operations.append(operation) }
  }
}

@available(*, unavailable)
extension OutcomeReads: Sendable {}

/// Where expressions on this thread note what they read of outcomes, if anything does.
package enum CurrentReads {
  private static let slot = ThreadSlot<OutcomeReads>()

  static var value: OutcomeReads? { slot.value }

  /// Runs `body`, and returns what it returns with the failed operations whose outcome it read.
  package static func noting<Result>(
    _ body: () throws -> Result
  ) rethrows -> (result: Result, failed: [ObservableOperation]) {
    let reads = OutcomeReads()
    return (try slot.with(reads, body), reads.operations)
  }
}
