import CommandParts
import OpshNetworking
import Operations
import OpshProcesses
package import ShellLanguage
import ShellOutput
package import ShellSession
import OpshSupport
import OpshTerminal

/// `show`: shows everything about operations.
enum Show: Command {
  static let operation = Positional<[OperationName]>.operations

  static let curl = Flag("curl", help: "show the curl command that sends the same request")
  static let attempts = Flag(
    "attempts", help: "show the attempts of a request: status, fault and times of each")
  static let verbose = Flag(
    "verbose", help: "show what each attempt sent and received, its connection and its times")

  static let path = ["show"]
  static let declaration = CommandDeclaration(
    summary: "Shows everything about operations",
    discussion: """
      State, flags, times, attempts, the options it was built with, dependencies in both \
      directions; for groups their operations; for requests the address, the status, the bytes so \
      far and the timings. '--attempts' and '--verbose' show each attempt of a request: as rows, \
      or whole, with '>' before what was sent and '<' before what came, as curl does. '--curl' \
      shows the command that sends the same request outside of opsh. Secrets are '***', or read \
      where '--auth' has read them. 'all' means the unfinished operations, '*' every operation.
      """,
    positionals: [operation], options: [attempts, verbose, curl],
    examples: [
      .init("delay 10ms; show last", "the delay just built"),
      .init(
        "post / --json '{\"a\": 1}'; show last --curl; wait --any-outcome",
        "the same request for curl"),
      .init("get /cookies/set?flavour=oat; wait; show last --verbose", "two requests: a redirect"),
    ],
    searchTerms: ["detail", "inspect", "info", "status"], traits: [.inspects],
    rules: [.oneOf([curl, attempts, verbose], "show different things")])

  static func canLookBack(_ call: CommandCall) -> Bool { true }

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let clock = invocation.jobs.clock
    try call.requireValue(operation)
    let operations = try invocation.operations(operation)
    if call[curl] {
      for operation in operations { try printCurlCommand(of: operation, invocation) }
    } else if call[attempts] || call[verbose] {
      return try showAttempts(of: operations, invocation)
    } else {
      show(operations, invocation)
    }
    let objects = operations.map { Value.object(OperationObject($0, clock: clock)) }
    return objects.count == 1 ? objects[0] : .list(objects)
  }

  private static func show(_ operations: [ObservableOperation], _ invocation: Invocation) {
    let clock = invocation.jobs.clock
    for (index, operation) in operations.enumerated() {
      if invocation.isJSON {
        invocation.object(
          "operation", OperationDescription(operation: operation, clock: clock).fields)
        // The keys of that object are fixed; other settings are a message of their own.
        var settings = OperationProperty.facts(of: operation)
        if let metrics = operation.networkMetrics {
          settings += RequestFacts.rows(of: metrics).map { ($0.name, $0.text.plain) }
        }
        if let end = operation.retryEnd { settings.append(("retry end", end)) }
        if let pause = PauseText.text(of: operation) { settings.append(("pause", pause)) }
        settings += PauseText.past(of: operation, clock: clock).map { ("paused", $0) }
        if !settings.isEmpty {
          invocation.printText(settings.map { "\($0.name): \($0.text)" }.joined(separator: "\n"))
        }
        continue
      }
      if index > 0 { invocation.print("") }
      invocation.print(rows: facts(of: operation, invocation.jobs))
    }
  }

  private static func printCurlCommand(
    of operation: ObservableOperation, _ invocation: Invocation
  ) throws {
    let request = try request(of: operation, invocation)
    guard !invocation.run.mode.isRecorded else {
      throw invocation.call.failure(
        .notRecorded, "what curl needs of '\(operation.displayName)' was not recorded", at: curl)
    }
    let command = request.curlCommand(
      environment: invocation.outside.environment)
    invocation.printText(command.shellText(quoted: SystemShellQuoting.quoted))
  }

  /// What an operation knows of its request.
  private static func request(
    of operation: ObservableOperation, _ invocation: Invocation
  ) throws -> any NetworkOperationMetrics {
    guard let metrics = operation.networkMetrics else {
      throw invocation.call.failure(
        .notARequest, "'\(operation.displayName)' is '\(operation.kind)', and sends no request",
        at: Self.operation)
    }
    return metrics
  }

  private static func showAttempts(
    of operations: [ObservableOperation], _ invocation: Invocation
  ) throws -> Value {
    let requests = try operations.map {
      OperationAttempts(
        operation: $0, request: try request(of: $0, invocation), clock: invocation.jobs.clock)
    }
    if invocation.isJSON {
      for object in requests.flatMap(\.objects) { invocation.object(.attempt, object) }
    } else if invocation.call[verbose] {
      for (index, request) in requests.enumerated() {
        if index > 0 { invocation.print("") }
        request.verboseLines(width: invocation.width).forEach(invocation.print)
      }
    } else {
      invocation.print(
        OperationAttempts.table(of: requests, width: invocation.width))
    }
    return .list(requests.flatMap(\.objects).map(Value.init(json:)))
  }

  private static func facts(
    of operation: ObservableOperation, _ jobs: Jobs
  ) -> [(name: String, text: StyledText)] {
    let clock = jobs.clock
    var facts: [(name: String, text: StyledText)] = [
      (
        "operation",
        StyledText("\(operation.id) ")
          + StyledText(VisibleText.escape(operation.displayName), style: .bold)
      ),
      ("kind", StyledText(operation.kind)),
      ("queue", StyledText(operation.queueName ?? "not on a queue")),
      ("state", OperationTable.state(of: operation)),
      ("flags", StyledText(flags(of: operation))),
      ("priority", StyledText(operation.queuePriority.shellName)),
      ("qos", StyledText(VisibleText.escape(QualityText.text(of: operation)))),
    ]
    if operation.outcome != nil { facts.append(("outcome", OperationTable.outcome(of: operation))) }
    if let error = operation.error {
      facts.append(("error", StyledText(VisibleText.escape(error.message))))
      if error.topic != error.code {
        facts.append(("explained", StyledText("explain \(error.topic)")))
      }
    }
    if operation.timestamps.executing != nil {
      facts.append(("thread", StyledText(ThreadText.text(of: operation))))
    }
    if let group = operation as? GroupOperation {
      facts.append(("members", members(of: group)))
      if group.isOpen {
        facts.append(("open", StyledText("it takes more until 'close \(group.displayName)'")))
      }
    }
    if jobs.app.isEssential(operation) {
      facts.append(("essential", "it has time to finish in the background"))
    }
    facts += OperationProperty.facts(of: operation).map {
      ($0.name, StyledText(VisibleText.escape($0.text)))
    }
    facts += edges(of: operation)
    facts += times(of: operation, clock: clock)
    if operation.attempts > 1 {
      facts.append(("attempts", StyledText(String(operation.attempts))))
    }
    if let end = operation.retryEnd {
      facts.append(("retry end", StyledText(VisibleText.escape(end))))
    }
    if let pause = PauseText.text(of: operation) {
      facts.append(("pause", StyledText(VisibleText.escape(pause))))
    }
    facts += PauseText.past(of: operation, clock: clock).map {
      ("paused", StyledText(VisibleText.escape($0)))
    }
    if let metrics = operation.networkMetrics {
      facts += RequestFacts.rows(of: metrics)
    }
    if let process = operation.actual as? ProcessOperation,
      process === operation || operation.state == .finished
    {
      facts += ProcessText.rows(of: process)
    }
    return facts
  }

  /// How many operations of a group have finished, and the names of the others.
  private static func members(of group: GroupOperation) -> StyledText {
    let unfinished = group.operations
    var parts: [String] = []
    if group.summary.finished > 0, let ended = group.outcomeSummary { parts.append(ended) }
    if !unfinished.isEmpty {
      parts.append("\(unfinished.count) unfinished: \(OperationList.names(unfinished))")
    }
    return StyledText(parts.isEmpty ? "none" : parts.joined(separator: ", "))
  }

  private static func flags(of operation: ObservableOperation) -> String {
    let flags = [
      operation.isReady ? "isReady" : nil, operation.isExecuting ? "isExecuting" : nil,
      operation.isFinished ? "isFinished" : nil, operation.isCancelled ? "isCancelled" : nil,
      operation.isAsynchronous ? "isAsynchronous" : nil,
    ].compactMap { $0 }
    return flags.isEmpty ? "-" : flags.joined(separator: " ")
  }

  private static func edges(
    of operation: ObservableOperation
  ) -> [(name: String, text: StyledText)] {
    var facts: [(name: String, text: StyledText)] = []
    let upstream = operation.upstream
    let downstream = operation.downstream
    let labels = OperationLabels([operation] + upstream.map(\.operation) + downstream)
    for edge in upstream {
      facts.append(("depends on", Deps.line(for: edge, of: operation, labels)))
    }
    for dependent in downstream {
      facts.append(
        (
          "needed by",
          StyledText(labels.label(of: dependent)) + ", "
            + OperationTable.state(of: dependent)
        ))
    }
    return facts
  }

  private static func times(
    of operation: ObservableOperation, clock: SessionClock
  ) -> [(name: String, text: StyledText)] {
    let stamps = operation.timestamps
    let known: [(name: String, time: ContinuousClock.Instant?)] = [
      ("created", stamps.created), ("ready", stamps.ready), ("started", stamps.executing),
      ("finished", stamps.finished),
    ]
    let now = clock.now
    // The time so far, where the span has not ended.
    let spans: [(name: String, time: Duration?)] = [
      ("waiting", stamps.pending.map { (stamps.executing ?? stamps.finished ?? now) - $0 }),
      // Of what has begun at this very instant, the virtual clock orders events by nanoseconds.
      ("running", stamps.executing.map { max(.zero, (stamps.finished ?? now) - $0) }),
    ]
    return known.compactMap { name, time in
      time.map { (name, StyledText(TransitionText.time(clock.elapsed($0)))) }
    }
      + spans.compactMap { name, time in
        time.map { (name, StyledText(DurationText($0).description)) }
      }
  }
}

extension ErrorPage {
  package static let notARequest = ErrorPage(
    "not-a-request", "The operation sends no request",
    "Only an operation that sends one over HTTP has attempts and a curl command.",
    help: "'ops' shows the kind of each operation",
    wrong: "delay 1ms\nshow last --curl", right: "get /\nshow last --curl", proof: .unproven)
}

extension ObjectKind {
  package static let attempt = ObjectKind(
    type: "attempt", commands: "`show OP --attempts` and `show OP --verbose`, one for each attempt",
    keys: [
      operation, ("number", "its number, from 1"), ("started", "when it began, in seconds"),
      ("duration", "how long it took, in seconds; null while it runs"),
      ("status", "the status of its last response, or null"),
      ("fault", "the code of the error that it failed with, or null"),
      ("message", "that error in words, or null"),
      ("joined", "the operation whose request it joined, `{id, name}`, or null"),
      (
        "exchanges",
        "its requests: `method`, `request`, `url`, `sent`, `received` "
          + "(`[{name, value}]`), `bodySize`, `bytes` (received), `expanded`, `droppedHeaders`, "
          + "`underWay`, `status`, `statusText`, `version`, `peer`, `tls` "
          + "(`{version, cipher, subject, issuer, validFrom, validUntil}`), `times` (`{waited, "
          + "lookup, connect, tls, sent, firstByte, total}`, in seconds); what does not apply is null"
      ),
    ])
}
