package import Foundation
import Locking
import ShellLanguage
import SystemCalls

/// `> file` and `>> file`.
///
/// A replacement is written to a temporary file and renamed when it is complete, so that an error
/// in the middle keeps the old content. What was appended before an error stays, as in other shells.
/// A pipe that nothing reads, or too slowly, blocks the thread, but not its signals: it is in
/// non-blocking mode.
package final class FileSink: RedirectionTarget {
  private let descriptor: Int32
  private let path: String
  private let shown: String
  private let temporaryPath: String?
  private let failure = Locked<(any Error)?>(nil)
  /// Called again and again while a pipe blocks the thread.
  private let attendBlocked: (@Sendable () throws -> Void)?

  /// A descriptor for the last program of a pipe; nil if its writes could not be undone.
  package var descriptorForProgram: Int32? { temporaryPath == nil ? nil : descriptor }

  /// - Parameters:
  ///   - path: The file.
  ///   - shown: The path for errors.
  ///   - isAppending: Whether the existing content stays.
  ///   - mode: The permissions; nil for the present ones or those of the user's mask.
  ///   - attend: Called again and again while a pipe blocks the thread; what it throws ends the
  ///     writing. Nil refuses a pipe that nothing reads.
  /// - Throws: The system's error with the path as it is shown, and what `attend` throws.
  package init(
    path: String, shown: String, isAppending: Bool, mode: mode_t? = nil,
    attend: (@Sendable () throws -> Void)? = nil
  ) throws {
    self.shown = shown
    attendBlocked = attend
    var information = stat()
    let exists = stat(path, &information) == 0
    let isPipe = exists && information.st_mode & S_IFMT == S_IFIFO
    let isRegular = exists && information.st_mode & S_IFMT == S_IFREG
    // A symbolic link is kept: its target is replaced. For a link without a target the system
    // creates the file.
    let target = exists ? realpath(path, nil) : nil
    self.path = target.map { String(cString: $0) } ?? path
    free(target)
    var link = stat()
    let isNew = !exists && lstat(path, &link) != 0
    if !isAppending, isRegular || isNew {
      let beside = self.path + ".opsh-\(getpid())-\(UInt32.random(in: 0 ... .max))"
      let opened = Glibc.open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode ?? 0o666)
      if opened >= 0 {
        // The mask for new files does not apply to an existing one.
        if exists {
          keepOwner(information, on: opened)
          fchmod(opened, mode ?? information.st_mode & 0o777)
        }
        temporaryPath = beside
        descriptor = opened
        return
      }
      // A file may be writable in a folder that is not.
      guard isRegular, errno == EACCES || errno == EPERM || errno == EROFS else {
        throw UnplacedError.file(shown, errno)
      }
    }
    temporaryPath = nil
    let flags = isAppending ? O_APPEND : O_TRUNC
    let all = O_WRONLY | O_CREAT | flags | O_CLOEXEC | O_NONBLOCK
    var opened = Glibc.open(path, all, mode ?? 0o666)
    while opened < 0 {
      guard errno == ENXIO, isPipe, let attend else { throw UnplacedError.file(shown, errno) }
      // There is nothing to wait on until a program reads the pipe.
      _ = poll(nil, 0, 20)
      try attend()
      opened = Glibc.open(path, all, mode ?? 0o666)
    }
    descriptor = opened
  }

  package func write(text: String) { write(bytes: Array(text.utf8)) }

  package func write(bytes: [UInt8]) {
    guard failure.withLock({ $0 }) == nil else { return }
    do {
      try bytes.withUnsafeBytes(write)
    } catch {
      failure.withLock { $0 = error }
    }
  }

  /// Writes the whole text, unless the run ends while a pipe is full.
  package func write(_ text: String, ending: RunEnding) {
    let error = StreamWriter(nonBlocking: descriptor, ending: ending).write(text)
    if error != 0 { failure.withLock { $0 = UnplacedError.file(shown, error) } }
  }

  private func write(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = UnsafeRawBufferPointer(rebasing: rest)
      let count = Glibc.write(descriptor, piece.baseAddress, piece.count)
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        if poll(&entry, 1, 100) <= 0 { try attendBlocked?() }
      } else if errno != EINTR {
        throw UnplacedError.file(shown, errno)
      }
    }
  }

  /// Ends the command if the session or the user did while a pipe was full.
  package func attend() throws {
    if let error = failure.withLock({ $0 }), !(error is UnplacedError) { throw error }
  }

  package func close() throws {
    var error = failure.withLock { $0 }
    func fail() { error = error ?? UnplacedError.file(shown, errno) }
    if Glibc.close(descriptor) != 0 { fail() }
    if let temporaryPath {
      if error == nil, rename(temporaryPath, path) != 0 { fail() }
      if error != nil { unlink(temporaryPath) }
    }
    if let error { throw error }
  }

  package func abandon(after error: any Error) -> any Error {
    abandon()
    return error
  }

  package func abandon() {
    _ = Glibc.close(descriptor)
    if let temporaryPath { unlink(temporaryPath) }
  }
}
