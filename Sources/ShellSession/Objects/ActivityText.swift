import OpshLocking
import OpshNetworking
package import Operations
import OpshProcesses
import OpshSupport

/// What an executing operation does at the moment, in words.
package enum ActivityText {
  /// How long it has been executing, which attempt it is in, and what it does.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - jobs: The jobs that it is one of.
  ///   - secrets: What masks secrets in the statement of its body.
  /// - Returns: Such as `has been executing for 1.2 s: attempt 2 of 3, waiting for the first byte of
  ///   the response`.
  package static func sentence(
    of operation: ObservableOperation, in jobs: Jobs, masking secrets: SecretMask
  ) -> String {
    let engine = operation.engine
    let time = max(.zero, engine.now - (operation.timestamps.executing ?? engine.now))
    let details = [attempt(of: operation), text(of: operation, in: jobs, masking: secrets)]
      .compactMap { $0 }
    return "has been executing for \(DurationText(time))"
      + (details.isEmpty ? "" : ": " + details.joined(separator: ", "))
  }

  /// What it does; nil if no more is known than that it executes.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - jobs: The jobs that it is one of.
  ///   - secrets: What masks secrets in the statement of its body.
  /// - Returns: Words without a subject, or with the part of the operation as the subject.
  package static func text(
    of operation: ObservableOperation, in jobs: Jobs, masking secrets: SecretMask
  ) -> String? {
    guard operation.state == .executing else { return nil }
    if let recorded = operation.actual as? RecordedOperation,
      operation.engine.now >= recorded.engine.now
    {
      return recorded.activity
    }
    if let phase = operation.slowedPhase?.rawValue {
      return "'slow \(phase)' keeps it at that phase; 'slow \(phase) off' or "
        + "'resume \(operation.displayName)' ends that"
    }
    if let request = operation.networkMetrics { return text(of: request) }
    switch operation.actual {
    case let group as GroupOperation:
      // In this order, so that one that finishes meanwhile is not counted twice.
      let finished = group.summary.finished
      let count = finished + group.operations.count
      return "\(finished) of \(count) \(count == 1 ? "operation" : "operations") finished"
    case let delay as DelayOperation:
      // When a later attempt began is not kept.
      guard operation.attempts < 2, let started = operation.timestamps.executing else { return nil }
      let left = started + delay.duration - operation.engine.now
      return "\(DurationText(max(.zero, left))) left"
    // How much it had printed earlier is not kept.
    case let process as ProcessOperation where process !== operation: return nil
    case let process as ProcessOperation:
      return "its program has printed \(ByteCount(process.outputCount))"
    case let blocking as BlockingOperation where blocking.thread == nil:
      return "its body waits for a thread"
    case _ where operation.phase != nil: return operation.phase?.description
    default:
      return jobs.bodies.place(of: operation.id).map {
        "its body runs " + $0.text(masking: secrets)
      }
    }
  }

  /// Which attempt an operation is in; nil if there is only one.
  private static func attempt(of operation: ObservableOperation) -> String? {
    guard let limit = operation.attemptLimit, limit > 1 else {
      return operation.attempts > 1 ? "attempt \(operation.attempts)" : nil
    }
    return "attempt \(max(1, operation.attempts)) of \(limit)"
  }

  private static func text(of request: any NetworkOperationMetrics) -> String? {
    switch request.requestPhase {
    case nil: nil
    case .preparing: "preparing the request"
    case .queued:
      "waiting to be sent: \(CurlTransport.Configuration().maximumConcurrentTransfers) others are "
        + "under way"
    case .sending(let sent):
      "sending the body, \(ByteCount(sent.bytes)) of \(ByteCount(sent.total))"
    case .joined(let leader): "waiting for the response to \(leader.name), whose request it joined"
    case .waiting: "waiting for the first byte of the response"
    // How much had come earlier is not kept.
    case .receiving where request is PastRequest: "receiving the body"
    case .receiving: "receiving the body, \(RequestFacts.received(request))"
    case .handling: "the response is complete and becomes its value"
    }
  }
}

extension ObservableOperation {
  /// How many attempts are made at most; nil for any number.
  ///
  /// A group is never retried: its policy is that of its operations.
  package var attemptLimit: Int? {
    if self is GroupOperation { return 1 }
    let (limit, overflow) = max(0, retryPolicy?.limit ?? 0).addingReportingOverflow(1)
    return overflow ? nil : limit
  }
}
