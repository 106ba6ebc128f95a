/// A body that is sent no faster than a number of bytes per second.
final class PacedBody {
  /// What libmicrohttpd understands as the end of a body by an error.
  static let endWithError = -2
  /// How often a part of the body is sent; shorter steps only cost time.
  private static let step: UInt64 = 20_000_000

  private let bytes: [UInt8]
  private let bandwidth: Int
  private let start: UInt64
  // The loop outlives every response: it ends by closing all connections.
  private unowned let loop: ServerLoop
  private let connection: ServerConnection

  init(bytes: [UInt8], bandwidth: Int, loop: ServerLoop, connection: ServerConnection) {
    self.bytes = bytes
    self.bandwidth = bandwidth
    self.loop = loop
    self.connection = connection
    start = monotonicNanoseconds()
  }

  /// Copies what may be sent by now, or suspends the connection until there is something.
  ///
  /// - Returns: The number of bytes copied; 0 if the connection was suspended.
  func read(at position: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard position < bytes.count, !buffer.isEmpty else { return Self.endWithError }
    let now = monotonicNanoseconds()
    let allowed = bytesAllowed(after: now - start) - position
    guard allowed > 0 else {
      loop.suspend(connection, until: max(start + time(for: position + 1), now + Self.step))
      return 0
    }
    let count = min(allowed, buffer.count, bytes.count - position)
    bytes.withUnsafeBytes { source in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[position..<position + count]))
    }
    return loop.noteSent(count, on: connection)
  }

  private func bytesAllowed(after nanoseconds: UInt64) -> Int {
    let allowed = Double(nanoseconds) * Double(bandwidth) / 1e9
    return allowed >= Double(bytes.count) ? bytes.count : Int(allowed)
  }

  private func time(for count: Int) -> UInt64 {
    // A day at most, so that one byte a century does not overflow.
    UInt64(min(Double(count) * 1e9 / Double(bandwidth), 86_400e9).rounded(.up))
  }
}

@available(*, unavailable)
extension PacedBody: Sendable {}
