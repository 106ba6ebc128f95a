import OpshLocking
public import Operations

extension NetworkOperation {
  /// Hands a request to the transport, or joins an equal one that is in flight.
  ///
  /// - Parameters:
  ///   - request: The request with all options applied.
  ///   - collector: What receives the response.
  /// - Returns: The running request.
  func send(
    _ request: HTTPRequest, to collector: ResponseCollector
  ) -> any TransportTask {
    // What goes to a file pauses and resumes the transfer as the file does.
    guard let coalescer = options.coalescer, RequestCoalescer.accepts(request), outputFile == nil
    else { return transport.start(request, delegate: collector) }
    let operation = outer ?? self
    let member = SharedTransfer.Member(
      operation: operation.identity, engine: engine, delegate: collector
    ) { [self] former, received in
      takeOver(from: former, received: received)
    }
    let place = coalescer.place(
      member, of: request, joins: options.isCoalesced || operation.isOnCoalescingQueue)
    guard let leader = place.leader else { return place.transfer.begin(transport) }
    requestState.withLock { requestState in
      requestState.sharing = RequestSharing(leader: leader)
      requestState.joined = leader
      requestState.attempts.noteJoined(leader, in: requestState.attempt)
    }
    noteProgress(reason: "joins \(leader.name): the same request is under way")
    return place.transfer.release(place.number)
  }

  /// Counts what comes from now on, because the operation that sent the request has left it.
  private func takeOver(from former: OperationIdentity, received: Int) {
    let isWanted = requestState.withLock { requestState in
      requestState.sharing = RequestSharing(leader: former, foreignBytes: received)
      return !requestState.hasEnded
    }
    if isWanted { noteProgress(reason: "takes over the request of \(former.name)") }
  }

  /// The operation whose request it joined last; nil if it has sent its requests itself.
  public var joinedOperation: OperationIdentity? { requestState.withLock { $0.joined } }
}

extension ObservableOperation {
  /// Whether its queue, or that of a group around it, coalesces requests.
  fileprivate var isOnCoalescingQueue: Bool {
    sequence(first: self, next: { $0.group }).contains { $0.queue?.coalescesRequests == true }
  }
}
