import Foundation
import OpshSupport

/// What a transaction decided to do after the lock is released.
///
/// Observers, handlers, bodies, timers and Foundation are called only from here.
struct DeferredActions {
  /// One thing to do.
  enum Action {
    /// Call the observers that have notices waiting.
    case deliver(ObserverRegistry)
    /// Announce with `.prior` that the operation is about to become ready, then make it so.
    ///
    /// The queue starts nothing until then. It is not always the operation's queue: an observer may
    /// add the operation to another one.
    case announceReady(ObservableOperation, holding: InspectableQueue?)
    /// Announce with `.prior` that the operation is about to execute, then make it so, unless the
    /// queue was suspended meanwhile; a single step counts on a suspended queue too.
    case announceStart(ObservableOperation, isStep: Bool)
    /// Interrupt the work of an operation that was cancelled while executing.
    case interrupt(ObservableOperation)
    /// Call a completion handler of the operation, which has finished.
    case complete(ObservableOperation, @Sendable () -> Void)
    /// End the group if nothing is left in it.
    case finishGroup(GroupOperation)
    /// Tell Foundation that the operation, which is on no queue of ours, has become ready.
    case notifyFoundationReady(ObservableOperation)
    /// Tell Foundation that the operation has finished.
    case notifyFoundation(ObservableOperation)
    /// Resume a waiting thread or task.
    case resume(Waiter)
    /// Let the operation become ready at that time.
    case delayStart(ObservableOperation, Int64)
    /// Stop the operation at that time.
    case limitTime(ObservableOperation, Int64)
    /// Let the queue start something at that time.
    case delayQueue(InspectableQueue, Int64)
    /// Forget what was to happen later.
    case cancelTimer(TimerQueue.Token)
  }

  private var list = FIFO<Action>()
  /// The operations that begin when everything on the list is done.
  ///
  /// So observers are called before the operation begins that the same change has started. While
  /// client code is called the ``SlowCallWatchdog`` has them; it starts them if the call takes long.
  private var starts = StartList()
  private var heldStarts: Int?
  /// Operations to be ended that a dependency's failure stopped and that call client code before
  /// they end; they are handled before everything else.
  private var stopped = FIFO<ObservableOperation>()
  /// How many further actions, in progress or on the list, may end an operation in the same instant.
  private var endingCount = 0
  /// Keeps free slots from being given until all of these have ended.
  private var hold: StartHold?
  /// The number by which the watchdog knows the hold, while client code is called.
  private var heldHold: Int?
  /// Whether the watchdog has ended the hold, because a call took long.
  private var hasLostHold = false
  private var wakeUp: (@Sendable () -> Void)?
  private var furtherWakeUps: [@Sendable () -> Void] = []
  /// References whose last release must not happen under the lock, because a `deinit` may be
  /// client code and may take it.
  var released: [AnyObject] = []

  mutating func append(_ action: Action) {
    list.append(action)
  }

  mutating func append(_ start: Start) {
    starts.append(start)
  }

  /// Has the reader of a log woken up.
  mutating func add(wakeUp handler: @escaping @Sendable () -> Void) {
    // A log may have several readers, the list may be of more than one log.
    if wakeUp == nil { wakeUp = handler } else { furtherWakeUps.append(handler) }
  }

  /// Adds the end of an operation that a dependency's failure stopped.
  mutating func finishWithoutRunning(_ operation: ObservableOperation) {
    stopped.append(operation)
  }

  /// Ends the group if nothing is left in it.
  mutating func finishGroup(_ group: GroupOperation) {
    endingCount += 1
    list.append(.finishGroup(group))
  }

  /// Interrupts the work of an operation that was cancelled while executing.
  mutating func interrupt(_ operation: ObservableOperation) {
    endingCount += 1
    list.append(.interrupt(operation))
  }

  /// Whether operations are left that end in the same instant.
  var isUnsettled: Bool { endingCount > 0 || !stopped.isEmpty || starts.cancelledCount > 0 }

  /// Whether slots must be held back and are not yet.
  var needsHold: Bool { isUnsettled && hold == nil && !hasLostHold }

  /// Holds slots back until everything has ended.
  mutating func take(_ hold: StartHold) { self.hold = hold }

  /// Takes over a hold that the watchdog has already.
  mutating func take(_ lease: StartHold.Lease) {
    (hold, heldHold) = (lease.hold, lease.number)
  }

  /// Carries everything out, and what follows from it, without recursion: a chain of a hundred
  /// thousand skipped operations is one loop here.
  ///
  /// - Parameter runner: The thread of Foundation's queue that this is, if it is one; it goes on
  ///   with an operation that is to run.
  mutating func perform(on runner: SlotRunner? = nil) {
    while true {
      if let wakeUp {
        self.wakeUp = furtherWakeUps.popLast()
        wakeUp()
        continue
      }
      if heldHold != nil { takeHoldBack() }
      if let operation = stopped.popFirst() {
        endingCount += 1
        lend(of: runner)
        operation.finishWithoutRunning(followedBy: &self)
        endingCount -= 1
        continue
      }
      if hold != nil, !isUnsettled {
        endHold()
        continue
      }
      if let action = list.popFirst() {
        perform(action, on: runner)
        continue
      }
      takeStartsBack()
      guard let start = starts.popFirst() else { break }
      begin(start, on: runner)
    }
    // One by one, which keeps the room and for a few takes a fifth of what removing all does.
    while released.popLast() != nil {}
  }

  /// Gives the slots that were held back.
  private mutating func endHold() {
    guard let hold else { return }
    self.hold = nil
    hold.engine.collect(into: &self) { $0.end(hold) }
  }

  /// Lets other threads start what is to begin here, and end the hold, if the client code that is
  /// called next takes long.
  private mutating func lend(of runner: SlotRunner?) {
    if let next = runner?.giveBack() { starts.putBack(next) }
    // On the virtual clock there are no other threads to hand it to.
    guard let engine = hold?.engine ?? starts.first?.operation.engine,
      !engine.virtualClock.isInUse
    else { return }
    if let hold { heldHold = SlowCallWatchdog.shared.hold(hold) }
    guard !starts.isEmpty else { return }
    var lent = StartList()
    swap(&lent, &starts)
    heldStarts = SlowCallWatchdog.shared.hold(lent, addingTo: heldStarts)
  }

  private mutating func takeStartsBack() {
    guard let number = heldStarts else { return }
    heldStarts = nil
    guard var lent = SlowCallWatchdog.shared.withdraw(number) else { return }
    lent.append(starts)
    starts = lent
  }

  private mutating func takeHoldBack() {
    guard let number = heldHold else { return }
    heldHold = nil
    if SlowCallWatchdog.shared.withdraw(number) == nil { (hold, hasLostHold) = (nil, true) }
  }

  private mutating func begin(_ start: Start, on runner: SlotRunner?) {
    let operation = start.operation
    if start.isCancelled {
      guard runner != nil || start.endsInline else {
        return start.handOver(holding: hold.map { $0.engine.leaseHold() })
      }
      endingCount += 1
      lend(of: runner)
      operation.finishCancelled(followedBy: &self)
      endingCount -= 1
    } else if let place = start.place,
      runner?.take(operation, at: place) == true || operation.beginsInline(followedBy: &self)
    {
      return
    } else {
      start.handOver()
    }
  }

  private mutating func perform(_ action: Action, on runner: SlotRunner?) {
    switch action {
    case .deliver(let registry):
      lend(of: runner)
      registry.deliver()
    case .announceReady(let operation, let queue):
      lend(of: runner)
      operation.announceReady(holding: queue, followedBy: &self)
    case .announceStart(let operation, let isStep):
      lend(of: runner)
      operation.announceStart(isStep: isStep, followedBy: &self)
    case .interrupt(let operation):
      lend(of: runner)
      operation.interrupt(followedBy: &self)
      endingCount -= 1
    case .complete(let operation, let handler):
      lend(of: runner)
      operation.runInside(handler)
    case .finishGroup(let group):
      lend(of: runner)
      group.finishIfEmpty(followedBy: &self)
      endingCount -= 1
    case .notifyFoundationReady(let operation):
      operation.didChangeValue(forKey: "isReady")
    case .notifyFoundation(let operation):
      operation.notifyFoundationFinished()
    case .resume(let waiter):
      waiter.resume()
    case .delayStart(let operation, let end):
      operation.startDelayTimer(until: end)
    case .limitTime(let operation, let end):
      operation.startTimeLimit(until: end)
    case .delayQueue(let queue, let deadline):
      queue.startPaceTimer(at: deadline)
    case .cancelTimer(let token):
      token.cancel()
    }
  }
}
