import OpshLocking
public import Operations

/// One attempt of a request: what was sent, what came, and why it failed.
public struct RequestAttempt: Sendable {
  /// Its number among the attempts of the operation, from 1.
  public let number: Int
  /// When it began.
  public let started: ContinuousClock.Instant
  /// When it ended; nil while it runs.
  public internal(set) var ended: ContinuousClock.Instant?
  /// The requests in their order: several after redirects, and after a challenge.
  public internal(set) var exchanges: [HTTPExchange] = []
  /// Why it failed; nil if it succeeded or runs.
  public internal(set) var error: (any CodedError)?
  /// The operation whose request it joined, whose exchanges are not repeated here; nil if it sent one.
  public internal(set) var joined: OperationIdentity?

  /// Creates an attempt.
  public init(
    number: Int, started: ContinuousClock.Instant, ended: ContinuousClock.Instant? = nil,
    exchanges: [HTTPExchange] = [], error: (any CodedError)? = nil,
    joined: OperationIdentity? = nil
  ) {
    self.number = number
    self.started = started
    self.ended = ended
    self.exchanges = exchanges
    self.error = error
    self.joined = joined
  }

  /// The status of its last response; nil if none came.
  public var status: Int? { exchanges.last?.status }
  /// How long it took.
  public var duration: Duration? { ended.map { $0 - started } }
}

/// When one request of an attempt began, and the times of its phases from there.
public struct RequestTransfer: Sendable, Equatable {
  /// When it began.
  public let start: ContinuousClock.Instant
  /// The times of its phases.
  public let timings: TransferTimings

  /// Creates a transfer.
  public init(start: ContinuousClock.Instant, timings: TransferTimings) {
    (self.start, self.timings) = (start, timings)
  }
}

extension RequestAttempt {
  /// The transfers of its exchanges, which followed one another.
  ///
  /// Of one that is under way no times are known, unless it only waits.
  var transfers: [RequestTransfer] {
    // It waited for the transfer of another operation.
    if joined != nil, exchanges.isEmpty {
      return duration.map { [RequestTransfer(start: started, timings: .init(total: $0))] } ?? []
    }
    var start = started
    return exchanges.filter { !$0.isUnderWay || $0.timings.waited > .zero }.map { exchange in
      defer { start += exchange.timings.waited + exchange.timings.total }
      return RequestTransfer(start: start, timings: exchange.timings)
    }
  }
}

/// The attempts of an operation, of which a bounded number is kept: the first one and the latest.
struct RequestAttempts: Sendable {
  /// How many are kept.
  static let limit = 20

  private(set) var kept: [RequestAttempt] = []

  /// How many bytes they keep, without the last head, which the operation keeps in any case.
  var size: Int {
    let sizes = kept.flatMap { $0.exchanges.map(\.size) }
    return sizes.dropLast().reduce(0, +)
  }

  mutating func begin(_ number: Int, at instant: ContinuousClock.Instant) {
    if kept.last?.number == number {
      // It needs another transfer.
      return change(number) { ($0.ended, $0.error, $0.joined) = (nil, nil, nil) }
    }
    if kept.count == Self.limit { kept.remove(at: 1) }
    kept.append(RequestAttempt(number: number, started: instant))
  }

  mutating func add(_ exchange: HTTPExchange, to number: Int) {
    change(number) { $0.exchanges.append(exchange) }
  }

  mutating func noteJoined(_ leader: OperationIdentity, in number: Int) {
    change(number) { $0.joined = leader }
  }

  mutating func end(
    _ number: Int, at instant: ContinuousClock.Instant, _ error: (any CodedError)?
  ) {
    change(number) { attempt in
      guard attempt.ended == nil else { return }
      attempt.ended = instant
      attempt.error = error
    }
  }

  private mutating func change(_ number: Int, _ change: (inout RequestAttempt) -> Void) {
    guard let index = kept.lastIndex(where: { $0.number == number }) else { return }
    change(&kept[index])
  }
}

extension NetworkOperation {
  /// The attempts, the oldest first: with more than 20, the first one and the latest.
  public var requestAttempts: [RequestAttempt] {
    var (attempts, sent, head, received, isWaiting) = requestState.withLock {
      (
        $0.attempts.kept, $0.sent?.value, $0.head, $0.bytesReceived, $0.isWaiting
      )
    }
    // A cancelled operation finishes before its transfer does.
    if let last = attempts.indices.last, attempts[last].ended == nil, isFinished {
      attempts[last].ended = timestamps.finished
      if case .failure(let error)? = result { attempts[last].error = error as? any CodedError }
      if attempts[last].error == nil, isCancelled { attempts[last].error = NetworkError.cancelled }
    }
    // The transport tells of an exchange when that is over.
    if let last = attempts.indices.last, attempts[last].exchanges.isEmpty,
      attempts[last].joined == nil, let sent
    {
      let time = max(.zero, (attempts[last].ended ?? engine.now) - attempts[last].started)
      attempts[last].exchanges = [
        HTTPExchange(
          request: sent, head: head, version: nil, peer: nil,
          timings: isWaiting ? TransferTimings(waited: time) : TransferTimings(total: time),
          bytesReceived: received, wasSent: !isWaiting, isUnderWay: true)
      ]
    }
    return attempts
  }

  /// Whether the transport has a request of the operation; one that is cancelled finishes before.
  public var isTransferring: Bool { requestState.withLock { $0.isTransferring } }

  /// The transfers whose times are known, in order: of each kept attempt one for each request.
  public var transfers: [RequestTransfer] { requestAttempts.flatMap(\.transfers) }

  /// Who sends the request, with the secret masked; nil without credentials.
  public var authenticationText: String? { transfer.authentication?.description }

  /// The file with the cookies of the request.
  public var cookiePath: String? { transfer.cookies?.path }
}
