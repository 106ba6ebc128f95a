package import Foundation

/// A new content of a file that takes its place when it is complete, so that a full disk or the end of
/// the process loses nothing.
///
/// It is written to a hidden file in the same folder, whose name no other process has.
package struct FileReplacement: Sendable {
  /// Where the content is written.
  package let descriptor: Int32
  private let path: String
  private let temporary: String

  /// Creates an empty content, of the owner of the file.
  ///
  /// - Parameters:
  ///   - path: The path of the file; not a symbolic link, which would be replaced.
  ///   - mode: The permissions, of which the user's mask takes some away.
  /// - Throws: `SystemCallError` with the system's error.
  package init(of path: String, mode: mode_t) throws(SystemCallError) {
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    let number = String(UInt64.random(in: .min ... .max), radix: 36)
    (self.path, temporary) = (path, folder + ".opsh-" + number)
    descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw .last("create a file") }
    var status = stat()
    if stat(path, &status) == 0 { keepOwner(status, on: descriptor) }
  }

  /// Closes the content, and puts it in the place of the file unless it could not be written.
  ///
  /// - Parameter failure: The system's error while it was written; 0 for none.
  /// - Returns: 0, or the system's error; then the file is as it was.
  package func finish(after failure: Int32 = 0) -> Int32 {
    var failure = failure
    if close(descriptor) != 0, failure == 0 { failure = errno }
    if failure == 0, rename(temporary, path) != 0 { failure = errno }
    if failure != 0 { unlink(temporary) }
    return failure
  }

  /// Replaces a file, which only its owner can read then.
  ///
  /// - Parameters:
  ///   - path: The path of the file; not a symbolic link, which would be replaced.
  ///   - bytes: The new content.
  /// - Returns: 0, or the system's error; then the file is as it was.
  package static func replace(_ path: String, with bytes: [UInt8]) -> Int32 {
    do throws(SystemCallError) {
      let replacement = try FileReplacement(of: path, mode: 0o600)
      return replacement.finish(after: writeFully(bytes, to: replacement.descriptor))
    } catch {
      return error.code
    }
  }
}
