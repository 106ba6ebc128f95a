import CommandParts
import Operations
package import ShellLanguage
import ShellSession

/// `start`: adds held operations to their queues.
enum Start: Command {
  static let operation = Positional<[OperationName]>(
    "operation", SelectionWord.operations, atLeastOne: true,
    help: "ids, names, patterns, 'last', 'all' or 'created': every held one"
  ).orOption(Invocation.condition)
  static let directly = Flag(
    "directly", help: "calls start() without a queue, and waits for one that is not asynchronous")

  static let path = ["start"]
  static let declaration = CommandDeclaration(
    summary: "Adds operations built with '--hold' to their queues",
    discussion: """
      Starting an operation a second time is an error. At the end of a script, an operation that is \
      held and was never started is left over, as one on a paused queue is: the status is 1.

      With '--directly' an operation runs on no queue: it takes no slot, and nothing waits its turn. \
      'start' returns at once if it is asynchronous (async, delay, fetch, group), and when it has \
      ended if it is not (block, '--blocking'): that is what 'isAsynchronous' tells a caller of \
      start(). Ctrl-C cancels it.
      """,
    positionals: [operation], options: [Invocation.condition, directly],
    examples: [
      .init("delay 10ms --hold; start last; wait", "held, then started"),
      .init(
        "block --name b --hold { sleep 20ms }; start b --directly; echo ${b.state}",
        "without a queue: it has ended when 'start' returns"),
    ],
    searchTerms: [
      "begin", "run", "enqueue", "release", "hold", "directly", "without a queue", "isAsynchronous",
    ])

  static func run(_ invocation: Invocation) throws -> Value {
    let operations = try invocation.operations(operation)
    // All are checked before the first one starts, so that a refusal changes nothing.
    try invocation.refuseWhileTerminated()
    for operation in operations { try check(operation, invocation) }
    if invocation.call[directly] { return try startDirectly(operations, invocation) }
    try HeldOperations(operations, at: operation, invocation).add { home(of: $0, invocation) }
    return .null
  }

  /// Calls `start()` of each, as code without a queue does.
  private static func startDirectly(
    _ operations: [ObservableOperation], _ invocation: Invocation
  ) throws -> Value {
    let (call, run) = (invocation.call, invocation.run)
    for operation in operations {
      let name = operation.displayName
      if operation is FoundationOperation {
        let error = QueueError.driver(
          queue: home(of: operation, invocation).name,
          reason: "an operation that was built for it is in its process, and starts there")
        throw call.failure(error, at: Self.operation, help: "start \(name)")
      }
      let isAsynchronous = operation.isAsynchronous
      do throws(OperationError) {
        try operation.startManually(
          saying: isAsynchronous
            ? "on no queue; start() returns at once, as it is asynchronous"
            : "on no queue; start() returns when it has ended, as it is not asynchronous")
      } catch {
        throw call.failure(error, at: Self.operation)
      }
      invocation.jobs.operations.releaseHold(of: operation)
      guard !isAsynchronous else { continue }
      let end = try run.wait(
        isStuck: { run.neverEnds(waitForAnyOf: [operation], by: invocation.info.operation) },
        { operation.state == .finished })
      switch end {
      case .met, .timedOut: break
      case .interrupted:
        ObservableOperation.cancelAll([operation], by: "Ctrl-C")
        throw Interruption()
      case .stuck:
        throw call.failure(
          .neverEnds, "'\(name)' never ends, and 'start' waits for that", at: Self.operation,
          help: "'why \(name)' says why")
      }
    }
    return .null
  }

  /// The queue that a held operation is meant for.
  private static func home(
    of operation: ObservableOperation, _ invocation: Invocation
  ) -> InspectableQueue {
    invocation.jobs.operations.hold(of: operation)?.queue ?? invocation.jobs.queues.inUse
  }

  private static func check(_ operation: ObservableOperation, _ invocation: Invocation) throws {
    let name = operation.displayName
    try HeldOperations.refuseUnderConstruction(operation, at: Self.operation, invocation)
    if operation.state == .created {
      let queue = invocation.jobs.operations.destination(of: operation)
      guard let queue, queue.isClosed else { return }
      let error = QueueError.groupFinished(name: queue.name)
      throw invocation.call.failure(error, at: Self.operation)
    }
    let held = operation.enclosingGroups.first { $0.state == .created }
    let waits = operation.state == .pending || operation.state == .ready
    throw invocation.call.failure(
      .alreadyStarted, "'\(name)' was started already: it is \(operation.state.rawValue)",
      at: Self.operation,
      help: held.map { "it waits for its group: 'start \($0.displayName)'" }
        ?? (waits ? "its queue starts it when it can; 'why \(name)' says what it waits for" : nil))
  }

  static func selects(_ operation: ObservableOperation, isAll: Bool, in jobs: Jobs) -> Bool {
    isOffered(operation)
  }

  static func isOffered(_ operation: ObservableOperation) -> Bool { operation.state == .created }
}

extension ErrorPage {
  package static let underConstruction = ErrorPage(
    "under-construction", "The group is still being built",
    "Its block runs, and may still add operations. It is added to its queue when the block has run.",
    wrong: "group g --hold { delay 1ms; start g }",
    right: "group g --hold { delay 1ms }\nstart g\nwait", proof: .running)
}
