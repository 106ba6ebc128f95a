import Foundation
import OpshHTTPServing

/// One client that follows the session, and its bounded buffer.
///
/// It writes to the socket of its connection past libmicrohttpd, which is suspended meanwhile.
final class Follower {
  /// What a call of `send` came to.
  enum Progress {
    /// All lines are sent.
    case idle
    /// The client does not read fast enough.
    case blocked
    /// There is more to send, after others had their turn.
    case more
    /// The connection is lost, or has to be: the next line can't be read.
    case lost
  }

  let connection: HTTPConnection
  let role: AccessControl.Role
  private let descriptor: Int32
  private var stream: EventStream
  /// What is to be sent before anything else; whole messages of which a part may be sent.
  private var buffer: [UInt8]
  private var sent = 0
  private var lastSent: UInt64
  /// Whether the client is to know, after the last line, that nothing follows: it need not connect
  /// again.
  var endsAfterLines = false
  private var hasEnded = false

  /// How many bytes of messages are made at once.
  private static let portion = 64 * 1024
  /// How many bytes are sent before other followers have their turn.
  private static let turn = 512 * 1024
  /// How much the system keeps for a client that does not read.
  private static let systemBuffer: Int32 = 256 * 1024
  /// After how long without a message a comment is sent.
  static let quietTime: UInt64 = 15_000_000_000

  private static let head = """
    HTTP/1.1 200 OK\r
    Content-Type: text/event-stream; charset=utf-8\r
    Cache-Control: no-store\r
    X-Content-Type-Options: nosniff\r
    Cross-Origin-Resource-Policy: same-origin\r
    Connection: close\r
    \r
    retry: 1000\n\n
    """

  init(
    _ connection: HTTPConnection, lastEventID: String?, role: AccessControl.Role, now: UInt64
  ) {
    self.connection = connection
    self.role = role
    descriptor = connection.socket
    stream = EventStream(lastEventID: lastEventID)
    buffer = Array(Self.head.utf8)
    lastSent = now
    connection.sendAtOnce()
    var size = Self.systemBuffer
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Since when the client does not read.
  private var blockedSince: UInt64?
  /// How long a client may read nothing before it is given up.
  private static let longestBlock: UInt64 = 60_000_000_000

  var isBlocked: Bool { blockedSince != nil }

  /// When a comment is due.
  var quietEnd: UInt64 { lastSent + Self.quietTime }

  /// Sends what can be sent without waiting.
  func send(from store: LineStore, now: UInt64) -> Progress {
    var room = Self.turn
    while room > 0 {
      if sent == buffer.count {
        guard let messages = stream.messages(from: store, upTo: Self.portion) else { return .lost }
        buffer = messages
        sent = 0
        if buffer.isEmpty { buffer = messageWithoutLine(now: now) }
        if buffer.isEmpty { return .idle }
      }
      let count = buffer.withUnsafeBytes {
        Foundation.send(
          descriptor, $0.baseAddress?.advanced(by: sent), $0.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count >= 0 else {
        let isFull = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR
        let since = blockedSince ?? now
        blockedSince = since
        return isFull && now - since < Self.longestBlock ? .blocked : .lost
      }
      blockedSince = nil
      lastSent = now
      sent += count
      room -= count
    }
    return .more
  }

  /// What is due although there is no line.
  private func messageWithoutLine(now: UInt64) -> [UInt8] {
    if endsAfterLines, !hasEnded {
      hasEnded = true
      return Array("event: end\ndata:\n\n".utf8)
    }
    return now >= quietEnd ? Array(":\n\n".utf8) : []
  }
}

@available(*, unavailable)
extension Follower: Sendable {}
