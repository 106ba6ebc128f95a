import Foundation
import OpshLocking
import Operations
import OpshSupport

/// A small pool of threads that process responses, started in order of arrival.
///
/// A dispatch queue could do that too. But it wakes a thread for each response, which takes longer
/// than processing the response; here a thread continues as long as there are jobs.
///
/// Handlers may block, even on one another. So if no new job has started for some milliseconds
/// although jobs wait, another thread is added.
final class CallbackPool: Sendable {
  /// Stores a closure unchanged; a list of closures would wrap each one.
  private struct Job: Sendable {
    let body: @Sendable () -> Void
  }

  private struct State {
    var jobs = FIFO<Job>()
    var threads = 0
    /// The number of jobs that were ever started.
    var begun = 0
    /// Whether a check for progress is scheduled.
    var isWatched = false
  }

  private static let patience = DispatchTimeInterval.milliseconds(5)
  /// Threads beyond this number are added only if the others are blocked.
  private static let usualThreads = max(2, ProcessInfo.processInfo.activeProcessorCount)
  /// The number of jobs left to a single thread: fewer are done before another thread wakes.
  private static let fewJobs = 4

  private let state = Locked(State())
  private let queue = DispatchQueue(label: "opsh.network.responses", attributes: .concurrent)
  /// A pool that has a thread even if all those of the other one are blocked.
  private let watchQueue = DispatchQueue(label: "opsh.network.callbacks")

  /// Runs a job soon, or, with the virtual clock, in its order.
  func perform(for engine: OperationEngine, _ job: @escaping @Sendable () -> Void) {
    guard !engine.virtualClock.isInUse else { return engine.perform(on: queue, job) }
    let (isCalled, isWatched, begun) = state.withLock { state -> (Bool, Bool, Int) in
      state.jobs.append(Job(body: job))
      let isCalled =
        state.threads == 0
        || state.threads < Self.usualThreads && state.jobs.count > Self.fewJobs * state.threads
      if isCalled { state.threads += 1 }
      defer { state.isWatched = true }
      return (isCalled, state.isWatched, state.begun)
    }
    if isCalled { queue.async { self.work() } }
    if !isWatched { watch(since: begun) }
  }

  private func work() {
    while let job = next() { job.body() }
  }

  private func next() -> Job? {
    state.withLock { state in
      guard let job = state.jobs.popFirst() else {
        state.threads -= 1
        return nil
      }
      state.begun += 1
      return job
    }
  }

  /// Checks after a while whether any job was started since as many had been.
  private func watch(since before: Int) {
    watchQueue.asyncAfter(deadline: .now() + Self.patience) { [self] in
      let (isCalled, goesOn, begun) = state.withLock { state -> (Bool, Bool, Int) in
        let isCalled = !state.jobs.isEmpty && state.begun == before
        if isCalled { state.threads += 1 }
        state.isWatched = !state.jobs.isEmpty
        return (isCalled, state.isWatched, state.begun)
      }
      // The system's threads may all be blocked.
      if isCalled,
        RawThread.start(name: ThreadName.callbacks, stackSize: 1 << 20, { self.work() }) != nil
      {
        // The next check asks again.
        state.withLock { $0.threads -= 1 }
      }
      if goesOn { watch(since: begun) }
    }
  }
}
