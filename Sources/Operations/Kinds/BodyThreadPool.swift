import Dispatch
import Foundation
import OpshLocking
import OpshSupport

/// The threads that run blocking bodies.
///
/// Each body has a thread for as long as it runs. A thread whose body has returned takes the next
/// one from the line, and a new thread is started only while all are busy. Where the system has no
/// further thread, what is in the line waits for one that comes free, and a timer tries again:
/// nothing is lost, and nothing fails. ``ThreadShortage`` is told where that lasts.
final class BodyThreadPool: Sendable {
  typealias Work = @Sendable () -> Void

  /// The threads of a class of service; each class has its own, because a thread whose priority was
  /// lowered cannot raise it again.
  static func of(_ quality: QualityOfService) -> BodyThreadPool {
    switch quality {
    case .userInteractive, .userInitiated: high
    case .utility: utility
    case .background: background
    default: standard
    }
  }

  private static let high = BodyThreadPool(.high)
  private static let standard = BodyThreadPool(.standard)
  private static let utility = BodyThreadPool(.utility)
  private static let background = BodyThreadPool(.background)

  private struct State {
    /// What waits for a thread.
    var line = FIFO<Work>()
    /// How many threads are on their way to the line: started, woken, or looking for work.
    var coming = 0
    /// The threads that sleep; the one that works next stands last.
    var idle: [IdleThread] = []
    var isRetrySet = false
    /// How many attempts to start a thread were refused since any work got one.
    var refusals = 0
  }

  private final class IdleThread: Sendable {
    let call = DispatchSemaphore(value: 0)
  }

  /// How many threads may sleep; what is beyond that ends.
  private static let mostIdle = 64

  /// After how many refusals in a row a shortage is reported: a second of them.
  private static let refusalsToReport = 20

  private let level: ThreadLevel
  private let start: @Sendable (@escaping Work) -> Int32?
  private let patience: DispatchTimeInterval
  private let retryInterval: DispatchTimeInterval
  private let report: @Sendable (Int) -> Void
  private let state = Locked(State())

  /// Creates a pool without threads.
  ///
  /// - Parameters:
  ///   - level: The priority of its threads.
  ///   - patience: For how long a thread sleeps before it ends.
  ///   - retryInterval: How long after a thread could not be started the next attempt is made.
  ///   - start: Starts a thread; returns the system's error number if it has none, else nil.
  ///   - report: Called once for each shortage that lasts, with the number of bodies that wait.
  init(
    _ level: ThreadLevel, patience: DispatchTimeInterval = .seconds(5),
    retryInterval: DispatchTimeInterval = .milliseconds(50),
    start: @escaping @Sendable (@escaping Work) -> Int32? = { BodyThread.start($0) },
    report: @escaping @Sendable (Int) -> Void = { ThreadShortage.report($0) }
  ) {
    self.level = level
    self.patience = patience
    self.retryInterval = retryInterval
    self.start = start
    self.report = report
  }

  /// How many threads sleep.
  var idleCount: Int { state.withLock { $0.idle.count } }

  /// Runs work on a thread of its own as soon as there is one.
  func run(_ work: @escaping Work) {
    state.withLock { $0.line.append(work) }
    ThreadStarter.perform { [self] in callThreads() }
  }

  /// Sees to it that there are as many threads on their way as there is work in the line.
  private func callThreads() {
    while true {
      let (isMissing, idleThread) = state.withLock { state -> (Bool, IdleThread?) in
        guard state.line.count > state.coming else {
          state.refusals = 0
          return (false, nil)
        }
        state.coming += 1
        return (true, state.idle.popLast())
      }
      guard isMissing else { return }
      if let idleThread {
        idleThread.call.signal()
      } else if !startThread() {
        return
      }
    }
  }

  /// Starts a thread; where there is none, the next attempt is made later.
  ///
  /// Threads whose work has ended take what waits in the meantime. But perhaps there are none, or they
  /// all wait for just that, so the timer does not depend on them.
  private func startThread() -> Bool {
    ThreadStarter.prepare()
    guard start({ [self] in serve() }) != nil else {
      state.withLock { $0.refusals = 0 }
      return true
    }
    let (isRetrySet, waiting) = state.withLock { state -> (Bool, Int?) in
      state.coming -= 1
      // One attempt for each retry, whatever else asks for a thread meanwhile.
      if !state.isRetrySet { state.refusals += 1 }
      defer { state.isRetrySet = true }
      let isToReport = !state.isRetrySet && state.refusals == Self.refusalsToReport
      return (state.isRetrySet, isToReport ? state.line.count : nil)
    }
    if let waiting { report(waiting) }
    if !isRetrySet { ThreadStarter.perform(after: retryInterval) { [self] in retry() } }
    return false
  }

  private func retry() {
    state.withLock { $0.isRetrySet = false }
    callThreads()
  }

  /// What a thread does.
  private func serve() {
    level.applyToThread()
    let idleThread = IdleThread()
    var isComing = true
    while let work = next(for: idleThread, isComing: isComing) {
      work()
      isComing = false
    }
  }

  /// Takes the next work from the line, and sleeps as long as there is none.
  ///
  /// - Parameters:
  ///   - idleThread: The calling thread.
  ///   - isComing: Whether the thread is counted among those on their way.
  /// - Returns: The work; nil if the thread is to end.
  private func next(for idleThread: IdleThread, isComing: Bool) -> Work? {
    var isComing = isComing
    while true {
      let (work, mayStay) = state.withLock { state -> (Work?, Bool) in
        if isComing { state.coming -= 1 }
        if let work = state.line.popFirst() {
          state.refusals = 0
          return (work, true)
        }
        guard state.idle.count < Self.mostIdle else { return (nil, false) }
        state.idle.append(idleThread)
        return (nil, true)
      }
      if work != nil || !mayStay { return work }
      if idleThread.call.wait(timeout: .now() + patience) == .timedOut {
        let isAlone = state.withLock { state in
          guard let index = state.idle.firstIndex(where: { $0 === idleThread }) else {
            return false
          }
          state.idle.remove(at: index)
          return true
        }
        if isAlone { return nil }
        // It was called just now.
        idleThread.call.wait()
      }
      isComing = true
    }
  }
}
