import COpshSystem
import Foundation

/// Wakes a thread that polls descriptors; callable from any thread.
///
/// It is a counter of the kernel's: many signals before a drain are one wake-up.
public final class WakeUp: Sendable {
  /// Polls as readable from a signal until the next drain.
  public let fileDescriptor: Int32

  /// Creates a wake-up that has not been signalled.
  ///
  /// - Throws: ``SystemCallError`` where the process has no descriptor left.
  public init() throws(SystemCallError) {
    fileDescriptor = opsh_eventfd()
    guard fileDescriptor >= 0 else { throw .last("make a wake-up descriptor") }
  }

  deinit { close(fileDescriptor) }

  /// Makes the descriptor readable.
  public func signal() {
    var one: UInt64 = 1
    while write(fileDescriptor, &one, 8) < 0, opsh_errno() == EINTR {}
  }

  /// Makes the descriptor unreadable until the next signal.
  ///
  /// Drain first and check for work afterwards: a signal between the two is then not lost.
  public func drain() {
    var count: UInt64 = 0
    while read(fileDescriptor, &count, 8) < 0, opsh_errno() == EINTR {}
  }
}
