import CommandParts
import Operations
import ShellLanguage
import ShellSession
import OpshTerminal

/// `queue step`: lets a paused queue make single decisions.
enum QueueStep: Command {
  static let queue = Positional<QueueName?>.queue
  static let steps = Positional<Int>(
    "steps", .integer(minimum: 1, maximum: 1_000_000), default: 1, help: "number of decisions")

  static let path = ["queue", "step"]
  static let declaration = CommandDeclaration(
    summary: "Starts the next operations of a paused queue, and says why it chose them",
    discussion: """
      The queue decides as it would if it were running, by width, priority, barriers and exclusive \
      names, and stays paused, so that no other operation starts; it ignores its pace. If nothing \
      can start, or nothing more, it says why.
      """,
    positionals: [queue, steps],
    examples: [
      .init(
        "queue pause; delay 5ms --count 2; queue step; queue resume; wait",
        "the first of two starts alone"),
      .init(
        "queue pause; delay 5ms; delay 5ms --priority high; queue step network 2; queue resume",
        "the second goes first"),
    ],
    searchTerms: ["single", "next", "debug", "advance", "schedule", "decide"])

  static func run(_ invocation: Invocation) throws -> Value {
    let queue = try invocation.queue(Self.queue)
    let count = invocation.call[steps]
    // On the virtual clock a started group may not have begun, and still hold its operations.
    invocation.run.mode.runDueCalls()
    var decisions: [InspectableQueue.Decision] = []
    do {
      decisions = try queue.step(count)
      // A cancelled one ends without running, and its slot is free for the next step.
      while decisions.count < count, let last = decisions.last,
        let cancelled = invocation.jobs.operations.operation(id: last.operation.id),
        cancelled.isCancelled,
        try invocation.run.wait(isBrief: true, { cancelled.state == .finished }) == .met
      {
        let more = try queue.step(count - decisions.count)
        if more.isEmpty { break }
        decisions += more
      }
    } catch let error as QueueError {
      let isPaused = if case .notSuspended = error { false } else { true }
      throw invocation.call.failure(
        error,
        help: isPaused ? nil : "'queue pause \(queue.name)' pauses it, and what executes goes on")
    }
    let width = queue.maxConcurrentOperationCount
    for decision in decisions {
      let slot =
        width < 0 ? "slot \(decision.slot)" : "slot \(decision.slot) of \(width)"
      invocation.print(
        StyledText(VisibleText.escape(decision.operation.name), style: .bold)
          + StyledText(" takes \(slot) on \(queue.name): \(VisibleText.escape(decision.reason))"))
    }
    if decisions.count < count {
      explain(queue, hasStarted: !decisions.isEmpty, invocation)
    }
    let started = decisions.compactMap {
      invocation.jobs.operations.operation(id: $0.operation.id)
    }
    return .list(started.map { .object(OperationObject($0, clock: invocation.run.clock)) })
  }

  /// Says why nothing, or nothing more, can start.
  private static func explain(
    _ queue: InspectableQueue, hasStarted: Bool, _ invocation: Invocation
  ) {
    let head = hasStarted ? "nothing more can start" : "nothing can start"
    if let full = queue.fullness {
      invocation.print(StyledText("\(head) because"))
      invocation.print(WhyReason(full, in: invocation.jobs).line)
      return
    }
    let holders = Set(queue.snapshot.slotHolders.map(\.operation.id))
    guard let next = queue.predictedOrder().first(where: { !holders.contains($0.id) }) else {
      let text =
        holders.isEmpty
        ? "nothing is on queue '\(queue.name)'" : "all that is on queue '\(queue.name)' executes"
      invocation.print(StyledText("\(head): \(VisibleText.escape(text))"))
      return
    }
    let name = VisibleText.escape(next.displayName)
    // The pause of the queue is left out: steps are for paused queues.
    let reasons = WhyReason.reasons(of: next, in: invocation.jobs).filter {
      !($0.cause == .queuePaused && $0.queue === queue)
    }
    invocation.print(
      StyledText(
        reasons.isEmpty
          ? "\(head): '\(name)' is about to start"
          : "\(head): '\(name)' is next, and does not start because"))
    for reason in reasons { invocation.print(reason.line) }
  }
}
