import Networking
import Operations

/// A stretch of an operation's life as `blame` shows it: with the work of a request told apart into
/// the phases of its transfer.
struct LifePhase: Equatable {
  let kind: Cause
  let start: ContinuousClock.Instant
  let end: ContinuousClock.Instant
  /// The number of the operation that the time is owed to, if it is one.
  let culprit: Int?

  var duration: Duration { end - start }

  /// The phases of an operation, in order and without gaps.
  ///
  /// - Parameters:
  ///   - operation: The operation; a request has separate phases for each transfer.
  ///   - history: The lives of all operations.
  /// - Returns: The phases.
  static func phases(of operation: ObservableOperation, in history: LifeAccount) -> [LifePhase] {
    phases(of: operation, in: history.spans(of: operation.id))
  }

  /// The phases of some stretches of an operation's life.
  ///
  /// - Parameters:
  ///   - operation: The operation; nil for one that is gone, whose work is one phase.
  ///   - spans: The stretches.
  /// - Returns: The phases.
  static func phases(of operation: ObservableOperation?, in spans: [LifeSpan]) -> [LifePhase] {
    let transfers = operation?.networkMetrics?.transfers ?? []
    guard !transfers.isEmpty else { return spans.map(LifePhase.init) }
    return spans.flatMap { span in
      span.cause == .work ? LifePhase.phases(of: span, transfers) : [LifePhase(span)]
    }
  }

  private init(_ span: LifeSpan) {
    (kind, start, end) = (span.cause, span.start, span.end)
    culprit = span.culprit
  }

  private init(_ kind: Cause, from start: ContinuousClock.Instant, to end: ContinuousClock.Instant)
  {
    (self.kind, self.start, self.end, culprit) = (kind, start, end, nil)
  }

  /// The phases of the transfers in a stretch of work, and what the operation does between them.
  private static func phases(of span: LifeSpan, _ transfers: [RequestTransfer]) -> [LifePhase] {
    var phases: [LifePhase] = []
    var position = span.start
    func add(_ kind: Cause, until time: ContinuousClock.Instant) {
      let end = min(span.end, time)
      guard end > position else { return }
      phases.append(LifePhase(kind, from: position, to: end))
      position = end
    }
    for (transfer, next) in zip(transfers, transfers.dropFirst().map(Optional.init) + [nil])
    where transfer.start < span.end && next?.start ?? span.end > span.start {
      let timings = transfer.timings
      let start = transfer.start + timings.waited
      add(.work, until: transfer.start)
      add(.requestQueued, until: start)
      add(.lookup, until: start + timings.lookup)
      add(.connect, until: start + timings.connect)
      if let tls = timings.tls { add(.tls, until: start + tls) }
      if let sent = timings.sent { add(.sending, until: start + sent) }
      add(.firstByte, until: start + (timings.firstByte ?? timings.total))
      add(.receiving, until: start + timings.total)
    }
    add(.work, until: span.end)
    return phases
  }
}
