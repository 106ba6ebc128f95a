import OpshLocking
import OpshNetworking
import Operations
import ShellLanguage
import ShellSession
import OpshSystemCalls

/// Wakes an expectation at changes without a log entry: bytes, progress, priorities, queues.
///
/// It records which operations changed.
final class UnloggedChanges {
  private let invocation: Invocation
  private let expressions: [ShellLanguage.Expression]
  /// Whether the expressions read a property whose changes have no log entry.
  private let areRead: Bool
  private let countsOperations: Bool
  private let changed = Locked<Set<Int>>([])
  private var tokens: [String: [ObservationToken]] = [:]
  private var receiving: [(request: any NetworkOperationMetrics, handler: Int)] = []
  private var seenCount = 0
  /// The lists in variables whose operations are watched.
  private var lists: [String: [Value]] = [:]

  init(_ expressions: [ShellLanguage.Expression], _ invocation: Invocation) {
    self.expressions = expressions
    self.invocation = invocation
    let names = expressions.reduce(into: Set<String>()) { $0.formUnion($1.propertyNames) }
    areRead = !names.isSubset(of: ConditionReads.logged.union(ConditionReads.live))
    countsOperations = expressions.contains { !$0.countClauses.isEmpty }
  }

  deinit {
    for (request, handler) in receiving { request.removeReceiveHandler(handler) }
  }

  /// Returns the operations to which something has happened since the last call.
  func take() -> Set<Int> {
    changed.withLock { changed in
      defer { changed = [] }
      return changed
    }
  }

  /// Watches what has been built since the last call; each operation once.
  func watch() {
    let wakeUp = invocation.run.wakeUp
    for name in Set(expressions.flatMap(\.objectNames)) where tokens["queue " + name] == nil {
      guard let queue = invocation.jobs.queue(named: name) else { continue }
      tokens["queue " + name] = ["isSuspended", "maxConcurrentOperationCount"].compactMap {
        queue.observe(named: $0) { _, _ in wakeUp.signal() }
      }
    }
    guard areRead else { return }
    for name in Set(expressions.flatMap(\.objectNames)) {
      invocation.jobs.object(named: name, in: invocation.context).map(watch)
    }
    for name in Set(expressions.flatMap(\.variableNames)) {
      invocation.context.variable(name).map { watch($0, heldBy: name) }
    }
    guard countsOperations, invocation.jobs.operations.count > seenCount else { return }
    let count = invocation.jobs.operations.count
    invocation.jobs.operations.added(after: seenCount).forEach { watch($0) }
    seenCount = count
  }

  private func watch(_ value: Value, heldBy variable: String) {
    if case .list(let elements) = value {
      guard lists[variable]?.isSameArray(as: elements) != true else { return }
      lists[variable] = elements
    }
    watch(value)
  }

  private func watch(_ value: Value) {
    switch value {
    case .object(let object as OperationObject): watch(object.operation)
    case .list(let elements): elements.forEach { watch($0) }
    default: break
    }
  }

  private func watch(_ operation: ObservableOperation) {
    let (id, key) = (operation.id, String(operation.id))
    guard tokens[key] == nil, operation.state != .finished else { return }
    let note = { @Sendable [changed, wakeUp = invocation.run.wakeUp] in
      changed.withLock { _ = $0.insert(id) }
      wakeUp.signal()
    }
    tokens[key] = [
      "progress", "queuePriority", "qualityOfService", "dependencies", "name", "isReady",
    ].compactMap { operation.observe(named: $0) { _, _ in note() } }
    guard let request = operation.networkMetrics else { return }
    receiving.append((request, request.addReceiveHandler(note)))
  }
}

@available(*, unavailable)
extension UnloggedChanges: Sendable {}
