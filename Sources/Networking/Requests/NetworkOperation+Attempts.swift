import Foundation
import Locking
import Operations

/// Where responses are decoded and operations finished, so that neither decoding nor a completion
/// handler holds up the transport's thread.
private let responders = Responders()

extension NetworkOperation {
  /// Sends an attempt, after the pause that the service may have asked everybody for.
  func beginAttempt(_ number: Int) {
    if let pacing {
      let now = log.now
      if let asked = pacing.pacer.pause(of: pacing.method, now: now) {
        if let deadline = flight.withLock({ $0.deadline }), deadline <= log.now {
          return conclude(.failure(NetworkError.timedOut))
        }
        let cause = asked.cause ?? "the service asked for it"
        let pause = asked.end - now
        let text = DurationText(pause).description
        resume(
          after: pause, reason: "\(cause), the request follows",
          logged: "pauses \(text) before the request: \(cause)"
        ) { operation in
          operation.tellProgress(reason: "paused \(text), the request follows")
          operation.beginAttempt(number)
        }
        return
      }
    }
    let request: HTTPRequest
    do throws(NetworkError) {
      request = conditional(try preparedRequest())
    } catch {
      return conclude(.failure(error))
    }
    let mayBegin = flight.withLock { flight in
      guard !flight.hasEnded else { return false }
      flight.attempt = number
      flight.attemptStarted = log.now
      flight.timer = nil
      flight.pauseReason = nil
      flight.pauseEnd = nil
      flight.head = nil
      flight.refusalBody = []
      flight.bytesReceived = 0
      flight.timings = nil
      flight.announcedProgress = -1
      flight.mustResume = false
      return true
    }
    guard mayBegin else { return }
    attemptWillBegin(number)
    let task = transport.start(request, delegate: makeCollector())
    let (isTooLate, mustResume) = flight.withLock { flight in
      // The completion may have come already, and a further attempt begun.
      if flight.attempt == number { flight.task = task }
      defer { flight.mustResume = false }
      return (flight.hasEnded, flight.mustResume)
    }
    if isTooLate { task.cancel() } else if mustResume { task.resume() }
  }

  /// The request with the options on top of it and the rest of the deadline in it.
  func preparedRequest() throws(NetworkError) -> HTTPRequest {
    var request = request
    // Most requests say nothing of their own: they all share one list.
    if request.headers.isEmpty, options.headers.isEmpty, options.userAgent == nil {
      request.headers = .ours
    } else {
      try addHeaders(to: &request)
    }
    // No time at all is over at once, as it is with the deadline.
    if let limit = options.connectTimeout, limit <= .zero { throw .timedOut }
    if let limit = options.idleTimeout, limit <= .zero { throw .timedOut }
    request.connectTimeout = options.connectTimeout
    request.idleTimeout = options.idleTimeout
    request.followsRedirects = request.followsRedirects && options.followsRedirects
    request.maximumBodySize = bodyLimit
    if let deadline = flight.withLock({ $0.deadline }) {
      let rest = deadline - log.now
      guard rest > .zero else { throw .timedOut }
      request.timeout = min(rest, request.timeout ?? rest)
    }
    return request
  }

  /// Puts the headers of the options, and ours, into a request.
  private func addHeaders(to request: inout HTTPRequest) throws(NetworkError) {
    request.headers.reserveCapacity(options.headers.fields.count + 4)
    var replaced: Set<String> = []
    for field in options.headers.fields {
      // Replaces what the request has, but keeps duplicates within the options.
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
    if request.headers["Accept-Encoding"] == nil { request.headers.append(.ourEncodings) }
  }

  /// The limit of the options, or that of the request where it has one of its own that is lower.
  private var bodyLimit: Int {
    request.maximumBodySize == HTTPRequest.usualMaximumBodySize
      ? options.maximumBodySize : min(request.maximumBodySize, options.maximumBodySize)
  }

  private func makeCollector() -> ResponseCollector {
    ResponseCollector(
      acceptableStatus: acceptableStatus, infersCompression: infersCompression,
      expandsBody: expandsBody, gathersBody: gathersBody,
      limit: bodyLimit,
      handlers: ResponseCollector.Handlers(
        head: { [self] head in
          let hasEnded = flight.withLock { flight in
            flight.head = head
            return flight.hasEnded
          }
          return hasEnded ? .stop : decide(on: head)
        },
        progress: { [self] received, expected in
          let (hasEnded, fraction, handlers) = flight.withLock { flight in
            (
              flight.hasEnded, flight.note(received: received, expected: expected),
              flight.receiveHandlers
            )
          }
          if !hasEnded, let fraction { progress = fraction }
          for handler in handlers.values { handler() }
          return !hasEnded
        },
        piece: { [self] piece in receive(piece) },
        end: { [self] result, collector in
          responders.perform(for: log) {
            withExtendedLifetime(collector) { self.attemptEnded(result) }
          }
        }))
  }

  private func attemptEnded(_ result: Result<HTTPResponse, NetworkError>) {
    // Whoever ended it meanwhile says how; what has come till then may be a part, and is no answer.
    guard !flight.withLock({ $0.hasEnded }) else { return }
    var outcome: Result<Value, any Error>
    var head: HTTPResponseHead?
    switch result {
    case .failure(let error):
      head = flight.withLock { $0.head }
      outcome = .failure(error)
    case .success(let response):
      head = response.head
      flight.withLock { flight in
        flight.timings = response.timings
        flight.bytesReceived = response.bytesReceived
      }
      if head?.status == 304, revalidate(by: response.head) { return }
      outcome = evaluate(response)
      if keep(response, then: outcome) { return }
    }
    if case .failure(let error as NetworkError) = outcome {
      if retry(after: error, head: head) { return }
      if let value = standIn(for: error, head: head) { outcome = .success(value) }
    }
    _ = flight.withLock { $0.end() }
    transferDidEnd()
    finishLendingThread(outcome)
  }

  private func evaluate(_ response: HTTPResponse) -> Result<Value, any Error> {
    guard acceptableStatus.contains(response.head.status) else {
      flight.withLock { flight in
        flight.refusalBody = response.body
        flight.isRefusalTruncated = response.isTruncated
      }
      heedRefusal(response.head)
      return .failure(failure(for: response))
    }
    guard !requiresBody || !response.body.isEmpty else {
      return .failure(NetworkError.missingData)
    }
    do {
      let value = try decode(response)
      heed(value)
      var summary = describe(value).map { $0 + ", " } ?? ""
      summary += ByteCount(response.bytesReceived).description
      summary += ", "
      summary += DurationText(response.timings.total).description
      flight.withLock { flight in
        flight.itemCount = countItems(in: value)
        flight.summary = summary
      }
      return .success(value)
    } catch let error as any CodedError {
      return .failure(error)
    } catch {
      return .failure(NetworkError.serialization(printable("\(error)")))
    }
  }

  /// Notes the pause that a refusal asks everybody for, unless it is longer than we ever wait.
  private func heedRefusal(_ head: HTTPResponseHead) {
    guard let pacing, head.status >= 400, let text = head.headers["Retry-After"],
      let pause = RetryAdvice.retryAfter(text, now: log.date), pause <= options.maximumRetryDelay
    else { return }
    pacing.pacer.pause(
      pacing.method, for: pause, now: log.now,
      cause: pauseCause("Retry-After", pause))
  }

  /// What asks for a pause, in words for people: this operation's answer.
  func pauseCause(_ what: String, _ pause: Duration) -> String {
    let identity = (flight.withLock { $0.watcher } ?? self).identity
    return
      "\(what) of \(DurationText(pause)) in the answer to '\(identity.name)' (\(identity.id))"
  }

  /// Begins a further attempt after a pause, if that is allowed; returns whether it will.
  private func retry(after error: NetworkError, head: HTTPResponseHead?) -> Bool {
    let (attempt, deadline) = flight.withLock { ($0.attempt, $0.deadline) }
    let next = attempt + 1
    guard attempt <= options.retryCount, request.isSafe || options.retriesUnsafeMethods,
      RetryAdvice.mayPass(error, head: head)
    else { return false }
    let total = options.retryCount + 1
    let pause: Duration
    switch RetryAdvice.pause(
      before: next, options: options, error: error, head: head, date: log.date,
      chance: log.drawChance())
    {
    case .success(let found): pause = found
    case .failure(let tooLong):
      return endAttempts(
        before: next, of: total,
        because: "the server asks for a pause of \(DurationText(tooLong.asked)), and "
          + "\(DurationText(options.maximumRetryDelay)) is the longest")
    }
    // The last error says more than a deadline that passes while nothing happens.
    if let deadline, log.now + pause >= deadline {
      return endAttempts(
        before: next, of: total,
        because: "a pause of \(DurationText(pause)) does not fit into the time limit")
    }
    let pauseText = DurationText(pause).description
    let asked = RetryAdvice.askedPause(error, head, log.date).map {
      ", which asks for \(DurationText($0))"
    }
    return resume(
      after: pause, reason: "\(error.code)\(asked ?? ""), attempt \(next) of \(total) follows",
      logged: "pauses \(pauseText) before attempt \(next) of \(total): \(error.code)"
        + (asked ?? "")
    ) { operation in
      operation.tellAttempt(
        reason: "attempt \(next) of \(total) after \(error.code) and a pause of \(pauseText)")
      operation.beginAttempt(next)
    }
  }

  /// Notes why no further attempt follows although one was asked for; returns false.
  private func endAttempts(before next: Int, of total: Int, because reason: String) -> Bool {
    flight.withLock { $0.endOfAttempts = "no attempt \(next) of \(total): \(reason)" }
    return false
  }

  /// Calls `body` after a pause unless the operation ends before; returns false if it has ended.
  ///
  /// A pause that does not fit into the deadline ends with it.
  @discardableResult
  private func resume(
    after pause: Duration, reason: String, logged: String,
    body: @escaping @Sendable (NetworkOperation<Value>) -> Void
  ) -> Bool {
    let now = log.now
    let begun = flight.withLock { flight -> (pause: Duration, number: Int)? in
      guard !flight.hasEnded else { return nil }
      flight.task = nil
      flight.pauseReason = reason
      flight.pauses += 1
      let pause = flight.deadline.map { min(pause, max(.zero, $0 - now)) } ?? pause
      flight.pauseEnd = now + pause
      return (pause, flight.pauses)
    }
    guard let (actualPause, number) = begun else { return false }
    if actualPause > .zero {
      notePause(reason: logged)
      flight.withLock { $0.watcher }?.notePause(reason: logged)
    }
    let timer = log.perform(after: actualPause) { [weak self] in
      guard let self else { return }
      body(self)
    }
    let isTooLate = flight.withLock { flight in
      // The pause may be over already, and what follows it begun.
      if flight.pauseReason != nil, flight.pauses == number { flight.timer = timer }
      return flight.hasEnded
    }
    if isTooLate { timer.cancel() }
    return true
  }

  /// Has another operation, which makes this request, log what there is to say of it.
  func setWatcher(_ operation: ObservableOperation) {
    flight.withLock { $0.watcher = operation }
  }

  private func tellAttempt(reason: String) {
    noteAttempt(reason: reason)
    flight.withLock { $0.watcher }?.noteAttempt(reason: reason)
  }

  /// Logs something about the work while it goes on.
  func tellProgress(reason: String) {
    noteProgress(reason: reason)
    flight.withLock { $0.watcher }?.noteProgress(reason: reason)
  }

  /// Finishes the operation on a thread that its completion handler may hold up.
  func conclude(_ result: Result<Value, any Error>) {
    _ = flight.withLock { $0.end() }
    responders.perform(for: log) {
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

  /// What is sent in the head of the request, by the request itself or the options; secrets are
  /// masked.
  public var sentHeaders: [(name: String, value: String)] {
    let replaced = Set(options.headers.fields.map { $0.name.lowercased() })
    let kept = request.headers.fields.filter { !replaced.contains($0.name.lowercased()) }
    let agent = options.userAgent.map { [(name: "User-Agent", value: $0)] } ?? []
    return (kept + options.headers.fields).map { ($0.name, $0.maskedValue) } + agent
  }

  /// The texts that are sent as credentials, which are to be hidden wherever they appear.
  public var credentials: [String] { request.credentials(adding: options.headers) }

  /// The status, the headers and the address of the response, once they have arrived.
  public var responseHead: HTTPResponseHead? { flight.withLock { $0.head } }

  /// The status of the response, once its head has arrived.
  public var statusCode: Int? { flight.withLock { $0.head?.status } }

  /// How many bytes are kept of the head of the response.
  public var headSize: Int {
    guard let head = flight.withLock({ $0.head }) else { return 0 }
    return head.headers.size + head.url.utf8.count
  }

  /// What the server answered, where its status was the reason to fail; nil once
  /// ``ObservableOperation/dropValue()`` has dropped it.
  public var refusal: HTTPResponse? {
    guard !isValueDropped, case .failure? = result else { return nil }
    return flight.withLock { flight in
      guard let head = flight.head, !acceptableStatus.contains(head.status) else { return nil }
      var response = HTTPResponse(
        head: head, body: flight.refusalBody, timings: flight.timings ?? TransferTimings(),
        bytesReceived: flight.bytesReceived)
      response.isTruncated = flight.isRefusalTruncated
      return response
    }
  }

  /// The bytes of the body as they were on the wire, of the latest attempt.
  public var bytesReceived: Int { flight.withLock { $0.bytesReceived } }

  /// Has a handler called each time that bytes have come.
  ///
  /// - Parameter handler: What to call, on the transport's thread.
  /// - Returns: A number to remove it by.
  public func addReceiveHandler(_ handler: @escaping @Sendable () -> Void) -> Int {
    flight.withLock { flight in
      flight.receiveHandlerCount += 1
      flight.receiveHandlers[flight.receiveHandlerCount] = handler
      return flight.receiveHandlerCount
    }
  }

  /// Has a handler not called any more; a call that has begun may still end.
  ///
  /// - Parameter number: What `addReceiveHandler` returned.
  public func removeReceiveHandler(_ number: Int) {
    // What it holds is let go outside the lock.
    _ = flight.withLock { $0.receiveHandlers.removeValue(forKey: number) }
  }

  /// How long the server says the body is, of the latest attempt.
  public var bytesExpected: Int? { flight.withLock { $0.head?.contentLength } }

  /// The address that answered, with every secret masked, where redirects led to another one.
  public var redirectedURL: String? {
    guard let url = flight.withLock({ $0.head?.url }), url != request.url else { return nil }
    return HTTPRequest.masked(url)
  }

  /// How many items the value holds.
  public var itemCount: Int? { flight.withLock { $0.itemCount } }

  /// When the parts of the latest transfer were done; nil before it has ended.
  public var timings: TransferTimings? { flight.withLock { $0.timings } }

  /// Why the operation executes without transferring, such as a pause between attempts.
  public var pauseReason: String? { flight.withLock { $0.pauseReason } }

  /// How long that pause still lasts.
  public var remainingPause: Duration? {
    flight.withLock { $0.pauseEnd }.map { max(.zero, $0 - log.now) }
  }

  /// The bytes of the body per second of the transfer; nil before there are any.
  public var bytesPerSecond: Double? {
    flight.withLock { flight in
      guard flight.bytesReceived > 0 else { return nil }
      let time = flight.timings?.total ?? flight.attemptStarted.map { log.now - $0 } ?? .zero
      return time > .zero ? Double(flight.bytesReceived) / (time / .seconds(1)) : nil
    }
  }
}
