import Networking
import Operations
import ShellSession
import Terminal

/// The nearest reason why an operation does not go on, in a few words.
///
/// It is read for each visible operation of every frame: where many operations are on a queue,
/// reasons that name those before it are left to `why`.
struct WatchCause {
  /// Up to this number of operations on a queue all reasons are looked for.
  private static let shortQueue = 300

  let session: Session

  func text(of operation: ObservableOperation, in state: OperationState) -> String {
    if state == .finished { return OperationTable.outcome(of: operation).plain }
    let cause = nearest(of: operation, in: state)
    guard operation.isCancelled else { return cause }
    return cause.isEmpty ? "cancelled" : "cancelled; " + cause
  }

  private func nearest(of operation: ObservableOperation, in state: OperationState) -> String {
    switch state {
    case .finished: return ""
    case .created:
      let isHeld = session.operations.hold(of: operation) != nil
      return isHeld ? "held, 'start' adds it" : "is on no queue"
    case .executing: return whileExecuting(operation)
    case .pending, .ready: break
    }
    if let text = dependency(of: operation) { return text }
    guard let queue = operation.queue else { return "" }
    if queue.operationCount <= Self.shortQueue {
      return operation.waitReasons().first.map(Self.text) ?? ""
    }
    if queue.maxConcurrentOperationCount == 0 { return "\(queue.name) has width 0" }
    if queue.isSuspended { return "\(queue.name) is paused" }
    let width = queue.maxConcurrentOperationCount
    return width > 0 && queue.executingOperationCount >= width ? "\(queue.name) is full" : ""
  }

  private func dependency(of operation: ObservableOperation) -> String? {
    guard !operation.ignoresDependencies else { return nil }
    let unmet = operation.upstream.filter { $0.operation.state != .finished }
    guard let first = unmet.first else { return nil }
    let more = unmet.count > 1 ? " and \(unmet.count - 1) more" : ""
    return "waits for \(first.operation.displayName)" + more
  }

  private func whileExecuting(_ operation: ObservableOperation) -> String {
    if let pause = PauseText.text(of: operation) { return pause }
    if operation.finishWait != nil { return "waits for 'finish'" }
    let awaited = operation.awaited
    if let first = awaited.first {
      let more = awaited.count > 1 ? " and \(awaited.count - 1) more" : ""
      return "its body waits for \(first.displayName)" + more
    }
    if let group = operation as? GroupOperation {
      let count = group.innerQueue.operationCount
      return "\(count) in it unfinished"
    }
    return ""
  }

  private static func text(_ reason: WaitReason) -> String {
    let queue = reason.queue?.name ?? ""
    switch reason.code {
    case .queuePaused: return "\(queue) is paused"
    case .queueFull: return "\(queue) is full"
    case .widthZero: return "\(queue) has width 0"
    case .pace: return "\(queue) keeps its pace"
    case .notOnQueue, .dependency, .higherPriority, .barrier, .exclusive, .delay, .pause, .group,
      .awaitsFinish, .foundation, .deadlock:
      return reason.text
    }
  }
}
