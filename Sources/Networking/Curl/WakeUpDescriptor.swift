import CCurl
import Foundation

/// Lets other threads wake the thread that runs all transfers.
final class WakeUpDescriptor: Sendable {
  /// Readable after `signal`.
  let readEnd: Int32
  private let writeEnd: Int32

  /// Opens it; nil if the process has no descriptor left.
  init?() {
    var ends: [Int32] = [-1, -1]
    guard opsh_curl_open_wake_up(&ends) == 0 else { return nil }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  deinit {
    close(readEnd)
    if writeEnd != readEnd { close(writeEnd) }
  }

  /// Ends the present wait, or the next one.
  func signal() {
    // Writing fails only if it is full, which also ends the wait.
    var one: UInt64 = 1
    _ = write(writeEnd, &one, MemoryLayout.size(ofValue: one))
  }

  /// Resets all signals so far.
  func clear() {
    var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    let size = MemoryLayout.size(ofValue: bytes)
    // A pipe may contain more of them than one read returns.
    while read(readEnd, &bytes, size) == size {}
  }
}
