import Locking
import Operations
import ShellLanguage
import Terminal

extension Session {
  /// The operation whose body the context belongs to; nil on the interpreter's thread.
  func ownOperation(of context: ExecutionContext) -> ObservableOperation? {
    (context.userInfo as? BodyInfo)?.operation
  }

  /// What can finish by itself, as things stand.
  func progress() -> Progress {
    Progress(awaitedByBodies: state.withLock { $0.awaitedByBodies })
  }

  /// Whether anything executes that does not itself sit in a `wait`.
  ///
  /// Takes time proportional to the number of queues.
  var isExecutingAnything: Bool {
    let waitingBodies = state.withLock { $0.awaitedByBodies.count }
    return queues.all.reduce(0) { $0 + $1.snapshot.executing } > waitingBodies
  }

  /// Whether bodies are left that may yet run commands of any kind.
  var hasBodies: Bool {
    operations.unfinished.contains { $0 is BlockingOperation }
  }

  /// Notes what a body waits for while `wait` runs, so that two that wait for each other, or one
  /// that waits for a paused queue, can be told from one that works.
  func blocking<Result>(
    _ own: ObservableOperation?, on targets: [ObservableOperation], _ wait: () throws -> Result
  ) rethrows -> Result {
    guard let own else { return try wait() }
    state.withLock { $0.awaitedByBodies[own.id] = targets }
    defer { state.withLock { _ = $0.awaitedByBodies.removeValue(forKey: own.id) } }
    return try wait()
  }

  /// Waits; at the prompt, one that can't end by itself is told of, once, and goes on, because
  /// the user can still do something about it.
  func waitTellingAtPrompt(
    until deadline: ContinuousClock.Instant?, isStuck: () -> Bool,
    stuckMessage: () -> String, _ condition: () throws -> Bool
  ) throws -> WaitEnd {
    let end = try wait(until: deadline, isStuck: isStuck, condition)
    guard end == .stuck, isInteractive, isOnInterpreterThread else { return end }
    remark(stuckMessage() + " (Ctrl-C stops waiting)")
    return try wait(until: deadline, condition)
  }

  /// Waits until nothing can run any more, as a script does at its end.
  ///
  /// - Parameter deadline: When to give up.
  /// - Returns: What is left: operations that were started and can't run.
  /// - Throws: What ends the session, and what a handler throws.
  func settle(until deadline: ContinuousClock.Instant? = nil) throws -> [ObservableOperation] {
    var all = Waiting.Targets(operations.all)
    all.registryCount = operations.count
    let end = try wait(
      until: deadline,
      isStuck: {
        if isExecutingAnything { return false }
        var progress = self.progress()
        return !all.unfinished.contains { progress.canFinish($0) }
      },
      {
        all.add(operations.added(after: all.registryCount))
        all.registryCount = operations.count
        // Observers hear of the last change after it was made; their notes come before they count
        // as told, so this is the order in which to ask.
        return all.allHaveFinished { $0.state == .created } && !log.isDelivering
          && !reactions.hasNotes
      })
    if end == .interrupted { throw Interruption("interrupted while leaving; cancelling") }
    return all.unfinished.filter { $0.state != .created }
  }

  /// Why operations don't run, in a sentence or two, each with its cure.
  func waitReasonsText(_ operations: [ObservableOperation]) -> String {
    let shown = operations.prefix(3).map { operation in
      let reasons = operation.waitReasons().prefix(4).map { reason in
        reason.text + (reason.cure.map { " ('\($0)')" } ?? "")
      }
      let why =
        reasons.isEmpty ? "it is \(operation.state.rawValue)" : reasons.joined(separator: ", ")
      return "'\(operation.displayName)': \(why)"
    }
    let rest = operations.count - shown.count
    return shown.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
  }
}

/// What a body's context knows of its operation.
struct BodyInfo: Sendable {
  let operation: ObservableOperation
}
