/// Why an operation goes on executing although nothing works on it.
public enum FinishWait: UInt8, Sendable, CaseIterable {
  /// It ends when `finish` is called, and nothing has called it.
  case call
  /// It says that it has finished, but no notification told its queue.
  case notification
  /// It holds a lock while it notifies an observer that needs the same lock.
  case lock
  /// It is a group that stays open; see ``GroupOperation/isOpen``.
  case close
  /// It was paused at a phase; see ``ObservableOperation/pause(at:)``.
  case phase
  /// A handler of a phase runs, and the work continues when that has returned.
  case handler
  /// Its body waits for a signal that nothing sends, and blocks its thread for good.
  case signal
}

extension ObservableOperation {
  /// Declares that nothing works on an executing operation any more, and what it waits for to end.
  ///
  /// ``waitReasons()`` names the reason, ``canFinish`` is false unless the operation has a
  /// ``timeLimit``, and the log has an entry of it. To be called by code of this operation, and
  /// with nil when it works again; the next attempt begins with nil. An operation that does not
  /// execute, is about to finish, or waits for its next attempt, stays as it is; so does one with
  /// another reason than ``FinishWait/call`` for that one. Constant time.
  ///
  /// - Parameter wait: What it waits for; nil if it works.
  public final func setFinishWait(_ wait: FinishWait?) { setFinishWait(wait) { _ in true } }

  /// Declares what it waits for to end, if that still holds.
  ///
  /// - Parameters:
  ///   - wait: What it waits for; nil if it works.
  ///   - isCurrent: Whether it holds, with the number of attempts that have begun. It is called under
  ///     the engine's lock, and must not use the engine.
  package final func setFinishWait(
    _ wait: FinishWait?, if isCurrent: (_ attempts: Int) -> Bool
  ) {
    engine.transact { state in
      let present = core.extras?.finishWait
      guard core.state == .executing, !core.isFinishing, core.extras?.attemptPause == nil,
        present != wait, wait != .call || present == nil, isCurrent(core.attempts)
      else { return }
      state.decide(.finishWait(wait), of: self)
      publishFlags()
      guard let wait else { return }
      // The entry of the phase has told of the handler.
      guard wait != .handler else { return }
      let text = Wording.finishWait(wait, of: self)
      state.record(self, .awaitsFinish, from: core.state, cause: .text(text))
    }
  }

  /// What it waits for to end although its work is done; nil for an operation that works, or does
  /// not execute.
  public final var finishWait: FinishWait? { read { $0.extras?.finishWait } }

  /// The finding of its ``finishWait``, in a transaction.
  var finishFinding: WaitFinding.Subject {
    switch core.extras?.finishWait {
    case .phase, .handler: .phaseHeld(self)
    default: .awaitsFinish(self)
    }
  }

  /// Whether an executing operation ends only by an action from outside, in a transaction.
  var needsFinish: Bool {
    guard let wait = core.extras?.finishWait else { return false }
    if wait == .signal { return true }
    // A cancelled one ends as soon as the deferred interruption reaches it.
    return !core.hasTimeLimit && !core.isFinishing && !(core.isCancelled && !ignoresCancel)
  }

  /// Whether cancelling does not end it while it executes, in a transaction.
  var ignoresCancel: Bool {
    core.extras?.defects.contains(.ignoresCancel) == true || isBlockedForGood
  }

  /// Whether nothing at all ends it, in a transaction.
  var isBlockedForGood: Bool { core.extras?.finishWait == .signal }
}

extension Wording {
  /// What an operation does meanwhile, in a few words; in a transaction.
  static func fewWords(of wait: FinishWait, of operation: ObservableOperation) -> String {
    switch wait {
    case .call: "waits for 'finish'"
    case .notification: "sent no KVO for isFinished"
    case .lock: "holds its lock while it sends KVO"
    case .close: "is open, and 'close' ends it"
    case .phase: "paused at \(phase(of: operation))"
    case .handler: "handled at \(phase(of: operation))"
    case .signal: "blocks its thread: nothing sends the signal"
    }
  }

  private static func phase(of operation: ObservableOperation) -> String {
    operation.core.extras?.phase.map { "\($0)" } ?? "a phase"
  }

  /// What an operation waits for, in a transaction.
  static func finishWait(_ wait: FinishWait, of operation: ObservableOperation) -> String {
    let name = operation.identityInTransaction.name
    return switch wait {
    case .call:
      "'\(name)' has done its work, and nothing has called finish"
    case .notification:
      "'\(name)' says isFinished = true, but sent no KVO for it, so the queue does not know"
    case .lock:
      "'\(name)' holds its lock while it sends KVO, and the observer needs the same lock"
    case .close:
      "group '\(name)' is open, and nothing is left in it"
    case .phase:
      "'\(name)' is paused at \(phase(of: operation))"
    case .handler:
      "'\(name)' is at \(phase(of: operation)) until its handler has returned"
    case .signal:
      "the body of '\(name)' waits for a signal that nothing sends, and blocks "
        + "\(operation.thread?.name ?? "its thread") for good"
    }
  }
}
