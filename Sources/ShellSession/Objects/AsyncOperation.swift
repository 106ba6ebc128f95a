package import FoundationProcess
import OpshLocking
package import Operations
package import ShellLanguage

/// An operation that goes on executing when its body has ended, until it is finished from outside.
///
/// It is what `async` builds. Cancelling does not stop its body: one that was cancelled ends when the
/// body has, as a `block` does, or at once if the body has ended already.
package final class AsyncOperation: ConcurrentOperation<Value>, FinishableOperation,
  @unchecked Sendable
{
  // @unchecked because it adds constants and locked state to its superclass.

  /// Why a call of `finish` was refused.
  package enum Refusal: Error {
    case notStarted
    case finished
    /// The call came between two attempts, or another one finishes it at this moment.
    case late
    /// It already notifies, and holds the lock that its observer needs.
    case locked
  }

  package typealias Body = @Sendable (AsyncOperation) throws -> Void
  /// The handlers to call when bodies begin and end.
  package struct BodyWatch: Sendable {
    let willBegin: @Sendable (ObservableOperation) -> Void
    /// Called with the error of the body if the operation, or its attempt, had been finished before,
    /// and can't fail with that any more.
    let didEnd: @Sendable (ObservableOperation, (any Error)?) -> Void

    /// Creates one from its parts.
    package init(
      willBegin: @escaping @Sendable (ObservableOperation) -> Void,
      didEnd: @escaping @Sendable (ObservableOperation, (any Error)?) -> Void
    ) {
      (self.willBegin, self.didEnd) = (willBegin, didEnd)
    }
  }

  private struct State {
    /// How many attempts have begun.
    var attempts = 0
    /// Whether the body of the present attempt runs.
    var isBodyRunning = false
    /// The last attempt whose body has ended.
    var endedAttempt = 0
    /// It was cancelled, or its time is over; no further attempt follows.
    var isStopped = false
    /// A result that no notification has told the queue of.
    var unannounced: Result<Value, any Error>?
  }

  package let mistakes: RawOperationPlan.Mistakes
  private let body: Body
  private let watch: BodyWatch
  private let work = Locked(State())
  private let late = Locked<LateHandler?>(nil)

  /// Creates an operation that is on no queue.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - kind: What it does.
  ///   - engine: Its engine.
  ///   - mistakes: The mistakes that it makes.
  ///   - watch: Told of the bodies, of which each attempt has one.
  ///   - body: What it does first; what it throws is what the operation fails with.
  package init(
    name: String, kind: String, engine: OperationEngine, mistakes: RawOperationPlan.Mistakes = [],
    watch: BodyWatch, body: @escaping Body
  ) {
    self.mistakes = mistakes
    (self.body, self.watch) = (body, watch)
    super.init(name: name, kind: kind, engine: engine)
    defects = mistakes.defects
    if mistakes.contains(.finishesBeforeHandler) {
      late.withLock { $0 = LateHandler(of: self) }
    }
    guard mistakes.contains(.finishesBeforeStart) else { return }
    noteRefusal(
      "finish before the start refused: in Foundation this ends the process or corrupts its memory")
  }

  package var lateHandler: LateHandler? { late.withLock { $0 } }

  package var hasBegun: Bool { work.withLock { $0.attempts } >= attempts }

  package override var outcomeSummary: String? {
    guard mistakes.contains(.callsSuperStart), !isCancelled else { return super.outcomeSummary }
    return Self.superStartSummary
  }
  static let superStartSummary =
    "super.start has called main, which is empty, and finished it; its work only begins"

  package var mayRunBody: Bool {
    // Read first: the next attempt may begin meanwhile.
    let endedAttempt = work.withLock { $0.endedAttempt }
    let isBetweenAttempts = attemptPause != nil
    return state != .finished
      && (state != .executing || isBetweenAttempts || endedAttempt < attempts)
  }

  /// Runs the body on a thread of its own.
  package override func execute() {
    // Before it counts as begun, which a call of 'finish' waits for.
    watch.willBegin(self)
    let attempt = work.withLock { work in
      work.attempts += 1
      work.isBodyRunning = true
      // It did not look at that when it started.
      work.isStopped = work.isStopped || isCancelled
      return work.attempts
    }
    if mistakes.contains(.callsSuperStart) { finish(.success(.null)) }
    runBody { [self] in
      let result = Result { try body(self) }
      watch.didEnd(self, bodyEnded(result, attempt: attempt))
    }
  }

  /// Returns the error that came too late.
  private func bodyEnded(_ result: Result<Void, any Error>, attempt: Int) -> (any Error)? {
    let (isCurrent, isStopped) = work.withLock { work in
      guard work.attempts == attempt else { return (false, false) }
      work.isBodyRunning = false
      work.endedAttempt = attempt
      return (true, work.isStopped)
    }
    guard isCurrent else {
      if case .failure(let error) = result { return error }
      return nil
    }
    if isStopped, !mistakes.contains(.ignoresCancel) || isOverTime {
      finish(.failure(OperationError.cancelled))
    } else if case .failure(let error) = result {
      if !finish(.failure(error)) { return error }
    } else if mistakes.contains(.finishesTwice) {
      finish(.success(.null))
      if !finish(.success(.null)) { noteRefusal("second finish refused: Foundation ignores it") }
    } else {
      setFinishWait(.call) { $0 == attempt }
    }
    return nil
  }

  /// Remembers that it was asked to stop; a body that runs on decides when it ends.
  package override func cancelExecution() {
    work.withLock { $0.isStopped = true }
    // What cancels it records that itself.
    guard !isCancelled, endsAfterInterruption else { return }
    noteProgress(reason: "its time limit has passed; it ends when its body does")
  }

  package override var beginsAlthoughInterrupted: Bool { true }

  package override var endsAfterInterruption: Bool {
    // A time limit ends it although it ignores being cancelled.
    !hasBegun || work.withLock { $0.isBodyRunning }
      || (mistakes.contains(.ignoresCancel) && !isOverTime)
  }

  package func finishFromOutside(
    _ result: Result<Value, any Error>, by caller: ObservableOperation?
  ) throws(Refusal) {
    switch state {
    case .created, .pending, .ready: throw .notStarted
    case .finished: return try finishAgain(result)
    case .executing: break
    }
    if mistakes.contains(.forgetsFinish), caller === self {
      return noteRefusal("finish is forgotten: its own code never calls it")
    }
    switch finishWait {
    case .lock: throw .locked
    case .notification:
      let kept = work.withLock { $0.unannounced.take() } ?? result
      guard finish(kept) else { throw .late }
      return
    case .call, .close, .phase, .handler, .signal, nil: break
    }
    if mistakes.contains(.silentFinished) {
      work.withLock { $0.unannounced = result }
      return setFinishWait(.notification)
    }
    if mistakes.contains(.notifiesLocked), hasObservers { return setFinishWait(.lock) }
    guard finish(result) else { throw .late }
    if mistakes.contains(.unlocked), isCancelled { try finishAgain(result) }
  }
}

extension FinishableOperation {
  /// Has a result that comes after the end count once more, where the code's mistakes let it.
  func finishAgain(_ result: Result<Value, any Error>) throws(AsyncOperation.Refusal) {
    if mistakes.contains(.callsSuperStart) {
      return noteRefusal("finish refused: super.start had finished it before its work was done")
    }
    guard mistakes.contains(.unlocked), let outcome else { throw .finished }
    let second = if case .success = result { "succeeded" } else { "failed" }
    noteCompletion("finished twice: \(outcome.name), then \(second)")
  }
}

extension RawOperationPlan.Mistakes {
  /// Those that the engine imitates.
  var defects: OperationDefects {
    var defects: OperationDefects = []
    if contains(.silentExecuting) { defects.insert(.silentExecuting) }
    if contains(.ownsReadiness) { defects.insert(.ownReadiness) }
    if contains(.ignoresCancel) { defects.insert(.ignoresCancel) }
    if contains(.neverReady) { defects.insert(.neverReady) }
    if contains(.silentReady) { defects.insert(.silentReady) }
    if contains(.skipsCancelCheck) { defects.insert(.skipsCancelCheck) }
    if contains(.unguarded) { defects.insert(.unguarded) }
    return defects
  }
}
