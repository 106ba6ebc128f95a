import Foundation

extension Output {
  /// Writes all bytes, and waits if the descriptor is non-blocking and full.
  ///
  /// - Returns: 0, or the error of the write.
  package static func writeFully(_ text: String, to descriptor: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { writeFully(UnsafeRawBufferPointer($0), to: descriptor) }
  }

  /// Writes all bytes, and waits if the descriptor is non-blocking and full.
  ///
  /// - Returns: 0, or the error of the write.
  package static func writeFully(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var offset = 0
    while offset < bytes.count {
      guard let base = bytes.baseAddress else { return 0 }
      let count = Glibc.write(descriptor, base + offset, bytes.count - offset)
      if count > 0 {
        offset += count
      } else if errno == EAGAIN {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&entry, 1, 1000)
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }
}
