public import Dispatch
import OpshLocking

/// An operation that works asynchronously and ends once, with a value or an error.
///
/// A subclass overrides ``execute()``, which begins the work and returns, and calls
/// ``finish(_:)`` when there is a result; ``cancelExecution()`` interrupts the work.
///
/// ```swift
/// final class Answer: ConcurrentOperation<Int>, @unchecked Sendable {
///   override func execute() { finish(.success(42)) }
/// }
/// ```
///
/// The completion handler is called before the operation is seen as finished.
open class ConcurrentOperation<Value: Sendable>: ObservableOperation, @unchecked Sendable {
  // @unchecked because the variables are read and written only in transactions of `engine`.
  private var ending: Ending<Value>?
  private var completionHandler: (@Sendable (Result<Value, any Error>) -> Void)?
  private var attempt = Attempt.none
  private let callbackQueue: DispatchQueue?
  private var asyncBody: AsyncBody<Value>?

  /// Creates an operation that is on no queue.
  ///
  /// - Parameters:
  ///   - name: Its name; without one it is called by the last word of its kind and its number.
  ///   - kind: What it does.
  ///   - engine: Its engine; the same as its queue's.
  ///   - callbackQueue: Where to call the handler; nil for the thread that finishes the operation.
  ///   - completionHandler: What to call with the result, once, whichever way the operation ends.
  public init(
    name: String? = nil, kind: String = "operation", engine: OperationEngine = .shared,
    callbackQueue: DispatchQueue? = nil,
    completionHandler: (@Sendable (Result<Value, any Error>) -> Void)? = nil
  ) {
    self.callbackQueue = callbackQueue
    self.completionHandler = completionHandler
    super.init(name: name, kind: kind, engine: engine)
  }

  /// Creates an operation that runs an asynchronous function as its work, in a task of its own.
  ///
  /// ```swift
  /// let answer = ConcurrentOperation {
  ///   try await Task.sleep(for: .milliseconds(1))
  ///   return 42
  /// }
  /// ```
  ///
  /// Cancelling the operation, or the end of its time limit, cancels the task and finishes the
  /// operation at once. With a ``ObservableOperation/retryPolicy`` each attempt calls the function
  /// again. While the virtual clock is in use, the function runs on the thread that drives it, apart
  /// from what belongs to an actor with an executor of its own.
  ///
  /// - Parameters:
  ///   - name: Its name; without one it is called by the last word of its kind and its number.
  ///   - kind: What it does.
  ///   - engine: Its engine; the same as its queue's.
  ///   - body: The work; what it throws is what the operation fails with.
  public convenience init(
    name: String? = nil, kind: String = "task", engine: OperationEngine = .shared,
    body: @escaping @Sendable () async throws -> Value
  ) {
    self.init(name: name, kind: kind, engine: engine, callbackQueue: nil, completionHandler: nil)
    asyncBody = AsyncBody(body)
  }

  deinit {
    // One that never ran may be held by the handler of another one, and so on.
    guard completionHandler != nil || asyncBody != nil else { return }
    ReleasePool.release { pool in
      var held: Any? = (completionHandler, asyncBody)
      (completionHandler, asyncBody) = (nil, nil)
      pool.take(&held)
    }
  }

  /// Begins the work; the subclass sees to it that ``finish(_:)`` is called.
  ///
  /// It is called once, and not at all if the operation was cancelled before; with a
  /// ``ObservableOperation/retryPolicy`` once for each attempt.
  open func execute() {
    if let body = engine.guarded({ asyncBody }) {
      body.start(on: engine.virtualClock) { self.finish($0) }
      // A cancel, or the end of the time limit, may have come just before.
      let isOver = engine.guarded { asyncBody == nil || core.isCancelled || core.isFinishing }
      if isOver { body.cancel() }
      return
    }
    finish(.failure(OperationFailure(code: "error", message: "the operation has no work to do")))
  }

  /// Interrupts the work, because the operation was cancelled while executing.
  ///
  /// It runs on the thread that cancels, perhaps while ``execute()`` is still beginning the work on
  /// another. The operation finishes as cancelled right afterwards, unless this finishes it
  /// otherwise.
  open func cancelExecution() { engine.guarded { asyncBody }?.cancel() }

  /// Releases what is kept for the next attempt, because there will be none: the operation was
  /// cancelled, or ran out of time, between two attempts.
  ///
  /// The operation finishes right afterwards. It is called in place of ``cancelExecution()``, as
  /// there is nothing to interrupt.
  open func endBetweenAttempts() {}

  /// Returns how the operation ends when its time limit is over; the work was interrupted before.
  ///
  /// - Parameter limit: The limit.
  /// - Returns: The failure ``OperationError/timedOut(limit:)``, unless a subclass has another result.
  open func resultAtTimeLimit(_ limit: Duration) -> Result<Value, any Error> {
    .failure(OperationError.timedOut(limit: limit))
  }

  /// Whether the work ends some time after ``cancelExecution()``, as a program does that is asked to
  /// end; false for work that is over at once.
  ///
  /// The operation then keeps its slot until the subclass calls ``finish(_:)``, and ends as cancelled
  /// or timed out whatever it is given.
  open var endsAfterInterruption: Bool { false }

  /// Whether the work begins also if the operation was cancelled, or ran out of time, before that.
  ///
  /// It may be, after its start and before ``execute()``. ``cancelExecution()`` is then called,
  /// perhaps before ``execute()``. False unless a subclass says so, whose
  /// ``endsAfterInterruption`` is true until it has begun.
  open var beginsAlthoughInterrupted: Bool { false }

  /// Whether ``execute()`` only hands the work on, so that it may be called on a thread that others
  /// need soon; false unless a subclass promises it.
  open var beginsBriefly: Bool { false }

  /// Ends the operation; the first call wins.
  ///
  /// With a ``ObservableOperation/retryPolicy`` a failure may only end the present attempt.
  ///
  /// A result given before the operation was started is kept, and it finishes when the queue
  /// starts it; cancelling comes too late then.
  ///
  /// - Parameter result: The value or the error.
  /// - Returns: Whether this call decided the result.
  @discardableResult
  public final func finish(_ result: Result<Value, any Error>) -> Bool {
    if case .failure(let error) = result {
      switch retry(after: error) {
      case .retried: return true
      case .late: return false
      case .final: break
      }
    }
    return end(with: Ending.shared(for: result))
  }

  /// Ends the present attempt with a failure, if the policy and ``decideRetry(after:attempt:policy:)``
  /// want another one.
  package final func retry(after error: any Error) -> FailedAttempt {
    // Asked before and after the policy, which is asked without the lock: a failure between two
    // attempts must not end the second, which may begin meanwhile.
    guard engine.guarded({ attempt != .awaited }) else { return .late }
    guard let next = nextAttempt(after: error) else { return .final }
    let failed = engine.transact { state -> FailedAttempt in
      guard attempt != .awaited else { return .late }
      guard attempt == .running, ending == nil, core.state == .executing, !core.isFinishing,
        !core.isCancelled
      else { return .final }
      attempt = .awaited
      awaitAttempt(next, in: &state)
      return .retried
    }
    if failed == .retried { retry(next) }
    return failed
  }

  /// Ends the operation, whatever its retry policy, on a thread that has nothing to do afterwards.
  ///
  /// What gets the slot begins on it, if that ``beginsBriefly``: where one operation follows the
  /// other, as requests do, handing each to a thread of its own is a tenth of all the work. Inside
  /// an operation its thread does nothing else.
  ///
  /// - Parameter result: The value or the error.
  /// - Returns: Whether this call decided the result.
  @discardableResult
  package final func finishLendingThread(_ result: Result<Value, any Error>) -> Bool {
    // The thread of an operation is not free: one that ended at once would begin the next inside
    // itself, and so on until the stack is full.
    let ending = Ending.shared(for: result)
    guard Self.current == nil else { return end(with: ending) }
    let place = engine.guarded { core.queue.map { SlotRunner.Place(of: self, on: $0) } }
    guard let place, place.isOfDefaultQuality else { return end(with: ending) }
    let runner = SlotRunner.lent(at: place)
    defer { runner.run() }
    return end(with: ending, on: runner)
  }

  /// Ends the operation; what is final ends it also between two attempts.
  private func end(
    with given: Ending<Value>, isFinal: Bool = false, on runner: SlotRunner? = nil
  ) -> Bool {
    var ending = given
    let claim = engine.guarded { () -> Claim in
      switch attempt {
      case .cancelling: ending = Ending(.failure(OperationError.cancelled))
      case .overdue(let limit): ending = Ending(.failure(OperationError.timedOut(limit: limit)))
      case .none, .refused, .running, .awaited: break
      }
      guard self.ending == nil, !core.isFinishing, core.state != .finished,
        isFinal || attempt != .awaited,
        // One that was cancelled before its start ends as cancelled.
        core.state == .executing || !core.isCancelled
      else { return .lost }
      self.ending = ending
      guard core.state == .executing else { return .kept }
      core.isFinishing = true
      return .won
    }
    if claim == .won { deliver(ending, on: runner) }
    return claim != .lost
  }

  /// How it ended, as soon as that is decided; a failure once the value was dropped.
  ///
  /// See ``ObservableOperation/dropValue()``.
  public final var result: Result<Value, any Error>? {
    engine.guarded { ending }?.result
  }

  /// Whether the result is decided, and its error, if it is one.
  ///
  /// It is cheaper than ``result`` for callers that do not need the value.
  package final var decision: (isMade: Bool, error: (any Error)?) {
    engine.guarded { (ending != nil, ending?.error) }
  }

  /// The value of an operation that succeeded, for callers that do not know its type.
  open override var resultValue: (any Sendable)? {
    guard case .success(let value) = result, !(value is Void) else { return nil }
    return value
  }

  /// Releases the value of an operation that succeeded.
  open override func releaseValue() {
    let old = engine.guarded { () -> Ending<Value>? in
      guard let old = ending, old.error == nil else { return nil }
      ending = Ending(droppedFrom: identityInTransaction.name)
      return old
    }
    // What the value holds is released without the lock.
    withExtendedLifetime(old) {}
  }

  /// Waits until the operation has finished and returns its value, or throws its error.
  ///
  /// It throws `CancellationError` if the operation was cancelled. Cancelling the task that waits ends
  /// the wait in the same way, and does not cancel the operation: see
  /// ``value(cancelsOperation:)``. A task that ``execute()`` starts may ask for it too, but the work
  /// must not wait for that task: it would be waiting for itself.
  public final var value: Value {
    get async throws { try await value(cancelsOperation: false) }
  }

  /// Waits as ``value`` does.
  ///
  /// - Parameter cancelsOperation: Whether cancelling the task that waits cancels the operation, too.
  /// - Returns: The value.
  /// - Throws: The error of the operation, or `CancellationError`.
  public final func value(cancelsOperation: Bool) async throws -> Value {
    // Taken as it finishes: until this task runs again the value may have been dropped.
    let taken = Locked<Ending<Value>?>(nil)
    let take: @Sendable () -> Void = { taken.withLock { $0 = self.ending } }
    try await awaitFinish(cancelsOperation: cancelsOperation, taking: take)
    let isCancelled = engine.guarded {
      if taken.withLock({ $0 == nil }) { take() }
      return core.ending == .cancelled
    }
    guard let ending = taken.withLock({ $0 }), !isCancelled else { throw CancellationError() }
    return try ending.result.get()
  }

  /// True: it holds no thread while it executes, and announces its end.
  open override var isAsynchronous: Bool { true }

  /// Runs something that blocks, as part of the operation: on a thread of its own, or on the calling
  /// one if its queue has an executor.
  package final func runBody(_ body: @escaping @Sendable () -> Void) {
    let hasExecutor = engine.guarded { core.queue?.foundation.executor != nil }
    if hasExecutor { return runInside(body) }
    engine.startBody(
      {
        self.noteThread(as: .body)
        self.runInside(body)
      }, quality: effectiveQualityOfService)
  }

  final override func begin(on runner: SlotRunner) {
    takeInputs()
    // A result may have been given before the start; then there is nothing left to do.
    let (early, executes) = engine.guarded { () -> (Ending<Value>?, Bool) in
      guard !core.isFinishing, core.state == .executing, attempt != .refused else {
        return (nil, false)
      }
      if let ending {
        core.isFinishing = true
        return (ending, false)
      }
      // One that runs although it was cancelled ends as cancelled, with whichever result.
      if !attempt.isStopping { attempt = runsCancelled ? .cancelling : .running }
      return (nil, true)
    }
    if let early {
      deliver(early)
    } else if executes {
      runInside { execute() }
    }
  }

  /// Whether its code does not look whether it was cancelled before its start, and it was.
  private var runsCancelled: Bool {
    core.isCancelled && core.extras?.defects.contains(.skipsCancelCheck) == true
  }

  /// Begins to execute on this thread, unless there is more to do than that.
  final func executeHere() -> Bool {
    let begins = engine.guarded { () -> Bool in
      guard !core.isFinishing, core.state == .executing, ending == nil, !attempt.isStopping,
        attempt != .refused,
        core.extras?.inputs.isEmpty != false
      else { return false }
      attempt = .running
      return true
    }
    if begins { runInside { execute() } }
    return begins
  }

  final override var mayBeginOnLentThread: Bool { beginsBriefly }

  final override var hasResult: Bool { ending != nil }

  final override var worksOnItsThread: Bool { false }

  final override var callsOutUnrun: Bool { completionHandler != nil || super.callsOutUnrun }

  final override func interrupt() {
    stop(meanwhile: .cancelling) { .failure(OperationError.cancelled) }
  }

  final override func timeLimitReached() {
    let limit = timeLimit ?? .zero
    stop(meanwhile: .overdue(limit)) { resultAtTimeLimit(limit) }
  }

  private func stop(meanwhile stopping: Attempt, with result: () -> Result<Value, any Error>) {
    let (isDelayed, begins) = (endsAfterInterruption, beginsAlthoughInterrupted)
    let (isInterrupted, isAwaited, isStopping) = engine.guarded { () -> (Bool, Bool, Bool) in
      guard !core.isFinishing, core.state == .executing else {
        return (false, false, attempt.isStopping)
      }
      let (isRunning, isAwaited) = (attempt == .running, attempt == .awaited)
      // What has not begun must not do so when it has ended.
      let isUnbegun = attempt == .none && ending == nil
      if isRunning && isDelayed || isUnbegun && begins { attempt = stopping }
      if isUnbegun, !begins { attempt = .refused }
      return (isRunning || isUnbegun && begins, isAwaited, attempt.isStopping)
    }
    if isInterrupted { StackOverflowGuard.call { self.cancelExecution() } }
    if isAwaited { endBetweenAttempts() }
    // The work may have ended while it was interrupted.
    if !isStopping || !endsAfterInterruption { _ = end(with: Ending(result()), isFinal: true) }
  }

  final override func complete(
    unrun error: OperationError, commit: @escaping @Sendable () -> Void
  ) -> Bool {
    // The handler of a callback queue comes later.
    let lease = callbackQueue == nil ? nil : engine.leaseHold()
    _ = super.complete(unrun: error, commit: commit)
    let isDone = call(with: Ending<Value>(.failure(error))) {
      commit()
      lease?.end()
    }
    if isDone { lease?.end() }
    return isDone
  }

  final override func takeWork(unrun error: OperationError) -> AnyObject? {
    // What stopped it counts, also where a result had been given before the start. That one is
    // released without the lock, because a `deinit` that follows may take it.
    defer { ending = Ending(.failure(error)) }
    return ending
  }

  private func deliver(_ ending: Ending<Value>, on runner: SlotRunner? = nil) {
    let outcome: OperationOutcome
    if let error = ending.error {
      let failure = OperationFailure(error)
      outcome =
        failure.code == OperationError.cancelled.code && isCancelled
        ? .cancelled : .failed(failure)
    } else {
      outcome = .succeeded
    }
    if call(with: ending, then: { self.settle(outcome) }) { settle(outcome, on: runner) }
  }

  /// Calls the completion handler.
  ///
  /// - Returns: Whether it was called on this thread; if not, `then` is called after it.
  private func call(
    with ending: Ending<Value>, then: @escaping @Sendable () -> Void
  ) -> Bool {
    let (handler, body) = engine.guarded { (completionHandler.take(), asyncBody.take()) }
    // What the body holds is released without the lock.
    withExtendedLifetime(body) {}
    guard let handler else { return true }
    engine.transact { $0.decide(.ending, of: self) }
    // Inside the operation, as the body is: it cannot wait for itself or its queue.
    guard let callbackQueue else {
      StackOverflowGuard.call { self.runInside { handler(ending.result) } }
      return true
    }
    engine.perform(on: callbackQueue) {
      self.runInside { handler(ending.result) }
      then()
    }
    return false
  }
}

private let successWithoutValue = Ending<Void>(.success(()))

/// A result by reference.
///
/// Generic code has to look up the type of a `Result` wherever it touches one, some 300
/// instructions each time; a reference costs none of that.
private final class Ending<Value: Sendable>: Sendable {
  let result: Result<Value, any Error>
  /// Nil for a success.
  let error: (any Error)?

  init(_ result: Result<Value, any Error>) {
    self.result = result
    if case .failure(let error) = result { self.error = error } else { error = nil }
  }

  /// The ending of a result; all successes without a value share one, for a hundred thousand finished
  /// delays may be kept.
  static func shared(for result: Result<Value, any Error>) -> Ending<Value> {
    guard Value.self == Void.self, case .success = result else { return Ending(result) }
    return unsafeDowncast(successWithoutValue, to: Ending<Value>.self)
  }

  /// Stands for a success whose value was dropped.
  init(droppedFrom name: String) {
    result = .failure(OperationError.valueDropped(name: name))
    error = nil
  }
}

/// Whether a call of `finish` decided the result.
private enum Claim {
  case won, kept, lost
}

/// What a failure means for the operation.
package enum FailedAttempt {
  /// It ends the attempt only: another one follows.
  case retried
  /// Nothing: it came between two attempts.
  case late
  /// It ends the operation.
  case final
}

/// How far the present attempt at the work is.
private enum Attempt: Equatable {
  /// The first has not begun.
  case none
  /// The first will not begin: the operation was cancelled, or ran out of time, before.
  case refused
  case running
  /// The last one failed, and the next has not begun.
  case awaited
  /// It was asked to end because of a cancel, and has not yet.
  case cancelling
  /// It was asked to end because of the time limit, and has not yet.
  case overdue(Duration)

  var isStopping: Bool {
    switch self {
    case .cancelling, .overdue: true
    case .none, .refused, .running, .awaited: false
    }
  }
}
