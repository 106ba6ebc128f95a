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
    /// Where they were before, in order; the place is nil from their end on.
    var history: [(id: Int, moment: LogMoment, place: BodyPlace?)] = []
    /// The calls that led to the errors of bodies, by the id of their operation.
    var calls: [Int: Backtrace] = [:]
  }

  private let state: Locked<State>
  private let engine: OperationEngine

  init(engine: OperationEngine) {
    self.engine = engine
    state = Locked(State())
  }

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
  func setPlace(_ place: BodyPlace?, of id: Int) {
    let moment = LogMoment(of: engine)
    state.withLock { state in
      state.places[id] = place
      if let last = state.history.last, last.id == id, last.moment.position == moment.position,
        moment.time - last.moment.time < Self.shortestStay
      {
        state.history.removeLast()
      }
      state.history.append((id, moment, place))
      if state.history.count > Self.longestHistory {
        state.history.removeFirst(Self.longestHistory / 2)
      }
    }
  }

  /// A place that is left sooner, without an event, is not kept.
  private static let shortestStay = Duration.milliseconds(1)
  private static let longestHistory = 100_000

  /// Returns the bodies as they were at a moment.
  ///
  /// - Parameters:
  ///   - position: How many events the log had.
  ///   - end: When it was at the latest; nil for right after the last of them.
  ///   - engine: The engine of the moment.
  /// - Returns: Bodies that do not run, with their places.
  func past(
    at position: Int, by end: ContinuousClock.Instant?, engine: OperationEngine
  ) -> Bodies {
    let bodies = Bodies(engine: engine)
    let history = state.withLock { $0.history }
    var places: [Int: BodyPlace] = [:]
    for stay in history where stay.moment.isIn(position, by: end) { places[stay.id] = stay.place }
    bodies.state.withLock { $0.places = places }
    return bodies
  }

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
