import Networking
import Operations
import ShellSession

/// The nearest reason why an operation does not run or go on, in a few words: what `ops`, `tree` and
/// `watch` show beside it.
///
/// It is read for each operation of a long list, and for each frame of `watch`: where many operations
/// are on a queue, which of them start first is left to `why`.
struct NearestReason {
  /// Up to this number of operations on a queue those that start first are named.
  private static let shortQueue = 64

  let session: Session

  /// Finds the reason at the present moment.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - state: Its state, where it was read before.
  /// - Returns: The reason; nil if there is none.
  func text(of operation: ObservableOperation, in state: OperationState? = nil) -> String? {
    switch state ?? operation.state {
    case .finished: return nil
    case .created:
      let isHeld = session.operations.hold(of: operation) != nil
      return isHeld ? "held, 'start' adds it" : "is on no queue"
    case .executing: return whileExecuting(operation)
    case .pending, .ready: return beforeStart(of: operation)
    }
  }

  private func beforeStart(of operation: ObservableOperation) -> String? {
    dependency(of: operation)
      ?? operation.nearestWaitReason(lookingAtUpTo: Self.shortQueue)?.fewWords
  }

  private func dependency(of operation: ObservableOperation) -> String? {
    guard !operation.ignoresDependencies else { return nil }
    let unmet = operation.upstream.filter { $0.operation.state != .finished }
    guard let first = unmet.first else { return nil }
    let more = unmet.count > 1 ? " and \(unmet.count - 1) more" : ""
    return "waits for \(first.operation.displayName)" + more
  }

  private func whileExecuting(_ operation: ObservableOperation) -> String? {
    if let pause = PauseText.text(of: operation) { return pause }
    if let wait = operation.finishWait { return wait.fewWords }
    let awaited = operation.awaited
    if let first = awaited.first {
      let more = awaited.count > 1 ? " and \(awaited.count - 1) more" : ""
      return "its body waits for \(first.displayName)" + more
    }
    guard let group = operation as? GroupOperation else { return nil }
    return "\(group.innerQueue.operationCount) in it unfinished" + (group.isOpen ? ", open" : "")
  }
}

extension WaitReason {
  /// The reason in a few words.
  fileprivate var fewWords: String {
    let first = subject.first ?? ""
    let name = count > 1 && !first.isEmpty ? "\(first) and \(count - 1) more" : first
    let queue = queue?.name ?? "the queue"
    switch code {
    case .notOnQueue: return "\(name) is on no queue"
    case .queuePaused: return "\(queue) is paused"
    case .queueFull: return "\(queue) is full"
    case .widthZero: return "\(queue) has width 0"
    case .dependency: return "waits for \(name)"
    case .barrier: return "barrier: after \(name)"
    case .higherPriority: return "\(name) \(count > 1 ? "start" : "starts") first"
    case .exclusive: return text
    case .delay: return String(text.trimmingPrefix("'\(name)' "))
    case .pace: return "\(queue) keeps its pace"
    case .backoff, .hostPause: return "\(name) pauses"
    case .bodyWaits, .members: return "waits for \(name)"
    case .awaitsFinish: return "\(name) \(operations.first?.finishWait?.fewWords ?? "is finishing")"
    case .group: return "\(name) has not begun"
    case .foundation: return "Foundation never starts \(name)"
    case .deadlock: return "waits in a cycle"
    case .starting, .work, .requestQueued, .lookup, .connect, .tls, .sending, .firstByte,
      .receiving:
      return text
    }
  }
}
