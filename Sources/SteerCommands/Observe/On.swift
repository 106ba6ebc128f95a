import CommandParts
import Operations
import ShellLanguage
import ShellSession

/// `on`: runs a block when something happens to an operation.
enum On: Command {
  static let operation = Positional<[OperationName]>(
    "operation", atLeastOne: true,
    help: "ids, names, patterns, 'last', 'any'; also of operations still to come")
  static let event = Positional<EventHandlers.Event>(
    "event", .choice(EventHandlers.Event.ofOperations.map(\.rawValue)), help: "event to wait for")
  static let body = Positional<Block>("body", help: "block that runs then")

  static let path = ["on"]
  static let declaration = CommandDeclaration(
    summary: "Runs a block when something happens to an operation",
    discussion: """
      The events are ready, executing, finished, cancelled and failed, and the phases of requests: \
      headers, body, decoding and saving. An operation waits at the phase until the block has \
      run; for a group it runs at the phase of each request in it. The block runs on the \
      interpreter's own thread: between statements, while it waits or sleeps, at the prompt, and \
      at the end of a script. '$self' is the operation. If the event has happened already, be it \
      to a finished operation, the block runs for that at the next of these moments. \
      \(ObservedOperations.rule) It runs once for an operation, at a phase once for each attempt. \
      'observers' lists handlers, 'unobserve' ends them.
      """,
    positionals: [operation, event, body],
    examples: [
      .init("delay 10ms; on last finished { echo done }; wait", "when it has finished"),
      .init(
        "fetch questions --hold; on last headers { if ($self.expected > 1kB) { cancel $self } }\n"
          + "start last; wait", "by the length that the response announces"),
      .init(
        "on any failed { echo \"$self.name: $self.error.code\" }; block { fail no }; "
          + "wait --any-outcome", "whatever fails from now on"),
    ],
    searchTerms: ["hook", "handler", "event", "callback", "completion"], blockVariables: ["self"],
    traits: [.awaitsNames])

  static func run(_ invocation: Invocation) throws -> Value {
    let (call, jobs) = (invocation.call, invocation.jobs)
    let event = call[Self.event]
    let subjects = try ObservedOperations(
      call[operation].map(\.value), invocation, at: operation
    ) { !event.hasHappened(to: $0) }
    // An empty list stands for no operation, at any time.
    if call.arguments(of: operation).isEmpty { return .null }
    // 'all' is empty if all have just finished: that is a matter of timing and no mistake.
    guard subjects.mayCome || jobs.operations.count > 0 else {
      throw call.failure(
        .unknownOperation, "there is nothing yet that this could be about", at: operation,
        help: "'on any' is for operations still to come, too")
    }
    let operations = subjects.operations
    if let phase = event.phase, !subjects.mayCome {
      _ = try invocation.operations(among: operations, with: phase, at: Self.event)
    }
    let (number, subject) = (jobs.eventHandlers.nextNumber(), subjects.text)
    let observation = Observation()
    let handler = EventHandlers.Handler(
      number: number, event: event, operations: Set(operations.map(\.id)),
      mayCome: subjects.mayCome, subject: subject, body: call[body],
      context: invocation.context.forHandler("on \(subject) \(event.rawValue)"),
      observation: observation)
    jobs.eventHandlers.add(handler)
    let handlePhase: @Sendable (ObservableOperation) -> Void = {
      [
        weak handlers = jobs.eventHandlers, weak life = observation.life,
        clock = invocation.run.clock
      ]
      operation in
      guard let phase = event.phase, let life else { return }
      operation.handle(phase, number: number, for: life) { [weak handlers] in
        // It may be one in a group that the handler is for, or another attempt.
        handlers?.include($0, inHandler: number)
        handlers?.fire(number, for: $0, clock: clock, holding: $1)
      }
    }
    operations.forEach(handlePhase)
    subjects.await(number: number, observation, in: jobs) { [weak handlers = jobs.eventHandlers] in
      handlers?.include($0, inHandler: number)
      handlePhase($0)
    }
    for operation in operations where event.hasHappened(to: operation) {
      jobs.eventHandlers.fire(number, for: operation, clock: invocation.run.clock)
    }
    return .integer(Int64(number))
  }

  static func isOffered(_ operation: ObservableOperation) -> Bool { operation.state != .finished }
}

/// `on queue`: runs a block when something happens to a queue.
enum OnQueue: Command {
  static let queue = Positional<QueueName>("queue", help: "queue of the event")
  static let event = Positional<EventHandlers.Event>(
    "event", .choice(EventHandlers.Event.ofQueues.map(\.rawValue)), help: "event to wait for")
  static let body = Positional<Block>("body", help: "block that runs then")

  static let path = ["on", "queue"]
  static let declaration = CommandDeclaration(
    summary: "Runs a block when something happens to a queue",
    discussion: """
      The events are empty (the last operation on it has finished), paused and resumed; the \
      block runs each time.
      """,
    positionals: [queue, event, body],
    examples: [
      .init("on queue network empty { echo \"all done\" }; delay 10ms; wait", "when it gets empty")
    ],
    searchTerms: ["hook", "handler", "event", "empty", "paused"], blockVariables: ["self"])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let (event, body) = (call[Self.event], call[Self.body])
    let queue = try invocation.queue(Self.queue)
    let eventHandlers = invocation.jobs.eventHandlers
    let number = eventHandlers.nextNumber()
    let context = invocation.context.forHandler("on queue \(queue.name) \(event.rawValue)")
    let note: @Sendable () -> Void = { [weak eventHandlers] in
      eventHandlers?.post(
        EventHandlers.Note {
          _ = try context.run(body, bindings: ["self": .object(QueueObject(queue))])
        })
    }
    let token: ObservationToken
    switch event {
    case .empty:
      token = queue.observe(\.operationCount, options: [.old, .new]) { _, change in
        if change.newValue == 0, change.oldValue != 0 { note() }
      }
    default:
      token = queue.observe(\.isSuspended, options: [.new]) { _, change in
        if change.newValue == (event == .paused) { note() }
      }
    }
    let observation = Observation()
    observation.add(token)
    eventHandlers.add(
      EventHandlers.Handler(
        number: number, event: event, of: queue, subject: "queue \(queue.name)", body: body,
        context: context, observation: observation))
    return .integer(Int64(number))
  }
}

/// `on app`: runs a block when the app goes to the background, comes back, or ends.
enum OnApp: Command {
  static let event = Positional<EventHandlers.Event>(
    "event", .choice(EventHandlers.Event.ofApp.map(\.rawValue)), help: "event to wait for")
  static let body = Positional<Block>("body", help: "block that runs then")

  static let path = ["on", "app"]
  static let declaration = CommandDeclaration(
    summary: "Runs a block when the app goes to the background, comes back, or ends",
    discussion: """
      The events are background, foreground and terminate, the commands of 'app' that cause them. \
      The block runs each time, after what the command itself does: 'app background' has cancelled \
      what is not essential by then.
      """,
    positionals: [event, body],
    examples: [
      .init(
        "on app background { queue pause network }; app background; queue",
        "a session that pauses its queue")
    ],
    searchTerms: ["hook", "handler", "event", "life", "lifecycle", "notification"],
    blockVariables: [])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let event = call[Self.event]
    let handlers = invocation.jobs.eventHandlers
    let number = handlers.nextNumber()
    handlers.add(
      EventHandlers.Handler(
        number: number, event: event, subject: "app", body: call[body],
        context: invocation.context.forHandler("on app \(event.rawValue)")))
    return .integer(Int64(number))
  }
}

extension EventHandlers.Event: ParameterValue {}

extension EventHandlers.Event {
  /// Whether it has happened to an operation, so that no notification of it will follow.
  fileprivate func hasHappened(to operation: ObservableOperation) -> Bool {
    switch self {
    case .ready: operation.timestamps.ready != nil
    case .executing: operation.timestamps.executing != nil
    case .finished: operation.state == .finished
    case .cancelled: operation.isCancelled
    case .failed: if case .failed? = operation.outcome { true } else { false }
    case .headers, .body, .decoding, .saving: false
    case .empty, .paused, .resumed, .background, .foreground, .terminate: false
    }
  }
}
