import OpshLocking

extension ObservableOperation {
  /// Waits until it has finished, without holding a thread.
  ///
  /// ```swift
  /// try await operation.finished()
  /// ```
  ///
  /// - Parameter cancelsOperation: Whether cancelling the task that waits cancels the operation, too;
  ///   it always ends the wait.
  /// - Throws: The error that the operation ended with, as it was thrown; `CancellationError` if the
  ///   operation or the task was cancelled; ``OperationError/skipped(name:)`` if it was skipped.
  public final func finished(cancelsOperation: Bool = false) async throws {
    try await awaitFinish(cancelsOperation: cancelsOperation)
    switch outcome {
    case nil, .succeeded: break
    case .cancelled: throw CancellationError()
    case .failed(let failure): throw failure.underlying ?? failure
    case .skipped:
      let error = read { $0.extras?.dependencyFailure }
      throw error ?? OperationError.skipped(name: displayName)
    }
  }

  /// Waits until it has finished.
  ///
  /// - Parameters:
  ///   - cancelsOperation: Whether cancelling the task cancels the operation.
  ///   - take: Called in the transaction that finishes it; not if it has finished already.
  /// - Throws: `CancellationError` if the task was cancelled before.
  final func awaitFinish(
    cancelsOperation: Bool, taking take: (@Sendable () -> Void)? = nil
  ) async throws {
    let gate = Gate()
    let waiter = Waiter(taking: take) { gate.open() }
    let body = bodyThatWaits(for: self)
    body?.addAwaited(self)
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        gate.enter(continuation)
        if !addWaiter(waiter) { gate.open() }
      }
    } onCancel: {
      if cancelsOperation { cancel() }
      gate.open()
    }
    body?.removeAwaited(self)
    guard state != .finished else { return }
    removeWaiter(waiter)
    throw CancellationError()
  }

  /// Waits, in code of another operation, with the engine knowing it.
  final func waitInBody(_ wait: () -> Bool) -> Bool {
    let body = bodyThatWaits(for: self)
    body?.addAwaited(self)
    defer { body?.removeAwaited(self) }
    if body != nil {
      // The thread that drives the virtual clock goes on meanwhile.
      while state != .finished, engine.virtualClock.rests() {}
    }
    return wait()
  }

  /// The operation whose body the caller is, if it is another one of the same engine.
  private func bodyThatWaits(for operation: ObservableOperation) -> ObservableOperation? {
    guard let body = Self.current, body !== operation, body.engine === operation.engine,
      body.state == .executing, operation.state != .finished
    else { return nil }
    return body
  }
}

extension InspectableQueue {
  /// Waits until it has no unfinished operations, without holding a thread.
  ///
  /// Not to be called by the body of one of its operations, which would wait for itself.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before that.
  public func drained() async throws {
    let gate = Gate()
    let waiter = Waiter { gate.open() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        gate.enter(continuation)
        let isEmpty = engine.guarded {
          if !core.isEmpty { core.addWaiter(waiter) }
          return core.isEmpty
        }
        if isEmpty { gate.open() }
      }
    } onCancel: {
      gate.open()
    }
    let isEmpty = engine.guarded {
      core.removeWaiter(waiter)
      return core.isEmpty
    }
    if !isEmpty, Task.isCancelled { throw CancellationError() }
  }
}
