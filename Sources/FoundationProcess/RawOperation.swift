import Foundation
import OpshLocking

/// An operation of the process: its body runs in the shell, which says when it has ended.
protocol RawOperation: Operation, Sendable {
  /// Whether calling it may block for ever: it notifies with its lock held.
  var mayBlock: Bool { get }
  /// The body has ended; whether the operation finishes with it.
  func bodyEnded(finishes: Bool)
  /// Finishes it from outside.
  func finishFromOutside()
}

/// One that overrides `main()` and blocks its thread, as a `BlockOperation` does.
final class SynchronousOperation: Operation, RawOperation, @unchecked Sendable {
  // @unchecked because it adds only constants and locked state to its superclass.
  private let id: Int
  private let report: @Sendable (QueueReport) -> Void
  private let seen: @Sendable () -> Int
  private let end = DispatchSemaphore(value: 0)
  private let hasRun = Locked(false)

  init(
    _ id: Int, seen: @escaping @Sendable () -> Int,
    report: @escaping @Sendable (QueueReport) -> Void
  ) {
    self.id = id
    self.seen = seen
    self.report = report
  }

  override func start() {
    super.start()
    // A cancelled one does not come to `main()`.
    if !hasRun.withLock({ $0 }) { report(.finished(id)) }
  }

  override func main() {
    hasRun.withLock { $0 = true }
    report(.executing(id, seen: seen()))
    end.wait()
    // Before the queue knows: what it starts then is reported afterwards.
    report(.finished(id))
  }

  var mayBlock: Bool { false }

  func bodyEnded(finishes: Bool) { end.signal() }

  func finishFromOutside() { end.signal() }
}

/// One that overrides `start()` and sends the key-value notifications itself, with the mistakes that
/// such code makes.
final class AsynchronousOperation: Operation, RawOperation, @unchecked Sendable {
  // @unchecked because what it adds is constant, or guarded by `lock`.

  /// How long a notification may take before the operation counts as locked.
  private static let patience = 0.2
  /// How long after its start an operation is finished that does not notify.
  private static let callbackDelay = 0.02

  private let id: Int
  private let mistakes: RawOperationPlan.Mistakes
  private let report: @Sendable (QueueReport) -> Void
  private let seen: @Sendable () -> Int
  /// Held while it starts: what ends it waits until its queue knows that it executes.
  ///
  /// Notified in the other order, Foundation would never free its slot.
  private let starting = NSLock()
  private let lock = NSLock()
  private var isRunning = false
  private var hasEnded = false
  private var isBodyOver = false
  /// Whether it was finished from outside.
  private var isFinishing = false
  /// What its own code says of its readiness.
  private var saysReady: Bool

  init(
    _ id: Int, _ mistakes: RawOperationPlan.Mistakes, seen: @escaping @Sendable () -> Int,
    report: @escaping @Sendable (QueueReport) -> Void
  ) {
    self.id = id
    self.mistakes = mistakes
    self.seen = seen
    self.report = report
    saysReady = mistakes.isDisjoint(with: [.neverReady, .silentReady])
    super.init()
    guard mistakes.contains(.silentReady) else { return }
    Thread.detachNewThread { [self] in
      Thread.sleep(forTimeInterval: Self.callbackDelay)
      lock.withLock { saysReady = true }
    }
  }

  var mayBlock: Bool { mistakes.contains(.notifiesLocked) }

  override var isAsynchronous: Bool { true }
  private var callsSuperStart: Bool { mistakes.contains(.callsSuperStart) }
  override var isExecuting: Bool {
    callsSuperStart ? super.isExecuting : lock.withLock { isRunning }
  }
  override var isFinished: Bool { callsSuperStart ? super.isFinished : lock.withLock { hasEnded } }
  override var isReady: Bool {
    guard super.isReady, !(mistakes.contains(.ownsReadiness) && isExecuting) else { return false }
    return isCancelled || lock.withLock { saysReady }
  }

  override func start() {
    if isCancelled, mistakes.isDisjoint(with: [.ignoresCancel, .skipsCancelCheck]) {
      guard callsSuperStart else { return finish() }
      report(.finished(id))
      return super.start()
    }
    starting.lock()
    defer { starting.unlock() }
    lock.withLock { isRunning = true }
    report(.executing(id, seen: seen()))
    if callsSuperStart {
      // It calls `main()`, which is empty, and then counts the operation as finished.
      lock.withLock { (isRunning, hasEnded) = (false, true) }
      report(.finished(id))
      return super.start()
    }
    if mistakes.contains(.unguarded) { didChangeValue(forKey: "isFinished") }
    if !mistakes.contains(.silentExecuting) { didChangeValue(forKey: "isExecuting") }
    if mistakes.contains(.ownsReadiness) { didChangeValue(forKey: "isReady") }
  }

  override func cancel() {
    starting.withLock {}
    super.cancel()
    guard !mistakes.contains(.ignoresCancel) else { return }
    // Before it was started it must not finish: its queue starts it, and then it finishes.
    let (mayFinish, isSilent) = lock.withLock {
      (
        isRunning && !hasEnded && (isBodyOver || mistakes.contains(.unlocked)),
        isRunning && hasEnded
      )
    }
    if mayFinish { finish() } else if isSilent { report(.awaitsNotification(id)) }
  }

  func bodyEnded(finishes: Bool) {
    starting.withLock {}
    let isOver = lock.withLock {
      isBodyOver = true
      return hasEnded || isFinishing
    }
    guard !isOver || mistakes.contains(.finishesTwice) else { return }
    if finishes || isCancelled && !mistakes.contains(.ignoresCancel) { return finish() }
    if mistakes.contains(.finishesTwice) {
      notifyFinished()
      notifyFinished()
      report(.ignoredFinish(id))
      return report(.finished(id))
    }
    report(.awaitsFinish(id))
  }

  func finishFromOutside() {
    starting.withLock {}
    let (isFirst, isOver) = lock.withLock {
      defer { isFinishing = true }
      return (!isFinishing, hasEnded && !isRunning)
    }
    if isOver {
      // Without a lock the second result is announced like the first.
      if mistakes.contains(.unlocked) { notifyFinished() }
      return
    }
    if mistakes.contains(.silentFinished), isFirst {
      // A queue looks at the property when `start()` returns; this is a callback that comes later.
      return Thread.detachNewThread { [self] in
        Thread.sleep(forTimeInterval: Self.callbackDelay)
        lock.withLock { hasEnded = true }
        report(.awaitsNotification(id))
      }
    }
    if mistakes.contains(.notifiesLocked) { return finishLocked() }
    finish()
  }

  /// The mistake of finishing before a queue has started it.
  func finishBeforeStart() {
    lock.withLock { hasEnded = true }
    didChangeValue(forKey: "isFinished")
  }

  private func finish() {
    // Before the queue knows: what it starts then is reported afterwards.
    report(.finished(id))
    notifyFinished()
  }

  private func notifyFinished() {
    lock.withLock { (isRunning, hasEnded) = (false, true) }
    if !mistakes.contains(.silentExecuting) { didChangeValue(forKey: "isExecuting") }
    didChangeValue(forKey: "isFinished")
  }

  /// Sends the notification with the lock held that the getters need.
  private func finishLocked() {
    let isOver = Locked(false)
    Thread.detachNewThread { [self] in
      lock.withLock {
        (isRunning, hasEnded) = (false, true)
        didChangeValue(forKey: "isFinished")
      }
      isOver.withLock { $0 = true }
      report(.finished(id))
    }
    Thread.detachNewThread { [self] in
      Thread.sleep(forTimeInterval: Self.patience)
      if !isOver.withLock({ $0 }) { report(.isLocked(id)) }
    }
  }
}
