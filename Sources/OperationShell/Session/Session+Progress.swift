import Locking
import Operations
import ShellLanguage
import Terminal

extension Session {
  /// The operation whose body the context belongs to; nil on the interpreter's thread.
  func ownOperation(of context: ExecutionContext) -> ObservableOperation? {
    ContextInfo(of: context).operation
  }

  /// What can finish by itself, as things stand.
  func progress() -> Progress {
    Progress(awaitedByBodies: awaitedByBodies, landmarks: operations.landmarks)
  }

  /// What must happen before something else can, whoever steps in.
  func orderGraph() -> WaitGraph {
    var graph = WaitGraph(awaitedByBodies: awaitedByBodies, landmarks: operations.landmarks)
    graph.isStructural = true
    return graph
  }

  private var awaitedByBodies: [Int: [ObservableOperation]] {
    state.withLock { $0.awaitedByBodies }.mapValues(\.unfinished)
  }

  /// Whether anything executes that does not itself wait for others: a body that sits in a `wait`,
  /// or a group.
  ///
  /// Takes time proportional to the number of queues and groups.
  var isExecutingAnything: Bool {
    var waiting = state.withLock { $0.awaitedByBodies.count }
    let groups = operations.groups.filter { $0.state == .executing }
    waiting += groups.count
    var executing = 0
    for queue in queues.all + groups.map(\.innerQueue) {
      executing += queue.executingOperationCount
      if executing > waiting { return true }
    }
    return false
  }

  /// Whether bodies are left that may yet run commands of any kind.
  var hasBodies: Bool {
    operations.unfinished.contains { $0 is BlockingOperation }
  }

  /// Notes what a body waits for while `wait` runs, so that two that wait for each other, or one
  /// that waits for a paused queue, can be told from one that works.
  func blocking<Result>(
    _ own: ObservableOperation?, on targets: WaitTargets, _ wait: () throws -> Result
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
    let (isScript, isTranscript) = state.withLock { ($0.replaysScript, $0.isTypedByTranscript) }
    guard end == .stuck, isInteractive, !isScript, isOnInterpreterThread else { return end }
    remark(stuckMessage() + " (Ctrl-C stops waiting)")
    // There the user of a transcript has pressed it.
    if isTranscript { return .interrupted }
    return try wait(until: deadline, condition)
  }

  /// Waits until nothing can run any more, as a script does at its end.
  ///
  /// - Parameter deadline: When to give up.
  /// - Returns: What is left: operations that were started and can't run.
  /// - Throws: What ends the session, and what a handler throws.
  func settle(until deadline: ContinuousClock.Instant? = nil) throws -> [ObservableOperation] {
    let count = operations.count
    let all = WaitTargets(operations.unfinished, registryCount: count)
    let end = try wait(
      until: deadline,
      isStuck: {
        if isExecutingAnything { return false }
        var progress = self.progress()
        return !all.unfinished.contains { progress.canFinish($0) }
      },
      {
        all.addBuilt(of: operations)
        // Observers hear of the last change after it was made; their notes come before they count
        // as told, so this is the order in which to ask.
        return all.allHaveFinished(orElse: \.isHeldBack) && observersHaveHeard
      })
    if end == .interrupted { throw Interruption("interrupted while leaving; cancelling") }
    return all.unfinished.filter { !$0.isHeldBack }
  }

  /// Why operations don't run, in a sentence or two, each with its cure.
  func waitReasonsText(_ operations: [ObservableOperation]) -> String {
    // A group waits for what is in it; the reasons of that are its own.
    let groups = Set(operations.flatMap { $0.enclosingGroups.map(\.id) })
    let told = operations.filter { !groups.contains($0.id) || $0.state != .executing }
    let shown = told.prefix(3).map { "'\($0.displayName)': \(waitReasonsText($0))" }
    let rest = told.count - shown.count
    return shown.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
  }

  private func waitReasonsText(_ operation: ObservableOperation) -> String {
    let reasons = WhyReason.reasons(of: operation, in: self).map { reason in
      reason.text + (reason.cure.map { " ('\($0)')" } ?? "")
    }
    // The root stands last, and is what has to be known.
    let shown = reasons.count <= 4 ? reasons : reasons.prefix(2) + ["…"] + reasons.suffix(2)
    if !shown.isEmpty { return shown.joined(separator: ", ") }
    if let group = operation as? GroupOperation, group.state == .executing {
      return "it waits for \(OperationTable.names(group.operations)) in it"
    }
    return "it is \(operation.state.rawValue)"
  }
}
