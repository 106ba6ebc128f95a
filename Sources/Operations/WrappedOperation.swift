public import Foundation
import Locking

/// An operation of Foundation's, run or awaited as one of ours.
///
/// It gets a thread of its own there, and the wrapped operation is told when this one is
/// cancelled. Its slot is held until the wrapped one has finished.
///
/// ```swift
/// let work = BlockOperation { print("working") }
/// try queue.addOperation(work, name: "work")
/// ```
public final class WrappedOperation: BlockingOperation, @unchecked Sendable {
  // @unchecked because the superclass is; what this class adds is constant.

  /// What it wraps.
  public let wrapped: Operation

  /// Creates an operation that runs another one when its turn comes.
  ///
  /// Should the other one run already, or be on a queue of Foundation's, it is awaited instead.
  ///
  /// - Parameters:
  ///   - operation: What to run.
  ///   - name: Its name; without one it has that of the wrapped one, if that has one.
  ///   - kind: What it does.
  ///   - log: Where its transitions are recorded; the same as its queue's.
  public init(
    _ operation: Operation, name: String? = nil, kind: String = "foundation",
    log: EventLog = .shared
  ) {
    wrapped = operation
    super.init(name: name ?? operation.name, kind: kind, log: log) { wrapper in
      guard let wrapper = wrapper as? WrappedOperation else { return nil }
      wrapper.runWrapped()
      return nil
    }
  }

  private func runWrapped() {
    if !Self.isOnQueue(wrapped), !wrapped.isExecuting, !wrapped.isFinished {
      startWrapped()
    }
    wrapped.waitUntilFinished()
    if wrapped.isCancelled { cancel() }
  }

  /// Starts it when its own dependencies let it; Foundation ends the process otherwise.
  private func startWrapped() {
    var pause: UInt32 = 200
    while !wrapped.isReady {
      usleep(pause)
      pause = min(pause * 2, 10_000)
    }
    wrapped.start()
  }

  override func interrupt() {
    wrapped.cancel()
    super.interrupt()
  }

  /// Whether a queue of Foundation's has it.
  ///
  /// Foundation tells nobody, and ends the process if such an operation is started or added once
  /// more; so this looks at the variable in which it keeps that. Where a later version has none of
  /// that name the answer is no.
  static func isOnQueue(_ operation: Operation) -> Bool {
    var mirror: Mirror? = Mirror(reflecting: operation)
    while let current = mirror {
      if current.subjectType == Operation.self {
        return current.children.contains { child in
          child.label == "__queue" && (child.value as? OperationQueue) != nil
        }
      }
      mirror = current.superclassMirror
    }
    return false
  }
}

extension InspectableQueue {
  /// Adds an operation of Foundation's, wrapped.
  ///
  /// - Parameters:
  ///   - operation: What to run; one of ours is added as it is.
  ///   - name: What to call it.
  /// - Returns: What was added.
  /// - Throws: ``QueueError`` if it cannot be added, has finished, or is on a queue of Foundation's.
  @discardableResult
  public func addOperation(
    _ operation: Operation, name: String? = nil
  ) throws(QueueError) -> ObservableOperation {
    if let own = operation as? ObservableOperation {
      try addOperation(own)
      return own
    }
    let title = name ?? operation.name ?? String(describing: type(of: operation))
    if operation.isFinished { throw .finished(name: title) }
    if operation.isExecuting { throw .executing(name: title) }
    if WrappedOperation.isOnQueue(operation) {
      throw .alreadyOnQueue(name: title, queue: "a queue of Foundation's")
    }
    let wrapper = WrappedOperation(operation, name: name, log: log)
    try addOperation(wrapper)
    return wrapper
  }
}

extension ObservableOperation {
  /// Makes it wait until an operation of Foundation's has finished, wherever that runs.
  ///
  /// - Parameters:
  ///   - operation: What must finish first.
  ///   - policy: What happens if that was cancelled.
  /// - Throws: ``DependencyError`` as ``depend(on:policy:)-(ObservableOperation,_)`` does.
  public func depend(
    on operation: Operation, policy: FailurePolicy = .run
  ) throws(DependencyError) {
    if let own = operation as? ObservableOperation {
      return try depend(on: own, policy: policy)
    }
    let watcher = log.watchers.watcher(of: operation, log: log)
    try depend(on: watcher, policy: policy)
    // Whoever comes second finds it started.
    try? watcher.startManually()
  }
}

/// Waits for an operation that somebody else runs.
final class WatchingOperation: BlockingOperation, @unchecked Sendable {
  // @unchecked because the superclass is; what this class adds is constant.

  /// What it waits for.
  let watched: Operation

  fileprivate init(_ operation: Operation, log: EventLog) {
    watched = operation
    super.init(name: nil, kind: "foundation", log: log) { watcher in
      operation.waitUntilFinished()
      log.watchers.forget(operation)
      if operation.isCancelled { watcher.cancel() }
      return nil
    }
  }
}

/// The operations of Foundation's that are waited for, each by one watcher.
final class Watchers: Sendable {
  private let watchers = Locked<[ObjectIdentifier: WatchingOperation]>([:])

  func watcher(of operation: Operation, log: EventLog) -> WatchingOperation {
    let new = WatchingOperation(operation, log: log)
    return watchers.withLock { watchers in
      if let known = watchers[ObjectIdentifier(operation)] { return known }
      watchers[ObjectIdentifier(operation)] = new
      return new
    }
  }

  /// The watcher of an operation, if it has one.
  func known(_ operation: Operation) -> WatchingOperation? {
    watchers.withLock { $0[ObjectIdentifier(operation)] }
  }

  fileprivate func forget(_ operation: Operation) {
    let old = watchers.withLock { $0.removeValue(forKey: ObjectIdentifier(operation)) }
    withExtendedLifetime(old) {}
  }
}
