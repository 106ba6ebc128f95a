import OpshLocking

/// What was asked for at the phases of one operation, and the work that waits there; guarded by the
/// lock of the engine.
final class PhaseGate {
  /// The phases at which it is to pause, each once.
  var stops: Set<OperationPhase> = []
  /// What to call at a phase before its work, for the operation, and for those in it if it is a group.
  var handlers: [Handler] = []
  /// What continues the work of the phase that it pauses at, or that is slowed down.
  var work: (@Sendable () -> Void)?
  /// True if the work begins by itself when the time of its phase is over.
  var isSlowed = false
  /// The number of phases that were slowed down so far.
  var slowedCount = 0

  struct Handler {
    let phase: OperationPhase
    let number: Int
    weak var owner: AnyObject?
    let call: PhaseHandler
  }

  /// Removes and returns the work of a phase that is slowed down; nil without one.
  func removeSlowedWork() -> (@Sendable () -> Void)? {
    guard isSlowed else { return nil }
    defer { (work, isSlowed) = (nil, false) }
    return work
  }
}

/// Receives an operation that has reached a phase.
///
/// The phase's work begins when nothing keeps the hold any more.
package typealias PhaseHandler = @Sendable (ObservableOperation, PhaseHold) -> Void

/// Keeps an operation at a phase as long as it exists.
package final class PhaseHold: Sendable {
  private let operation: ObservableOperation
  private let release: @Sendable () -> Void

  init(_ operation: ObservableOperation, release: @escaping @Sendable () -> Void) {
    (self.operation, self.release) = (operation, release)
  }

  deinit { release() }

  /// Runs a handler, during which the operation cannot finish by itself.
  ///
  /// A handler that waits for the operation would wait for itself.
  ///
  /// - Parameter body: The handler.
  /// - Throws: What the handler throws.
  package func handling(_ body: () throws -> Void) rethrows {
    operation.setFinishWait(.handler)
    defer { operation.endFinishWait(.handler) }
    try body()
  }
}

/// The phases of work, at which an operation can be paused, slowed down and handled.
extension ObservableOperation {
  /// The phase that it is in; nil for an operation that does not execute or has reached none.
  public final var phase: PhaseProgress? { read { $0.extras?.phase } }

  /// Declares that the work has come to a phase.
  ///
  /// To be called by code of this operation, which begins with the work of the phase only if this
  /// returns true. Otherwise the phase is paused, handled or slowed down, and `work` is called when
  /// it continues; perhaps not at all if the operation has ended by then. No thread is held
  /// meanwhile.
  ///
  /// ```swift
  /// final class Save: ConcurrentOperation<Int>, @unchecked Sendable {
  ///   override func execute() {
  ///     let save: @Sendable () -> Void = { self.finish(.success(1)) }
  ///     if enter(PhaseProgress(.saving), then: save) { save() }
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - progress: The phase, and how much of it is done.
  ///   - note: What a line in the log says of it, such as a status.
  ///   - work: Continues the work; it is called without a lock, on any thread, and must not block.
  /// - Returns: Whether to continue at once.
  public final func enter(
    _ progress: PhaseProgress, note: @autoclosure () -> String = "",
    then work: @escaping @Sendable () -> Void
  ) -> Bool {
    let phase = progress.phase
    let (outer, isAsked) = engine.transact { state -> (ObservableOperation?, Bool) in
      if let outer = core.extras?.outer { return (outer, false) }
      guard core.state == .executing, !core.isFinishing, !core.isCancelled else {
        return (nil, false)
      }
      state.decide(.phase(progress), of: self)
      return (nil, self.isAsked(at: phase, in: state))
    }
    if let outer { return outer.enter(progress, note: note(), then: work) }
    guard isAsked else { return true }
    let text = note()
    let handlers = engine.transact { state -> [PhaseHandler] in
      guard core.state == .executing, !core.isFinishing else { return [] }
      let reason = text.isEmpty ? "\(progress)" : "\(progress): \(text)"
      state.record(self, .phase, from: core.state, cause: .text(reason))
      var seen: Set<Int> = []
      let asked = gates.flatMap(\.handlers).filter { $0.phase == phase && $0.owner != nil }
      return asked.filter { seen.insert($0.number).inserted }.map(\.call)
    }
    guard !handlers.isEmpty else { return stop(at: phase, then: work) }
    let hold = PhaseHold(self) { [self] in if stop(at: phase, then: work) { work() } }
    for handler in handlers { handler(self, hold) }
    return false
  }

  /// Whether something was asked for at a phase: a pause, a handler, or a time to stay in it.
  public final func isAsked(at phase: OperationPhase) -> Bool {
    engine.guardedState { isAsked(at: phase, in: $0) }
  }

  private func isAsked(at phase: OperationPhase, in state: EngineState) -> Bool {
    state.phaseTimes[phase] != nil || core.extras?.gate?.stops.contains(phase) == true
      || gates.contains { $0.handlers.contains { $0.phase == phase && $0.owner != nil } }
  }

  /// What was asked for of it and of the groups that it is in; in a transaction.
  private var gates: [PhaseGate] {
    var gates: [PhaseGate] = []
    var next: ObservableOperation? = self
    while let operation = next {
      if let gate = operation.core.extras?.gate { gates.append(gate) }
      next = operation.core.queue?.core.membership?.group
    }
    return gates
  }

  /// Pauses it at a phase if that was asked for, and otherwise lets the time of the phase pass.
  ///
  /// - Returns: Whether the work continues at once.
  private func stop(at phase: OperationPhase, then work: @escaping @Sendable () -> Void) -> Bool {
    let isPaused = engine.transact { state -> Bool in
      guard core.state == .executing, !core.isFinishing, !core.isCancelled,
        let gate = core.extras?.gate, gate.stops.remove(phase) != nil
      else { return false }
      gate.work = work
      state.decide(.finishWait(.phase), of: self)
      let text = Wording.finishWait(.phase, of: self)
      state.record(self, .awaitsFinish, from: core.state, cause: .text(text))
      return true
    }
    return !isPaused && passesTime(of: phase, then: work)
  }

  /// Returns whether nothing slows the phase down; otherwise continues after its time.
  private func passesTime(
    of phase: OperationPhase, then work: @escaping @Sendable () -> Void
  ) -> Bool {
    let slowed = engine.transact { state -> (end: Int64, number: Int)? in
      guard core.state == .executing, !core.isFinishing, let time = state.phaseTimes[phase] else {
        return nil
      }
      let number = core.withGate { gate in
        (gate.work, gate.isSlowed) = (work, true)
        gate.slowedCount += 1
        return gate.slowedCount
      }
      return (state.presentTime.addingClamped(time.wholeNanoseconds), number)
    }
    guard let slowed else { return true }
    keepTimer(until: slowed.end) { $0.endSlowedPhase(number: slowed.number) }
    return false
  }

  /// Begins the work of a phase that is slowed down, if its time is not over.
  ///
  /// - Parameter number: Which of its slowed phases is meant; nil for the present one.
  package final func endSlowedPhase(number: Int? = nil) {
    let work = engine.guarded { () -> (@Sendable () -> Void)? in
      guard let gate = core.extras?.gate, number == nil || number == gate.slowedCount else {
        return nil
      }
      return gate.removeSlowedWork()
    }
    work?()
  }

  /// The phase that is slowed down now; nil for none.
  package final var slowedPhase: OperationPhase? {
    read { $0.extras?.gate?.isSlowed == true ? $0.extras?.phase?.phase : nil }
  }

  /// Has the operation pause when it reaches a phase, once; it keeps its slot then.
  ///
  /// ``resumeAtPhase()`` continues it. A cancelled one ends, and so does one whose time limit is
  /// over.
  ///
  /// - Parameter phase: The phase.
  public final func pause(at phase: OperationPhase) {
    engine.guarded {
      guard core.state != .finished else { return }
      core.withGate { _ = $0.stops.insert(phase) }
    }
  }

  /// Continues an operation that pauses at a phase, or that is slowed down there; it pauses at no later
  /// one that was asked for.
  ///
  /// - Returns: Whether it paused, was slowed down, or would have paused.
  @discardableResult
  public final func resumeAtPhase() -> Bool {
    if slowedPhase != nil {
      engine.guarded { core.extras?.gate?.stops = [] }
      endSlowedPhase()
      return true
    }
    let (wasAsked, phase, work) = engine.transact {
      state -> (Bool, OperationPhase?, (@Sendable () -> Void)?) in
      guard let gate = core.extras?.gate else { return (false, nil, nil) }
      let wasAsked = gate.work != nil || !gate.stops.isEmpty
      let work = gate.work
      gate.work = nil
      gate.stops = []
      if work != nil { state.decide(.finishWait(nil), of: self) }
      return (wasAsked, core.extras?.phase?.phase, work)
    }
    if let phase, let work {
      noteProgress(reason: "resumed at \(phase.rawValue)")
      if passesTime(of: phase, then: work) { work() }
    }
    return wasAsked
  }

  /// The phases at which the operation is going to pause.
  public final var phasePauses: Set<OperationPhase> {
    read { $0.extras?.gate?.stops ?? [] }
  }

  /// Calls a handler when the operation, or one in it if it is a group, reaches a phase, before the
  /// work of the phase.
  ///
  /// - Parameters:
  ///   - phase: The phase.
  ///   - number: The number of the handler, which is called once although several groups have it.
  ///   - owner: An object with whose end the handler ends; it may be released under the engine's lock.
  ///   - handler: What to call, without a lock, on any thread.
  package final func handle(
    _ phase: OperationPhase, number: Int, for owner: AnyObject,
    with handler: @escaping PhaseHandler
  ) {
    engine.guarded {
      guard core.state != .finished else { return }
      core.withGate {
        $0.handlers.append(.init(phase: phase, number: number, owner: owner, call: handler))
      }
    }
  }

  /// Ends what it waits for, if it still waits for that.
  fileprivate func endFinishWait(_ wait: FinishWait) {
    engine.transact { state in
      guard core.extras?.finishWait == wait else { return }
      state.decide(.finishWait(nil), of: self)
    }
  }
}

extension OperationCore {
  fileprivate mutating func withGate<Result>(_ change: (PhaseGate) -> Result) -> Result {
    withExtras { extras in
      let gate = extras.gate ?? PhaseGate()
      extras.gate = gate
      return change(gate)
    }
  }
}

extension OperationEngine {
  /// How long each operation stays in a phase, in the time of this engine, before the work of that
  /// phase.
  public var phaseTimes: [OperationPhase: Duration] { guardedState { $0.phaseTimes } }

  /// Sets how long each operation stays in a phase.
  ///
  /// - Parameters:
  ///   - phase: The phase.
  ///   - time: How long; nil for no longer than its work takes.
  public func slow(_ phase: OperationPhase, to time: Duration?) {
    state.withLock { $0.phaseTimes[phase] = time }
  }
}

extension EventLog.Entry {
  /// The phase that an entry of the event `phase` tells of, and what it says after that; nil for
  /// others.
  package var phase: (progress: String, note: String)? {
    guard event == .phase else { return nil }
    let parts = reason.split(separator: ": ", maxSplits: 1)
    return (String(parts.first ?? ""), parts.count > 1 ? String(parts[1]) : "")
  }
}
