import OpshLocking

/// A one-shot gate that resumes one continuation.
final class Gate: Sendable {
  private enum State {
    case closed(CheckedContinuation<Void, Never>?)
    case open
  }
  private let state = Locked(State.closed(nil))

  func enter(_ continuation: CheckedContinuation<Void, Never>) {
    let isOpen = state.withLock { state in
      if case .open = state { return true }
      state = .closed(continuation)
      return false
    }
    if isOpen { continuation.resume() }
  }

  func open() {
    let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
      defer { state = .open }
      if case .closed(let continuation) = state { return continuation }
      return nil
    }
    guard let continuation else { return }
    // Resuming a task may start a thread of the pool that all tasks share.
    ThreadStarter.perform { continuation.resume() }
  }
}
