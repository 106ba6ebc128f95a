import Dispatch
import OpshLocking

/// When a completion handler is called.
public enum CompletionOrder: String, Sendable, CaseIterable {
  /// Before `isFinished` changes, on the thread that finishes the operation: code that sees it as
  /// finished finds the handler's work done.
  case before
  /// Right after `isFinished` has changed and observers were called, on the same thread.
  case after
  /// As Foundation's `completionBlock`: after `isFinished` has changed, on another thread, and in no
  /// order with what depends on the operation.
  case block
}

/// The completion handlers of an operation that wait for its end.
struct Completions {
  typealias Handler = @Sendable () -> Void
  var before: [Handler] = []
  var after: [Handler] = []

  var isEmpty: Bool { before.isEmpty && after.isEmpty }

  /// Takes those out that are called before the end.
  mutating func takeBefore() -> [Handler] {
    defer { before = [] }
    return before
  }
}

extension ObservableOperation {
  /// Adds a handler that is called once, when the operation finishes, in whichever way.
  ///
  /// It is called with no lock held and must not block. If the operation has finished, it is called at
  /// once; so is a handler with the order ``CompletionOrder/before`` while the operation finishes.
  ///
  /// - Parameters:
  ///   - order: When to call it.
  ///   - handler: What to call.
  public final func addCompletion(
    _ order: CompletionOrder, _ handler: @escaping @Sendable () -> Void
  ) {
    switch order {
    case .before:
      let isKept = engine.guarded {
        guard core.state != .finished, !core.isFinishing else { return false }
        core.withExtras { $0.completions.before.append(handler) }
        return true
      }
      if !isKept { handler() }
    case .after:
      let isKept = engine.guarded {
        guard core.state != .finished else { return false }
        core.withExtras { $0.completions.after.append(handler) }
        return true
      }
      if !isKept { handler() }
    case .block where engine.virtualClock.isInUse:
      // Foundation would call it at a moment that differs from run to run.
      addCompletion(.after) { [engine] in engine.perform(on: .global(), handler) }
    case .block where state == .finished:
      engine.perform(on: .global(), handler)
    case .block:
      let isCalled = Locked(false)
      let callOnce: @Sendable () -> Void = {
        let isFirst = isCalled.withLock { isCalled in
          defer { isCalled = true }
          return !isCalled
        }
        if isFirst { handler() }
      }
      let earlier = completionBlock
      completionBlock = {
        earlier?()
        callOnce()
      }
      // It may have finished meanwhile, and Foundation have looked before.
      if state == .finished { engine.perform(on: .global(), callOnce) }
    }
  }

  /// Records that a completion handler is called.
  package final func noteCompletion(_ reason: String) {
    engine.transact { state in
      state.record(self, .completion, from: core.state, cause: .text(reason))
    }
  }
}
