import Foundation
import OpshLocking

extension ObservableOperation {
  /// Runs an operation that is on no queue, by hand, on this thread.
  ///
  /// It goes through the same states as on a queue. An asynchronous one has only begun when this
  /// returns. A cancelled one finishes without running.
  ///
  /// - Throws: ``OperationError`` if it is on a queue, was started before, or must wait for others.
  public func startManually() throws(OperationError) {
    try startManually(saying: "started by hand")
  }

  /// Runs an operation that is on no queue by hand; the text is the reason that the log gives.
  package final func startManually(saying reason: String) throws(OperationError) {
    let keys = engine.guardedState { willExecuteByHand(in: $0) ? keysOfStart : [] }
    announce(keys)
    let isExecuting = try engine.transact { (state) throws(OperationError) -> Bool in
      try startUnqueued(saying: reason, in: &state)
    }
    let runner = SlotRunner.ofThisThread()
    if isExecuting {
      noteThread(as: .caller)
      begin(on: runner)
    } else {
      finishCancelled(followedBy: &runner.actions)
    }
    runner.actions.perform()
  }

  private func willExecuteByHand(in state: EngineState) -> Bool {
    core.state == .created && core.isReady && !endsUnrun
      && core.extras?.dependencyFailure == nil
      && state.exclusives.busyName(for: self) == nil
  }

  /// - Returns: Whether it executes; if not, it was cancelled and is to be concluded.
  private func startUnqueued(
    saying reason: String, in state: inout EngineState
  ) throws(OperationError) -> Bool {
    guard core.state == .created else {
      let name = identityInTransaction.name
      if let queue = core.queue, core.state == .pending || core.state == .ready {
        throw .onQueue(name: name, queue: queue.core.name)
      }
      throw .alreadyStarted(name: name, state: core.state)
    }
    guard core.isReady || core.extras?.dependencyFailure != nil else {
      let waitsFor = core.upstream.map(\.operation).filter { $0.core.state != .finished }
      throw .notReady(
        name: identityInTransaction.name, waitsFor: waitsFor.map(\.identityInTransaction.name))
    }
    if !core.isCancelled, let busy = state.exclusives.busyName(for: self) {
      let holder = state.exclusives.holder(of: busy)?.identityInTransaction.name
      throw .notReady(name: identityInTransaction.name, waitsFor: [holder ?? busy])
    }
    let cause = endsUnrun ? "cancelled, ends without running" : "started without a queue"
    if core.extras?.dependencyFailure != nil {
      Scheduler.transition(self, to: .pending, cause: .text(cause), in: &state)
      Scheduler.advance(self, in: &state)
      return false
    }
    Scheduler.transition(self, to: .ready, cause: .text(cause), in: &state)
    if endsUnrun {
      state.decide(.claimed(true), of: self)
      return false
    }
    Scheduler.transition(self, to: .executing, cause: .text(reason), in: &state)
    noteExecuting(in: &state)
    return true
  }

  /// Whether a start ends it without running, in a transaction.
  var endsUnrun: Bool {
    core.isCancelled && core.extras?.defects.contains(.skipsCancelCheck) != true
  }

  /// Whether it notifies also of what has not changed, in a transaction.
  var isUnguarded: Bool { core.extras?.defects.contains(.unguarded) == true }

  /// The properties of which its start notifies, in their order, in a transaction.
  var keysOfStart: [ObservedKey] {
    guard let defects = core.extras?.defects, !defects.isEmpty else { return [.isExecuting] }
    return (defects.contains(.unguarded) ? [.isFinished] : [])
      + (defects.contains(.ownReadiness) ? [.isReady] : []) + [.isExecuting]
  }

  /// Notes what follows from the change to `executing`, which has just been made.
  func noteExecuting(in state: inout EngineState) {
    if isUnguarded { noteRedundantly(.isFinished, in: &state) }
    if core.extras?.defects.contains(.ownReadiness) == true {
      noteFlag(.isReady, false, in: &state)
    }
    noteFlag(.isExecuting, true, in: &state)
    if let limit = core.extras?.timeLimit {
      state.actions.append(.limitTime(self, state.time().addingClamped(max(1, limit))))
    }
  }

  /// Claims the right to finish an operation that executes.
  func claimFinish() -> Bool {
    engine.guarded {
      guard core.state == .executing, !core.isFinishing else { return false }
      core.isFinishing = true
      return true
    }
  }

  /// Ends an operation that was cancelled before it could use its slot; the right is claimed.
  func finishCancelled(followedBy actions: inout DeferredActions) {
    let isCancelled = engine.guarded { core.isFinishing && core.isClaimed }
    if isCancelled { finish(unrun: .cancelled, followedBy: &actions) }
  }

  /// Ends an operation that a dependency stopped; the right is claimed.
  func finishWithoutRunning(followedBy actions: inout DeferredActions) {
    if let error = read({ $0.extras?.dependencyFailure }) {
      finish(unrun: error, followedBy: &actions)
    }
  }

  private func finish(unrun error: OperationError, followedBy actions: inout DeferredActions) {
    let commit: @Sendable () -> Void = {
      var actions = DeferredActions()
      self.settle(unrun: error, followedBy: &actions)
      actions.perform()
    }
    if complete(unrun: error, commit: commit) { settle(unrun: error, followedBy: &actions) }
  }

  /// Makes an operation finished that never ran; the right is claimed.
  func settle(unrun error: OperationError, followedBy actions: inout DeferredActions) {
    finish(followedBy: &actions) { error.unrunEnding }
  }

  /// Makes an operation finished that never ran and calls no client code before; the right is
  /// claimed.
  func endUnrun(_ error: OperationError, in state: inout EngineState) {
    if let work = takeWork(unrun: error) { state.actions.released.append(work) }
    let (outcome, summary) = error.unrunEnding
    Scheduler.finish(self, outcome, cause: cause(outcome, summary, in: &state), in: &state)
  }

  /// Makes it finished, and carries out what follows; the right is claimed.
  func settle(_ outcome: OperationOutcome, on runner: SlotRunner? = nil) {
    var actions = DeferredActions()
    settle(outcome, followedBy: &actions)
    actions.perform(on: runner)
  }

  /// Makes it finished; the right is claimed.
  func settle(
    _ outcome: OperationOutcome, reason: String? = nil, followedBy actions: inout DeferredActions
  ) {
    let summary = reason ?? outcomeSummary
    finish(followedBy: &actions) { (outcome, summary) }
  }

  /// Finishes it because its `main()` has returned, unless it has finished already.
  func settleReturned(followedBy actions: inout DeferredActions) {
    let summary = outcomeSummary
    finish(followedBy: &actions) {
      guard core.state == .executing else { return nil }
      // A second look after the observers had their prior calls finds the right claimed.
      if let error = core.extras?.dependencyFailure {
        return (.failed(OperationFailure(error)), nil)
      }
      return (core.isCancelled ? .cancelled : .succeeded, summary)
    }
  }

  /// Finishes it in one transaction, or in two if observers and completion handlers are called before.
  ///
  /// How it ends and what to say is asked for under the lock.
  private func finish(
    followedBy actions: inout DeferredActions, _ ending: () -> (OperationOutcome, summary: String?)?
  ) {
    // Of all transactions this is the one that threads do by the thousand, one after the other.
    let mustAnnounce = engine.collect(into: &actions, backoff: .long) { state -> Bool in
      guard let (outcome, summary) = ending() else { return false }
      core.isFinishing = true
      if callsOutBeforeFinish {
        state.decide(.ending, of: self)
        return true
      }
      Scheduler.finish(self, outcome, cause: cause(outcome, summary, in: &state), in: &state)
      return false
    }
    guard mustAnnounce else { return }
    let (executes, queue, completions) = engine.guarded {
      (core.state == .executing, core.queue, core.extras?.completions.takeBefore() ?? [])
    }
    for handler in completions { StackOverflowGuard.call { self.runInside(handler) } }
    announce(executes ? [.isExecuting, .isFinished] : [.isFinished])
    queue?.announceOperations()
    engine.collect(into: &actions) { state in
      guard let (outcome, summary) = ending() else { return }
      Scheduler.finish(self, outcome, cause: cause(outcome, summary, in: &state), in: &state)
    }
  }

  /// Whether observers or completion handlers are called before it is finished, in a transaction.
  final var callsOutBeforeFinish: Bool {
    if core.extras?.completions.before.isEmpty == false || core.hasPriorObservers(of: .isExecuting)
      || core.hasPriorObservers(of: .isFinished)
    {
      return true
    }
    guard let ofQueue = core.queue?.core.observers else { return false }
    return ofQueue.hasObserver(of: .operations, with: .prior)
      || ofQueue.hasObserver(of: .operationCount, with: .prior)
  }

  private func cause(
    _ outcome: OperationOutcome, _ summary: String?, in state: inout EngineState
  ) -> EventLog.Cause {
    // A failed dependency is another reason than that no attempt follows.
    let ending = core.extras?.dependencyFailure == nil ? core.extras?.endOfAttempts : nil
    let note = outcome.failure == nil ? nil : ending.map { "; \($0)" }
    if let summary { return .text(summary + (note ?? "")) }
    let spent = core.times.executing == 0 ? nil : state.time() - core.times.executing
    switch outcome {
    case .succeeded:
      return spent.map { .spent($0) } ?? .text("done")
    case .failed:
      // The words of the failure are not copied: the entry shares them with the operation.
      return .failure(note: note)
    case .cancelled:
      return .text(
        spent.map { "cancelled after \(Wording.duration(.nanoseconds($0)))" }
          ?? "cancelled before it ran")
    case .skipped:
      return .text("skipped")
    }
  }

  /// Notifies Foundation, and code that uses Foundation's means, that it has finished.
  func notifyFoundationFinished() {
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

  func announceReady(holding queue: InspectableQueue?, followedBy actions: inout DeferredActions) {
    announce([.isReady])
    engine.collect(into: &actions) { state in
      if let queue {
        queue.core.announcingCount -= 1
        state.needsScheduling(queue)
      }
      state.decide(.announcing(false), of: self)
      guard core.isCancelled || core.unmet == 0 && core.extras?.dependencyFailure == nil else {
        return
      }
      Scheduler.becomeReady(self, cause: Scheduler.readyCause(of: self), in: &state)
    }
  }

  func announceStart(isStep: Bool, followedBy actions: inout DeferredActions) {
    announce(engine.guarded { keysOfStart })
    engine.collect(into: &actions) { state in
      guard let queue = core.queue, core.state == .ready, !core.isFinishing else { return }
      if queue.core.isSuspended, !isStep {
        Scheduler.takeBack(self, on: queue, in: &state)
      } else if endsUnrun {
        // It keeps its slot, and needs its names no more.
        state.decide(.claimed(false), of: self)
        state.decide(.claimed(true), of: self)
        Scheduler.endCancelled(self, on: queue, in: &state)
      } else {
        Scheduler.execute(self, in: &state)
      }
    }
  }
}

extension OperationError {
  /// How an operation ends that never ran because of this, and what the log says of it.
  fileprivate var unrunEnding: (OperationOutcome, summary: String?) {
    switch self {
    case .cancelled: (.cancelled, nil)
    case .skipped: (.skipped, message)
    case .queueEnded: (.failed(.init(self)), "\(code): \(message)")
    default: (.failed(.init(self)), message)
    }
  }
}
