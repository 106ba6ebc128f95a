import OpshLocking
package import Operations
package import ShellLanguage

/// The bodies of operations that run statements: which of them run, where they are, and how they came
/// to their errors.
package final class Bodies: Sendable {
  private struct State {
    /// The operations of 'async' whose bodies run, each as often as it has attempts that do.
    var running: [ObservableOperation] = []
    /// Where the running bodies of operations are.
    var places: [Int: BodyPlace] = [:]
    /// The calls that led to the errors of bodies, by the id of their operation.
    var calls: [Int: Backtrace] = [:]
  }

  private let state = Locked(State())

  /// Of how many bodies the calls are kept that led to their errors.
  private static let maximumCalls = 1_000

  /// The operations of 'async' whose bodies run, although some may have finished.
  var running: [ObservableOperation] { state.withLock { $0.running } }

  /// The operations that have finished although their bodies still run.
  package var ofFinished: [ObservableOperation] { running.filter { $0.state == .finished } }

  /// Adds an operation whose body begins to run.
  func begin(_ operation: ObservableOperation) { state.withLock { $0.running.append(operation) } }

  /// Removes an operation whose body has ended.
  func end(_ operation: ObservableOperation) {
    state.withLock { state in
      if let index = state.running.firstIndex(where: { $0 === operation }) {
        state.running.remove(at: index)
      }
    }
  }

  /// Returns the statement that the body of an operation runs.
  func place(of id: Int) -> BodyPlace? { state.withLock { $0.places[id] } }

  /// Sets the statement that the body of an operation runs; nil at its end.
  func setPlace(_ place: BodyPlace?, of id: Int) { state.withLock { $0.places[id] = place } }

  /// Keeps the calls that led to the error that ended a body, for where its failure is reported.
  func setCalls(_ calls: Backtrace, of id: Int) {
    guard !calls.isEmpty else { return }
    state.withLock { state in
      if state.calls.count >= Self.maximumCalls, let oldest = state.calls.keys.min() {
        state.calls[oldest] = nil
      }
      state.calls[id] = calls
    }
  }

  /// Returns the calls that led to the error that ended the body of an operation.
  package func calls(of id: Int) -> Backtrace? { state.withLock { $0.calls[id] } }
}
