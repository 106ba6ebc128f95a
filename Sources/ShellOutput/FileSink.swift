package import Foundation
import Locking
package import ShellLanguage

/// `> file` and `>> file`.
///
/// A replacement is written to a temporary file and renamed when it is complete, so that an error
/// in the middle keeps the old content.
package final class FileSink: RedirectionTarget {
  private let descriptor: Int32
  private let path: String
  private let shown: String
  private let temporaryPath: String?
  /// The length of the file before appending.
  private let oldSize: off_t?
  private let written = Locked<off_t>(0)
  private let failure = Locked<Int32>(0)

  /// A descriptor for the last program of a pipe; nil if its writes could not be undone.
  package var descriptorForProgram: Int32? { temporaryPath == nil ? nil : descriptor }

  /// - Parameters:
  ///   - path: The file.
  ///   - shown: The path for errors.
  ///   - isAppending: Whether the existing content stays.
  ///   - mode: The permissions; nil for the present ones or those of the user's mask.
  /// - Throws: The system's error with the path as it is shown.
  package init(
    path: String, shown: String, isAppending: Bool, mode: mode_t? = nil
  ) throws(UnplacedError) {
    self.shown = shown
    var information = stat()
    let exists = stat(path, &information) == 0
    let isRegular = exists && information.st_mode & S_IFMT == S_IFREG
    // A symbolic link is kept: its target is replaced. For a link without a target the system
    // creates the file.
    let target = exists ? realpath(path, nil) : nil
    self.path = target.map { String(cString: $0) } ?? path
    free(target)
    var link = stat()
    let isNew = !exists && lstat(path, &link) != 0
    oldSize = isAppending && isRegular ? information.st_size : isNew ? 0 : nil
    if !isAppending, isRegular || isNew {
      let beside = self.path + ".opsh-\(getpid())-\(UInt32.random(in: 0 ... .max))"
      let opened = Glibc.open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode ?? 0o666)
      if opened >= 0 {
        // The mask for new files does not apply to an existing one.
        if exists { fchmod(opened, mode ?? information.st_mode & 0o777) }
        temporaryPath = beside
        descriptor = opened
        return
      }
      // A file may be writable in a folder that is not.
      guard isRegular, errno == EACCES || errno == EPERM || errno == EROFS else {
        throw .file(shown, errno)
      }
    }
    temporaryPath = nil
    let flags = isAppending ? O_APPEND : O_TRUNC
    descriptor = Glibc.open(path, O_WRONLY | O_CREAT | flags | O_CLOEXEC, mode ?? 0o666)
    guard descriptor >= 0 else { throw .file(shown, errno) }
  }

  package func write(text: String) { write(bytes: Array(text.utf8)) }

  package func write(bytes: [UInt8]) {
    guard failure.withLock({ $0 }) == 0 else { return }
    let error = bytes.withUnsafeBytes { Output.writeFully($0, to: descriptor) }
    written.withLock { $0 += off_t(bytes.count) }
    if error != 0 { failure.withLock { $0 = error } }
  }

  package func close() throws {
    var error = failure.withLock { $0 }
    if Glibc.close(descriptor) != 0, error == 0 { error = errno }
    if let temporaryPath {
      if error == 0, rename(temporaryPath, path) != 0 { error = errno }
      if error != 0 { unlink(temporaryPath) }
    }
    guard error == 0 else { throw UnplacedError.file(shown, error) }
  }

  package func abandon(after error: any Error) -> any Error {
    abandon()
    return error
  }

  /// Undoes appended text, unless another process has written to the file meanwhile.
  package func withdraw() {
    var information = stat()
    if let oldSize, temporaryPath == nil, fstat(descriptor, &information) == 0,
      information.st_size == oldSize + written.withLock({ $0 })
    {
      _ = ftruncate(descriptor, oldSize)
    }
    abandon()
  }

  package func abandon() {
    _ = Glibc.close(descriptor)
    if let temporaryPath { unlink(temporaryPath) }
  }
}
