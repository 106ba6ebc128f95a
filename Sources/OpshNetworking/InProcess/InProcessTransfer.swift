import OpshLocking
import Operations
import OpshSupport

/// A request that an `InProcessTransport` carries out.
final class InProcessTransfer: TransportTask {
  private struct State {
    var request: HTTPRequest
    var delegate: (any TransportDelegate)?
    var answer: InProcessAnswer?
    /// Whether the service has ended its part of the exchange.
    var isAnswered = false
    /// Whether the service knows of the end.
    var isOver = false
    var isCancelled = false
    /// The steps to come, the next one last.
    var steps: [ExchangeStep] = []
    var reader: ResponseReader
    /// The request that follows a redirect.
    var next: HTTPRequest?
    var redirectCount = 0
    /// The head of the exchange, once it is complete.
    var head: HTTPResponseHead?
    /// When the exchange began.
    var exchangeStart: ContinuousClock.Instant
    var bytes = 0
    /// How much of the body of a redirect was thrown away.
    var discarded = 0
    var firstByte: Duration?
    var lastActivity: ContinuousClock.Instant
    var timer: DelayedCall?
    var isPaused = false
  }

  /// What is to be done with a step, without the lock.
  private enum Action {
    case go
    case rest
    case ask(@Sendable () -> [ExchangeStep])
    case head(HTTPResponseHead, any TransportDelegate)
    case chunk([UInt8], any TransportDelegate)
    case redirect(HTTPRequest)
    case again
    case end(Result<TransferSummary, NetworkError>)
  }

  private let engine: OperationEngine
  private let keptBody: Int
  private let service: @Sendable (InProcessRequest) -> InProcessAnswer?
  private let started: ContinuousClock.Instant
  private let state: Locked<State>

  init(
    request: HTTPRequest, delegate: any TransportDelegate, engine: OperationEngine,
    keptBody: Int, service: @escaping @Sendable (InProcessRequest) -> InProcessAnswer?
  ) {
    self.engine = engine
    self.keptBody = keptBody
    self.service = service
    started = engine.now
    state = Locked(
      State(
        request: request, delegate: delegate, reader: ResponseReader(method: request.method),
        exchangeStart: started, lastActivity: started))
  }

  func start() {
    // Never from inside the call that starts it.
    later { $0.send() }
  }

  func cancel() {
    // The service sees it at once, as a server sees a connection that is closed.
    state.withLock { $0.isCancelled = true }
    endAnswer(isCut: true)
    later { $0.end(.failure(.cancelled)) }
  }

  func resume() {
    // The call that pauses it may not have returned yet.
    later { transfer in
      let wasPaused = transfer.state.withLock { state in
        defer { state.isPaused = false }
        return state.isPaused
      }
      if wasPaused { transfer.advance() }
    }
  }

  /// Tells the service that the exchange has ended, once.
  private func endAnswer(isCut: Bool) {
    let (answer, bytes) = state.withLock { state in
      defer { state.isOver = true }
      return (state.isOver ? nil : state.answer, state.bytes)
    }
    answer?.end(InProcessEnd(bytes: bytes, isCut: isCut))
  }

  private func later(_ body: @escaping @Sendable (InProcessTransfer) -> Void) {
    engine.perform(after: .zero) { body(self) }
  }

  /// Sends the request, or the next one after a redirect.
  private func send() {
    let request = state.withLock { state -> HTTPRequest? in
      state.delegate == nil || state.isCancelled ? nil : state.request
    }
    guard let request else { return }
    let sent: InProcessRequest
    do {
      sent = try InProcessRequest(request, keptBody: keptBody)
    } catch {
      return end(.failure(error))
    }
    guard let answer = service(sent) else {
      return end(
        .failure(
          .transportUnavailable(
            "only the practice server answers in this process, and \(request.maskedURL) is not there"
          )))
    }
    state.withLock { state in
      state.answer = answer
      state.steps = answer.steps.reversed()
    }
    advance()
  }

  /// Tells of the exchange that another one follows.
  private func noteExchange() {
    let (delegate, exchange) = state.withLock { ($0.delegate, ended(in: $0)) }
    delegate?.didEnd(exchange)
  }

  /// Ends the exchange, and sends another request.
  private func send(_ request: HTTPRequest) {
    endAnswer(isCut: false)
    state.withLock { state in
      (state.isAnswered, state.isOver) = (false, state.isCancelled)
      state.request = request
      (state.head, state.exchangeStart, state.firstByte) = (nil, engine.now, nil)
      state.reader = ResponseReader(method: request.method)
      (state.answer, state.next, state.bytes, state.steps) = (nil, nil, 0, [])
      state.discarded = 0
    }
    send()
  }

  private func advance() {
    while true {
      switch state.withLock({ next(in: &$0) }) {
      case .go: continue
      case .rest: return
      case .ask(let more):
        let steps = more()
        state.withLock { $0.steps += steps.reversed() }
      case .head(let head, let delegate):
        guard shouldContinue(after: delegate.didReceive(head: head)) else { return }
        if let error = state.withLock({ $0.request.refusal(ofLengthIn: head) }) {
          return end(.failure(error))
        }
      case .chunk(let bytes, let delegate):
        guard shouldContinue(after: delegate.didReceive(chunk: bytes)) else { return }
      case .redirect(let request):
        noteExchange()
        // The answer to a challenge is no redirect.
        state.withLock { state in
          if request.hasAnswered == state.request.hasAnswered { state.redirectCount += 1 }
        }
        return send(request)
      case .again:
        noteExchange()
        return send(state.withLock { $0.request })
      case .end(let result):
        return end(result)
      }
    }
  }

  private func shouldContinue(after disposition: TransferDisposition) -> Bool {
    switch disposition {
    case .proceed:
      return true
    case .pause:
      return state.withLock { state in
        state.isPaused = true
        return false
      }
    case .stop:
      end(.success(summary(wasStopped: true)))
      return false
    }
  }

  private func next(in state: inout State) -> Action {
    guard let delegate = state.delegate, !state.isPaused, !state.isCancelled else { return .rest }
    do throws(NetworkError) {
      if let part = try state.reader.next() { return action(for: part, delegate, in: &state) }
      guard let step = state.steps.popLast() else {
        state.isAnswered = true
        if let failure = state.answer?.failure { throw failure }
        try state.reader.close()
        return .go
      }
      switch step {
      case .wait(let duration): return wait(duration, in: &state)
      case .then(let more): return .ask(more)
      case .reset:
        state.isAnswered = true
        throw .connectionLost
      // As libcurl does, and only where the request may arrive twice.
      case .stale:
        state.isAnswered = true
        guard state.request.isSafe else { throw .connectionLost }
        return .again
      case .bytes(let bytes):
        state.lastActivity = engine.now
        state.firstByte = state.firstByte ?? (engine.now - state.exchangeStart)
        state.reader.append(bytes)
        return .go
      }
    } catch {
      return .end(.failure(error))
    }
  }

  private func action(
    for part: ResponseReader.Part, _ delegate: any TransportDelegate, in state: inout State
  ) -> Action {
    switch part {
    case .head(let received): return head(received, delegate, in: &state)
    case .body(let bytes):
      // The body of a redirect is thrown away.
      guard state.next == nil else {
        state.discarded += bytes.count
        return .go
      }
      guard bytes.count <= state.request.transfer.maximumBodySize - state.bytes else {
        return .end(.failure(.tooLarge(.body, limit: state.request.transfer.maximumBodySize)))
      }
      state.bytes += bytes.count
      return .chunk(bytes, delegate)
    case .end:
      state.isAnswered = true
      if let next = state.next { return .redirect(next) }
      return .end(.success(summary(of: state)))
    }
  }

  private func head(
    _ received: ResponseHeadParser.Head, _ delegate: any TransportDelegate,
    in state: inout State
  ) -> Action {
    let head = HTTPResponseHead(received, url: state.request.url)
    if let mistake = head.lengthMistake { return .end(.failure(.badResponse(mistake))) }
    do {
      state.head = head
      state.next = try state.request.followUp(
        after: head, redirects: state.redirectCount, now: engine.date)
    } catch {
      return .end(.failure(error))
    }
    if state.next != nil { return .go }
    return .head(head, delegate)
  }

  /// Lets the time pass, or as much of it as the request's limits leave.
  private func wait(_ duration: Duration?, in state: inout State) -> Action {
    let now = engine.now
    let request = state.request
    let limits = [
      request.timeout.map { (started + $0, RequestTimeout.Phase.total, $0) },
      request.transfer.idleTimeout.map { (state.lastActivity + $0, .idle, $0) },
    ].compactMap { $0 }
    let (end, phase, limit) = limits.min { $0.0 < $1.0 } ?? (nil, .total, .zero)
    let rest = end.map { max(.zero, $0 - now) }
    if let duration, rest.map({ duration < $0 }) ?? true {
      state.timer = engine.perform(after: duration) { self.advance() }
    } else if let rest {
      let timeout = RequestTimeout(phase, limit: limit, bytesReceived: state.bytes)
      state.timer = engine.perform(after: rest) { self.end(.failure(.timedOut(timeout))) }
    }
    return .rest
  }

  private func summary(wasStopped: Bool) -> TransferSummary {
    state.withLock { summary(of: $0, wasStopped: wasStopped) }
  }

  private func summary(of state: State, wasStopped: Bool = false) -> TransferSummary {
    let total = engine.now - started
    return TransferSummary(
      timings: TransferTimings(firstByte: state.firstByte, total: total),
      bytesReceived: state.bytes, redirectCount: state.redirectCount, wasStopped: wasStopped)
  }

  private func ended(in state: State) -> HTTPExchange {
    let total = engine.now - state.exchangeStart
    return HTTPExchange(
      request: state.request, head: state.head, version: state.head == nil ? nil : "HTTP/1.1",
      peer: nil, timings: TransferTimings(firstByte: state.firstByte, total: total),
      bytesReceived: state.bytes + state.discarded, wasSent: state.answer != nil)
  }

  private func end(_ result: Result<TransferSummary, NetworkError>) {
    endAnswer(isCut: state.withLock { !$0.isAnswered })
    let (delegate, answer, timer, exchange) = state.withLock { state in
      defer { (state.delegate, state.answer, state.timer, state.steps) = (nil, nil, nil, []) }
      return (state.delegate, state.answer, state.timer, ended(in: state))
    }
    guard let delegate else { return }
    timer?.cancel()
    if answer != nil { delegate.didEnd(exchange) }
    delegate.didComplete(result)
  }
}
