public import Foundation

/// Runs a Foundation operation on an inspectable queue.
///
/// It gets a thread of its own there, and holds its slot until the wrapped operation has finished.
/// Cancelling it cancels the wrapped one. If it never runs, because it was cancelled or a
/// dependency stopped it, it cancels the wrapped one and lets it finish, so that whatever waits for
/// that one can continue.
///
/// ```swift
/// let work = BlockOperation { print("working") }
/// try queue.addOperation(work, name: "work")
/// ```
public final class WrappedOperation: BlockingOperation, @unchecked Sendable {
  // @unchecked because the superclass is; what this class adds is constant.

  /// What it wraps.
  public let wrapped: Operation

  /// Creates an operation that runs another one when its queue starts it.
  ///
  /// If the other one already runs or is on a Foundation queue, it is only waited for.
  ///
  /// - Parameters:
  ///   - operation: What to run.
  ///   - name: Its name; without one it has that of the wrapped one, if that has one.
  ///   - kind: What it does.
  ///   - engine: Its engine; the same as its queue's.
  public init(
    _ operation: Operation, name: String? = nil, kind: String = "foundation",
    engine: OperationEngine = .shared
  ) {
    wrapped = operation
    super.init(name: name ?? operation.name, kind: kind, engine: engine) { wrapper in
      try (wrapper as? WrappedOperation)?.runWrapped()
      return nil
    }
  }

  deinit {
    // A wrapper that has ended has unlinked the operation already (`release`); this one never ended.
    if wrapped.dependencies.contains(where: { !$0.isFinished }) { engine.foreign.keep(wrapped) }
    engine.foreign.forget(self)
  }

  private func runWrapped() throws(DependencyError) {
    var isStarter = false
    var cycle: [String]?
    if startWrapped(isStarter: &isStarter, cycle: &cycle) { wrapped.waitUntilFinished() }
    release(isStarter: isStarter)
    if let cycle { throw .cycle(path: cycle) }
    if wrapped.isCancelled { cancel() }
  }

  /// Starts it when its own dependencies let it; Foundation ends the process otherwise.
  ///
  /// What it depended on when it was added has finished, but Foundation may not have counted it off
  /// yet; and there may be dependencies that were added since, or a condition of its own.
  ///
  /// - Parameters:
  ///   - isStarter: Set to true if it is this one that starts it.
  ///   - cycle: Set to the names of those that wait for one another with it, if there are such; it
  ///     is cancelled then, which ends the cycle.
  /// - Returns: Whether it can be waited for.
  private func startWrapped(isStarter: inout Bool, cycle: inout [String]?) -> Bool {
    var pause: UInt32 = 200
    var pauses = 0
    while !ForeignState.isTaken(wrapped) {
      if wrapped.isReady {
        isStarter = ForeignState.claimStart(of: wrapped)
        if isStarter, !ForeignState.isTaken(wrapped) { wrapped.start() }
        return true
      }
      if isCancelled {
        wrapped.cancel()
        guard wrapped.isReady else { return false }
        continue
      }
      // Looked for less and less often, because all that it waits for is looked at.
      pauses += 1
      if cycle == nil, pauses.nonzeroBitCount == 1, pauses > 1,
        let names = ForeignPath.cycle(through: wrapped, engine: engine)
      {
        cycle = names
        wrapped.cancel()
        guard wrapped.isReady else { return false }
        continue
      }
      if engine.virtualClock.isInUse, ForeignPath.leadsToOthers(from: wrapped, engine: engine),
        engine.virtualClock.rests()
      {
        continue
      }
      usleep(pause)
      pause = min(pause * 2, 10_000)
    }
    return true
  }

  private func release(isStarter: Bool) {
    if isStarter { ForeignState.endClaim(on: wrapped) }
    engine.foreign.forget(self)
    // Foundation keeps pointers from a dependency to what waits for it, and follows them when the
    // one that waited has long been cancelled, has finished and is gone.
    ForeignOperations.unlink(wrapped)
  }

  override func interrupt() {
    wrapped.cancel()
    super.interrupt()
  }

  override var callsOutUnrun: Bool { true }

  override func complete(
    unrun error: OperationError, commit: @escaping @Sendable () -> Void
  ) -> Bool {
    wrapped.cancel()
    var isStarter = false
    if !ForeignState.isTaken(wrapped), wrapped.isReady {
      isStarter = ForeignState.claimStart(of: wrapped)
      // A cancelled operation only finishes when it is started.
      if isStarter, !ForeignState.isTaken(wrapped) { wrapped.start() }
    }
    release(isStarter: isStarter)
    return super.complete(unrun: error, commit: commit)
  }
}
