import Foundation

/// What a transaction decided, to be carried out after the lock is released.
///
/// Observers, handlers, bodies, timers and Foundation are called only from here.
struct Effects {
  /// One thing to do.
  enum Effect {
    /// Nothing: what stood here was taken out.
    case none
    /// Call the observers that have notices waiting.
    case deliver(ObserverRegistry)
    /// Announce with `.prior` that the operation is about to become ready, then make it so, and let
    /// go of the queue that starts nothing meanwhile. That is not always the operation's: whoever
    /// hears of it may add the operation to one.
    case announceReady(ObservableOperation, holding: InspectableQueue?)
    /// Announce with `.prior` that the operation is about to execute, then make it so, unless the
    /// queue was suspended meanwhile; a single step counts on a suspended queue too.
    case announceStart(ObservableOperation, isStep: Bool)
    /// Interrupt the work of an operation that was cancelled while executing.
    case interrupt(ObservableOperation)
    /// End the group if nothing is left in it.
    case concludeGroup(GroupOperation)
    /// Tell Foundation that the operation, which is on no queue of ours, has become ready.
    case tellFoundationReady(ObservableOperation)
    /// Tell Foundation that the operation has finished.
    case tellFoundation(ObservableOperation)
    /// Resume whoever waits.
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

  private var list: [Effect] = []
  /// The operations that begin when everything on the list is done.
  ///
  /// So observers are called before the operation begins that the same change has started. While
  /// client code is called they are a deposit of the ``RunnerWatch``, which starts them if that takes
  /// long.
  private var starts = FIFO<Start>()
  private var deposit: Int?
  /// Operations to be ended that a dependency's failure stopped, and how many of them were.
  ///
  /// They go before everything else, so that all who are skipped have ended before what was started
  /// in their place can end: else the order of starting would be left to chance.
  private var stopped: [ObservableOperation] = []
  private var concluded = 0
  private var wakeUp: (@Sendable () -> Void)?
  private var furtherWakeUps: [@Sendable () -> Void] = []
  /// References whose last release must not happen under the lock, because a `deinit` may be
  /// anybody's code and may take it.
  var released: [AnyObject] = []

  mutating func append(_ effect: Effect) {
    list.append(effect)
  }

  mutating func append(_ start: Start) {
    starts.append(start)
  }

  /// Has the reader of a log woken up.
  mutating func add(wakeUp handler: (@Sendable () -> Void)?) {
    guard let handler else { return }
    // The list may be of more than one log, and one may get another reader meanwhile.
    if wakeUp == nil { wakeUp = handler } else { furtherWakeUps.append(handler) }
  }

  /// Adds the end of an operation that a dependency's failure stopped.
  mutating func concludeUnrun(_ operation: ObservableOperation) {
    stopped.append(operation)
  }

  /// Carries everything out, and what follows from it, without recursion: a chain of a hundred
  /// thousand skipped operations is one loop here.
  ///
  /// - Parameter runner: The thread of Foundation's queue that this is, if it is one; it goes on
  ///   with an operation that is to run.
  mutating func perform(on runner: SlotRunner? = nil) {
    var next = 0
    while true {
      if let wakeUp {
        self.wakeUp = furtherWakeUps.popLast()
        wakeUp()
        continue
      }
      if concluded < stopped.count {
        let operation = stopped[concluded]
        concluded += 1
        if concluded == stopped.count { (stopped, concluded) = ([], 0) }
        // Only then: what was started is not to begin before all of them have ended, just because
        // they are many.
        if !starts.isEmpty, operation.log.guarded({ operation.callsOutUnrun }) {
          lendStarts(of: runner)
        }
        operation.concludeUnrun(followedBy: &self)
        continue
      }
      if next < list.count {
        // Taken out and not copied, which would count each reference in it twice more.
        var effect = Effect.none
        swap(&list[next], &effect)
        next += 1
        perform(effect, on: runner)
        if next >= 1024, next * 2 > list.count {
          list.removeFirst(next)
          next = 0
        }
        continue
      }
      takeStartsBack()
      guard let start = starts.popFirst() else { break }
      begin(start, on: runner)
    }
    // One by one, which keeps the room and for a few takes a fifth of what removing all does.
    while list.popLast() != nil {}
    while released.popLast() != nil {}
  }

  /// Lets other threads start what is to begin here if the client code that is called next takes
  /// long.
  private mutating func lendStarts(of runner: SlotRunner?) {
    if let next = runner?.giveBack() { starts.putBack(next) }
    // On the virtual clock there are no other threads to hand it to.
    guard let first = starts.first, !first.operation.log.virtualClock.isInUse else { return }
    var lent = FIFO<Start>()
    swap(&lent, &starts)
    deposit = RunnerWatch.shared.deposit(lent, addingTo: deposit)
  }

  private mutating func takeStartsBack() {
    guard let number = deposit else { return }
    deposit = nil
    var lent = RunnerWatch.shared.withdraw(number)
    lent.append(starts)
    starts = lent
  }

  private mutating func begin(_ start: Start, on runner: SlotRunner?) {
    let operation = start.operation
    if start.isCancelled {
      guard let runner else { return start.handOver() }
      lendStarts(of: runner)
      operation.concludeCancelled(followedBy: &self)
    } else if let place = start.place,
      runner?.take(operation, at: place) == true || operation.beginsHere(followedBy: &self)
    {
      return
    } else {
      start.handOver()
    }
  }

  private mutating func perform(_ effect: Effect, on runner: SlotRunner?) {
    switch effect {
    case .tellFoundationReady(let operation):
      operation.didChangeValue(forKey: "isReady")
    case .tellFoundation(let operation):
      operation.tellFoundationFinished()
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
    default:
      lendStarts(of: runner)
      callOut(effect)
    }
  }

  /// Carries out what calls client code: an observer, a handler, a body.
  private mutating func callOut(_ effect: Effect) {
    switch effect {
    case .deliver(let registry):
      registry.drain()
    case .announceReady(let operation, let queue):
      operation.announceReady(holding: queue, followedBy: &self)
    case .announceStart(let operation, let isStep):
      operation.announceStart(isStep: isStep, followedBy: &self)
    case .interrupt(let operation):
      operation.interrupt(followedBy: &self)
    case .concludeGroup(let group):
      group.concludeIfEmpty(followedBy: &self)
    default:
      break
    }
  }
}
