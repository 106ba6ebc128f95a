import Foundation
import Networking
import Operations
import ShellLanguage

/// What every command that builds operations takes: queue, name, priority, dependencies, and so on.
struct BuildOptions {
  let queue: InspectableQueue
  let name: String?
  let priority: Operation.QueuePriority
  let qualityOfService: QualityOfService
  let dependencies: [ObservableOperation]
  let policy: FailurePolicy
  let count: Int
  let isHeld: Bool
  let startDelay: Duration?
  let timeLimit: Duration?
  let retry: RetryChoice
  let exclusiveNames: [String]
  let isEssential: Bool

  /// The options, as the signatures of those commands list them.
  static let options: [CommandSignature.Option] = placing + timing

  /// Those that say where an operation goes and what it waits for.
  private static let placing: [CommandSignature.Option] = [
    .init("queue", .name("queue"), help: "the queue it is added to; the one in use if left out"),
    .init(
      "name", .newName(reserved: OperationRegistry.reservedNames),
      help: "its name; otherwise the kind's last word and a number"),
    .init(
      "priority", .choice(Operation.QueuePriority.shellNames.map(\.name)),
      help: "its place among ready operations"),
    .init(
      "qos", .choice(QualityOfService.shellNames.map(\.name)),
      help: "quality of service of its body; see 'help qos'"),
    .init(
      "after", .name("operation"), repeats: true,
      help: "an operation that must finish first; may be repeated, or take a,b"),
    .init(
      "on-failure", .choice(FailurePolicy.allCases.map(\.rawValue)),
      help: "what to do if one of those does not succeed: run all the same, be skipped, or fail"),
    .init("count", .integer(minimum: 1, maximum: 1_000_000), help: "how many to build"),
    .init("hold", help: "leave it off its queue until 'start'"),
    .init("essential", help: "give it time to finish when the app goes to the background"),
  ]

  /// Those that say how long it may take, and when it begins, perhaps again.
  private static let timing: [CommandSignature.Option] = [
    .init("delay", .duration, help: "how long after it was added it may become ready"),
    .init(
      "exclusive", .newName(reserved: []), repeats: true,
      help: "a name that one operation at a time executes with; may be repeated, or take a,b"),
    .init("timeout", .duration, help: "how long it may execute, all attempts together"),
    .init(
      "retry", .integer(minimum: 0, maximum: 100),
      help: "how often to begin again if it fails; a request does where that is safe"),
    .init(
      "backoff", .duration,
      help:
        "how long to wait before the first further attempt; then twice as long each time, but no "
        + "longer than a minute or this"),
    .init(
      "jitter", .percent,
      help:
        "how much of each such wait is left to chance; without it a request waits up to 25% longer"),
  ]

  /// The options without some of them.
  static func options(without names: Set<String>) -> [CommandSignature.Option] {
    options.filter { !names.contains($0.name) }
  }

  /// Reads the options of a call; nothing is built or changed.
  ///
  /// - Parameters:
  ///   - invocation: The call.
  ///   - standardQueue: Gives the queue of a command that has one of its own, where neither
  ///     '--queue' nor a group says otherwise.
  ///   - standardQualityOfService: What it has without '--qos'.
  ///   - isForMembers: Whether they are those of a group, which says for its members how to retry.
  /// - Throws: A diagnostic where they can't be met.
  init(
    _ invocation: Invocation, standardQueue: (() throws -> InspectableQueue)? = nil,
    standardQualityOfService: QualityOfService = .default, isForMembers: Bool = false
  ) throws {
    let call = invocation.call
    try invocation.refuseWhileTerminated()
    if let standardQueue, !call.has("queue"), invocation.info.group == nil {
      queue = try standardQueue()
    } else {
      queue = try invocation.queue()
    }
    isEssential = call.flag("essential")
    name = call.string("name")
    priority = call.string("priority").flatMap(Operation.QueuePriority.init(shellName:)) ?? .normal
    qualityOfService =
      call.string("qos").flatMap(QualityOfService.init(shellName:))
      ?? standardQualityOfService
    dependencies = call.has("after") ? try invocation.operations("after") : []
    policy = call.string("on-failure").flatMap(FailurePolicy.init(rawValue:)) ?? .run
    count = call.integer("count") ?? 1
    isHeld = call.flag("hold")
    startDelay = call.duration("delay")
    timeLimit = call.duration("timeout")
    retry = RetryChoice(call, standard: invocation.info.retry)
    exclusiveNames = call.strings("exclusive")
    try call.refuse("on-failure", without: "after")
    if retry.count == nil, !isForMembers {
      try call.refuse("backoff", without: "retry")
      try call.refuse("jitter", without: "retry")
    }
    try invocation.refuseCircle(of: queue, waitingFor: dependencies, at: "after")
  }

  /// Sets an operation that is on no queue up as they say.
  func apply(to operation: ObservableOperation) throws {
    operation.queuePriority = priority
    operation.qualityOfService = qualityOfService
    for dependency in dependencies { try operation.depend(on: dependency, policy: policy) }
    if let startDelay { operation.startDelay = startDelay }
    if !exclusiveNames.isEmpty { operation.exclusiveNames = exclusiveNames }
    // A request has a deadline and further attempts of its own; with the engine's besides, each
    // attempt of the one would be several of the other.
    guard timeLimit != nil || retry.count != nil, !(operation is any NetworkOperationMetrics)
    else { return }
    operation.timeLimit = timeLimit
    operation.retryPolicy = retry.policy
  }
}

extension CommandCall {
  /// Refuses an option that says more about another one, which is not written; a list that is written
  /// may be empty.
  func refuse(_ option: String, without other: String) throws {
    guard has(option), options[other] == nil else { return }
    throw failure(
      "missing-option", "'--\(option)' means nothing without '--\(other)'", at: option)
  }
}
