import CSystem
import Foundation

/// Locks on open files, by which processes take turns; they end with the descriptor.
package enum FileLock {
  /// Takes the lock of a file or folder, and gives up after a tenth of a second: another program may
  /// hold it for ever.
  ///
  /// - Parameter descriptor: The open file.
  /// - Returns: Whether this process has it; never on a file system without locks.
  package static func take(_ descriptor: Int32) -> Bool {
    for _ in 0..<100 {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
      usleep(1_000)
    }
    return false
  }
}
