import CommandParts
import OpshNetworking
import Operations
import ShellOutput
import ShellSession

/// The operations of a session as `export` writes them: with their times, their phases and their
/// dependencies, and with every secret masked.
struct ExportedSession {
  /// One operation.
  struct Row {
    let id: Int
    /// Its name, masked.
    let name: String
    let kind: String
    /// The name of its queue; nil for one that was never added.
    let queue: String?
    let state: OperationState
    /// How it ended; nil for one that has not.
    let outcome: String?
    /// Code and message of its failure, masked.
    let error: String?
    /// How far it is inside of groups.
    let depth: Int
    let times: StateTimestamps
    /// What its time went to, in order.
    let phases: [LifeSpan]
    let attempts: Int
    let bytes: Int?
    let status: Int?
    /// What it depends on, with the policy.
    let dependencies: [(id: Int, policy: FailurePolicy)]
  }

  /// The operations, each followed by its members.
  let rows: [Row]
  let clock: SessionClock
  /// The end of what has not ended.
  let now: ContinuousClock.Instant
  /// The critical path that `blame` tells, in the order of time.
  let path: [LifeAccount.PathStep]
  private let labels: OperationLabels

  /// Reads the operations of which a session has records.
  init(_ jobs: Jobs, _ run: Run, masking secrets: SecretMask) {
    run.mode.runDueCalls()
    let now = run.clock.now
    let history = LifeAccount(of: jobs.engine.log, until: now)
    let rows = OutlineRows(jobs.operations.all).rows.map { operation, depth -> Row in
      let error = operation.error
      return Row(
        id: operation.id, name: secrets.mask(operation.displayName),
        kind: secrets.mask(operation.kind), queue: operation.queueName.map(secrets.mask),
        state: operation.state, outcome: operation.outcome?.name,
        error: error.map { secrets.mask("\($0.code): \($0.message)") }, depth: depth,
        times: operation.timestamps, phases: LifeSpan.steps(of: operation, in: history),
        attempts: operation.attempts, bytes: operation.networkMetrics?.bytesReceived,
        status: operation.networkMetrics?.statusCode,
        dependencies: operation.upstream.map { ($0.operation.id, $0.policy) })
    }
    let last = history.last(of: jobs.operations.all.lazy.map(\.id))
    self.init(
      rows: rows, clock: run.clock, now: now, path: last.map(history.criticalPath) ?? [])
  }

  /// Creates a session of given operations.
  init(
    rows: [Row], clock: SessionClock, now: ContinuousClock.Instant,
    path: [LifeAccount.PathStep] = []
  ) {
    (self.rows, self.clock, self.now, self.path) = (rows, clock, now, path)
    labels = OperationLabels(named: rows.lazy.map { ($0.id, $0.name) })
  }

  /// The name of an operation, with its number where another one has the same name.
  ///
  /// - Parameters:
  ///   - row: The operation.
  ///   - columns: The greatest width; nil for no limit.
  /// - Returns: The name, with control characters made visible.
  func label(of row: Row, columns: Int? = nil) -> String {
    labels.label(of: row.id, named: row.name, columns: columns)
  }

  /// Seconds since the start of the session.
  func seconds(_ instant: ContinuousClock.Instant) -> Double {
    clock.number(clock.elapsed(instant))
  }

  /// The rows by number.
  var rowsByID: [Int: Row] { Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) }) }
}
