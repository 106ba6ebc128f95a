import Foundation
import Operations
import Terminal

/// Reads a file or standard input whole, as the body of a request.
enum InputFile {
  /// Why it could not be read.
  struct Failure: CodedError {
    let code: String
    let message: String

    static func system(_ number: Int32) -> Failure {
      Failure(code: "file(\(number))", message: String(cString: strerror(number)))
    }
  }

  /// More than this is a mistake, such as `/dev/zero`.
  private static let limit = 256 << 20

  /// - Parameters:
  ///   - path: The file; nil for standard input.
  ///   - checkEnd: Asked again and again while nothing comes; throws where reading is to end, and
  ///     returns whether it was interrupted.
  /// - Returns: All bytes.
  /// - Throws: `Failure`, and what `checkEnd` throws.
  static func read(_ path: String?, checkEnd: () throws -> Bool) throws -> [UInt8] {
    // Without blocking, or a pipe that nobody writes to would hold up the shell.
    let descriptor = path.map { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) } ?? STDIN_FILENO
    guard descriptor >= 0 else { throw Failure.system(errno) }
    defer { if path != nil { close(descriptor) } }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Failure.system(errno) }
    guard status.st_mode & S_IFMT != S_IFDIR else { throw Failure.system(EISDIR) }
    let isFile = status.st_mode & S_IFMT == S_IFREG
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      if !isFile {
        if try checkEnd() { throw Failure(code: "interrupted", message: "reading was stopped") }
        let ready = try? Poller.wait(fileDescriptors: [descriptor], timeout: .milliseconds(50))
        guard ready != [] else { continue }
      }
      let count = Glibc.read(descriptor, &part, part.count)
      if count > 0 {
        bytes += part[..<count]
        guard bytes.count <= limit else {
          throw Failure(code: "too-large", message: "it is larger than a body may be")
        }
      } else if count == 0 {
        return bytes
      } else if errno != EINTR, errno != EAGAIN {
        throw Failure.system(errno)
      }
    }
  }
}
