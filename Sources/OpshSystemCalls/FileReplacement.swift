package import Foundation

/// A new content of a file that takes its place when it is complete, so that a full disk or the end of
/// the process loses nothing.
///
/// It is written to a hidden file in the same folder, which the next replacement removes if this
/// process is killed. A file with
/// several names, or one that is mounted, keeps its place: the complete content is copied into it.
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
    self.path = path
    (descriptor, temporary) = try TemporaryFile.create(
      in: String(folder), prefix: ".opsh-new-", mode: mode)
    var status = stat()
    if stat(path.forSystem, &status) == 0 { keepOwner(status, on: descriptor) }
  }

  /// Closes the content, and puts it in the place of the file unless it could not be written.
  ///
  /// - Parameter failure: The system's error while it was written; 0 for none.
  /// - Returns: 0, or the system's error; then the file is as it was, unless the system failed
  ///   while it copied into a file that keeps its place.
  package func finish(after failure: Int32 = 0) -> Int32 {
    var failure = failure
    // A second descriptor, because only closing the first shows some errors of writing.
    let content = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    defer { if content >= 0 { close(content) } }
    if close(descriptor) != 0, failure == 0 { failure = errno }
    guard failure == 0 else {
      unlink(temporary.forSystem)
      return failure
    }
    // After a rename the other names of a file would still have the old content.
    guard !hasOtherNames else { return overwrite(with: content) }
    guard rename(temporary.forSystem, path.forSystem) != 0 else { return 0 }
    // The system refuses to rename onto a file that is mounted there, as containers do with one.
    guard errno == EBUSY else {
      failure = errno
      unlink(temporary.forSystem)
      return failure
    }
    return overwrite(with: content)
  }

  /// Whether the file has several hard links.
  private var hasOtherNames: Bool {
    var status = stat()
    return lstat(path.forSystem, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && status.st_nlink > 1
  }

  /// Copies the content into the file, and removes the hidden one.
  private func overwrite(with content: Int32) -> Int32 {
    defer { unlink(temporary.forSystem) }
    guard content >= 0 else { return EMFILE }
    let file = open(path.forSystem, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { return errno }
    let failure = Self.copy(content, to: file)
    let isClosed = close(file) == 0
    return failure == 0 && !isClosed ? errno : failure
  }

  private static func copy(_ content: Int32, to file: Int32) -> Int32 {
    var (new, old) = (stat(), stat())
    guard fstat(content, &new) == 0, fstat(file, &old) == 0 else { return errno }
    if new.st_size > old.st_size {
      // With the room for it, a full disk leaves the old content whole.
      let failure = posix_fallocate(file, old.st_size, new.st_size - old.st_size)
      guard ![ENOSPC, EDQUOT, EFBIG].contains(failure) else {
        ftruncate(file, old.st_size)
        return failure
      }
    }
    // Before the content, which may be for the user alone.
    if (new.st_mode ^ old.st_mode) & 0o777 != 0, fchmod(file, new.st_mode & 0o777) != 0 {
      return errno
    }
    var buffer = [UInt8](repeating: 0, count: 65536)
    var offset: off_t = 0
    while true {
      let count = buffer.withUnsafeMutableBytes { pread(content, $0.baseAddress, $0.count, offset) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return errno }
      guard count > 0 else { break }
      let failure = writeFully(Array(buffer[..<count]), to: file)
      guard failure == 0 else { return failure }
      offset += off_t(count)
    }
    return ftruncate(file, new.st_size) == 0 ? 0 : errno
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
