import Foundation
import Operations

/// Collects one attempt's response on the transport's thread and passes it to the operation.
///
/// `@unchecked Sendable` because everything that changes is touched only in the callbacks, which
/// the transport makes one after the other on one thread.
final class ResponseCollector: TransportDelegate, @unchecked Sendable {
  /// The callbacks of the operation.
  struct Handlers: Sendable {
    var head: @Sendable (HTTPResponseHead) -> TransferDisposition
    /// Receives the number of bytes on the wire.
    var progress: @Sendable (_ received: Int, _ expected: Int?) -> TransferDisposition
    var piece: @Sendable ([UInt8]) -> TransferDisposition
    /// Receives each exchange after its end.
    var exchange: @Sendable (HTTPExchange) -> Void
    /// The last callback.
    ///
    /// If the result is passed to another thread, the collector must be passed with it, so that it
    /// and the operation are not released on the transport's thread.
    /// The response has no body yet: see `completed(_:)`.
    var end: @Sendable (Result<HTTPResponse, NetworkError>, ResponseCollector) -> Void
  }

  /// How much of an error response's body is kept; a longer one is truncated.
  private static let maximumErrorBody = 16 << 20

  private let acceptableStatus: ClosedRange<Int>
  private let infersCompression: Bool
  private let expandsBody: Bool
  private let gathersBody: Bool
  private let limit: Int
  private let handlers: Handlers

  private var head: HTTPResponseHead?
  private var decoder: BodyDecoder?
  private let body = BodyBuffer()
  private var received = 0
  /// The bytes of the body without its content encoding.
  private var expanded = 0
  private var lastTimings = TransferTimings()
  private var isTruncated = false
  private var decodingFailure: NetworkError?
  private var disposition = TransferDisposition.proceed
  private let transport: any Transport
  private let engine: OperationEngine
  private let started: ContinuousClock.Instant

  init(
    acceptableStatus: ClosedRange<Int>, infersCompression: Bool, expandsBody: Bool = true,
    gathersBody: Bool, limit: Int, transport: any Transport,
    engine: OperationEngine, handlers: Handlers
  ) {
    self.engine = engine
    started = engine.now
    self.acceptableStatus = acceptableStatus
    self.infersCompression = infersCompression
    self.expandsBody = expandsBody
    self.gathersBody = gathersBody
    self.limit = limit
    self.transport = transport
    self.handlers = handlers
  }

  private var isError: Bool { head.map { !acceptableStatus.contains($0.status) } ?? false }

  func didReceive(head: HTTPResponseHead) -> TransferDisposition {
    self.head = head
    // The body of an error response is always read.
    let isExpanded = expandsBody || isError
    decoder = BodyDecoder(
      headers: isExpanded ? head.headers : HTTPHeaders(),
      infersCompression: isExpanded && infersCompression,
      limit: isError ? min(limit, Self.maximumErrorBody) : limit)
    return handlers.head(head)
  }

  func didReceive(chunk: [UInt8]) -> TransferDisposition {
    received += chunk.count
    disposition = handlers.progress(received, head?.contentLength)
    guard disposition != .stop else { return .stop }
    do throws(NetworkError) {
      try decoder?.decode(chunk) { take($0) }
    } catch {
      return fail(error)
    }
    return disposition
  }

  func didEnd(_ exchange: HTTPExchange) {
    lastTimings = exchange.timings
    var exchange = exchange
    // Of a redirect nothing arrives here.
    if received > 0, expanded != received { exchange.bytesExpanded = expanded }
    handlers.exchange(exchange)
  }

  func didComplete(_ result: Result<TransferSummary, NetworkError>) {
    switch result {
    case .failure(let error):
      guard isError, let head, error != .cancelled else {
        return handlers.end(.failure(error), self)
      }
      // The status is more specific than an error of its body, which may have had no end.
      var timings = lastTimings
      timings.total = engine.now - max(started, transport.readySince ?? started)
      var response = HTTPResponse(
        head: head, body: [], timings: timings,
        bytesReceived: received)
      response.isTruncated = true
      handlers.end(.success(response), self)
    case .success(let summary):
      // Without a byte nothing can be truncated: HEAD, 204, 304.
      if decodingFailure == nil, received > 0, !summary.wasStopped {
        do throws(NetworkError) {
          try decoder?.finish { take($0) }
        } catch {
          _ = fail(error)
        }
      }
      if let decodingFailure { return handlers.end(.failure(decodingFailure), self) }
      guard let head else { return handlers.end(.failure(.badResponse("it has no head")), self) }
      var response = HTTPResponse(
        head: head, body: [], timings: summary.timings, bytesReceived: summary.bytesReceived)
      response.isTruncated = isTruncated
      handlers.end(.success(response), self)
    }
  }

  /// Adds the body to the response that `end` received.
  ///
  /// A long body is copied, so this is not for the transport's thread.
  func completed(_ response: HTTPResponse) -> HTTPResponse {
    var response = response
    response.body = body.take()
    return response
  }

  private func take(_ piece: [UInt8]) -> Bool {
    expanded += piece.count
    // The body of an error response is an explanation, not data for a subclass.
    if isError || gathersBody, !body.append(piece) {
      decodingFailure = .transportUnavailable("there is no memory left for the body")
      disposition = .stop
      return false
    }
    guard !isError else { return true }
    switch handlers.piece(piece) {
    case .proceed: break
    // One chunk may result in several pieces; a pause requested at any of them applies.
    case .pause: disposition = .pause
    case .stop: disposition = .stop
    }
    return disposition != .stop
  }

  private func fail(_ error: NetworkError) -> TransferDisposition {
    // The status is more specific than an error of its body, whose beginning is kept.
    if isError { isTruncated = true } else { decodingFailure = error }
    return .stop
  }
}
