import Foundation

extension ObservableOperation {
  /// Runs an operation that is on no queue, by hand, on this thread.
  ///
  /// It goes through the same states as on a queue. An asynchronous one has only begun when this
  /// returns. A cancelled one finishes without running.
  ///
  /// - Throws: ``OperationError`` if it is on a queue, was started before, or must wait for others.
  public func startManually() throws(OperationError) {
    try run(isManual: true)
  }

  /// What `start()` found.
  private enum Start {
    case work, concludeCancelled, tellFoundation, nothing
  }

  func run(isManual: Bool) throws(OperationError) {
    let start = if let given = startGiven(isManual: isManual) { given } else { try startByHand() }
    switch start {
    case .work:
      didChangeValue(forKey: "isExecuting")
      begin()
    case .concludeCancelled:
      conclude(.cancelled, error: .cancelled)
    case .tellFoundation:
      tellFoundationFinished()
    case .nothing:
      break
    }
  }

  /// Starts it for Foundation's queue, if that was given the operation and is the caller.
  private func startGiven(isManual: Bool) -> Start? {
    // Somebody may call `start()` just when Foundation's queue is about to; only the latter counts.
    guard !isManual, Self.current == nil, let caller = OperationQueue.current else { return nil }
    return log.guarded { () -> Start? in
      guard core.handover == .given, caller === core.queue?.foundation else { return nil }
      core.handover = .begun
      if core.state == .finished { return .tellFoundation }
      // Whoever is finishing it will tell Foundation.
      if core.isFinishing { return .nothing }
      // Also when it was cancelled a moment ago: whoever saw it execute may count on its body
      // running, for a body that executes is told of a cancel and never stopped by it.
      if core.state == .executing { return .work }
      core.isFinishing = true
      return .concludeCancelled
    }
  }

  private func startByHand() throws(OperationError) -> Start {
    if read({ $0.state == .created && $0.isReady && !$0.isCancelled }) { announce([.isExecuting]) }
    return try log.transact { (domain) throws(OperationError) -> Start in
      try startUnqueued(in: &domain)
    }
  }

  private func startUnqueued(in domain: inout Domain) throws(OperationError) -> Start {
    let name = identityInTransaction.name
    guard core.state == .created else {
      if let queue = core.queue, core.state == .pending || core.state == .ready {
        throw .onQueue(name: name, queue: queue.core.name)
      }
      throw .alreadyStarted(name: name, state: core.state)
    }
    guard core.isReady || core.verdict != nil else {
      let waitsFor = core.upstream.edges.map(\.operation).filter { $0.core.state != .finished }
      throw .notReady(name: name, waitsFor: waitsFor.map(\.identityInTransaction.name))
    }
    Scheduler.transition(self, to: .pending, cause: .text("started by hand"), in: &domain)
    core.handover = .begun
    Scheduler.advance(self, in: &domain)
    guard core.state == .ready else { return .nothing }
    if core.isCancelled {
      core.isFinishing = true
      return .concludeCancelled
    }
    core.isClaimed = true
    core.attempts = 1
    Scheduler.transition(self, to: .executing, cause: .text("started by hand"), in: &domain)
    noteFlag(.isExecuting, true, in: &domain)
    return .work
  }

  /// Claims the right to finish an operation that executes.
  func claimFinish() -> Bool {
    log.guarded {
      guard core.state == .executing, !core.isFinishing else { return false }
      core.isFinishing = true
      return true
    }
  }

  /// Ends an operation that never ran; the caller has claimed the right to.
  private func conclude(_ outcome: OperationOutcome, error: OperationError) {
    if complete(unrun: error, commit: { self.settle(outcome) }) { settle(outcome) }
  }

  /// Ends an operation that a dependency stopped.
  func concludeWithoutRunning(_ error: OperationError, followedBy more: inout Effects) {
    let outcome: OperationOutcome
    if case .skipped = error { outcome = .skipped } else { outcome = .failed(.init(error)) }
    if complete(unrun: error, commit: { self.settle(outcome, reason: error.message) }) {
      settle(outcome, reason: error.message, followedBy: &more)
    }
  }

  /// Makes it finished, and carries out what follows; the caller has claimed the right to.
  func settle(_ outcome: OperationOutcome, reason: String? = nil) {
    var effects = Effects()
    settle(outcome, reason: reason, followedBy: &effects)
    effects.perform()
  }

  private func settle(
    _ outcome: OperationOutcome, reason: String?, followedBy more: inout Effects
  ) {
    let summary = reason ?? outcomeSummary
    // One look decides whether anybody has to hear of it before; mostly nobody has.
    let (executes, isObserved, observedQueue) = log.guarded {
      let queue = core.queue?.core.observers == nil ? nil : core.queue
      return (core.state == .executing, core.observers != nil, queue)
    }
    if isObserved { announce(executes ? [.isExecuting, .isFinished] : [.isFinished]) }
    observedQueue?.announceOperations()
    log.collect(into: &more) { domain in
      let cause = summary.map { EventLog.Cause.text($0) } ?? defaultCause(outcome)
      Scheduler.finish(self, outcome, cause: cause, in: &domain)
    }
  }

  private func defaultCause(_ outcome: OperationOutcome) -> EventLog.Cause {
    let spent = core.timestamps.executing.map { Wording.duration(.now - $0) }
    switch outcome {
    case .succeeded:
      return .text(spent ?? "done")
    case .failed(let failure):
      return .text("\(failure.code): \(failure.message)")
    case .cancelled:
      return .text(spent.map { "cancelled after \($0)" } ?? "cancelled before it ran")
    case .skipped:
      return .text("skipped")
    }
  }

  /// Tells Foundation's queue, and whoever uses Foundation's means, that it has finished.
  func tellFoundationFinished() {
    // Foundation takes `isExecuting` turning false from this too.
    didChangeValue(forKey: "isFinished")
    // Foundation keeps the block, and with it whatever it captured, perhaps this operation.
    if completionBlock != nil { completionBlock = nil }
  }

  func announceReady(_ cause: EventLog.Cause, followedBy more: inout Effects) {
    announce([.isReady])
    log.collect(into: &more) { domain in
      guard core.unmet == 0 || core.isCancelled else { return }
      Scheduler.becomeReady(self, cause: cause, in: &domain)
    }
  }

  func announceStart(followedBy more: inout Effects) {
    announce([.isExecuting])
    log.collect(into: &more) { domain in
      guard let queue = core.queue, core.state == .ready, !core.isFinishing else { return }
      if core.isCancelled {
        domain.effects.append(.handOver(self, queue))
      } else {
        Scheduler.execute(self, on: queue, in: &domain)
      }
    }
  }
}
