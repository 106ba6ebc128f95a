import Foundation
import OpshNetworking
import ShellLanguage
import ShellOutput
import ShellSession
import OpshSystemCalls

/// Reads a file or standard input, as the body of a request.
package enum InputFile {
  /// More than this from anything but a file is a mistake, such as `/dev/zero`.
  package static let limit = 256 << 20
  /// A file that is larger is read while it is sent; a smaller one now, so that it may change.
  package static let longestHeld = 1 << 20

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
    let descriptor =
      file.map { open($0.place.forSystem, O_RDONLY | O_CLOEXEC | O_NONBLOCK) } ?? input
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
    do {
      let bytes = try WholeFile.bytes(from: descriptor, atMost: limit) {
        if !isFile, try checkEnd() { throw UnplacedError(.interrupted, "reading was stopped") }
      }
      guard bytes.count <= limit else {
        throw UnplacedError(.tooLarge, "it is larger than a body may be")
      }
      return .bytes(bytes)
    } catch let failure as WholeFile.Failure {
      throw Self.system(failure.number)
    }
  }

  private static func system(_ number: Int32) -> UnplacedError {
    UnplacedError(.file(number), String(cString: strerror(number)))
  }
}
