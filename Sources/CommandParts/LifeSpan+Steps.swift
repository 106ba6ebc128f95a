import OpshNetworking
package import Operations

extension LifeSpan {
  /// What is less is the nothing that handing an operation over takes: changes of one instant have
  /// times a nanosecond apart.
  package static let shortest = Duration.microseconds(1)

  /// Whether it is more than that.
  package var takesTime: Bool { duration >= Self.shortest }

  /// The spans of an operation, in order and without gaps, with the work of a request divided into the
  /// steps of its transfers.
  package static func steps(of operation: ObservableOperation, in account: LifeAccount)
    -> [LifeSpan]
  {
    steps(of: operation, in: account.spans(of: operation.id))
  }

  /// Divides the work among some spans of an operation into the steps of its transfers.
  ///
  /// - Parameters:
  ///   - operation: The operation; nil for one that is gone, whose work is not divided.
  ///   - spans: The spans.
  /// - Returns: The spans and steps.
  package static func steps(of operation: ObservableOperation?, in spans: [LifeSpan]) -> [LifeSpan]
  {
    let transfers = operation?.networkMetrics?.transfers ?? []
    guard !transfers.isEmpty else { return spans }
    return spans.flatMap { $0.cause == .work ? $0.steps(of: transfers) : [$0] }
  }

  /// The steps of the transfers in a span of work, and what the operation does between them.
  private func steps(of transfers: [RequestTransfer]) -> [LifeSpan] {
    var steps: [LifeSpan] = []
    var position = start
    func add(_ cause: Cause, until time: ContinuousClock.Instant) {
      let end = min(end, time)
      guard end > position else { return }
      steps.append(LifeSpan(cause: cause, start: position, end: end))
      position = end
    }
    for (transfer, next) in zip(transfers, transfers.dropFirst().map(Optional.init) + [nil])
    where transfer.start < end && next?.start ?? end > start {
      let timings = transfer.timings
      let begin = transfer.start + timings.waited
      add(.work, until: transfer.start)
      add(.requestQueued, until: begin)
      add(.lookup, until: begin + timings.lookup)
      add(.connect, until: begin + timings.connect)
      if let tls = timings.tls { add(.tls, until: begin + tls) }
      if let sent = timings.sent { add(.sending, until: begin + sent) }
      add(.firstByte, until: begin + (timings.firstByte ?? timings.total))
      add(.receiving, until: begin + timings.total)
    }
    add(.work, until: end)
    return steps
  }
}
