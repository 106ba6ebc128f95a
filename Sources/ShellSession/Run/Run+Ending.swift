import OpshLocking
package import Operations
import Synchronization
import OpshSystemCalls

extension Run {
  /// Makes every body end at its next statement.
  package func endBodies() {
    interrupt.endBodies()
  }

  /// Like `settle`, but after the point where signals and handlers matter: shows events, and ends the
  /// operations of the queue `main`.
  ///
  /// Also waits for bodies that go on after their operations have finished: they end the programs
  /// that they run.
  ///
  /// - Parameters:
  ///   - requester: What cancels the operations, also those that bodies still build.
  ///   - deadline: When to give up.
  /// - Throws: What a note throws.
  package func settleQuietly(
    cancelledBy requester: String, until deadline: ContinuousClock.Instant
  ) throws {
    cancelAll(by: requester)
    // No statement follows: what bodies wait for and nothing else ends never comes.
    interpreterRests.store(true, ordering: .releasing)
    try mode.settle(cancelledBy: requester, until: deadline)
  }

  /// Cancels all operations, removes handlers and ends bodies.
  ///
  /// What a handler keeps at a phase goes on when the handler is removed, so it is cancelled before.
  private func cancelAll(by requester: String) {
    jobs.cancelRest(by: requester)
    jobs.eventHandlers.removeAll()
    endBodies()
  }

  /// Cancels all operations, and waits until no body and no program runs any more.
  ///
  /// A body that goes on for long is named once; Ctrl-C ends the waiting at the prompt.
  ///
  /// - Parameter requester: What cancels the operations.
  /// - Throws: `Interruption` after Ctrl-C, and what ends the session.
  package func endAll(by requester: String) throws {
    cancelAll(by: requester)
    var isDone = false
    defer { if !isDone { interrupt.endBodies(false) } }
    var patience: ContinuousClock.Instant? = .now + .seconds(2)
    while jobs.isExecutingAnything() || !jobs.bodies.running.isEmpty {
      if try pump(runsHandlers: false) {
        throw Interruption("the session goes on; what was cancelled stays so")
      }
      try mode.settle(cancelledBy: requester, until: .now + .milliseconds(50))
      guard let limit = patience, .now >= limit else { continue }
      patience = nil
      let running =
        jobs.bodies.ofFinished + jobs.operations.unfinished.filter { $0.state == .executing }
      guard !running.isEmpty else { continue }
      screen.remark(
        "waiting for \(OperationList.names(running)) to end"
          + (screen.isInteractive ? "; Ctrl-C goes on with the session as it is now" : ""))
    }
    isDone = true
  }

  /// Ends a group that can't be completed, and its members.
  ///
  /// No member has run, so all of them have finished when this returns, except those on a queue of
  /// another place.
  ///
  /// - Parameters:
  ///   - group: The group, which is on no queue.
  ///   - requester: What ends it, in words.
  /// - Returns: The number of operations that were cancelled in addition to the group.
  @discardableResult
  package func abandon(_ group: GroupOperation, by requester: String) -> Int {
    let all = end([group], by: requester)
    for operation in all { operation.waitUntilFinished(timeout: .seconds(5)) }
    jobs.operations.endConstruction(of: group)
    return all.count - 1
  }

  /// Cancels what is on a queue, or held for it, and has it end, though the queue may be paused.
  ///
  /// What has not begun has finished when this returns, unless what executes keeps all the slots
  /// for more than a second.
  package func abandon(
    _ operations: [ObservableOperation], on queue: InspectableQueue, by requester: String
  ) {
    for operation in operations { jobs.operations.releaseHold(of: operation) }
    let unbegun = jobs.withMembers(operations).filter {
      $0.state != .executing && $0.state != .finished
    }
    end(operations, with: [queue], by: requester)
    let deadline = ContinuousClock.now + .seconds(1)
    for operation in unbegun {
      let left = ContinuousClock.now.duration(to: deadline)
      guard operation.waitUntilFinished(timeout: max(left, .zero)) else { break }
    }
  }

  /// Cancels operations with all that is in them, and has their queues start them, so that they end.
  @discardableResult
  private func end(
    _ operations: [ObservableOperation], with queues: [InspectableQueue] = [], by requester: String
  ) -> [ObservableOperation] {
    let all = jobs.withMembers(operations)
    ObservableOperation.cancelAll(all, by: requester)
    // A cancelled operation ends when its queue starts it, so no queue may stay paused.
    jobs.engine.withoutStarting {
      for queue in queues + all.compactMap({ ($0 as? GroupOperation)?.innerQueue }) {
        queue.isSuspended = false
        queue.pace = .zero
        if queue.maxConcurrentOperationCount == 0 { queue.maxConcurrentOperationCount = 1 }
      }
    }
    // Operations that are on no queue have to be ended here.
    for operation in all.reversed() where operation.state == .created {
      try? operation.startManually()
    }
    mode.runDueEvents()
    return all
  }
}
