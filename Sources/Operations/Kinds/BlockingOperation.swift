import Foundation
import OpshLocking

/// An operation whose body may block, and therefore has a thread of its own while it runs.
///
/// On Linux Foundation's queue runs few blocking bodies at once, whatever its width: the threads
/// come from a pool that grows by one in a second. Here a width of 8 runs 8 of them. Where the system
/// has no further thread, a body that has its slot waits until there is one.
///
/// ```swift
/// let operation = BlockingOperation(name: "sum") { operation in
///   var sum = 0
///   for number in 1...1_000_000 where !operation.isCancelled { sum += number }
///   return sum
/// }
/// ```
///
/// Cancelling one that executes only sets the flag. It finishes, as cancelled, when its body
/// returns, and keeps its slot until then.
open class BlockingOperation: ObservableOperation, @unchecked Sendable {
  // @unchecked because the body and what became of it are locked.

  /// What a body is: it returns a value or nil, and may throw.
  public typealias Body = @Sendable (BlockingOperation) throws -> (any Sendable)?

  private struct Work {
    var body: Body?
    var value: (any Sendable)?
  }
  private let work: Locked<Work>
  /// The last attempt failed, and the next has not begun; guarded by the lock of the engine.
  private var isAttemptAwaited = false

  /// Creates an operation that is on no queue.
  ///
  /// - Parameters:
  ///   - name: Its name; without one it is called by the last word of its kind and its number.
  ///   - kind: What it does.
  ///   - engine: Its engine; the same as its queue's.
  ///   - body: What it does; what it throws is what the operation fails with.
  public init(
    name: String? = nil, kind: String = "block", engine: OperationEngine = .shared,
    body: @escaping Body
  ) {
    work = Locked(Work(body: body))
    super.init(name: name, kind: kind, engine: engine)
  }

  deinit {
    // One that never ran may be held by the body of another one, and so on.
    guard core.state != .finished else { return }
    var held: Any? = dropBody()
    if held != nil { ReleasePool.release { $0.take(&held) } }
  }

  /// What the body returned, if the operation succeeded.
  open override var resultValue: (any Sendable)? {
    work.withLock { $0.value }
  }

  /// Releases what the body returned.
  open override func releaseValue() {
    let value = work.withLock { work in
      defer { work.value = nil }
      return work.value
    }
    withExtendedLifetime(value) {}
  }

  final override func begin(on runner: SlotRunner) {
    if runner.isBodyThread { return runBody(on: runner) }
    engine.startBody(
      SlotRunner.ofBody(self, at: runner.place), quality: runner.place?.quality ?? qualityOfService)
  }

  final override func takeWork(unrun error: OperationError) -> AnyObject? {
    dropBody().map { $0 as AnyObject }
  }

  /// Ends it if it waits for its next attempt: then no body runs that could.
  override func interrupt() {
    let endsHere = engine.guarded {
      guard isAttemptAwaited, core.state == .executing, !core.isFinishing else { return false }
      core.isFinishing = true
      return true
    }
    guard endsHere else { return }
    dropBody()
    let dependencyFailure = read { $0.extras?.dependencyFailure }
    settle(dependencyFailure.map { .failed(OperationFailure($0)) } ?? .cancelled)
  }

  private func runBody(on runner: SlotRunner) {
    // One that waited for this attempt may just have been cancelled, and ends without it.
    let begins = engine.guarded {
      isAttemptAwaited = false
      return core.state == .executing && !core.isFinishing
    }
    guard begins, let body = work.withLock({ $0.body }) else { return }
    takeInputs()
    let result = Result { try runInside { try body(self) } }
    if case .failure(let error) = result, retries(after: error) { return }
    guard claimFinish() else { return }
    dropBody()
    let outcome: OperationOutcome
    switch result {
    case _ where isCancelled:
      let dependencyFailure = read { $0.extras?.dependencyFailure }
      outcome = dependencyFailure.map { .failed(OperationFailure($0)) } ?? .cancelled
    case .success(let value):
      work.withLock { $0.value = value }
      outcome = .succeeded
    case .failure(let error):
      outcome = .failed(OperationFailure(error))
    }
    settle(outcome, followedBy: &runner.actions)
  }

  private func retries(after error: any Error) -> Bool {
    guard let next = nextAttempt(after: error) else { return false }
    let isAwaited = engine.transact { state -> Bool in
      guard core.state == .executing, !core.isFinishing, !core.isCancelled else { return false }
      isAttemptAwaited = true
      awaitAttempt(next, in: &state)
      return true
    }
    if isAwaited { retry(next) }
    return isAwaited
  }

  /// Takes the body out, so that what it captured is let go when it has run.
  @discardableResult
  private func dropBody() -> Body? {
    work.withLock { work in
      let body = work.body
      work.body = nil
      return body
    }
  }
}
