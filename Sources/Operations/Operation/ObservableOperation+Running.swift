import Foundation
import Locking

extension ObservableOperation {
  /// Runs an operation that is on no queue, by hand, on this thread.
  ///
  /// It goes through the same states as on a queue. An asynchronous one has only begun when this
  /// returns. A cancelled one finishes without running.
  ///
  /// - Throws: ``OperationError`` if it is on a queue, was started before, or must wait for others.
  public func startManually() throws(OperationError) {
    if log.guardedDomain({ willExecuteByHand(in: $0) }) { announce([.isExecuting]) }
    let isExecuting = try log.transact { (domain) throws(OperationError) -> Bool in
      try startUnqueued(in: &domain)
    }
    let runner = SlotRunner.ofThisThread()
    if isExecuting {
      begin(on: runner)
    } else {
      concludeCancelled(followedBy: &runner.effects)
    }
    runner.effects.perform()
  }

  private func willExecuteByHand(in domain: Domain) -> Bool {
    core.state == .created && core.isReady && !core.isCancelled && core.extras?.verdict == nil
      && domain.exclusives.busyName(for: self) == nil
  }

  /// - Returns: Whether it executes; if not, it was cancelled and is to be concluded.
  private func startUnqueued(in domain: inout Domain) throws(OperationError) -> Bool {
    guard core.state == .created else {
      let name = identityInTransaction.name
      if let queue = core.queue, core.state == .pending || core.state == .ready {
        throw .onQueue(name: name, queue: queue.core.name)
      }
      throw .alreadyStarted(name: name, state: core.state)
    }
    guard core.isReady || core.extras?.verdict != nil else {
      let waitsFor = core.upstream.map(\.operation).filter { $0.core.state != .finished }
      throw .notReady(
        name: identityInTransaction.name, waitsFor: waitsFor.map(\.identityInTransaction.name))
    }
    if !core.isCancelled, let busy = domain.exclusives.busyName(for: self) {
      let holder = domain.exclusives.holder(of: busy)?.identityInTransaction.name
      throw .notReady(name: identityInTransaction.name, waitsFor: [holder ?? busy])
    }
    let cause = core.isCancelled ? "cancelled, ends without running" : "started by hand"
    Scheduler.transition(self, to: .pending, cause: .text(cause), in: &domain)
    Scheduler.advance(self, in: &domain)
    guard core.state == .ready else { return false }
    core.claim(slot: 0)
    if core.isCancelled {
      core.isFinishing = true
      return false
    }
    domain.exclusives.take(self)
    Scheduler.transition(self, to: .executing, cause: .text("started by hand"), in: &domain)
    noteFlag(.isExecuting, true, in: &domain)
    if let limit = core.extras?.timeLimit, limit > 0 {
      domain.effects.append(.limitTime(self, domain.time().addingClamped(limit)))
    }
    return true
  }

  /// Claims the right to finish an operation that executes.
  func claimFinish() -> Bool {
    log.guarded {
      guard core.state == .executing, !core.isFinishing else { return false }
      core.isFinishing = true
      return true
    }
  }

  /// Ends an operation that was cancelled before it could use its slot; the right is claimed.
  func concludeCancelled(followedBy effects: inout Effects) {
    let isCancelled = log.guarded { core.isFinishing && core.isClaimed }
    if isCancelled { conclude(unrun: .cancelled, followedBy: &effects) }
  }

  /// Ends an operation that a dependency stopped; the right is claimed.
  func concludeUnrun(followedBy effects: inout Effects) {
    if let error = read({ $0.extras?.verdict }) { conclude(unrun: error, followedBy: &effects) }
  }

  private func conclude(unrun error: OperationError, followedBy effects: inout Effects) {
    let commit: @Sendable () -> Void = {
      var effects = Effects()
      self.settle(unrun: error, followedBy: &effects)
      effects.perform()
    }
    if complete(unrun: error, commit: commit) { settle(unrun: error, followedBy: &effects) }
  }

  /// Makes an operation finished that never ran; the right is claimed.
  func settle(unrun error: OperationError, followedBy effects: inout Effects) {
    switch error {
    case .cancelled: settle(.cancelled, followedBy: &effects)
    case .skipped: settle(.skipped, reason: error.message, followedBy: &effects)
    default: settle(.failed(.init(error)), reason: error.message, followedBy: &effects)
    }
  }

  /// Makes it finished, and carries out what follows; the right is claimed.
  func settle(_ outcome: OperationOutcome, on runner: SlotRunner? = nil) {
    var effects = Effects()
    settle(outcome, followedBy: &effects)
    effects.perform(on: runner)
  }

  /// Makes it finished; the right is claimed.
  func settle(
    _ outcome: OperationOutcome, reason: String? = nil, followedBy effects: inout Effects
  ) {
    let summary = reason ?? outcomeSummary
    finish(followedBy: &effects) { (outcome, summary) }
  }

  /// Makes it finished because its `main()` has returned, unless somebody else did.
  func settleReturned(followedBy effects: inout Effects) {
    let summary = outcomeSummary
    finish(followedBy: &effects) {
      guard core.state == .executing else { return nil }
      // A second look after the observers had their prior calls finds the right claimed.
      if let error = core.extras?.verdict { return (.failed(OperationFailure(error)), nil) }
      return (core.isCancelled ? .cancelled : .succeeded, summary)
    }
  }

  /// Finishes it in one transaction, or, if somebody has to hear of it before, in two.
  ///
  /// How it ends and what to say is asked for under the lock.
  private func finish(
    followedBy effects: inout Effects, _ ending: () -> (OperationOutcome, summary: String?)?
  ) {
    // Of all transactions this is the one that threads do by the thousand, one after the other.
    let mustAnnounce = log.collect(into: &effects, backoff: .long) { domain -> Bool in
      guard let (outcome, summary) = ending() else { return false }
      core.isFinishing = true
      if hasPriorObserversOfFinish { return true }
      Scheduler.finish(self, outcome, cause: cause(outcome, summary, in: &domain), in: &domain)
      return false
    }
    guard mustAnnounce else { return }
    let (executes, queue) = log.guarded { (core.state == .executing, core.queue) }
    announce(executes ? [.isExecuting, .isFinished] : [.isFinished])
    queue?.announceOperations()
    log.collect(into: &effects) { domain in
      guard let (outcome, summary) = ending() else { return }
      Scheduler.finish(self, outcome, cause: cause(outcome, summary, in: &domain), in: &domain)
    }
  }

  private var hasPriorObserversOfFinish: Bool {
    if core.hasPriorObservers(of: .isExecuting) || core.hasPriorObservers(of: .isFinished) {
      return true
    }
    guard let ofQueue = core.queue?.core.observers else { return false }
    return ofQueue.hasPrior(.operations) || ofQueue.hasPrior(.operationCount)
  }

  private func cause(
    _ outcome: OperationOutcome, _ summary: String?, in domain: inout Domain
  ) -> EventLog.Cause {
    if let summary { return .text(summary) }
    let spent = core.times.executing == 0 ? nil : domain.time() - core.times.executing
    switch outcome {
    case .succeeded:
      return spent.map { .spent($0) } ?? .text("done")
    case .failed:
      // A failure by a verdict is another one than that after which no attempt follows. The words of
      // the failure are not copied: the entry shares them with the operation.
      let extras = core.extras
      return .failure(note: extras?.verdict == nil ? extras?.endOfAttempts.map { "; \($0)" } : nil)
    case .cancelled:
      return .text(
        spent.map { "cancelled after \(Wording.duration(.nanoseconds($0)))" }
          ?? "cancelled before it ran")
    case .skipped:
      return .text("skipped")
    }
  }

  /// Tells Foundation, and whoever uses Foundation's means, that it has finished.
  func tellFoundationFinished() {
    guard completionBlock != nil else {
      // Foundation takes `isExecuting` turning false from this too.
      return didChangeValue(forKey: "isFinished")
    }
    // Foundation has another thread call the block, and may start that thread.
    ThreadStarter.perform { [self] in
      didChangeValue(forKey: "isFinished")
      // Foundation keeps the block, and with it whatever it captured, perhaps this operation.
      completionBlock = nil
    }
  }

  func announceReady(holding queue: InspectableQueue?, followedBy effects: inout Effects) {
    announce([.isReady])
    log.collect(into: &effects) { domain in
      if let queue {
        queue.core.announcingCount -= 1
        domain.needsScheduling(queue)
      }
      guard core.isCancelled || core.unmet == 0 && core.extras?.verdict == nil else { return }
      Scheduler.becomeReady(self, cause: Scheduler.readyCause(of: self), in: &domain)
    }
  }

  func announceStart(isStep: Bool, followedBy effects: inout Effects) {
    announce([.isExecuting])
    log.collect(into: &effects) { domain in
      guard let queue = core.queue, core.state == .ready, !core.isFinishing else { return }
      if queue.core.isSuspended, !isStep {
        Scheduler.takeBack(self, on: queue, in: &domain)
      } else if core.isCancelled {
        core.isFinishing = true
        domain.effects.append(
          Start(
            operation: self, place: SlotRunner.Place(of: self, on: queue), isCancelled: true))
        Scheduler.yieldExclusives(self, in: &domain)
      } else {
        Scheduler.execute(self, in: &domain)
      }
    }
  }
}
