import CommandParts
import OpshJSON
import Operations
import ShellLanguage
import ShellOutput
package import ShellSession

/// `diagram`: draws the life cycle with the path of an operation.
enum Diagram: Command {
  static let operation = Positional<OperationName>("operation", help: "an id, a name, 'last'")

  static let path = ["diagram"]
  static let declaration = CommandDeclaration(
    summary: "Draws the life cycle of an operation with its own path, times and notifications",
    discussion: """
      From top to bottom: the five states, '●' where the operation has been and '○' where not. \
      Between two states stand the time in the upper one and the key-value notifications that the \
      change sent; '├' marks what happened within a state, such as a cancellation, a further \
      attempt, or a change by 'priority' or 'deps'. At the prompt it goes on until the operation \
      has finished; Ctrl-C stops the diagram, not the operation. A script shows the path so far.
      """,
    positionals: [operation],
    examples: [
      .init("delay 20ms --name a; wait; diagram a", "the five states of a delay"),
      .init(
        "queue pause; delay 1s --name a; cancel a; queue resume; wait --any-outcome; diagram a",
        "cancelled before it ran: 'executing' is not reached"),
    ],
    searchTerms: [
      "life", "cycle", "lifecycle", "states", "path", "picture", "draw", "kvo", "notifications",
      "state machine", "isReady", "isExecuting", "isFinished",
    ], traits: [.inspects, .waits])

  static func canLookBack(_ call: CommandCall) -> Bool { true }

  static func run(_ invocation: Invocation) throws -> Value {
    let operation = try invocation.operation(Self.operation)
    guard invocation.run.ownOperation(of: invocation.context) !== operation else {
      throw invocation.call.failure(
        .waitsForItself, "'\(operation.displayName)' can't wait for its own end",
        at: Self.operation)
    }
    invocation.settle()
    let mayFollow =
      invocation.screen.isTypedAtPrompt && !invocation.run.mode.isRecorded && !invocation.isJSON
      && !invocation.isOfPast
    if mayFollow, operation.state != .finished {
      invocation.screen.remark(
        "follows '\(operation.displayName)' to its end; Ctrl-C ends the picture")
    }
    var view = DiagramView(operation, invocation)
    if mayFollow {
      invocation.screen.feed.setDrawn(operation)
      defer { invocation.screen.feed.setDrawn(nil) }
      let end = try invocation.run.waitWarningAtPrompt(
        until: nil, isStuck: { invocation.run.neverEnds(waitForAnyOf: [operation], by: nil) },
        stuckMessage: {
          Jam(of: [operation], in: invocation).lines("it can't go on by itself")
        },
        {
          // Read before the log, so that every transition is shown before the end.
          let isOver = operation.state == .finished
          view.showNews()
          return isOver
        })
      if end == .interrupted {
        view.showRest()
        throw Interruption("the diagram of '\(operation.displayName)' ends; the operation goes on")
      }
    }
    view.showNews()
    view.showRest()
    return .object(OperationObject(operation, clock: invocation.jobs.clock))
  }
}

/// How much of the life of an operation has been shown.
private struct DiagramView {
  private let operation: ObservableOperation
  private let invocation: Invocation
  private var log: ToldLog
  private var diagram: LifeCycleDiagram

  init(_ operation: ObservableOperation, _ invocation: Invocation) {
    self.operation = operation
    self.invocation = invocation
    log = ToldLog(of: invocation.jobs)
    diagram = LifeCycleDiagram(
      of: operation, width: invocation.width ?? Prose.width, clock: invocation.jobs.clock)
    if !invocation.isJSON { diagram.beginning.forEach(invocation.print) }
  }

  /// Shows the entries of the log since the last call.
  mutating func showNews() {
    while let page = log.nextPage() {
      for line in page where line.isAbout([operation.id]) {
        switch line {
        case .entry(let entry) where invocation.isJSON:
          invocation.object(.diagram, fields(of: entry))
        case .entry(let entry): diagram.lines(for: entry).forEach(invocation.print)
        case .change(let change) where invocation.isJSON:
          invocation.object("change", at: change.time, change.fields)
        case .change(let change): diagram.lines(for: change).forEach(invocation.print)
        }
      }
    }
  }

  /// Shows the states that have not been reached.
  func showRest() {
    if !invocation.isJSON {
      diagram.end(now: invocation.jobs.clock.now).forEach(invocation.print)
    }
  }

  private func fields(of entry: EventLog.Entry) -> [String: JSONValue] {
    [
      "operation": OperationDescription.reference(to: operation).value,
      "event": .string(entry.event.rawValue), "from": .string(entry.from.rawValue),
      "to": .string(entry.to.rawValue),
      "at": .seconds(invocation.jobs.clock.elapsed(entry.time)),
      "reason": .string(entry.reason), "outcome": .optional(entry.outcome?.name),
      "notifications": .array(
        entry.notifications(defects: operation.defects).map {
          JSONValue.members([
            "key": .string($0.key), "old": .boolean(!$0.new), "new": .boolean($0.new),
          ])
        }),
    ]
  }
}

extension ObjectKind {
  package static let diagram = ObjectKind(
    type: "diagram", commands: "`diagram`, one for each entry of the log",
    keys: [
      operation, ("event", "what happened, such as `transition` or `cancelling`"),
      ("from", "the state before"), ("to", "the state after"),
      ("at", "when, in seconds since the start"), ("reason", "why, in words"), outcome,
      ("notifications", "the key-value notifications, a list of `{key, old, new}`"),
    ])
}
