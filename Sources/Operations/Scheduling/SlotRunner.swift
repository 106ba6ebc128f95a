import Foundation

/// Runs an operation that holds a slot, on a thread of Foundation's queue or another one.
///
/// When an operation has ended on the runner's thread, the runner goes on with the one that got the
/// slot, which costs a tenth of a new hand-over. A thread for blocking bodies does the same.
///
/// Everything in it belongs to the one thread that runs it.
final class SlotRunner: @unchecked Sendable {
  // @unchecked because only its maker, and then the thread that runs it, touches it.

  /// Where an operation runs.
  struct Place {
    let queue: FoundationQueue
    let quality: QualityOfService

    var isOfDefaultQuality: Bool { quality == .default }

    /// The place on the operation's queue, in a transaction.
    init(of operation: ObservableOperation, on queue: InspectableQueue) {
      self.queue = queue.foundation
      quality = operation.core.effectiveQuality(on: queue)
    }
  }

  let place: Place?
  /// Whether this is not a thread of Foundation's but one of ``BodyThreadPool``.
  let isBodyThread: Bool
  /// Whether this is a lent thread, which runs only what begins briefly.
  private let isLent: Bool
  // Unchecked, because there is no second thread, and each check costs as much as what it checks.
  @exclusivity(unchecked) private var next: ObservableOperation?
  private let isFirstCancelled: Bool
  @exclusivity(unchecked) var actions = DeferredActions()

  init(
    place: Place?, first: ObservableOperation?, isCancelled: Bool = false,
    isBodyThread: Bool = false, isLent: Bool = false
  ) {
    self.place = place
    next = first
    isFirstCancelled = isCancelled
    self.isBodyThread = isBodyThread
    self.isLent = isLent
  }

  /// Has another thread run an operation that holds a slot: one of Foundation's queue, or, if it
  /// blocks or works with a class of service, one of ``BodyThreadPool``.
  ///
  /// On the way through Foundation's queue a blocking body would wait while others, perhaps none of
  /// ours, block the threads that all queues share.
  ///
  /// A hold lasts until an operation that was cancelled has ended.
  static func hand(
    _ operation: ObservableOperation, at place: Place, isCancelled: Bool = false,
    holding lease: StartHold.Lease? = nil
  ) {
    let executor = place.queue.executor
    let clock = operation.engine.virtualClock
    if executor == nil, !clock.isInUse, !isCancelled, needsBodyThread(operation, at: place) {
      return BodyThreadPool.of(place.quality).run(ofBody(operation, at: place))
    }
    let runner = SlotRunner(
      place: place, first: operation, isCancelled: isCancelled,
      isBodyThread: executor != nil || lease != nil && !clock.isInUse)
    if let lease { runner.actions.take(lease) }
    if let executor { return executor { runner.run() } }
    if clock.isInUse { return clock.enqueue { runner.run() } }
    // Others wait for its end; it must not wait for a thread that all queues share.
    if lease != nil { return BodyThreadPool.of(.default).run { runner.run() } }
    ThreadStarter.perform { place.queue.addOperation(RunnerOperation(runner)) }
  }

  private static func needsBodyThread(_ operation: ObservableOperation, at place: Place) -> Bool {
    operation is BlockingOperation || !place.isOfDefaultQuality && operation.worksOnItsThread
  }

  /// What a thread for blocking bodies does, beginning with an operation.
  ///
  /// The thread keeps this until it is done, and the operation only until that has ended: others may
  /// follow it there for hours.
  static func ofBody(
    _ operation: ObservableOperation, at place: Place?
  ) -> @Sendable () -> Void {
    let runner = SlotRunner(place: place, first: operation, isBodyThread: true)
    return { runner.run() }
  }

  /// Runs an operation that is on no queue, on a thread of its own.
  static func runAlone(_ operation: ObservableOperation) {
    let quality = operation.worksOnItsThread ? operation.qualityOfService : .default
    operation.engine.startBody(ofBody(operation, at: nil), quality: quality)
  }

  /// Makes a runner of the calling thread, for an operation that is started by hand.
  static func ofThisThread() -> SlotRunner {
    SlotRunner(place: nil, first: nil)
  }

  /// Makes a runner of the calling thread, which goes on with what gets the slot of the operation
  /// that the thread is about to finish.
  static func lent(at place: Place) -> SlotRunner {
    SlotRunner(place: place, first: nil, isLent: true)
  }

  /// Takes an operation to run when the present one has returned, if this is a thread for it;
  /// returns whether it took it.
  func take(_ operation: ObservableOperation, at place: Place) -> Bool {
    // An executor decides about each operation by itself.
    guard next == nil, let own = self.place, own.queue === place.queue,
      place.queue.executor == nil, own.quality == place.quality,
      isBodyThread == Self.needsBodyThread(operation, at: place),
      !isLent || operation.mayBeginOnLentThread
    else { return false }
    next = operation
    return true
  }

  /// Gives back what it took and has not begun.
  func giveBack() -> Start? {
    guard let operation = next, let place else { return nil }
    next = nil
    return Start(operation: operation, place: place)
  }

  /// What its thread is there for.
  private var role: OperationThread.Role {
    if place?.queue.executor != nil { return .executor }
    return isBodyThread ? .body : isLent ? .lent : .pool
  }

  /// Runs what it carries, and what it is given meanwhile.
  func run() {
    if isFirstCancelled, let first = next {
      next = nil
      first.finishCancelled(followedBy: &actions)
      actions.perform(on: self)
    }
    while let operation = next {
      next = nil
      operation.noteThread(as: role)
      operation.begin(on: self)
      actions.perform(on: self)
    }
  }
}

/// What Foundation's queue is given to run.
///
/// The operation that the runner carries never goes on Foundation's queue, so none of the rules
/// that end the process there can be broken by it: it can be finished at any moment, and given to
/// another queue by mistake.
private final class RunnerOperation: Operation, @unchecked Sendable {
  // @unchecked because it adds only a constant to its superclass.
  private let runner: SlotRunner

  init(_ runner: SlotRunner) { self.runner = runner }

  override func main() { runner.run() }
}
