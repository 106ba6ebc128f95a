/// What the server remembers of one connection while it is open.
final class ServerConnection {
  /// What the connection's current request has come to.
  enum Phase {
    /// A request is awaited or still arriving.
    case receiving
    /// The request is complete and its answer held back.
    case delayed(PendingAnswer)
    /// The answer is on its way.
    case answering
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
  /// When the server began to wait for the request.
  var receivingSince: UInt64
  /// The request line's target as it was sent.
  var target: [UInt8] = []
  var hasSeenHeaders = false
  /// Whether libmicrohttpd leaves the connection alone until it is resumed.
  var isSuspended = false

  init(identifier: UInt64, handle: OpaquePointer, now: UInt64) {
    self.identifier = identifier
    self.handle = handle
    receivingSince = now
  }

  /// Makes the connection ready for its next request.
  func beginRequest(now: UInt64) {
    phase = .receiving
    receivingSince = now
    hasSeenHeaders = false
  }
}

@available(*, unavailable)
extension ServerConnection: Sendable {}
