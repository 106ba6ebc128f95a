import OpshLocking
import Operations
import OpshSupport

/// The phases of a request: the transfer pauses while the operation is held at one of them.
extension NetworkOperation {
  /// Enters a phase of the transfer.
  ///
  /// - Returns: Whether to continue; otherwise the transfer has to pause.
  func passes(_ phase: OperationPhase) -> Bool {
    requestState.withLock { $0.isHeld = true }
    let continues = enter(PhaseProgress(phase), note: note(of: phase)) { [self] in release() }
    if continues { requestState.withLock { $0.isHeld = false } }
    return continues
  }

  /// Enters the phase in which the response becomes the value.
  ///
  /// - Parameter next: What follows on a callback thread if the operation is held; also after a
  ///   cancellation.
  /// - Returns: Whether to continue at once.
  func passesLastPhase(orElse next: @escaping @Sendable () -> Void) -> Bool {
    if passes(lastPhase) { return true }
    whenPassed(next)
    return false
  }

  /// Does something on a callback thread when the operation is not held at a phase any more.
  func whenPassed(_ next: @escaping @Sendable () -> Void) {
    let isHeld = requestState.withLock { requestState in
      guard requestState.isHeld, !requestState.hasEnded else { return false }
      requestState.next = next
      return true
    }
    if !isHeld { callbackPool.perform(for: engine, next) }
  }

  /// Continues with what was held, or has the transfer go on.
  private func release() {
    let next = requestState.withLock { requestState in
      requestState.isHeld = false
      return requestState.next.take()
    }
    if let next { callbackPool.perform(for: engine, next) } else { resumeReceiving() }
  }

  /// Has what is held learn that the operation has ended.
  func releaseHeld() {
    if let next = requestState.withLock({ $0.next.take() }) {
      callbackPool.perform(for: engine, next)
    }
  }

  private func note(of phase: OperationPhase) -> String {
    let (head, received) = requestState.withLock { ($0.head, $0.bytesReceived) }
    switch phase {
    case .headers:
      guard let head else { return "" }
      let length = head.contentLength.map { ", " + ByteCount($0).description } ?? ""
      return "status \(head.status)\(length)"
    case .body, .decoding, .saving: return ByteCount(received).description
    }
  }
}
