/// What the server remembers of one connection while it is open.
final class ServerConnection {
  /// What the connection's current request has come to.
  enum Phase {
    /// A request is awaited or still arriving.
    case receiving
    /// The request is complete and its answer held back.
    case delayed(PendingAnswer)
    /// The answer is being sent.
    case answering
    /// The answer is being sent without libmicrohttpd.
    case sending(SocketPlayer)
  }

  /// A request that is decided and not yet answered.
  struct PendingAnswer {
    var request: PracticeRequest
    var admission: Admission
  }

  let identifier: UInt64
  /// libmicrohttpd's own connection, valid until the connection is closed.
  let handle: OpaquePointer
  var phase: Phase = .receiving
  /// How many requests have ended on it.
  private var requestCount = 0
  /// When the server began to wait for the request.
  var receivingSince: UInt64
  /// When the request was complete.
  var arrival: UInt64 = 0
  /// The request line's target as it was sent.
  var target: [UInt8] = []
  /// What was sent with the request.
  var body: [UInt8] = []
  var bodyIsTooLong = false
  var hasSeenHeaders = false
  /// Whether libmicrohttpd leaves the connection alone until it is resumed.
  var isSuspended = false
  /// Whether the client has left before its answer.
  var isAbandoned = false
  /// The record of the request that is not finished yet.
  var openRecord: Int?
  /// How many bytes of the body were sent, if that is not known from the start.
  var sentBytes = 0

  init(identifier: UInt64, handle: OpaquePointer, now: UInt64) {
    self.identifier = identifier
    self.handle = handle
    receivingSince = now
  }

  /// Whether another request has ended on it.
  var isReused: Bool { requestCount > 0 }

  /// Makes the connection ready for its next request.
  func beginRequest(now: UInt64) {
    phase = .receiving
    requestCount += 1
    receivingSince = now
    hasSeenHeaders = false
    body = []
    bodyIsTooLong = false
    openRecord = nil
    sentBytes = 0
  }

  /// Keeps a part of the request's body.
  ///
  /// - Parameters:
  ///   - bytes: The part.
  ///   - limit: How long the body may become; more is dropped.
  func receive(_ bytes: UnsafeRawBufferPointer, limit: Int) {
    let room = max(0, limit - body.count)
    body.append(contentsOf: bytes.prefix(room))
    if bytes.count > room { bodyIsTooLong = true }
  }
}

@available(*, unavailable)
extension ServerConnection: Sendable {}
