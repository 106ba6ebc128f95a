import Locking
import Operations

/// Knows which failed operations somebody expected to fail; the others decide the exit status.
///
/// A failure is expected where `wait --any-outcome` covered it, a met `expect` named it, or a
/// `wait` reported it as an error (which stops the script, unless `try` or `--keep-going` took
/// it, and then it is accounted for as well).
final class FailureLedger: Sendable {
  private struct State {
    var failed: [Int] = []
    var accounted: Set<Int> = []
    var highestStatus: Int32 = 0
  }

  private let state = Locked(State())

  /// Notes an operation that ended in failure.
  func noteFailure(of id: Int) {
    state.withLock { $0.failed.append(id) }
  }

  /// Somebody knows the outcome of these operations, whatever it is or will be.
  func account(for operations: some Sequence<ObservableOperation>) {
    state.withLock { state in
      for operation in operations { state.accounted.insert(operation.id) }
    }
  }

  func isAccounted(_ operation: ObservableOperation) -> Bool {
    state.withLock { $0.accounted.contains(operation.id) }
  }

  /// The ids of failed operations that nobody expected to fail, in the order they failed.
  var unexpected: [Int] {
    state.withLock { state in state.failed.filter { !state.accounted.contains($0) } }
  }

  /// Something went wrong that the exit status must show; the highest one counts.
  func note(status: Int32) {
    state.withLock { $0.highestStatus = max($0.highestStatus, status) }
  }

  /// The status so far, unexpected failures included.
  var status: Int32 {
    let highest = state.withLock { $0.highestStatus }
    return unexpected.isEmpty ? highest : max(highest, 1)
  }
}
