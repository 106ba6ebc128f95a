import OpshLocking
public import Operations

/// What a request does at the moment.
public enum RequestPhase: Sendable, Equatable {
  /// It has not been sent: the cache is read, or the body is prepared.
  case preparing
  /// The transport makes as many other requests as it can at once.
  case queued
  /// It has joined the request of another operation, and has no response yet.
  case joined(OperationIdentity)
  /// The body of the request is sent; how much of it the system has taken.
  case sending(RequestTimeout.Sent)
  /// No byte of the response has come: it connects, or the server works on the response.
  case waiting
  /// The body of the response is received.
  case receiving
  /// The response is complete, and its data become the value.
  case handling
}

extension NetworkOperation {
  /// What the latest transfer does at the moment; nil if the operation does not execute, and after an
  /// attempt that failed.
  public var requestPhase: RequestPhase? {
    guard state == .executing else { return nil }
    return requestState.withLock { requestState in
      guard let attempt = requestState.attempts.kept.last else { return .preparing }
      guard attempt.error == nil else { return nil }
      if attempt.ended != nil || requestState.timings != nil { return .handling }
      if requestState.isFollower, let leader = requestState.sharing?.leader {
        return .joined(leader)
      }
      if requestState.head != nil { return .receiving }
      if requestState.isWaiting { return .queued }
      if let sent = requestState.task?.bytesSent, !sent.isWhole { return .sending(sent) }
      return .waiting
    }
  }
}
