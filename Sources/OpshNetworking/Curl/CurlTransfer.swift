import COpshCurl
import Foundation
import OpshLocking
import OpshSupport
import Synchronization

/// A request that the engine carries out.
///
/// `@unchecked Sendable` because its creator hands it to the engine's thread and does not use it
/// afterwards; from then on only that thread reads and writes it.
final class CurlTransfer: @unchecked Sendable {
  /// Our own decision about the exchange, which overrides libcurl's result.
  enum Verdict {
    case failed(NetworkError)
    case stopped
    case redirected(HTTPRequest)
  }

  private static let counter = Atomic<Int>(0)
  /// How much of the body of a redirect is read to keep the connection alive.
  private static let maximumDiscarded = 64 << 10

  let id: Int
  /// The variables that name proxies and certificates.
  let environment: [String: String]
  /// The certificate to trust at an origin of this process.
  let ownIssuer: CurlTransport.OwnIssuer
  /// When its time began: with the request, or with the first loop that could process it, so that
  /// loading the library is not part of the first request's time.
  private(set) var started: ContinuousClock.Instant
  private(set) var request: HTTPRequest
  private var delegate: (any TransportDelegate)?
  private(set) var redirectCount = 0

  /// What all its times are of.
  let clock: PacedClock
  /// The start of the loop's current iteration: all data of one iteration has the same arrival
  /// time, because reading the clock costs as much as parsing a header line.
  private let time: LoopTime
  /// Whether libcurl processes it; otherwise it waits for a slot.
  var isActive = false
  /// libcurl's handle, set up for the request; a waiting transfer may have one or not.
  var handle: CurlHandle?

  // Read and written for each header line, only on one thread and without overlapping access.
  @exclusivity(unchecked) private(set) var verdict: Verdict?
  @exclusivity(unchecked) private(set) var isHeadComplete = false
  /// The head of the exchange, once it is complete.
  private(set) var receivedHead: HTTPResponseHead?
  private(set) var bytesReceived = 0
  var isPaused = false
  /// Whether libcurl completed the exchange without an error.
  var isSound = false
  /// Whether all places were taken when it was submitted, and it has none yet; for other threads.
  let isWaiting = Atomic<Bool>(false)
  /// How long it waited for a place.
  private(set) var waited = Duration.zero
  /// Whether the exchange is the first one, and follows no redirect.
  private(set) var isFirstExchange = true
  /// When libcurl began with the exchange.
  private(set) var exchangeStarted: ContinuousClock.Instant
  /// When the first line of the response came.
  @exclusivity(unchecked) private(set) var firstByteTime: ContinuousClock.Instant?
  /// When the last bytes of the request's body were taken.
  private(set) var bodySentTime: ContinuousClock.Instant?
  /// When the last byte was received or sent; the start of the idle time.
  @exclusivity(unchecked) var lastActivity: ContinuousClock.Instant
  /// The number of sent bytes at the last check of the idle time.
  var bytesSentAtLastLook = 0

  /// What the body of the request is read from, unless it is short.
  var bodyReader: RequestBodyReader?
  /// How much of such a body has been sent, for other threads.
  let upload: Locked<RequestTimeout.Sent?>?
  @exclusivity(unchecked) private var parser = ResponseHeadParser()
  /// How much of the body of a redirect was thrown away.
  private(set) var discarded = 0
  private var trailerSize = 0

  init(
    request: HTTPRequest, environment: [String: String],
    ownIssuer: @escaping CurlTransport.OwnIssuer = { _ in nil },
    clock: PacedClock = PacedClock(), time: LoopTime, delegate: any TransportDelegate
  ) {
    self.clock = clock
    started = clock.now
    (exchangeStarted, lastActivity) = (started, started)
    self.ownIssuer = ownIssuer
    self.time = time
    self.environment = environment
    id = Self.counter.add(1, ordering: .relaxed).newValue
    self.request = request
    self.delegate = delegate
    upload = request.bodyToSend?.isShort == false ? Locked(nil) : nil
  }

  /// Releases the handle of a waiting transfer.
  func free(_ library: CurlLibrary) {
    handle?.free(library)
    handle = nil
  }

  /// Notes that libcurl begins with the first or a further exchange.
  func beginExchange() {
    exchangeStarted = clock.now
    guard isWaiting.exchange(false, ordering: .relaxed) else { return }
    waited = exchangeStarted - started
  }

  /// Lets its time begin no earlier than the loop that processes it.
  func begin(noEarlierThan loopStart: ContinuousClock.Instant) {
    guard started < loopStart else { return }
    (started, lastActivity) = (loopStart, loopStart)
  }

  var deadline: ContinuousClock.Instant? { request.timeout.map { started + $0 } }

  /// Calls the delegate with the result; the engine calls this once.
  func complete(_ result: Result<TransferSummary, NetworkError>) {
    let delegate = self.delegate
    self.delegate = nil
    delegate?.didComplete(result)
  }

  /// Tells the delegate about the exchange, before its handle is released.
  func report(_ library: CurlLibrary) {
    if let delegate, let exchange = exchange(library) { delegate.didEnd(exchange) }
  }

  /// Resets the state for the next exchange.
  func begin(redirectedTo next: HTTPRequest) {
    // The answer to a challenge is no redirect.
    if next.hasAnswered == request.hasAnswered { redirectCount += 1 }
    request = next
    isFirstExchange = false
    receivedHead = nil
    verdict = nil
    isSound = false
    isHeadComplete = false
    bytesReceived = 0
    parser = ResponseHeadParser()
    (discarded, trailerSize) = (0, 0)
    bytesSentAtLastLook = 0
    (firstByteTime, bodySentTime) = (nil, nil)
    bodyReader = nil
    upload?.withLock { $0 = nil }
  }

  // MARK: Called back by libcurl

  /// Processes one line of a head; returns false to end the transfer.
  func receive(headerLine bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    lastActivity = time.now
    if firstByteTime == nil { firstByteTime = time.now }
    guard verdict == nil else { return false }
    do throws(NetworkError) {
      // Lines after the body are trailers, which are not used.
      guard !isHeadComplete else {
        trailerSize += bytes.count
        let limit = HTTPResponseHead.maximumSize
        guard trailerSize <= limit else { throw .tooLarge(.headers, limit: limit) }
        return true
      }
      switch try parser.take(bytes) {
      case .more: return true
      case .complete(let head):
        isHeadComplete = true
        var whole = HTTPResponseHead(head, url: request.url)
        if head.status == 407,
          ProxyChoice.isAsked(for: request.address, environment: environment)
        {
          whole.refusingProxy = ProxyChoice.proxy(for: request.address, environment: environment)
        }
        return try take(whole)
      }
    } catch {
      return end(.failed(error))
    }
  }

  private func take(_ head: HTTPResponseHead) throws(NetworkError) -> Bool {
    if let mistake = head.lengthMistake { throw .badResponse(mistake) }
    receivedHead = head
    if let next = try request.followUp(after: head, redirects: redirectCount, now: clock.date) {
      verdict = .redirected(next)
      return true
    }
    guard apply(delegate?.didReceive(head: head) ?? .stop) else { return false }
    if let error = request.refusal(ofLengthIn: head) { throw error }
    return true
  }

  /// Processes a part of the body; returns the number of bytes taken, or libcurl's code for a
  /// pause.
  func receive(body bytes: UnsafeBufferPointer<UInt8>) -> Int {
    lastActivity = time.now
    switch verdict {
    case .redirected:
      discarded += bytes.count
      return discarded <= Self.maximumDiscarded ? bytes.count : 0
    case .failed, .stopped: return 0
    case nil: break
    }
    // libcurl then keeps these bytes and stops reading, which stops the sender.
    guard !isPaused else { return Int(CURL_WRITEFUNC_PAUSE) }
    guard isHeadComplete else {
      _ = end(.failed(.badResponse("its body begins before the end of its headers")))
      return 0
    }
    guard bytes.count <= request.transfer.maximumBodySize - bytesReceived else {
      _ = end(.failed(.tooLarge(.body, limit: request.transfer.maximumBodySize)))
      return 0
    }
    bytesReceived += bytes.count
    guard !bytes.isEmpty else { return 0 }
    return apply(delegate?.didReceive(chunk: Array(bytes)) ?? .stop) ? bytes.count : 0
  }

  /// Fills a buffer with the next bytes of the request's body; returns their number, or libcurl's
  /// code to end the transfer.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    lastActivity = time.now
    guard verdict == nil, let bodyReader else { return Int(CURL_READFUNC_ABORT) }
    do throws(NetworkError) {
      let count = try bodyReader.read(into: buffer)
      // The present time, because the connection may have been made in this iteration.
      if bodyReader.isAtEnd { bodySentTime = bodySentTime ?? clock.now }
      return count
    } catch {
      _ = end(.failed(error))
      return Int(CURL_READFUNC_ABORT)
    }
  }

  private func apply(_ disposition: TransferDisposition) -> Bool {
    switch disposition {
    case .proceed: return true
    case .pause:
      isPaused = true
      return true
    case .stop: return end(.stopped)
    }
  }

  private func end(_ verdict: Verdict) -> Bool {
    self.verdict = verdict
    return false
  }
}

/// The start of the loop's current iteration; used on the loop's thread only.
///
/// `@unchecked Sendable` because transfers carry it from their creation to that thread, and do not
/// read it before.
final class LoopTime: @unchecked Sendable {
  @exclusivity(unchecked) var now: ContinuousClock.Instant

  init(_ clock: PacedClock = PacedClock()) { now = clock.now }
}
