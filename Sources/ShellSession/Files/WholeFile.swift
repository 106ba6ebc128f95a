import Foundation
package import ShellLanguage
import ShellOutput

/// Reads a file to its end.
package enum WholeFile {
  /// Returns the bytes of a file, or of a pipe that a program has open.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - shown: The path for errors.
  /// - Returns: The bytes.
  /// - Throws: The system's error with the path as it is shown.
  package static func bytes(of path: String, shown: String) throws(UnplacedError) -> [UInt8] {
    // A pipe that nothing writes to would block.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .file(shown, errno) }
    defer { close(descriptor) }
    var information = stat()
    fstat(descriptor, &information)
    if information.st_mode & S_IFMT == S_IFDIR { throw .file(shown, EISDIR) }
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(max(0, information.st_size)))
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count > 0 {
        bytes += buffer[..<count]
      } else if count == 0 {
        return bytes
      } else if errno != EINTR {
        throw .file(shown, errno)
      }
    }
  }
}
