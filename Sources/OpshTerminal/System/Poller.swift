import COpshSystem
import Foundation
import OpshSystemCalls

/// Waits until descriptors can be read.
public enum Poller: Sendable {
  /// Waits until at least one descriptor is readable, closed or broken.
  ///
  /// - Parameters:
  ///   - fileDescriptors: The descriptors; negative ones are left out.
  ///   - timeout: The longest time to wait; nil for as long as it takes.
  /// - Returns: Those that a read would not block on; none where the time ran out.
  /// - Throws: ``SystemCallError`` where the system refuses.
  public static func wait(fileDescriptors: [Int32], timeout: Duration?) throws -> [Int32] {
    var entries = fileDescriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let deadline = timeout.map { ContinuousClock.now + max($0, .zero) }
    while true {
      let left = deadline.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
      let count = opsh_poll(&entries, UInt(entries.count), nanoseconds(left))
      if count >= 0 {
        return entries.filter { $0.revents != 0 }.map(\.fd)
      }
      guard opsh_errno() == EINTR else { throw SystemCallError.last("wait for input") }
    }
  }

  private static func nanoseconds(_ duration: Duration?) -> Int64 {
    guard let duration else { return -1 }
    let (seconds, attoseconds) = duration.components
    // A year is as good as for ever, and cannot overflow.
    return min(seconds, 31_536_000) * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
