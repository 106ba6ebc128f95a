import CommandParts
import OpshNetworking
import Operations
import ShellOutput
import ShellSession
import OpshSupport
import OpshTerminal

/// Reads what `watch` shows from the jobs of a session.
struct WatchReader {
  /// Over which time the rate of a queue is counted.
  private static let rateSpan = Duration.seconds(2)

  private let jobs: Jobs
  private let secrets: SecretMask
  private let isASCII: Bool
  private var rates: [Int: [(time: ContinuousClock.Instant, finished: Int)]] = [:]
  /// What the operations wait for, as of the last look at the queues.
  private var blockers = FirstBlockers()

  init(_ jobs: Jobs, on screen: Screen) {
    self.jobs = jobs
    secrets = screen.secrets
    isASCII = screen.output.isASCII
  }

  /// Text from anywhere, fit for the screen.
  private func shown(_ text: String) -> String {
    // A name of a megabyte is not worth measuring.
    let text = VisibleText.escape(secrets.mask(String(text.prefix(400))))
    return isASCII ? ASCIIText.replacing(text) : text
  }

  // MARK: Queues

  /// The queues to show: those of the session that have been used or are in use, and those of groups.
  mutating func queues(_ operations: WatchedOperations) -> [WatchModel.Queue] {
    blockers = FirstBlockers()
    let now = jobs.clock.now
    let inUse = jobs.queues.inUse
    var rows: [WatchModel.Queue] = []
    var kept: Set<Int> = []
    for queue in jobs.allQueues {
      let snapshot = queue.snapshot
      let waiting = snapshot.pending + snapshot.ready
      let isUsed = waiting + snapshot.executing + snapshot.finished > 0
      guard isUsed || queue === inUse || snapshot.isSuspended else { continue }
      kept.insert(queue.id)
      rows.append(
        WatchModel.Queue(
          id: queue.id, name: shown(snapshot.name), width: snapshot.width,
          isPaused: snapshot.isSuspended,
          hasEnded: QueueText.hasEnded(queue), isInUse: queue === inUse, pace: queue.pace,
          rate: rate(of: queue.id, finished: snapshot.finished, at: now),
          executing: snapshot.executing, ready: snapshot.ready, pending: snapshot.pending,
          finished: snapshot.finished))
    }
    rates = rates.filter { kept.contains($0.key) }
    let waiting = Set(rows.filter { $0.pending + $0.ready > 0 }.map(\.id))
    let first = operations.firstWaiting(on: waiting)
    for index in rows.indices {
      rows[index].oldestWait = first[rows[index].id]?.timestamps.pending.map { now - $0 }
    }
    return rows
  }

  private mutating func rate(
    of queue: Int, finished: Int, at now: ContinuousClock.Instant
  ) -> Double {
    var samples = rates[queue] ?? []
    samples.append((now, finished))
    while samples.count > 2, samples[1].time < now - Self.rateSpan { samples.removeFirst() }
    rates[queue] = samples
    let span = (now - samples[0].time).seconds
    return span < 0.3 ? 0 : Double(finished - samples[0].finished) / span
  }

  // MARK: Operations

  /// Reads what a row shows.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - place: Its place in the line of its queue.
  /// - Returns: The row.
  mutating func item(for operation: ObservableOperation, place: Int?) -> WatchModel.Item {
    let state = operation.state
    let times = operation.timestamps
    let now = jobs.clock.now
    var item = WatchModel.Item(
      id: operation.id, name: shown(operation.displayName), kind: shown(operation.kind),
      queue: shown(operation.queueName ?? ""), state: state, outcome: operation.outcome,
      isCancelled: operation.isCancelled, priority: operation.queuePriority.shellName,
      attempts: operation.attempts, place: state == .finished ? nil : place)
    switch state {
    case .created: break
    case .pending, .ready: item.time = times.pending.map { now - $0 }
    case .executing:
      item.time = times.executing.map { now - $0 }
      (item.fraction, item.amount) = progress(of: operation, for: item.time ?? .zero)
    case .finished:
      let start = times.executing ?? times.finished
      item.time = start.flatMap { start in times.finished.map { $0 - start } }
    }
    guard state != .finished else {
      item.cause = shown(OperationTable.outcome(of: operation).plain)
      return item
    }
    let blocker = WhyReason.first(of: operation, &blockers, in: jobs)
    let present = blocker?.words ?? operation.phase?.description
    let words = [operation.isCancelled ? "cancelled" : nil, present]
    item.cause = shown(words.compactMap { $0 }.joined(separator: "; "))
    item.causeStyle = blocker?.cause.look.style ?? .plain
    return item
  }

  /// How far an executing operation is: of a transfer by its bytes, of a delay by its time.
  private func progress(
    of operation: ObservableOperation, for time: Duration
  ) -> (fraction: Double?, amount: String) {
    if let metrics = operation.networkMetrics {
      let bytes = metrics.bytesReceived
      guard bytes > 0 else { return (nil, "") }
      let fraction = metrics.bytesExpected.flatMap { $0 > 0 ? Double(bytes) / Double($0) : nil }
      return (fraction.map { min(1, max(0, $0)) }, ByteCount(bytes).description)
    }
    if let fraction = operation.progress { return (fraction, "") }
    if let delay = operation as? DelayOperation, delay.duration > .zero {
      return (min(1, max(0, time / delay.duration)), "")
    }
    if let group = operation as? GroupOperation {
      let snapshot = group.innerQueue.snapshot
      let all = snapshot.pending + snapshot.ready + snapshot.executing + snapshot.finished
      return (all > 0 ? Double(snapshot.finished) / Double(all) : nil, "")
    }
    return (nil, "")
  }
}
