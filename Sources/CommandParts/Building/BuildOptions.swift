package import Foundation
package import Operations
package import ShellLanguage
package import ShellSession

/// What every command that builds operations takes: queue, name, priority, dependencies, and so on.
package struct BuildOptions {
  package let queue: InspectableQueue
  package let name: String?
  package let priority: Operation.QueuePriority
  package let qualityOfService: QualityOfService
  package let dependencies: [(operation: ObservableOperation, policy: FailurePolicy)]
  package let count: Int
  package let isHeld: Bool
  package let startDelay: Duration?
  package let timeLimit: Duration?
  package let retry: RetryChoice
  package let exclusiveNames: [String]
  package let isEssential: Bool

  /// The options, as the signatures of those commands list them.
  package static let all: [any OptionDeclaration] =
    shared + [backoff.needing(retry), jitter.needing(retry)]

  /// The options of a group, which says for its members how to retry, and has its name elsewhere.
  package static let ofGroups =
    without([name], shared + [backoff, jitter]) + [membersMayBeCancelled]

  private static let shared: [any OptionDeclaration] = [
    queue, name, priority, qos, after, onFailure, count, hold, essential, delay, exclusive,
    timeout, retry,
  ]

  package static let queue = Option<QueueName?>(
    "queue", help: "queue it is added to (default: that of 'queue route', else the queue in use)")
  package static let name = Option<String?>(
    "name", .newName(reserved: OperationRegistry.reservedNames),
    help: "name (default: the kind and a number, such as questions-1)")
  package static let priority = Option<Operation.QueuePriority>(
    "priority", default: .normal, help: "place among the ready operations")
  package static let qos = Option<QualityOfService?>(
    "qos", help: "quality of service of its body; see 'help qos'")
  package static let after = Option<[OperationName]>(
    "after", help: "operation that must finish first; may be repeated, or take a,b")
  package static let onFailure = Option<FailurePolicy>(
    "on-failure", default: .run,
    help: "if a dependency fails: run (as Foundation does), skip, or fail"
  ).needing(after)
  package static let count = Option<Int>(
    "count", .integer(minimum: 1, maximum: 1_000_000), default: 1,
    help: "how many to build; the value is then a list")
  package static let hold = Flag("hold", help: "leave it off its queue until 'start'")
  package static let essential = Flag(
    "essential", help: "give it time to finish when the app goes to the background")
  package static let membersMayBeCancelled = Flag(
    "members-may-be-cancelled",
    help: "succeed although members were cancelled, or skipped because of that")
  package static let delay = Option<Duration?>(
    "delay", help: "time after it was added before it can become ready")
  package static let exclusive = Option<[String]>(
    "exclusive", .newName(reserved: []),
    help: "name that one operation at a time executes with; may be repeated, or take a,b"
  ).refused(exclusiveConflict)
  package static let timeout = Option<Duration?>(
    "timeout", help: "time limit of its execution, all attempts together")
  package static let retry = Option<Int?>(
    RetryChoice.option, .integer(minimum: 0, maximum: 100),
    help: "retries after a failure (requests: only if repeating is safe)")
  package static let backoff = Option<Duration?>(
    "backoff",
    help: "wait before the first retry, doubled for each further one up to a minute or this")
  package static let jitter = Option<Percentage?>(
    "jitter",
    help: "share of each such wait that is random (default for requests: up to 25% longer); "
      + "with 0% a pause that a server asks for is exact, too")

  /// The options without some of them.
  package static func all(without left: any Parameter...) -> [any OptionDeclaration] {
    without(left, all)
  }

  private static func without(
    _ left: [any Parameter], _ options: [any OptionDeclaration]
  ) -> [any OptionDeclaration] {
    let names = Set(left.map(\.name))
    return options.filter { !names.contains($0.declaration.name) }
  }

  /// Reads the options of a call; nothing is built or changed.
  ///
  /// - Parameters:
  ///   - invocation: The call.
  ///   - standardQueue: Gives the queue of a command that has one of its own, where neither
  ///     '--queue' nor a group says otherwise.
  ///   - standardQualityOfService: What it has without '--qos'.
  /// - Throws: A diagnostic where they can't be met.
  package init(
    _ invocation: Invocation, standardQueue: (() throws -> InspectableQueue)? = nil,
    standardQualityOfService: QualityOfService = .default
  ) throws {
    let call = invocation.call
    try invocation.refuseWhileTerminated()
    if let standardQueue, !call.has(Self.queue), invocation.info.group == nil {
      queue = try standardQueue()
    } else {
      queue = try invocation.queue()
    }
    isEssential = call[Self.essential]
    name = call[Self.name]
    if let original = invocation.rebuilt?.original {
      // As they are now: what the words say may have been changed, or mean something else.
      priority = original.queuePriority
      qualityOfService = original.qualityOfService
      let operations = invocation.jobs.operations
      dependencies = original.upstream.map { (operations.newestRetry(of: $0.operation), $0.policy) }
    } else {
      priority = call[Self.priority]
      qualityOfService = call[Self.qos] ?? standardQualityOfService
      let policy = call[Self.onFailure]
      dependencies = try invocation.operations(Self.after).map { ($0, policy) }
    }
    count = call[Self.count]
    isHeld = call[Self.hold]
    startDelay = call[Self.delay]
    timeLimit = call[Self.timeout]
    retry = RetryChoice(call, standard: invocation.info.retry)
    exclusiveNames = call[Self.exclusive]
    if !dependencies.isEmpty { invocation.jobs.engine.noteTime() }
    try invocation.refuseCycle(
      of: queue, waitingFor: dependencies.map(\.operation), at: Self.after)
  }

  /// Refuses an exclusive name that a group around the call has until what the call builds has
  /// finished.
  @Sendable private static func exclusiveConflict(
    _ call: CommandCall, _ exclusive: Option<[String]>
  ) -> Diagnostic? {
    guard let names = call.known(exclusive) else { return nil }
    var inner = call
    // What is held, or on another queue, is not in the group.
    for group in call.enclosing.reversed() where !inner.mentions(queue) && !inner.mentions(hold) {
      if let taken = group.known(exclusive), let place = names.firstIndex(where: taken.contains) {
        return call.failure(
          .exclusiveConflict,
          "this would wait for ever for the exclusive name '\(names[place])', which a group around it "
            + "has", at: exclusive, index: place)
      }
      inner = group
    }
    return nil
  }

  /// Sets an operation that is on no queue up as they say.
  package func apply(to operation: ObservableOperation) throws {
    operation.queuePriority = priority
    operation.qualityOfService = qualityOfService
    for (other, policy) in dependencies { try operation.depend(on: other, policy: policy) }
    if let startDelay { operation.startDelay = startDelay }
    if !exclusiveNames.isEmpty { operation.exclusiveNames = exclusiveNames }
    operation.timeLimit = timeLimit
    operation.retryPolicy = retry.policy
  }
}

extension Invocation {
  /// Refuses to build or start anything for an app that does not run.
  package func refuseWhileTerminated(
    _ message: String = "the app has been terminated, so nothing can be added to its queues"
  ) throws {
    guard jobs.app.phase == .terminated else { return }
    throw call.failure(.appTerminated, message)
  }
}
