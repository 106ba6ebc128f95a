import Foundation
import Locking
import Operations

/// A few threads that deal with what has come, one response after the other.
///
/// A queue of the system's could do that too. But it wakes a thread for each response, which takes
/// longer than the response does; here a thread goes on as long as there is something left.
///
/// Handlers may block, for one another too. So where nobody has begun anything new for some
/// milliseconds although something waits, a further thread comes in.
final class Responders: Sendable {
  /// Keeps a closure as it is; a list of closures would wrap each.
  private struct Job: Sendable {
    let body: @Sendable () -> Void
  }

  private struct State {
    var jobs = FirstInFirstOut<Job>()
    var waiting = 0
    var threads = 0
    /// How many jobs were ever begun.
    var begun = 0
    /// Somebody looks whether anything is begun.
    var isWatched = false
  }

  private static let patience = DispatchTimeInterval.milliseconds(5)
  /// More threads than this only come where the others do not get on.
  private static let usualThreads = max(2, ProcessInfo.processInfo.activeProcessorCount)
  /// As many as one thread is left alone with: less is done sooner than a further thread wakes.
  private static let fewJobs = 4

  private let state = Locked(State())
  private let queue = DispatchQueue(label: "opsh.network.responses", attributes: .concurrent)
  /// Has a thread also where all those of the other one are blocked.
  private let watchQueue = DispatchQueue(label: "opsh.network.responders")

  /// Has something done soon, or, while the virtual clock is in use, in its turn.
  func perform(for log: EventLog, _ job: @escaping @Sendable () -> Void) {
    guard !log.virtualClock.isInUse else { return log.perform(on: queue, job) }
    let (isCalled, isToBeWatched) = state.withLock { state -> (Bool, Bool) in
      state.jobs.append(Job(body: job))
      state.waiting += 1
      let isCalled =
        state.threads == 0
        || state.threads < Self.usualThreads && state.waiting > Self.fewJobs * state.threads
      if isCalled { state.threads += 1 }
      let isToBeWatched = !isCalled && !state.isWatched
      if isToBeWatched { state.isWatched = true }
      return (isCalled, isToBeWatched)
    }
    if isCalled { queue.async { self.work() } }
    if isToBeWatched { watch() }
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
      state.waiting -= 1
      state.begun += 1
      return job
    }
  }

  /// Looks after a while whether anything was begun.
  private func watch() {
    let before = state.withLock { $0.begun }
    watchQueue.asyncAfter(deadline: .now() + Self.patience) { [self] in
      let (isCalled, goesOn) = state.withLock { state -> (Bool, Bool) in
        let isCalled = state.waiting > 0 && state.begun == before
        if isCalled { state.threads += 1 }
        state.isWatched = state.waiting > 0
        return (isCalled, state.isWatched)
      }
      // The system's threads may be blocked all together.
      if isCalled {
        Thread.startQuiet(name: "opsh.network.responder", stackSize: 1 << 20) { self.work() }
      }
      if goesOn { watch() }
    }
  }
}
