import Foundation
import ShellLanguage
import ShellOutput

/// Reads a file to its end.
package enum WholeFile {
  /// Returns the bytes of a file, or of a pipe that a program has open.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - shown: The path for errors.
  ///   - attend: Called again and again; what it throws ends the reading.
  /// - Returns: The bytes; none of a device.
  /// - Throws: The system's error with the path as it is shown, and what `attend` throws.
  package static func bytes(
    of path: String, shown: String, _ attend: () throws -> Void
  ) throws -> [UInt8] {
    // A pipe that nothing writes to would block.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw UnplacedError.file(shown, errno) }
    defer { close(descriptor) }
    var information = stat()
    fstat(descriptor, &information)
    if information.st_mode & S_IFMT == S_IFDIR { throw UnplacedError.file(shown, EISDIR) }
    // A device may never end.
    if information.st_mode & S_IFMT == S_IFCHR { return [] }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(max(0, information.st_size)))
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      let error = errno
      try attend()
      if count > 0 {
        bytes += buffer[..<count]
      } else if count == 0 {
        return bytes
      } else if error == EAGAIN {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&entry, 1, 100)
      } else if error != EINTR {
        throw UnplacedError.file(shown, error)
      }
    }
  }
}
