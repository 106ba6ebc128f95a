import Foundation
import Locking

/// The operations of Foundation's that ours have to do with, each with the one that stands for it.
final class ForeignOperations: Sendable {
  private struct Wrapper {
    weak var operation: WrappedOperation?
  }

  private struct State {
    var watchers: [ObjectIdentifier: WatchingOperation] = [:]
    var wrappers: [ObjectIdentifier: Wrapper] = [:]
  }
  private let state = Locked(State())

  /// Notes that an operation is on one of our queues.
  ///
  /// - Returns: What wraps it already; then nothing was noted.
  func enter(_ wrapper: WrappedOperation) -> WrappedOperation? {
    state.withLock { state in
      let key = ObjectIdentifier(wrapper.wrapped)
      if let other = state.wrappers[key]?.operation { return other }
      state.wrappers[key] = Wrapper(operation: wrapper)
      return nil
    }
  }

  func forget(_ wrapper: WrappedOperation) {
    state.withLock { state in
      let key = ObjectIdentifier(wrapper.wrapped)
      if let known = state.wrappers[key]?.operation, known !== wrapper { return }
      state.wrappers[key] = nil
    }
  }

  /// Finds or makes what stands for an operation when others wait for it.
  ///
  /// - Returns: What wraps it on one of our queues, or else what watches it.
  func representative(of operation: Operation, log: EventLog) -> ObservableOperation {
    let key = ObjectIdentifier(operation)
    let known = state.withLock { state -> ObservableOperation? in
      state.wrappers[key]?.operation ?? state.watchers[key]
    }
    if let known { return known }
    let new = WatchingOperation(operation, log: log)
    return state.withLock { state in
      if let known = state.watchers[key] { return known }
      state.watchers[key] = new
      return new
    }
  }

  func forgetWatcher(of operation: Operation) {
    let old = state.withLock { $0.watchers.removeValue(forKey: ObjectIdentifier(operation)) }
    withExtendedLifetime(old) {}
  }
}
