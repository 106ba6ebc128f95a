import Foundation
import Locking

/// `> file` and `>> file`.
///
/// What replaces a file is written beside it and takes its name when it is whole, so that an error
/// in the middle leaves the old content.
final class FileSink: RedirectionTarget {
  private let descriptor: Int32
  private let path: String
  private let shown: String
  private let temporaryPath: String?
  /// How long the file was that is appended to.
  private let oldSize: off_t?
  private let written = Locked<off_t>(0)
  private let failure = Locked<Int32>(0)

  /// What a program at the end of a pipe can write to by itself; nil where that could not be undone.
  var descriptorForProgram: Int32? { temporaryPath == nil ? nil : descriptor }

  /// - Parameters:
  ///   - path: The file.
  ///   - shown: The file as errors name it.
  ///   - isAppending: Whether what is there stays.
  ///   - mode: Who may read and write it; nil for what the user's mask says, or what it was before.
  /// - Throws: The system's reason, with the file as it is shown.
  init(
    path: String, shown: String, isAppending: Bool, mode: mode_t? = nil
  ) throws(RedirectionError) {
    self.shown = shown
    var information = stat()
    let exists = stat(path, &information) == 0
    let isRegular = exists && information.st_mode & S_IFMT == S_IFREG
    // A link stays one: what it leads to is replaced. One that leads to nothing is left to the
    // system, which makes the file.
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
        // The mask for new files is not meant for one that was there before.
        if exists { fchmod(opened, mode ?? information.st_mode & 0o777) }
        temporaryPath = beside
        descriptor = opened
        return
      }
      // A file may well be written in a folder that takes no new ones.
      guard isRegular, errno == EACCES || errno == EPERM || errno == EROFS else {
        throw .file(shown, errno)
      }
    }
    temporaryPath = nil
    let flags = isAppending ? O_APPEND : O_TRUNC
    descriptor = Glibc.open(path, O_WRONLY | O_CREAT | flags | O_CLOEXEC, mode ?? 0o666)
    guard descriptor >= 0 else { throw .file(shown, errno) }
  }

  func write(text: String) { write(bytes: Array(text.utf8)) }

  func write(bytes: [UInt8]) {
    guard failure.withLock({ $0 }) == 0 else { return }
    let error = bytes.withUnsafeBytes { Output.writeFully($0, to: descriptor) }
    written.withLock { $0 += off_t(bytes.count) }
    if error != 0 { failure.withLock { $0 = error } }
  }

  func close() throws {
    var error = failure.withLock { $0 }
    if Glibc.close(descriptor) != 0, error == 0 { error = errno }
    if let temporaryPath {
      if error == 0, rename(temporaryPath, path) != 0 { error = errno }
      if error != 0 { unlink(temporaryPath) }
    }
    guard error == 0 else { throw RedirectionError.file(shown, error) }
  }

  func abandon(after error: any Error) -> any Error {
    abandon()
    return error
  }

  /// Takes back what was appended, unless somebody else has written to the file meanwhile.
  func withdraw() {
    var information = stat()
    if let oldSize, temporaryPath == nil, fstat(descriptor, &information) == 0,
      information.st_size == oldSize + written.withLock({ $0 })
    {
      _ = ftruncate(descriptor, oldSize)
    }
    abandon()
  }

  func abandon() {
    _ = Glibc.close(descriptor)
    if let temporaryPath { unlink(temporaryPath) }
  }
}
