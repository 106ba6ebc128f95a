import Foundation
package import FoundationProcess
import OpshLocking
package import Operations
package import ShellLanguage
import OpshSupport

/// Stands for an operation of a bare `OperationQueue` in another process.
///
/// That process decides when it starts and when it has finished; its body runs here.
package class FoundationOperation: ConcurrentOperation<Value>, FinishableOperation,
  @unchecked Sendable
{
  // @unchecked because it adds constants and locked state to its superclass.

  /// What the process does with it.
  package enum Style: Sendable {
    /// It overrides `main()`, and blocks a thread of Foundation's pool until its body has ended.
    case synchronous
    /// It overrides `start()`, and finishes when its body has ended.
    case asynchronous
    /// It overrides `start()`, and awaits `finish`.
    case finishable
  }

  package typealias Body = @Sendable (FoundationOperation) throws -> Value

  private struct State {
    var hasBegun = false
    var isBodyOver = false
    /// Whether `finish` was called.
    var isFinishing = false
    /// Whether the process was asked to end it.
    var isEnding = false
    /// Whether the process has started it, and has not finished it.
    var executesInProcess = false
    /// Whether the process has reported its end, and it has not begun here yet.
    var endsWhenBegun = false
    /// A result that came while the process was about to report an end without a lock.
    var second: Result<Value, any Error>?
    /// How it ends, as soon as that is decided.
    var result: Result<Value, any Error>?
    /// What the process knows that it depends on.
    var dependencies: Set<Int> = []
    /// How many commands had been sent with the one that added it.
    var addedWith = 0
  }

  package let link: FoundationLink
  package let style: Style
  package let mistakes: RawOperationPlan.Mistakes
  private let body: Body
  private let watch: AsyncOperation.BodyWatch?
  private let work = Locked(State())
  private let late = Locked<LateHandler?>(nil)
  private let interruption = DispatchSemaphore(value: 0)

  /// Creates an operation that is on no queue.
  package init(
    name: String, kind: String, engine: OperationEngine, link: FoundationLink, style: Style,
    mistakes: RawOperationPlan.Mistakes = [],
    watch: AsyncOperation.BodyWatch? = nil, body: @escaping Body
  ) {
    self.link = link
    self.style = style
    self.mistakes = mistakes
    (self.body, self.watch) = (body, watch)
    super.init(name: name, kind: kind, engine: engine)
    // Only the process says that it has finished, also if it was cancelled.
    defects = mistakes.defects.union(.ignoresCancel)
    if mistakes.contains(.finishesBeforeHandler) {
      late.withLock { $0 = LateHandler(of: self) }
    }
  }

  package var lateHandler: LateHandler? { late.withLock { $0 } }

  package override var outcomeSummary: String? {
    guard mistakes.contains(.callsSuperStart), !isCancelled else { return super.outcomeSummary }
    return AsyncOperation.superStartSummary
  }

  /// As in a program that uses Foundation: nothing ends a wait there.
  package final override var hangsInDeadlock: Bool { true }

  package override var isAsynchronous: Bool { style != .synchronous }

  package override var beginsAlthoughInterrupted: Bool { true }

  package override var endsAfterInterruption: Bool { !link.hasEnded }

  package override func cancelExecution() { interruption.signal() }

  /// Waits on the calling thread, unless it is cancelled.
  package func pause(for duration: Duration) {
    let end = engine.perform(after: duration) { [interruption] in interruption.signal() }
    interruption.wait()
    end.cancel()
  }

  package var hasBegun: Bool { work.withLock { $0.hasBegun } }

  package var mayRunBody: Bool {
    state != .finished && finishWait != .signal && !work.withLock { $0.isBodyOver }
  }

  /// Runs the body; the process has started the operation.
  package override func execute() {
    watch?.willBegin(self)
    let isOver = work.withLock { work in
      work.hasBegun = true
      return work.endsWhenBegun
    }
    if isOver { noteFinished() }
    runBody { [self] in
      let result = Result { try body(self) }
      var error: (any Error)?
      if case .failure(let failure) = result { error = failure }
      let isLate = work.withLock { work in
        work.isBodyOver = true
        if error != nil || style != .finishable { work.result = work.result ?? result }
        return work.isFinishing
      }
      link.send(.bodyEnded(id, finishes: error != nil || style != .finishable))
      watch?.didEnd(self, isLate ? error : nil)
    }
  }

  package func finishFromOutside(
    _ result: Result<Value, any Error>, by caller: ObservableOperation?
  ) throws(AsyncOperation.Refusal) {
    switch state {
    case .created, .pending, .ready: throw .notStarted
    case .finished: return try finishAgain(result)
    case .executing: break
    }
    if mistakes.contains(.unlocked), isCancelled {
      link.send(.finish(id))
      work.withLock { $0.second = result }
      // The end may have come meanwhile.
      if state == .finished { finishSecondTime() }
      return
    }
    if mistakes.contains(.forgetsFinish), caller === self {
      return noteRefusal("finish is forgotten: its own code never calls it")
    }
    if finishWait == .lock { throw .locked }
    let isSecond = work.withLock { work in
      defer { (work.isFinishing, work.isEnding) = (true, true) }
      work.result = work.result ?? result
      return work.isFinishing
    }
    // The second call of one that does not notify is the missing notification.
    if isSecond, !mistakes.contains(.silentFinished) { throw .finished }
    // Until the process reports otherwise.
    setFinishWait(nil)
    link.send(.finish(id))
  }

  /// The process has started it, or has finished it.
  func noteExecution(inProcess executes: Bool) { work.withLock { $0.executesInProcess = executes } }

  /// Whether it holds a thread of Foundation's pool, from its start to the end of its body.
  package var holdsPoolThread: Bool {
    style == .synchronous && work.withLock { $0.executesInProcess }
  }

  /// Whether the process has not started it, as far as is known.
  var isOnItsWay: Bool { !work.withLock { $0.executesInProcess } }

  /// Whether its body runs on a thread of opsh, or is about to.
  package var isBodyRunning: Bool {
    state == .executing && work.withLock { !$0.isBodyOver }
  }

  /// Tells the process that it has finished, if the process did not say so.
  ///
  /// It may have been cancelled before it was started here; the process would keep its slot for it.
  func reportEnd() {
    if work.withLock({ $0.executesInProcess }) { link.send(.bodyEnded(id, finishes: true)) }
  }

  /// It was cancelled: so is the operation of the process.
  func sendCancel() {
    obstacle = nil
    if !mistakes.contains(.ignoresCancel), finishWait != .lock, finishWait != .signal {
      work.withLock { $0.isEnding = true }
      setFinishWait(nil)
    }
    link.send(.cancel(id))
  }

  /// The process reports that its body has ended and nothing has called `finish`; that may have
  /// changed since.
  func noteAwaitsFinish() {
    setFinishWait(.call) { _ in !work.withLock { $0.isEnding } }
  }

  /// Fails the operation, because the process has ended before it could finish.
  func fail(_ failure: OperationFailure) {
    work.withLock { $0.result = $0.result ?? .failure(failure) }
    obstacle = nil
    finish(.failure(failure))
  }

  /// Returns what the process builds in its place; called once, when it is added.
  func plan() -> RawOperationPlan {
    let dependencies = upstream.map(\.operation.id)
    work.withLock { $0.dependencies = Set(dependencies) }
    return RawOperationPlan(
      id: id, isAsynchronous: style != .synchronous, priority: queuePriority.rawValue,
      quality: qualityOfService.rawValue, dependencies: dependencies, mistakes: mistakes)
  }

  /// Returns the dependencies that were added and removed since the process last got them.
  func takeDependencyChanges() -> (added: [Int], removed: [Int]) {
    let present = Set(upstream.map(\.operation.id))
    return work.withLock { work in
      defer { work.dependencies = present }
      return (
        present.subtracting(work.dependencies).sorted(),
        work.dependencies.subtracting(present).sorted()
      )
    }
  }

  /// How many commands had been sent when it was added.
  var addedWith: Int {
    get { work.withLock { $0.addedWith } }
    set { work.withLock { $0.addedWith = newValue } }
  }

  /// The process says that it has finished.
  func noteFinished() {
    // Its work begins although it has finished.
    let begins = mistakes.contains(.callsSuperStart) && !isCancelled
    let isEarly = work.withLock { work in
      work.endsWhenBegun = begins && !work.hasBegun
      return work.endsWhenBegun
    }
    if isEarly { return }
    finish(work.withLock { $0.result } ?? .success(.null))
    finishSecondTime()
  }

  /// Has a second result count, once.
  private func finishSecondTime() {
    if let second = work.withLock({ $0.second.take() }) { try? finishAgain(second) }
  }
}
