import CommandParts
import Foundation
import Operations
import ShellLanguage
import ShellSession

/// `wait`: until operations have finished.
enum Wait: Command {
  static let operation = Positional<[OperationName]>(
    "operation", SelectionWord.operations,
    help: "ids, names, patterns, 'last', a state: 'executing', or 'all' (default all)")
  static let timeout = Option<Duration?>("timeout", help: "time limit; after it the wait fails")
  static let anyOutcome = Flag(
    "any-outcome", help: "accept failures: any outcome is expected")

  /// The options of every command that waits for operations.
  static let options: [any OptionDeclaration] = [timeout, anyOutcome]

  static let path = ["wait"]
  static let declaration = CommandDeclaration(
    summary: "Waits until operations have finished",
    discussion: """
      Without operations it waits for all, those added meanwhile included; an empty list is none. \
      A failed one makes the wait an error, unless '--any-outcome' says that any outcome will do. \
      A failure that neither '--any-outcome' nor the condition of a met 'expect' covers ('help \
      status') makes the exit status of the script 1. A wait that can never end, because a queue is \
      paused, say, fails with the reasons; at the prompt it says so and goes on waiting. In the body \
      of an operation it goes on while a later statement may still end it. Ctrl-C at the prompt ends \
      the wait, not the operations.
      """,
    positionals: [operation], options: options + [Invocation.condition],
    examples: [
      .init("delay 10ms --count 3; wait", "all three"),
      .init("delay 10ms --count 3; wait executing; ops; wait", "the two that have a slot"),
      .init(
        "block { fail \"no\" }; wait last --any-outcome; show last", "a failure that is expected"),
    ],
    searchTerms: ["join", "await", "until", "finish", "block"],
    traits: [.waits])

  static func run(_ invocation: Invocation) throws -> Value {
    guard invocation.selects(operation), !isAll(invocation.call) else {
      // Before the list, or what a body builds in between would be missed.
      let count = invocation.jobs.operations.count
      return try Waiting(
        invocation: invocation, subject: .all,
        targets: invocation.jobs.operations.all.filter { operation in
          operation.outcome.map { outcome in
            outcome.failure != nil && !invocation.jobs.failures.isAccounted(operation)
          } ?? true
        }, registryCount: count
      ).run()
    }
    let targets = try invocation.operations(operation)
    return try Waiting(invocation: invocation, subject: .operations, targets: targets).run()
  }

  static func isOffered(_ operation: ObservableOperation) -> Bool { operation.state != .finished }

  static func wait(forQueue queue: InspectableQueue, _ invocation: Invocation) throws -> Value {
    // What has failed before is covered, too: how fast it was must not make a difference. Where any
    // outcome will do, so is what is in a group whose own failure an 'expect' covers.
    let acceptsAll = invocation.call[anyOutcome]
    let failed = invocation.jobs.operations.all.filter { operation in
      operation.outcome?.failure != nil && operation.queue === queue
        && (acceptsAll && operation is GroupOperation
          || !invocation.jobs.failures.isAccounted(operation))
    }
    return try Waiting(
      invocation: invocation, subject: .queue(queue), targets: failed + queue.operations
    ).run()
  }

  private static func isAll(_ call: CommandCall) -> Bool {
    !call.has(Invocation.condition)
      && call[operation].contains { if case .string("all") = $0.value { true } else { false } }
  }
}

/// `wait queue`: until nothing is on a queue any more.
enum WaitQueue: Command {
  static let queue = Positional<QueueName>("queue", help: "queue to wait for")

  static let path = ["wait", "queue"]
  static let declaration = CommandDeclaration(
    summary: "Waits until a queue is empty",
    positionals: [queue], options: Wait.options,
    examples: [.init("delay 10ms --count 3; wait queue network", "all operations on it")],
    searchTerms: ["drain", "empty", "finish"], traits: [.waits])

  static func run(_ invocation: Invocation) throws -> Value {
    try Wait.wait(forQueue: try invocation.queue(queue, allowsFinished: true), invocation)
  }
}
