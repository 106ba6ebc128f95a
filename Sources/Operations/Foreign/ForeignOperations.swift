import Foundation
import OpshLocking

/// The operations of Foundation that ours have to do with, each with the one that stands for it.
final class ForeignOperations: Sendable {
  private struct Wrapper {
    weak var operation: WrappedOperation?
  }

  private struct State {
    var watchers: [ObjectIdentifier: WatchingOperation] = [:]
    var wrappers: [ObjectIdentifier: Wrapper] = [:]
    var kept: [Operation] = []
  }
  private let state = Locked(State())

  deinit {
    for operation in state.withLock({ $0.kept }) { Self.unlink(operation) }
  }

  /// Keeps an operation that never ran while what it depends on has not finished.
  ///
  /// Foundation keeps pointers from a dependency to what waits for it, and follows them when that is
  /// gone. Cutting them at once is not possible: other code may still keep the operation and run it
  /// elsewhere, and without the pointer it would wait for ever. So it is kept until its dependencies
  /// have finished, or there is no other reference to it when the next one comes.
  func keep(_ operation: Operation) {
    var kept = state.withLock { state in
      defer { state.kept = [] }
      return state.kept
    }
    var waiting = [operation]
    for index in kept.indices {
      if isKnownUniquelyReferenced(&kept[index]) {
        Self.unlink(kept[index])
      } else if kept[index].dependencies.contains(where: { !$0.isFinished }) {
        waiting.append(kept[index])
      }
    }
    state.withLock { $0.kept += waiting }
  }

  /// Has what an operation depends on forget it.
  static func unlink(_ operation: Operation) {
    for dependency in operation.dependencies where !dependency.isFinished {
      operation.removeDependency(dependency)
    }
  }

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
    let key = ObjectIdentifier(wrapper.wrapped)
    let other = state.withLock { state -> WrappedOperation? in
      if let known = state.wrappers[key]?.operation, known !== wrapper { return known }
      state.wrappers[key] = nil
      return nil
    }
    // It may be the last reference, and what goes with it comes here again.
    withExtendedLifetime(other) {}
  }

  /// Finds or makes what stands for an operation when others wait for it; returns what wraps it on
  /// one of our queues, or else what watches it.
  func representative(of operation: Operation, engine: OperationEngine) -> ObservableOperation {
    if let known = representative(of: operation) { return known }
    let new = WatchingOperation(operation, engine: engine)
    return state.withLock { state in
      let key = ObjectIdentifier(operation)
      if let known = state.watchers[key] { return known }
      state.watchers[key] = new
      return new
    }
  }

  /// What stands for an operation, if something does.
  func representative(of operation: Operation) -> ObservableOperation? {
    state.withLock { state in
      let key = ObjectIdentifier(operation)
      return state.wrappers[key]?.operation ?? state.watchers[key]
    }
  }

  /// What wraps an operation on one of our queues.
  func wrapper(of operation: Operation) -> WrappedOperation? {
    state.withLock { $0.wrappers[ObjectIdentifier(operation)]?.operation }
  }

  /// The operations that are watched, in no order.
  var watched: [Operation] {
    state.withLock { state in
      state.watchers.isEmpty ? [] : state.watchers.values.map(\.watched)
    }
  }

  /// What watches an operation, as long as another one waits for it.
  func watcher(of operation: Operation) -> WatchingOperation? {
    state.withLock { $0.watchers[ObjectIdentifier(operation)] }
  }

  func forgetWatcher(of operation: Operation) {
    let old = state.withLock { $0.watchers.removeValue(forKey: ObjectIdentifier(operation)) }
    withExtendedLifetime(old) {}
  }
}
