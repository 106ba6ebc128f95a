import Foundation
import OpshSystemCalls

/// Reads files, pipes and standard input to their end.
package enum WholeFile {
  /// The system's error.
  package struct Failure: Error {
    package let number: Int32
  }

  /// Returns the bytes of a file, or of a pipe: waits until a program has opened it and closed it.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - limit: The number of bytes after which it stops reading; nil for none, and then nothing is
  ///     read from a device, which may never end.
  ///   - attend: Called again and again; what it throws ends the reading.
  /// - Returns: The bytes; more than the limit if there are more.
  /// - Throws: `Failure`, and what `attend` throws.
  package static func bytes(
    of path: String, atMost limit: Int? = nil, _ attend: () throws -> Void
  ) throws -> [UInt8] {
    // Opening a pipe that nothing writes to would block, and no signal would be answered.
    let descriptor = open(path.forSystem, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Failure(number: errno) }
    defer { close(descriptor) }
    return try bytes(from: descriptor, atMost: limit, attend)
  }

  /// Returns the bytes of an open file, as `bytes(of:atMost:_:)` does.
  package static func bytes(
    from descriptor: Int32, atMost limit: Int? = nil, _ attend: () throws -> Void
  ) throws -> [UInt8] {
    var information = stat()
    fstat(descriptor, &information)
    let type = information.st_mode & S_IFMT
    if type == S_IFCHR, limit == nil { return [] }
    var bytes: [UInt8] = []
    // Of a sparse file the size says nothing about what memory can hold.
    if type == S_IFREG { bytes.reserveCapacity(min(Int(information.st_size), limit ?? 1 << 26)) }
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    let isBlocking = fcntl(descriptor, F_GETFL) & O_NONBLOCK == 0
    // Before its first bytes, the end of a pipe may only mean that no program has opened it yet.
    var mustWait = type != S_IFREG
    while true {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let isReady = !mustWait || poll(&entry, 1, 100) > 0
      try attend()
      guard isReady else { continue }
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count > 0 {
        bytes += buffer[..<count]
        if let limit, bytes.count > limit { return bytes }
        mustWait = type != S_IFREG && isBlocking
      } else if count == 0 {
        return bytes
      } else if errno == EAGAIN {
        mustWait = true
      } else if errno != EINTR {
        throw Failure(number: errno)
      }
    }
  }
}
