import Foundation
import OpshLocking

/// A value that arrives later; a test waits for it without blocking a thread.
final class Promise<Value: Sendable>: Sendable {
  struct TooLate: Error {}

  private struct State {
    var value: Value?
    var waiters: [Int: CheckedContinuation<Value, any Error>] = [:]
    var next = 0
  }

  private let state = Locked(State())

  func fulfil(_ value: Value) {
    let waiters = state.withLock { state in
      if state.value == nil { state.value = value }
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.resume(returning: value) }
  }

  /// The first value; throws if it does not arrive in time.
  func value(within limit: Duration = .seconds(60)) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let (value, ticket) = state.withLock { state -> (Value?, Int) in
        state.next += 1
        if state.value == nil { state.waiters[state.next] = continuation }
        return (state.value, state.next)
      }
      if let value { return continuation.resume(returning: value) }
      let seconds = limit / .seconds(1)
      DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [self] in
        let waiter = state.withLock { $0.waiters.removeValue(forKey: ticket) }
        waiter?.resume(throwing: TooLate())
      }
    }
  }
}
