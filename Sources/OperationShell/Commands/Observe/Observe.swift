import Networking
import Operations
import ShellLanguage
import Terminal

/// `observe`: key-value observation of operations.
enum Observe: Command {
  static let options: [CommandSignature.Option] = [
    .init(
      "options", .choice(["initial", "prior", "old", "new"]), repeats: true,
      help: "what a notification carries and when it comes; old,new if left out")
  ]

  static let signature = CommandSignature(
    path: ["observe"],
    summary: "Shows each change of an operation's properties",
    discussion: """
      Key-value observation as on Apple's systems: 'initial' notifies at once, 'prior' before a \
      change as well as after it, 'old' and 'new' carry the values; setting a value that is the \
      same notifies nobody. With a block, the block runs instead, and finds the change in \
      '$change'. Key paths: isReady isExecuting isFinished isCancelled queuePriority \
      qualityOfService dependencies name progress.
      """,
    positionals: [
      .init("operation", .name("operation"), help: "an id, a name, 'last', a pattern"),
      .init(
        "keypath", .choice(ObservableKeyPath.operationNames),
        .oneOrMore, help: "the properties to observe"),
      .init("body", .block, .optional, help: "what to do at each change, in braces"),
    ],
    options: options,
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
    let operations = try invocation.operations("operation")
    let observing = Observing(invocation: invocation)
    var tokens: [ObservationToken] = []
    for operation in operations {
      for keyPath in invocation.call.strings("keypath") {
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
    return observing.register(tokens, subject: OperationTable.names(operations), session)
  }
}

/// `observe queue`: key-value observation of a queue.
enum ObserveQueue: Command {
  static let signature = CommandSignature(
    path: ["observe", "queue"],
    summary: "Shows each change of a queue's properties",
    discussion: "Key paths: operations operationCount isSuspended maxConcurrentOperationCount.",
    positionals: [
      .init("queue", .name("queue"), help: "the queue"),
      .init(
        "keypath", .choice(ObservableKeyPath.queueNames), .oneOrMore,
        help: "the properties to observe"),
      .init("body", .block, .optional, help: "what to do at each change, in braces"),
    ],
    options: Observe.options,
    examples: [
      .init("observe queue network operationCount; delay 10ms; wait", "how many are on it")
    ],
    searchTerms: ["kvo", "watch", "property", "change", "notify"], blockVariables: ["change"])

  static func run(_ invocation: Invocation) throws -> Value {
    let queue = try invocation.queue()
    let observing = Observing(invocation: invocation)
    var tokens: [ObservationToken] = []
    for keyPath in invocation.call.strings("keypath") {
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
