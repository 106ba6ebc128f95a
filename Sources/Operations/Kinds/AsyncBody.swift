import OpshLocking

/// The asynchronous work of an operation, and the task of the present attempt at it.
final class AsyncBody<Value: Sendable>: Sendable {
  private let work: @Sendable () async throws -> Value
  private let task = Locked<Task<Void, Never>?>(nil)

  init(_ work: @escaping @Sendable () async throws -> Value) { self.work = work }

  /// Begins an attempt.
  ///
  /// - Parameters:
  ///   - clock: The clock whose thread runs it while that is in use.
  ///   - finish: Called with the result.
  func start(
    on clock: VirtualClock, _ finish: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    // Locked, so that a cancel that comes meanwhile finds the task.
    task.withLock { task in
      task = Task(executorPreference: clock.isInUse ? clock : nil) { [work] in
        do { finish(.success(try await work())) } catch { finish(.failure(error)) }
      }
    }
  }

  func cancel() { task.withLock { $0 }?.cancel() }
}
