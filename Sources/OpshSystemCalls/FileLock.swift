import COpshSystem
import Foundation

/// Locks on open files, by which processes take turns; they end with the descriptor.
package enum FileLock {
  /// Takes the lock of a file or folder, and gives up after a time: another program may hold it for
  /// ever.
  ///
  /// - Parameters:
  ///   - descriptor: The open file.
  ///   - milliseconds: About how long to try.
  /// - Returns: Whether this process has it; never on a file system without locks.
  package static func take(_ descriptor: Int32, within milliseconds: Int = 100) -> Bool {
    for _ in 0..<milliseconds {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
      if errno != EWOULDBLOCK, errno != EINTR { return false }
      usleep(1_000)
    }
    return false
  }
}
