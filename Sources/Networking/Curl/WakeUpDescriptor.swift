import CCurl
import Foundation

/// Lets other threads end the wait of the one that runs all transfers.
final class WakeUpDescriptor: Sendable {
  /// Can be read from after `signal`.
  let readEnd: Int32
  private let writeEnd: Int32

  /// Opens it; nil where the process has no descriptor left.
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
    // A full one, which is the only way to fail, ends the wait just as well.
    var one: UInt64 = 1
    _ = write(writeEnd, &one, MemoryLayout.size(ofValue: one))
  }

  /// Takes back all signals so far.
  func clear() {
    var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    let size = MemoryLayout.size(ofValue: bytes)
    // Where it is a pipe there may be more of them than one reading takes.
    while read(readEnd, &bytes, size) == size {}
  }
}
