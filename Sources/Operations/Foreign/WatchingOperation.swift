import Foundation

/// Waits for an operation that Foundation runs, on a thread of its own.
///
/// A dependent on Foundation's side would need no thread, but there it can miss its moment and wait
/// for ever.
final class WatchingOperation: BlockingOperation, @unchecked Sendable {
  // @unchecked because the superclass is; what this class adds is constant.

  /// What it waits for.
  let watched: Operation

  init(_ operation: Operation, engine: OperationEngine) {
    watched = operation
    let name = operation.name ?? String(describing: type(of: operation))
    super.init(name: name, kind: "foundation", engine: engine) { watcher in
      // On the virtual clock others have their turn until nothing is left but work of its own.
      while engine.virtualClock.isInUse, ForeignPath.waitsForOthers(operation, engine: engine),
        engine.virtualClock.rests()
      {}
      operation.waitUntilFinished()
      engine.foreign.forgetWatcher(of: operation)
      if operation.isCancelled { watcher.cancel() }
      return nil
    }
    engine.transact { $0.decide(.foreign, of: self) }
  }

  /// Begins to wait, unless it does so already.
  func watch() {
    // A second call finds it started.
    try? startManually()
    // Without a thread it fails at once, and must not be found again.
    if state == .finished { engine.foreign.forgetWatcher(of: watched) }
  }

  /// Returns a reason for each finding that waits for an operation on no queue.
  static func reasons(_ found: [WaitFinding]) -> [WaitReason] {
    var seen: Set<Int> = []
    return found.compactMap { finding in
      guard case .dependency(let watcher as WatchingOperation) = finding.subject,
        seen.insert(watcher.id).inserted, !ForeignState.isTaken(watcher.watched)
      else { return nil }
      let name = watcher.displayName
      return WaitReason(
        code: .notOnQueue, operations: [watcher], subject: [name], count: 1, queue: nil,
        text: "'\(name)' is on no queue, so nothing will start it", short: "is on no queue",
        depth: finding.depth + 1)
    }
  }
}
