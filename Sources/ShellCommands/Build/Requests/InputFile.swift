import Foundation
import Networking
import ShellLanguage
import ShellOutput
import ShellSession
import Terminal

/// Reads a file or standard input, as the body of a request.
enum InputFile {
  /// More than this from anything but a file is a mistake, such as `/dev/zero`.
  static let limit = 256 << 20
  /// A file that is larger is read while it is sent; a smaller one now, so that it may change.
  static let longestHeld = 1 << 20

  /// - Parameters:
  ///   - file: The file, as it was given and where it is; nil for standard input.
  ///   - input: The descriptor of standard input.
  ///   - limit: The most bytes.
  ///   - checkEnd: Asked again and again while nothing comes; throws where reading is to end, and
  ///     returns whether it was interrupted.
  /// - Returns: All bytes, or the large file.
  /// - Throws: `UnplacedError`, and what `checkEnd` throws.
  static func read(
    _ file: (path: String, place: String)?, input: Int32, limit: Int = InputFile.limit,
    checkEnd: () throws -> Bool
  ) throws -> RequestBody.Part {
    // Non-blocking: opening a pipe without a writer would otherwise block the shell.
    let descriptor = file.map { open($0.place, O_RDONLY | O_CLOEXEC | O_NONBLOCK) } ?? input
    guard descriptor >= 0 else { throw Self.system(errno) }
    defer { if file != nil { close(descriptor) } }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.system(errno) }
    guard status.st_mode & S_IFMT != S_IFDIR else { throw Self.system(EISDIR) }
    let isFile = status.st_mode & S_IFMT == S_IFREG
    if let file, isFile, status.st_size > Self.longestHeld {
      do {
        return .file(try BodyFile(path: file.path, place: file.place))
      } catch {
        throw Self.system(error.number)
      }
    }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      if !isFile {
        if try checkEnd() { throw UnplacedError(.interrupted, "reading was stopped") }
        let ready = try? Poller.wait(fileDescriptors: [descriptor], timeout: .milliseconds(50))
        guard ready != [] else { continue }
      }
      let count = Glibc.read(descriptor, &part, part.count)
      if count > 0 {
        bytes += part[..<count]
        guard bytes.count <= limit else {
          throw UnplacedError(.tooLarge, "it is larger than a body may be")
        }
      } else if count == 0 {
        return .bytes(bytes)
      } else if errno != EINTR, errno != EAGAIN {
        throw Self.system(errno)
      }
    }
  }

  private static func system(_ number: Int32) -> UnplacedError {
    UnplacedError(.file(number), String(cString: strerror(number)))
  }
}
