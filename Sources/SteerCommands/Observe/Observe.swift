import CommandParts
import OpshNetworking
import Operations
import ShellLanguage
import ShellOutput
import ShellSession

/// `observe`: key-value observation of operations.
enum Observe: Command {
  static let operation = Positional<OperationName>(
    "operation", help: "id, name, 'last', pattern or 'any'; also of operations still to come")
  static let keyPath = Positional<[String]>(
    "keypath", .choice(ObservableKeyPath.operationNames), atLeastOne: true,
    help: "properties to observe")
  static let completion = Option<CompletionOrder?>(
    "completion",
    help: "also show when a completion handler is called: before 'isFinished' changes, after it, "
      + "or as Foundation's completion block")

  static let path = ["observe"]
  static let declaration = CommandDeclaration(
    summary: "Shows each change of an operation's properties",
    discussion: """
      Key-value observation as on Apple's systems: 'initial' notifies at once, 'prior' before a \
      change as well as after it, 'old' and 'new' carry the values; setting a value that is the \
      same sends no notification. With a block, the block runs instead, with the change in \
      '$change'. \(ObservedOperations.rule) 'progress' changes only for requests. \
      Key paths: \(ObservableKeyPath.operationNames.joined(separator: " ")).
      """,
    positionals: [operation, keyPath, Observing.body], options: [Observing.parts, completion],
    examples: [
      .init(
        "observe nap isExecuting isFinished; delay 10ms --name nap; wait",
        "two flags, of an operation still to come"),
      .init(
        "observe delay-* isFinished --options prior,new { echo \"now ${change.new ?? \"about to\"}\" }\n"
          + "delay 10ms --count 2; wait",
        "with a block; before the change there is no new value"),
      .init(
        "observe nap isFinished --completion block; delay 10ms --name nap; wait; sleep 20ms",
        "Foundation's completion block comes after 'isFinished'"),
    ],
    searchTerms: ["kvo", "watch", "property", "change", "notify", "completionBlock"],
    blockVariables: ["change"], traits: [.awaitsNames])

  static func run(_ invocation: Invocation) throws -> Value {
    let subjects = try ObservedOperations(
      [invocation.call[operation].value], invocation, at: operation
    ) { _ in true }
    let observing = Observing(invocation, keyPaths: invocation.call[keyPath])
    let observation = Observation()
    let completion = invocation.call[completion]
    let attach: @Sendable (ObservableOperation) -> Void = { operation in
      observing.attach(to: operation, observation, completion)
    }
    let operations = subjects.operations
    subjects.await(number: observing.number, observation, in: invocation.jobs, attach)
    operations.forEach(attach)
    if observing.keyPaths.contains("progress") {
      remarkOnProgress(of: operations, on: invocation.screen)
    }
    return observing.register(
      observation, operations: subjects.mayCome ? [] : operations, subject: subjects.text)
  }

  /// Says that the progress of operations never changes, if only others have any.
  private static func remarkOnProgress(
    of operations: [ObservableOperation], on screen: Screen
  ) {
    guard !operations.isEmpty, operations.allSatisfy({ $0.networkMetrics == nil }) else { return }
    let names = OperationList.names(operations)
    screen.remark(
      "'progress' of \(names) never changes: only requests have it, while their body arrives")
  }
}

extension Observing {
  /// Observes an operation.
  func attach(
    to operation: ObservableOperation, _ observation: Observation, _ completion: CompletionOrder?
  ) {
    for keyPath in keyPaths {
      let token = operation.logChanges(of: keyPath, options: options) { operation, change in
        let identity = change.operation ?? operation.identity
        handle(
          change, of: keyPath, subject: identity.name,
          field: .init(
            name: "operation", value: OperationDescription.reference(to: identity).value))
      }
      if let token { observation.add(token, of: operation) }
    }
    guard let completion else { return }
    operation.addCompletion(completion) { [weak operation] in
      operation?.noteCompletion(completion.text)
    }
  }
}

extension CompletionOrder {
  fileprivate var text: String {
    switch self {
    case .before: "completion handler, before isFinished changes"
    case .after: "completion handler, after isFinished has changed"
    case .block: "Foundation's completionBlock, some time after isFinished has changed"
    }
  }
}

/// `observe queue`: key-value observation of a queue.
enum ObserveQueue: Command {
  static let queue = Positional<QueueName>("queue", help: "queue to observe")
  static let keyPath = Positional<[String]>(
    "keypath", .choice(ObservableKeyPath.queueNames), atLeastOne: true,
    help: "properties to observe")

  static let path = ["observe", "queue"]
  static let declaration = CommandDeclaration(
    summary: "Shows each change of a queue's properties",
    discussion: "Key paths: \(ObservableKeyPath.queueNames.joined(separator: " ")).",
    positionals: [queue, keyPath, Observing.body], options: [Observing.parts],
    examples: [
      .init("observe queue network operationCount; delay 10ms; wait", "how many are on it")
    ],
    searchTerms: ["kvo", "watch", "property", "change", "notify"], blockVariables: ["change"])

  static func run(_ invocation: Invocation) throws -> Value {
    let queue = try invocation.queue(Self.queue)
    let observing = Observing(invocation, keyPaths: invocation.call[keyPath])
    let observation = Observation()
    for keyPath in observing.keyPaths {
      let token = queue.logChanges(of: keyPath, options: observing.options) { queue, change in
        observing.handle(
          change, of: keyPath, subject: "queue \(queue.name)",
          field: .init(name: "queue", value: .string(queue.name)))
      }
      if let token { observation.add(token) }
    }
    return observing.register(
      observation, of: queue, subject: "queue \(queue.name)")
  }
}
