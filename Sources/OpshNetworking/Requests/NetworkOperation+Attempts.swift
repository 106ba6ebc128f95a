import Foundation
import OpshLocking
import Operations
import OpshSupport

/// The threads that decode responses and finish operations, so that neither decoding nor a
/// completion handler delays the transport's thread.
let callbackPool = CallbackPool()

extension NetworkOperation {
  /// Sends an attempt, after the backoff that the service may have requested.
  func beginAttempt() {
    if let pacing {
      let now = engine.now
      if let asked = pacing.pacer.pause(of: pacing.method, now: now) {
        let cause = asked.cause ?? "the service asked for it"
        let pause = DurationText(asked.end - now).description
        requestState.withLock { $0.hostPause = .init(end: asked.end, cause: cause) }
        self.pause(
          for: asked.end - now, reason: "pauses \(pause) before the request: \(cause)"
        ) { [weak self] in
          self?.noteProgress(reason: "paused \(pause), the request follows")
          self?.beginAttempt()
        }
        return
      }
    }
    let request: HTTPRequest
    do throws(NetworkError) {
      request = adjusted(conditional(try preparedRequest()))
    } catch {
      return conclude(.failure(error))
    }
    let (attempt, started) = (attempts, engine.now)
    let begun = requestState.withLock { requestState -> Int? in
      guard !requestState.hasEnded else { return nil }
      requestState.transfer += 1
      requestState.isTransferring = true
      requestState.attempt = attempt
      requestState.attemptStarted = started
      requestState.attempts.begin(attempt, at: started)
      requestState.task = nil
      requestState.sent = Shared(request)
      requestState.hostPause = nil
      requestState.head = nil
      requestState.refusalBody = []
      requestState.bytesReceived = 0
      requestState.timings = nil
      requestState.announcedProgress = -1
      requestState.mustResume = false
      requestState.resumedAt = nil
      requestState.sharing = nil
      return requestState.transfer
    }
    guard let number = begun else { return }
    let task = send(request, to: makeCollector(attempt: attempt))
    let (isTooLate, mustResume) = requestState.withLock { requestState in
      // The completion may have happened already, and the next transfer may have started.
      if requestState.transfer == number { requestState.task = task }
      defer { requestState.mustResume = false }
      return (requestState.hasEnded, requestState.mustResume)
    }
    if isTooLate { task.cancel() } else if mustResume { task.resume() }
  }

  /// The request with the options applied.
  func preparedRequest() throws(NetworkError) -> HTTPRequest {
    var request = request
    // Most requests have no headers of their own: they all share one list.
    if request.headers.isEmpty, options.headers.isEmpty, options.userAgent == nil {
      request.headers = .ours
    } else {
      try addHeaders(to: &request)
    }
    // A time limit of 0 expires at once.
    if isOverTime { throw timedOut(.total, timeLimit ?? .zero) }
    request.sharedTransfer = sharedTransfer
    let (connect, idle) = (request.transfer.connectTimeout, request.transfer.idleTimeout)
    if let connect, connect <= .zero { throw timedOut(.connect, connect) }
    if let idle, idle <= .zero { throw timedOut(.idle, idle) }
    try request.addCredentials(now: engine.date)
    return request
  }

  /// The error of a time limit, with what has been sent and has come by now.
  func timedOut(_ phase: RequestTimeout.Phase, _ limit: Duration) -> NetworkError {
    let (received, sent) = requestState.withLock { ($0.bytesReceived, $0.bytesSent) }
    return .timedOut(
      RequestTimeout(phase, limit: limit, bytesReceived: received, bytesSent: sent))
  }

  /// Adds the headers of the options, and the default ones, to a request.
  private func addHeaders(to request: inout HTTPRequest) throws(NetworkError) {
    request.headers.reserveCapacity(options.headers.fields.count + 4)
    var replaced: Set<String> = []
    for field in options.headers.fields {
      // Replaces headers of the request, but keeps duplicates within the options.
      if replaced.insert(field.name.lowercased()).inserted {
        try request.headers.set(field.name, field.value)
      } else {
        try request.headers.append(field.name, field.value)
      }
    }
    if let userAgent = options.userAgent {
      try request.headers.set("User-Agent", userAgent)
    } else if request.headers["User-Agent"] == nil {
      request.headers.append(.ourAgent)
    }
    if request.headers["Accept-Encoding"] == nil {
      // A range is one of the encoded bytes (RFC 9110, 14.1.2), and part of a compressed body
      // cannot be expanded.
      request.headers.append(request.headers["Range"] == nil ? .ourEncodings : .noEncoding)
    }
  }

  /// The options of the operation, with those that the request has of its own.
  var transfer: TransferOptions { sharedTransfer.value }

  private var sharedTransfer: Shared<TransferOptions> {
    options.sharedTransfer.merged(with: request.sharedTransfer)
  }

  private func makeCollector(attempt number: Int) -> ResponseCollector {
    ResponseCollector(
      acceptableStatus: acceptableStatus, infersCompression: infersCompression,
      expandsBody: expandsBody, gathersBody: gathersBody,
      limit: sharedTransfer.value.maximumBodySize, transport: transport, engine: engine,
      handlers: ResponseCollector.Handlers(
        head: { [self] head in
          let hasEnded = requestState.withLock { requestState in
            requestState.head = head
            return requestState.hasEnded
          }
          guard !hasEnded else { return .stop }
          let disposition = decide(on: head)
          guard disposition != .stop, !passes(.headers) else { return disposition }
          return .pause
        },
        progress: { [self] received, expected in
          let (isFirst, hasEnded, fraction, handlers) = requestState.withLock { requestState in
            (
              requestState.bytesReceived == 0, requestState.hasEnded,
              requestState.note(received: received, expected: expected),
              requestState.receiveHandlers
            )
          }
          if !hasEnded, let fraction { progress = fraction }
          for handler in handlers.values { handler() }
          guard !hasEnded else { return .stop }
          return isFirst && !passes(.body) ? .pause : .proceed
        },
        piece: { [self] piece in receive(piece) },
        exchange: { [self] exchange in
          requestState.withLock { $0.attempts.add(exchange, to: number) }
        },
        end: { [self] result, collector in
          whenPassed { [self] in
            withExtendedLifetime(collector) { attemptEnded(result.map(collector.completed)) }
          }
        }))
  }

  private func attemptEnded(_ result: Result<HTTPResponse, NetworkError>) {
    requestState.withLock { $0.isTransferring = false }
    guard !hasEndedElsewhere() else { return }
    switch result {
    case .failure(let error):
      let head = requestState.withLock { $0.head }
      reportAttempt(end: .failed(error, status: head?.status))
      endAttempt(with: error)
      // Those of a redirect, or of a head whose body was lost.
      _ = saveCookies()
      settle(.failure(error), head)
    case .success(let response):
      if let failure = saveCookies() {
        endAttempt(with: failure)
        return conclude(.failure(failure))
      }
      requestState.withLock { requestState in
        requestState.timings = requestState.ownTimings(response.timings, now: engine.now)
        requestState.bytesReceived = response.bytesReceived
      }
      if response.head.status == 304, revalidate(by: response.head) { return }
      if mustRepeat(after: response.head) { return beginAttempt() }
      if acceptableStatus.contains(response.head.status) {
        let goesOn = passesLastPhase { [self] in
          if !hasEndedElsewhere() { responseCame(response) }
        }
        if !goesOn { return }
      }
      responseCame(response)
    }
  }

  /// Whether the end was already determined elsewhere; the data so far may be incomplete and is
  /// discarded.
  private func hasEndedElsewhere() -> Bool {
    guard requestState.withLock({ $0.hasEnded }) else { return false }
    let isLate = isOverTime
    reportAttempt(
      end: isLate ? .failed(timedOut(.total, timeLimit ?? .zero), status: nil) : .cancelled)
    return true
  }

  /// Turns a whole response into the value or the error, and ends the attempt.
  private func responseCame(_ response: HTTPResponse) {
    let outcome = evaluate(response)
    var error: (any Error)?
    if case .failure(let failure) = outcome { error = failure }
    reportAttempt(
      end: (error as? NetworkError).map { .failed($0, status: response.head.status) }
        ?? .succeeded)
    endAttempt(with: error)
    if error == nil, keep(response, then: outcome) { return }
    let isRefusal = !acceptableStatus.contains(response.head.status)
    settle(outcome, response.head, refusal: isRefusal ? response : nil)
  }

  /// Ends the operation after an attempt, unless another one follows.
  private func settle(
    _ result: Result<Value, any Error>, _ head: HTTPResponseHead?, refusal: HTTPResponse? = nil
  ) {
    var outcome = result
    if case .failure(let error as NetworkError) = outcome {
      if retry(after: error) != .final { return }
      if let value = staleValue(for: error, head: head) {
        outcome = .success(value)
      } else if let refusal, keep(refusal, then: outcome) {
        return
      }
    }
    transferDidEnd()
    _ = requestState.withLock { $0.end() }
    finishLendingThread(outcome)
  }

  /// Notes how the attempt ended; without an error it was a success.
  func endAttempt(with error: (any Error)? = nil) {
    let error = error as? any CodedError
    requestState.withLock { requestState in
      requestState.attempts.end(requestState.attempt, at: engine.now, error)
    }
  }

  /// Writes the cookies that responses have set; returns the error if the file cannot be written.
  private func saveCookies() -> (any Error)? {
    do {
      try sharedTransfer.value.cookies?.save(now: engine.date)
      return nil
    } catch {
      return error
    }
  }

  private func evaluate(_ response: HTTPResponse) -> Result<Value, any Error> {
    guard acceptableStatus.contains(response.head.status) else {
      handleRefusal(response.head)
      return .failure(refusal(response))
    }
    guard !requiresBody || !response.body.isEmpty else {
      return .failure(NetworkError.missingData)
    }
    do {
      let value = try decode(response)
      handleMetadata(of: value)
      var summary = describe(value).map { $0 + ", " } ?? ""
      let (amount, time) = requestState.withLock { ($0.amountText, $0.timings?.total) }
      summary += amount
      summary += ", "
      summary += DurationText(time ?? response.timings.total).description
      requestState.withLock { requestState in
        requestState.itemCount = countItems(in: value)
        requestState.summary = summary
      }
      return .success(value)
    } catch let error as any CodedError {
      return .failure(error)
    } catch {
      return .failure(NetworkError.serialization(printable("\(error)")))
    }
  }

  /// Records the body of a response with a status that is not acceptable, and returns the error.
  func refusal(_ response: HTTPResponse) -> any Error {
    requestState.withLock { requestState in
      requestState.refusalBody = response.body
      requestState.isRefusalTruncated = response.isTruncated
    }
    if let proxy = response.head.refusingProxy {
      return NetworkError.proxy(proxy, .invalidStatusCode(response.head.status))
    }
    return failure(for: response)
  }

  /// Records the backoff that an error response requests, unless it is longer than the maximum.
  private func handleRefusal(_ head: HTTPResponseHead) {
    guard head.status >= 400, let pause = RetryAdvice.retryAfter(in: head, now: engine.date),
      pause <= retryPolicy?.longestBackoff ?? RetryPolicy.standardLongestBackoff
    else { return }
    pauseHost(for: pause, what: "Retry-After")
  }

  /// Has all requests to the same method wait, because this operation's response asks for it.
  func pauseHost(for pause: Duration, what: String) {
    // Of one response one operation tells.
    guard let pacing, pause > .zero, !requestState.withLock({ $0.isFollower }) else { return }
    let (source, length) = (outer ?? self, DurationText(pause))
    let identity = source.identity
    source.noteHostPause(of: pacing.method, for: pause)
    pacing.pacer.pause(
      pacing.method, for: pause, now: engine.now,
      cause: "\(what) of \(length) in the answer to '\(identity.name)' (\(identity.id))")
  }

  /// Finishes the operation on a thread that its completion handler may block.
  func conclude(_ result: Result<Value, any Error>) {
    _ = requestState.withLock { $0.end() }
    callbackPool.perform(for: engine) {
      self.transferDidEnd()
      self.finishLendingThread(result)
    }
  }
}

extension NetworkOperation {
  /// The address with every secret masked.
  public var requestURL: String { request.maskedURL }

  /// The method of the request.
  public var method: String { request.method }

  /// The headers that are sent, from the request or the options; secrets are masked.
  public var sentHeaders: [(name: String, value: String)] {
    let replaced = Set(options.headers.fields.map { $0.name.lowercased() })
    let kept = request.headers.fields.filter { !replaced.contains($0.name.lowercased()) }
    let agent = options.userAgent.map { [(name: "User-Agent", value: $0)] } ?? []
    return (kept + options.headers.fields).map { ($0.name, $0.shownValue) } + agent
  }

  /// The credentials that are sent, which must be masked in all output.
  public var credentials: [String] {
    let shared = sharedTransfer
    let others =
      (shared.value.authentication?.secrets ?? []) + (shared.value.cookies?.secrets ?? [])
    // Every client of the practice server has that one.
    return request.credentials(adding: options.headers)
      + others.filter { $0 != ParseCredentials.practice.key }
  }

  /// The status, the headers and the address of the response, once they have arrived.
  public var responseHead: HTTPResponseHead? { requestState.withLock { $0.head } }

  /// The status of the response, once its head has arrived.
  public var statusCode: Int? { requestState.withLock { $0.head?.status } }

  /// The number of bytes kept of the head of the response.
  public var headSize: Int {
    let (head, attempts) = requestState.withLock { ($0.head, $0.attempts.size) }
    return attempts + (head.map { $0.headers.size + $0.url.utf8.count } ?? 0)
  }

  /// The response, if the operation failed because of its status; nil after
  /// ``ObservableOperation/dropValue()`` has dropped it.
  public var refusal: HTTPResponse? {
    guard !isValueDropped, case .failure? = result else { return nil }
    return requestState.withLock { requestState in
      guard let head = requestState.head, !acceptableStatus.contains(head.status) else {
        return nil
      }
      var response = HTTPResponse(
        head: head, body: requestState.refusalBody,
        timings: requestState.timings ?? TransferTimings(),
        bytesReceived: requestState.bytesReceived)
      response.isTruncated = requestState.isRefusalTruncated
      return response
    }
  }

  /// The bytes of the body as they were on the wire, of the latest attempt.
  public var bytesReceived: Int { requestState.withLock { $0.ownBytes } }

  /// The file that the body of the response goes to; nil if the operation keeps it.
  public var outputPath: String? { outputFile }

  /// The position in the file at which the latest transfer resumed an earlier one; nil if it
  /// began at the start.
  public var resumedAt: Int? { requestState.withLock { $0.resumedAt } }

  /// Adds a handler that is called after each receipt of bytes.
  ///
  /// - Parameter handler: The handler, called on the transport's thread.
  /// - Returns: A number to remove it by.
  public func addReceiveHandler(_ handler: @escaping @Sendable () -> Void) -> Int {
    requestState.withLock { requestState in
      requestState.receiveHandlerCount += 1
      requestState.receiveHandlers[requestState.receiveHandlerCount] = handler
      return requestState.receiveHandlerCount
    }
  }

  /// Removes a handler; a call in progress may still end.
  ///
  /// - Parameter number: The number that `addReceiveHandler` returned.
  public func removeReceiveHandler(_ number: Int) {
    // The handler's captures are released outside the lock.
    _ = requestState.withLock { $0.receiveHandlers.removeValue(forKey: number) }
  }

  /// The length of the body according to the server, in the latest attempt.
  public var bytesExpected: Int? { requestState.withLock { $0.head?.contentLength } }

  /// The address that answered, with every secret masked, if there were redirects.
  public var redirectedURL: String? {
    guard let url = requestState.withLock({ $0.head?.url }), url != request.url else { return nil }
    return HTTPRequest.masked(url)
  }

  /// The number of items in the value.
  public var itemCount: Int? { requestState.withLock { $0.itemCount } }

  /// The times of the latest transfer's phases; nil before it has ended.
  public var timings: TransferTimings? { requestState.withLock { $0.timings } }

  /// The backoff that the service requested, while the operation waits for its end.
  public var hostPause: RequestPacer.Pause? { requestState.withLock { $0.hostPause } }

  /// The bytes of the body per second of the transfer; nil before there are any.
  public var bytesPerSecond: Double? {
    let readySince = transport.readySince
    return requestState.withLock { requestState in
      guard requestState.ownBytes > 0 else { return nil }
      let time =
        requestState.timings?.total ?? requestState.attemptStarted.map {
          engine.now - max($0, readySince ?? $0)
        } ?? .zero
      return time > .zero ? Double(requestState.ownBytes) / (time / .seconds(1)) : nil
    }
  }
}
