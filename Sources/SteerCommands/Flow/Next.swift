import CommandParts
import OpshJSON
import Operations
package import ShellLanguage
import ShellOutput
package import ShellSession
import OpshTerminal

/// `next`: takes steps on the virtual clock.
enum Next: Command {
  /// The goal: a number of steps, or the next change of an operation.
  struct Goal: ParameterValue {
    let value: Value

    static let kind = ArgumentKind.oneOf([
      .integer(minimum: 1, maximum: 1_000_000_000), .name("operation"),
    ])
    static func value(of argument: BoundArgument) -> Goal? { argument.value.map(Goal.init) }
    var argumentText: String { value.text }
  }

  static let goal = Positional<Goal?>(
    "goal", help: "number of steps (default 1), or an operation: until it changes")
  static let operation = Option<OperationName?>(
    "operation", help: "operation by name or id: until it changes"
  ).refused { call, operation in
    guard call.has(goal) else { return nil }
    return call.failure(
      .conflictingOptions, "the argument and '--operation' both say how far to go", at: operation)
  }

  static let path = ["next"]
  static let declaration = CommandDeclaration(
    summary: "Takes steps on the virtual clock, and says what time it is then",
    discussion: """
      A step is one event with all that is settled by it: a timer, or what one statement of a body \
      does at once; then the ends, handlers and starts that follow. If nothing is due, the clock \
      jumps to the next event; events at the same time are steps of their own. A line that changes \
      no state (a further attempt, a pause, a cancelled operation that goes on, a priority or \
      dependency that a handler changes) belongs to the step in which it comes, and so does what \
      a body prints. With an operation, it goes on until the first step that changes the state of \
      the operation or cancels it. An integer is always a number of steps; '--operation' takes \
      ids too. If nothing can happen any more, it says why. Its value is the number of steps. \
      Between statements no time passes: only 'next', 'wait', 'sleep' and 'expect … within' let \
      it pass.
      """,
    positionals: [goal], options: [operation],
    examples: [
      .init("set clock virtual; delay 1s --count 3; next; next 2", "one end, then two more steps"),
      .init(
        "set clock virtual; delay 1s; delay 2s --after delay-1; next delay-2; ops",
        "until 'delay-2' is ready"),
    ],
    searchTerms: [
      "step", "advance", "single", "debug", "time", "virtual", "walk", "event", "tick",
    ],
    traits: [.waits])

  static let completions = [
    ParameterCompletion(goal) { _, _ in
      [("10", "ten steps"), ("100", "a hundred steps")].map {
        CompletionCandidate($0, summary: $1)
      }
    }
  ]

  static func clockUse(of call: CommandCall) -> ClockUse {
    .needsVirtualTime(
      call.failure(
        .needsVirtualClock, "'next' takes steps on the virtual clock, and the clock is real",
        help: "'set clock virtual' at the top, before anything is built"))
  }

  static func isOffered(_ operation: ObservableOperation) -> Bool { operation.state != .finished }

  static func run(_ invocation: Invocation) throws -> Value {
    let run = invocation.run
    guard run.isOnInterpreterThread else {
      throw invocation.call.failure(
        .stepInBody, "the body of an operation can't take steps: it runs inside of them")
    }
    var steps = Steps(until: try target(of: invocation), in: run)
    let (taken, end) = try run.step(
      steps.count(of: invocation.call), areStops: invocation.isAtTopLevel
    ) { steps.isOver() }
    steps.taken = taken
    if end == .interrupted {
      throw Interruption("stopped after \(steps.countText), at \(steps.time)")
    }
    steps.isLast = end == .nothingLeft
    steps.report(invocation)
    return .integer(Int64(taken))
  }

  /// The operation whose change is the goal; nil if steps are counted.
  private static func target(of invocation: Invocation) throws -> ObservableOperation? {
    if let operation = try invocation.operation(operation) { return operation }
    guard let value = invocation.call[goal]?.value else { return nil }
    if case .integer = value { return nil }
    let found = try invocation.operations(for: value, at: goal, index: 0)
    guard let first = found.first, found.count == 1 else {
      throw invocation.call.failure(
        .oneOperation, "expected one operation, found \(found.count)", at: goal)
    }
    return first
  }
}

/// The steps of one use of `next`, and what came of them.
private struct Steps {
  private let run: Run
  /// The operation whose change ends them; nil if they are counted.
  private let operation: ObservableOperation?
  private let before: (state: OperationState, isCancelled: Bool)?
  private var requested: Int?
  private var looks = 0
  /// The operation can't change any more by itself.
  private var neverChanges = false
  var taken = 0
  /// Nothing can happen any more by itself.
  var isLast = false

  /// Asking whether an operation can still change takes time for all that it waits for; so often it
  /// is asked at each step, then now and then.
  private static let closeLooks = 256

  init(until operation: ObservableOperation?, in run: Run) {
    self.run = run
    self.operation = operation
    before = operation.map { ($0.state, $0.isCancelled) }
  }

  /// The greatest number of steps.
  mutating func count(of call: CommandCall) -> Int {
    guard operation == nil else { return .max }
    if case .integer(let count)? = call[Next.goal]?.value { requested = Int(count) }
    return requested ?? 1
  }

  private var hasChanged: Bool {
    guard let operation, let before else { return false }
    return operation.state != before.state || operation.isCancelled != before.isCancelled
  }

  /// Returns whether no further step is to be taken.
  mutating func isOver() -> Bool {
    guard let operation else { return false }
    if hasChanged { return true }
    looks += 1
    if looks <= Self.closeLooks || looks.isMultiple(of: Self.closeLooks) {
      neverChanges = run.neverChanges(operation)
    }
    return neverChanges
  }

  var countText: String { "\(GroupedNumber.text(taken)) step\(taken == 1 ? "" : "s")" }

  var time: String { run.timeText }

  // MARK: What came of them

  func report(_ invocation: Invocation) {
    let reasons = reasons(invocation)
    guard invocation.isJSON else {
      return invocation.print(StyledText(VisibleText.escape(text(reasons?.text))))
    }
    invocation.object(
      .next,
      [
        "steps": .number(taken), "requested": .optional(operation == nil ? requested ?? 1 : nil),
        "operation": operation.map { OperationDescription.reference(to: $0).value } ?? .null,
        "changed": .boolean(hasChanged), "now": .seconds(run.clock.elapsed(run.clock.now)),
        "over": .boolean(isLast), "reason": .optional(reasons?.text),
        "cure": .optional(reasons?.cure),
      ])
  }

  private func text(_ reason: String?) -> String {
    let sum: String =
      if let operation, hasChanged {
        "\(countText) until '\(operation.displayName)' changed"
      } else if let requested, taken < requested {
        "\(GroupedNumber.text(taken)) of \(GroupedNumber.text(requested)) steps"
      } else {
        countText
      }
    let end = reason.map { "; " + $0 } ?? ""
    return "\(time) after \(sum)\(end)"
  }

  /// Why the goal was not reached.
  private func reasons(_ invocation: Invocation) -> (text: String, cure: String?)? {
    let head: String
    let kept: [ObservableOperation]
    if let operation, !hasChanged {
      guard operation.state != .finished else {
        return ("'\(operation.displayName)' has finished and can't change any more", nil)
      }
      head = "nothing can change it by itself any more"
      kept = [operation]
    } else if isLast {
      head = "nothing can happen by itself any more"
      kept = invocation.jobs.operations.unfinished
      guard !kept.isEmpty else { return (head + ": every operation has finished", nil) }
    } else {
      return nil
    }
    let jam = Jam(of: kept, in: invocation)
    return ("\(head): \(jam.text) → \(jam.help)", jam.help)
  }
}

extension ErrorPage {
  package static let needsVirtualClock = ErrorPage(
    "needs-virtual-clock", "The command works on the virtual clock alone",
    "Real time can't be stopped: on the real clock things happen at any moment. The virtual clock "
      + "stands still between statements.",
    help: "'set clock virtual' at the top, before anything is built", wrong: "delay 1s\nnext",
    right: "set clock virtual\ndelay 1s\nnext")

  package static let stepInBody = ErrorPage(
    "step-in-body", "The body of an operation can't take steps",
    "A step runs what is due, bodies too: a body is a part of it. In a body 'sleep' and 'wait' let "
      + "time pass.",
    help: "'sleep' or 'wait' in the body; 'next' outside of it",
    wrong: "set clock virtual\nblock { next }\nwait",
    right: "set clock virtual\nblock { sleep 1s }\nnext", proof: .running)
}

extension ObjectKind {
  package static let next = ObjectKind(
    type: "next", commands: "`next`",
    keys: [
      ("steps", "how many steps were taken"),
      ("requested", "how many were asked for; null with an operation"),
      ("operation", "the operation whose change was asked for, `{id, name}`, or null"),
      ("changed", "whether that operation changed"),
      ("now", "the time after the steps, in seconds"),
      ("over", "whether nothing can happen by itself any more"),
      ("reason", "why fewer steps were taken, or the operation did not change, or null"),
      ("cure", "the command that would help, or null"),
    ])
}
