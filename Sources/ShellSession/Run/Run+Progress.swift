import OpshLocking
package import Operations
import ShellOutput
import Synchronization
import OpshTerminal

extension Run {
  /// Whether a wait for one of some operations can never end.
  ///
  /// A handler or a body may yet end what hangs: finish it, or resume its queue.
  ///
  /// - Parameters:
  ///   - operations: The operations, of which one is to finish.
  ///   - owner: The operation whose body waits; nil for the interpreter's thread.
  /// - Returns: Whether it can never end; true for none.
  package func neverEnds(
    waitForAnyOf operations: some Collection<ObservableOperation>,
    by owner: ObservableOperation?
  ) -> Bool {
    if canFinish(anyOf: operations, askedBy: owner) { return false }
    guard jobs.eventHandlers.hasHandlers || jobs.hasBodies else { return true }
    let oneGoesOn = jobs.bodies.running.contains { other in
      guard other !== owner else { return false }
      let awaited = other.awaited
      // Of bodies that wait, the last one's wait is refused first, but none at the prompt.
      return awaited.isEmpty
        || !isAtPrompt && !other.hangsInDeadlock && other.id > owner?.id ?? .min
        || canFinish(anyOf: awaited, askedBy: owner)
    }
    return !oneGoesOn && !jobs.changesByItself
      && !canFinish(
        anyOf: jobs.operations.unfinished, askedBy: owner, expectingIntervention: false)
  }

  /// Whether one of some operations can finish without an action from outside, also because the
  /// waits of bodies are refused if they can't end.
  ///
  /// A body's wait is refused if it is part of a deadlock; if no statement can follow, also if only a
  /// statement could end it. Of several waits in a deadlock, only the innermost is refused: that of the
  /// body whose operation was created last. Those around it go on, and that of the interpreter's
  /// thread is the outermost.
  ///
  /// - Parameters:
  ///   - operations: The operations, of which one is to finish.
  ///   - owner: The operation whose body asks; nil for the interpreter's thread.
  ///   - expectsIntervention: Whether later statements count, and what the person at the prompt may
  ///     do, if a body asks.
  /// - Returns: Whether there is one; false for none.
  package func canFinish(
    anyOf operations: some Collection<ObservableOperation>,
    askedBy owner: ObservableOperation? = nil,
    expectingIntervention expectsIntervention: Bool = true
  ) -> Bool {
    let latest = owner?.id ?? .min
    let expiring = jobs.app.expiring
    guard isOnInterpreterThread else {
      return jobs.engine.canFinish(
        anyOf: operations, refusingWaitsAfter: latest,
        expectingIntervention: expectsIntervention && mayAct, cancelling: expiring)
    }
    guard mayAct else {
      return jobs.engine.canFinish(
        anyOf: operations, refusingWaitsAfter: latest, cancelling: expiring)
    }
    if jobs.engine.canFinish(anyOf: operations, cancelling: expiring) { return true }
    // A body's wait in a deadlock is about to be refused.
    return !jobs.engine.canFinish(
      anyOf: operations, expectingIntervention: true, cancelling: expiring)
      && jobs.engine.canFinish(
        anyOf: operations, refusingWaitsAfter: latest, expectingIntervention: true,
        cancelling: expiring)
  }

  /// Whether nothing can happen any more by itself: what could meet an expectation will not come.
  ///
  /// - Parameter owner: The operation whose body expects it; nil for the interpreter's thread.
  /// - Returns: Whether nothing can.
  package func isAtRest(for owner: ObservableOperation? = nil) -> Bool {
    if jobs.isExecutingAnything(except: owner) || jobs.changesByItself { return false }
    return !canFinish(anyOf: jobs.operations.unfinished.filter { $0 !== owner }, askedBy: owner)
  }

  /// Whether a person may type a statement that changes something: not while a handler waits on the
  /// interpreter's thread, which reads no line before it has returned.
  private var isAtPrompt: Bool {
    let handlerWaits =
      jobs.eventHandlers.isRunning
      && (isOnInterpreterThread || interpreterRests.load(ordering: .acquiring))
    return screen.isTypedAtPrompt && !handlerWaits
  }

  /// Whether a statement may follow during the waits of bodies: the interpreter does not rest until an
  /// event comes, or a person may act, at the prompt or on the page.
  private var mayAct: Bool {
    isAtPrompt || !interpreterRests.load(ordering: .acquiring)
      || !isOnInterpreterThread && serving.withLock { $0 }?.isSteered == true
  }

  /// Waits.
  ///
  /// At the prompt, a wait that can't end by itself shows a warning once and continues, because the
  /// user can still act; that of a handler ends.
  package func waitWarningAtPrompt(
    until deadline: ContinuousClock.Instant?, progress: WaitTargets? = nil, isStuck: () -> Bool,
    stuckMessage: () -> [String], _ condition: () throws -> Bool
  ) throws -> WaitEnd {
    let end = try wait(until: deadline, progress: progress, isStuck: isStuck, condition)
    guard end == .stuck, isAtPrompt, isOnInterpreterThread else { return end }
    let message = stuckMessage()
    screen.remark((message.first ?? "") + " (Ctrl-C stops waiting):")
    for line in message.dropFirst() {
      screen.output.line(
        StyledText("  " + VisibleText.escape(line)), to: .standardError, folds: true)
    }
    // In a transcript, this is where the user pressed Ctrl-C.
    if case .transcript = screen.typing { return .interrupted }
    return try wait(until: deadline, condition)
  }

  /// Waits until nothing can run any more, as a script does at its end.
  ///
  /// - Parameter noteQuit: Called with the status of a further `quit` that waits; it changes nothing
  ///   else.
  /// - Returns: The operations that were started and can't run.
  /// - Throws: What ends the session otherwise, and what a handler throws.
  package func settle(noteQuit: (Int32?) -> Void = { _ in }) throws -> [ObservableOperation] {
    let count = jobs.operations.count
    let all = WaitTargets(jobs.operations.unfinished, registryCount: count)
    var end: WaitEnd?
    while end == nil {
      do {
        end = try wait(
          until: nil, progress: all,
          isStuck: {
            !jobs.isExecutingAnything() && neverEnds(waitForAnyOf: all.unfinished, by: nil)
          },
          {
            // In this order, because a body may build one and end.
            let isAnyBodyRunning = !jobs.bodies.running.isEmpty
            all.addBuilt(of: jobs.operations)
            // Observers are called after the last change; they post their notes before they count as
            // called, so the checks have to be in this order.
            return all.allHaveFinished(orElse: \.isHeldBack) && observersHaveHeard
              && !isAnyBodyRunning
          })
      } catch let further as SessionEnd {
        guard case .quit(let status, now: false) = further.cause else { throw further }
        noteQuit(status)
      }
    }
    if end == .interrupted { throw Interruption("interrupted while leaving; cancelling") }
    return all.unfinished.filter { !$0.isHeldBack }
  }

  /// Describes why operations don't run and what to do about it, in a sentence or two.
  package func waitReasonsText(_ operations: [ObservableOperation]) -> String {
    // A group waits for its members; their reasons are listed on their own.
    let groups = Set(operations.flatMap { $0.enclosingGroups.map(\.id) })
    let told = operations.filter { !groups.contains($0.id) || $0.state != .executing }
    let shown = told.prefix(3).map { "'\($0.displayName)': \(waitReasonsText($0))" }
    let rest = told.count - shown.count
    return shown.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
  }

  private func waitReasonsText(_ operation: ObservableOperation) -> String {
    let reasons = WhyReason.reasons(of: operation, in: jobs).map { reason in
      reason.text + (reason.cure.map { " ('\($0)')" } ?? "")
    }
    // The root cause is last, and must be shown.
    let shown = reasons.count <= 4 ? reasons : reasons.prefix(2) + ["…"] + reasons.suffix(2)
    return shown.isEmpty ? activityText(of: operation) : shown.joined(separator: ", ")
  }

  /// Describes what an operation does that nothing keeps, in a few words.
  package func activityText(of operation: ObservableOperation) -> String {
    if let group = operation as? GroupOperation, group.state == .executing {
      return "it waits for \(OperationList.names(group.operations)) in it"
    }
    guard operation.state == .executing else { return "it is \(operation.state.rawValue)" }
    let limit = mode.isRepeatable ? ", and no time limit ends it" : ""
    return "it "
      + ActivityText.sentence(
        of: operation, in: jobs, masking: screen.secrets) + limit
  }
}
