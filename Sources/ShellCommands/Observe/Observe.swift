import Networking
import Operations
import ShellLanguage
import ShellOutput
import ShellSession
import Terminal

/// `observe`: key-value observation of operations.
enum Observe: Command {
  static let operation = Positional<OperationName>(
    "operation", help: "an id, a name, 'last', a pattern")
  static let keyPath = Positional<[String]>(
    "keypath", .choice(ObservableKeyPath.operationNames), atLeastOne: true,
    help: "properties to observe")

  static let signature = CommandSignature(
    path: ["observe"],
    summary: "Shows each change of an operation's properties",
    discussion: """
      Key-value observation as on Apple's systems: 'initial' notifies at once, 'prior' before a \
      change as well as after it, 'old' and 'new' carry the values; setting a value that is the \
      same sends no notification. With a block, the block runs instead, with the change in \
      '$change'. Key paths: isReady isExecuting isFinished isCancelled queuePriority \
      qualityOfService dependencies name progress.
      """,
    positionals: [operation, keyPath, Observing.body], options: [Observing.parts],
    examples: [
      .init(
        "delay 10ms --hold; observe last isExecuting isFinished; start last; wait", "two flags"),
      .init(
        "delay 10ms --hold; observe last isFinished { echo \"now $change.new\" }; start last; wait",
        "with a block"),
    ],
    searchTerms: ["kvo", "watch", "property", "change", "notify"], blockVariables: ["change"])

  static func run(_ invocation: Invocation) throws -> Value {
    let session = invocation.session
    let name = invocation.call[operation]
    var seen: Set<Int> = []
    let operations = try invocation.operations(for: name.value, at: operation)
      .filter { seen.insert($0.id).inserted }
    let observing = Observing(invocation, keyPaths: invocation.call[keyPath])
    var tokens: [ObservationToken] = []
    for operation in operations {
      for keyPath in observing.keyPaths {
        let token = operation.logChanges(of: keyPath, options: observing.options) {
          operation, change in
          let identity = change.operation ?? operation.identity
          observing.handle(
            change, of: keyPath, subject: identity.name,
            field: .init(
              name: "operation", value: OperationDescription.reference(to: identity).value))
        }
        if let token { tokens.append(token) }
      }
    }
    return observing.register(tokens, subject: OperationList.names(operations), session)
  }
}

/// `observe queue`: key-value observation of a queue.
enum ObserveQueue: Command {
  static let queue = Positional<QueueName>("queue", help: "queue to observe")
  static let keyPath = Positional<[String]>(
    "keypath", .choice(ObservableKeyPath.queueNames), atLeastOne: true,
    help: "properties to observe")

  static let signature = CommandSignature(
    path: ["observe", "queue"],
    summary: "Shows each change of a queue's properties",
    discussion: "Key paths: operations operationCount isSuspended maxConcurrentOperationCount.",
    positionals: [queue, keyPath, Observing.body], options: [Observing.parts],
    examples: [
      .init("observe queue network operationCount; delay 10ms; wait", "how many are on it")
    ],
    searchTerms: ["kvo", "watch", "property", "change", "notify"], blockVariables: ["change"])

  static func run(_ invocation: Invocation) throws -> Value {
    let queue = try invocation.queue(Self.queue)
    let observing = Observing(invocation, keyPaths: invocation.call[keyPath])
    var tokens: [ObservationToken] = []
    for keyPath in observing.keyPaths {
      let token = queue.logChanges(of: keyPath, options: observing.options) { queue, change in
        observing.handle(
          change, of: keyPath, subject: "queue \(queue.name)",
          field: .init(name: "queue", value: .string(queue.name)))
      }
      if let token { tokens.append(token) }
    }
    return observing.register(tokens, subject: "queue \(queue.name)", invocation.session)
  }
}
