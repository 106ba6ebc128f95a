import Foundation
import OpshHTTPServing

/// Plays a script on a connection's socket, past libmicrohttpd, which sends whole answers only.
///
/// The library leaves a suspended connection alone, so that the server's thread may write to its
/// socket; after the last step the connection is closed.
final class SocketPlayer {
  /// What is to happen next.
  enum Outcome: Equatable {
    case wait(until: UInt64)
    case finished
    /// The client has left.
    case lost
  }

  private var steps: ArraySlice<FaultScript.Step>
  private let descriptor: Int32
  /// How much of the first step is done, and when it was begun.
  private var offset = 0
  private var start: UInt64?
  /// How many bytes were written, those of the head not counted.
  private(set) var written = 0

  /// How long to wait for room in the socket's buffer: a megabyte goes in at once.
  private static let retryInterval: UInt64 = 5_000_000
  private static let dripInterval: UInt64 = 20_000_000
  private static let day: UInt64 = 86_400_000_000_000
  private static let block = 65_536

  init(_ script: FaultScript, descriptor: Int32) {
    steps = script.steps[...]
    self.descriptor = descriptor
  }

  /// Does what can be done without waiting; returns when to call again, if there is more to do.
  func advance(now: UInt64) -> Outcome {
    guard descriptor >= 0 else { return .lost }
    while let step = steps.first {
      let begin = start ?? now
      start = begin
      switch step {
      case .head(let bytes), .body(let bytes):
        guard write(bytes, upTo: bytes.count) else { return .lost }
        if offset < bytes.count { return .wait(until: now + Self.retryInterval) }
      case .fill(let byte, let count):
        let block = [UInt8](repeating: byte, count: min(count, Self.block))
        while offset < count {
          let size = min(count - offset, block.count)
          let sent = send(descriptor, block, size, Int32(MSG_NOSIGNAL))
          guard note(sent) else { return .lost }
          if sent < size { return .wait(until: now + Self.retryInterval) }
        }
      case .drip(let bytes, let rate):
        let due = min(Double(bytes.count), Double(now - begin) / 1e9 * Double(rate) + 1)
        guard write(bytes, upTo: Int(due)) else { return .lost }
        if offset < bytes.count {
          let interval = UInt64(min(1e9 / Double(rate), Double(Self.day)))
          return .wait(until: now + max(interval, Self.dripInterval))
        }
      case .wait(let duration):
        let end = begin + min(duration ?? Self.day, Self.day)
        if now < end { return .wait(until: end) }
        if duration == nil { return .finished }
      case .reset:
        resetSocket(descriptor)
        return .finished
      case .close: return .finished
      }
      steps.removeFirst()
      (offset, start) = (0, nil)
    }
    return .finished
  }

  /// Writes the bytes of a step from where it is up to a position, as far as there is room; returns
  /// whether the connection is still there.
  private func write(_ bytes: [UInt8], upTo end: Int) -> Bool {
    while offset < end {
      let sent = bytes.withUnsafeBytes { buffer in
        send(
          descriptor, buffer.baseAddress?.advanced(by: offset), end - offset,
          Int32(MSG_NOSIGNAL))
      }
      guard note(sent) else { return false }
      if sent <= 0 { return true }
    }
    return true
  }

  /// Notes the result of `send`; returns false if the connection is lost.
  private func note(_ sent: Int) -> Bool {
    if sent >= 0 {
      offset += sent
      if case .head? = steps.first { return true }
      written += sent
      return true
    }
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR
  }
}

@available(*, unavailable)
extension SocketPlayer: Sendable {}
