import Operations

/// A queue whose slots are all held by requests that pause because a server asked for it.
struct RateLimit {
  private let queue: InspectableQueue
  private let holders: [ObservableOperation]

  /// Looks at a reason why an operation gets no slot; nil where a holder of a slot does not pause so.
  init?(holding reason: WaitReason) {
    guard reason.code == .queueFull, let queue = reason.queue, !reason.operations.isEmpty,
      reason.operations.allSatisfy(Self.isLimited)
    else { return nil }
    (self.queue, holders) = (queue, reason.operations)
  }

  private static func isLimited(_ operation: ObservableOperation) -> Bool {
    switch operation.waitReasons().first?.code {
    case .hostPause: true
    case .backoff:
      operation.attemptPause.map {
        $0.code.contains(RetryDecision.requestedPauseNote)
          || $0.code.hasPrefix("invalid-status-code(429)")
      } ?? false
    default: false
    }
  }

  /// What holds the slots.
  var text: String {
    let slots = holders.count == 1 ? "the slot" : "all \(holders.count) slots"
    return "\(slots) of queue '\(queue.name)' pause for a rate limit of the server: "
      + OperationList.names(holders)
  }

  /// More slots would only bring more refusals; nil for a queue that adapts already.
  func cure(in jobs: Jobs) -> String? {
    jobs.adapting.state(of: queue) == nil ? "queue width \(queue.name) auto" : nil
  }
}
