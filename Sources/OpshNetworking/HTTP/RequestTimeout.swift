import OpshSupport

/// The time limit of a request that was exceeded, and how far the request had come.
public struct RequestTimeout: Sendable, Equatable {
  /// What took too long.
  public enum Phase: Sendable, Equatable {
    /// Looking up the host; ``RequestOptions/connectTimeout``.
    case lookup
    /// Connecting to the host or the proxy; ``RequestOptions/connectTimeout``.
    case connect
    /// The TLS handshake, or the tunnel through a proxy; ``RequestOptions/connectTimeout``.
    case handshake
    /// A pause without a single byte; ``RequestOptions/idleTimeout``.
    case idle
    /// All attempts together; ``RequestOptions/timeout``.
    case total
  }

  /// What took too long.
  public let phase: Phase
  /// The limit; nil if the operating system gave up first.
  public let limit: Duration?
  /// How many bytes of the body had come, on the wire.
  public let bytesReceived: Int

  /// How much of the request's body had been sent; nil where that is not known.
  public let bytesSent: Sent?

  /// How much of the body of a request had been sent.
  public struct Sent: Sendable, Equatable {
    /// The bytes that the system had taken, of which its own buffers may hold some.
    public let bytes: Int
    /// The length of the body.
    public let total: Int
    /// Whether nothing was left to send.
    public var isWhole: Bool { bytes >= total }

    /// Creates it from both numbers.
    public init(bytes: Int, total: Int) {
      self.bytes = bytes
      self.total = total
    }
  }

  /// Creates a timeout.
  public init(
    _ phase: Phase, limit: Duration?, bytesReceived: Int = 0, bytesSent: Sent? = nil
  ) {
    self.phase = phase
    self.limit = limit
    self.bytesReceived = bytesReceived
    self.bytesSent = bytesSent
  }

  /// The error message: one sentence without a full stop.
  var message: String {
    guard let limit else { return "the server did not answer the attempt to connect" }
    let time = DurationText(limit).description
    return switch phase {
    case .lookup: "looking up the server took longer than \(time) (connect-timeout)"
    case .connect: "connecting to the server took longer than \(time) (connect-timeout)"
    case .handshake:
      "the connection was made, but no TLS handshake within \(time) (connect-timeout)"
    case .idle where bytesSent?.isWhole == false:
      "the server took nothing for \(time) (idle-timeout)\(progress)"
    case .idle: "the server sent nothing for \(time) (idle-timeout)\(progress)"
    case .total: "the request took longer than its limit of \(time) (--timeout)\(progress)"
    }
  }

  /// What was sent and what had come, as clauses.
  private var progress: String {
    let sent = bytesSent.map { sent in
      let total = ByteCount(sent.total).description
      let part =
        sent.isWhole ? "all \(total)" : "\(ByteCount(sent.bytes).description) of the \(total)"
      return "; \(part) to upload had been sent"
    }
    let received =
      bytesReceived == 0 ? "" : "; \(ByteCount(bytesReceived).description) of the body had come"
    return (sent ?? "") + received
  }
}
