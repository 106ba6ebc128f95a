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
      quality = operation.core.quality == .default ? queue.core.quality : operation.core.quality
    }
  }

  let place: Place?
  /// Whether this is not a thread of Foundation's but one for bodies that block, and runs only
  /// those.
  let isBodyThread: Bool
  /// Whether this is a thread of somebody else's, and runs only what begins briefly.
  private let isLent: Bool
  // Unchecked, because there is no second thread, and each check costs as much as what it checks.
  @exclusivity(unchecked) private var next: ObservableOperation?
  private let isFirstCancelled: Bool
  @exclusivity(unchecked) var effects = Effects()

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

  /// Has Foundation's queue run an operation that holds a slot.
  static func hand(_ operation: ObservableOperation, at place: Place, isCancelled: Bool = false) {
    let clock = operation.log.virtualClock
    if !clock.isInUse, !isCancelled, startsThread(for: operation, at: place) { return }
    let runner = SlotRunner(place: place, first: operation, isCancelled: isCancelled)
    if clock.isInUse { return clock.enqueue { runner.run() } }
    let carrier = RunnerOperation(runner)
    if place.quality != .default { carrier.qualityOfService = place.quality }
    place.queue.addOperation(carrier)
  }

  /// Starts the thread of an operation that has its own at once: on the way through Foundation's queue
  /// it would wait while others, perhaps none of ours, block the threads that all queues share.
  ///
  /// With a class of service of its own it gets that from Foundation's thread. Without a thread it
  /// takes that way too, and fails there.
  private static func startsThread(for operation: ObservableOperation, at place: Place) -> Bool {
    guard operation is BlockingOperation, place.isOfDefaultQuality else { return false }
    return BodyThread.start(ofBody(operation, at: place)) == nil
  }

  /// What a thread for blocking bodies does, beginning with an operation.
  ///
  /// The thread keeps this until it ends, and the operation only until that has ended: others may
  /// follow it there for hours.
  static func ofBody(
    _ operation: ObservableOperation, at place: Place?
  ) -> @Sendable () -> Void {
    let runner = SlotRunner(place: place, first: operation, isBodyThread: true)
    return { runner.run() }
  }

  /// Runs an operation that is on no queue, on a thread of its own if the system has one.
  static func runAlone(_ operation: ObservableOperation) {
    let run = ofBody(operation, at: nil)
    if operation.log.startBody(run) != nil { run() }
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

  /// Takes an operation to run when the present one has returned, if this is a thread for it.
  ///
  /// - Returns: Whether it took it.
  func take(_ operation: ObservableOperation, at place: Place) -> Bool {
    guard next == nil, let own = self.place, own.queue === place.queue,
      own.quality == place.quality, !isBodyThread || operation is BlockingOperation,
      !isLent || operation.mayBeginOnLentThread
    else { return false }
    next = operation
    return true
  }

  /// Calls somebody else's code, which may take long; what the runner was to go on with does not
  /// wait for that.
  func expose(_ body: () -> Void) {
    // On the virtual clock there is no other thread to hand it to.
    guard let operation = next, let place, !operation.log.virtualClock.isInUse else {
      return body()
    }
    next = nil
    let number = RunnerWatch.shared.deposit(operation, at: place)
    body()
    // The body may have given it another one; then this one goes its own way.
    guard let operation = RunnerWatch.shared.withdraw(number) else { return }
    if next == nil {
      next = operation
    } else {
      SlotRunner.hand(operation, at: place)
    }
  }

  /// Runs what it carries, and what it is given meanwhile.
  func run() {
    if isFirstCancelled, let first = next {
      next = nil
      first.concludeCancelled(followedBy: &effects)
      effects.perform(on: self)
    }
    while let operation = next {
      next = nil
      operation.begin(on: self)
      effects.perform(on: self)
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
