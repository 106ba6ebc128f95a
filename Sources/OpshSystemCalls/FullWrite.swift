import COpshSystem
import Foundation

/// Writes a text as UTF-8, and waits if the descriptor is non-blocking and full; returns 0 or the
/// error.
package func writeFully(_ text: String, to descriptor: Int32) -> Int32 {
  writeFully(Array(text.utf8), to: descriptor)
}

/// Writes all bytes, and waits if the descriptor is non-blocking and full; returns 0 or the error.
package func writeFully(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
  bytes.withUnsafeBytes { writeFully($0, to: descriptor) }
}

/// Writes all bytes, and waits if the descriptor is non-blocking and full; returns 0 or the error.
package func writeFully(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
  writeFully(bytes, to: descriptor) {}
}

/// Writes all bytes; calls a closure again and again while the descriptor is non-blocking and full.
///
/// - Parameters:
///   - bytes: The bytes.
///   - descriptor: Where they go.
///   - whenFull: The closure; what it throws ends the writing.
/// - Returns: 0, or the system's error.
/// - Throws: What the closure throws.
package func writeFully(
  _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, whenFull: () throws -> Void
) rethrows -> Int32 {
  var offset = 0
  while offset < bytes.count {
    guard let base = bytes.baseAddress else { return 0 }
    let count = write(descriptor, base + offset, bytes.count - offset)
    if count > 0 {
      offset += count
    } else if count == 0 {
      return EIO
    } else if opsh_errno() == EAGAIN {
      var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      if poll(&entry, 1, 100) <= 0 { try whenFull() }
    } else if opsh_errno() != EINTR {
      return opsh_errno()
    }
  }
  return 0
}
