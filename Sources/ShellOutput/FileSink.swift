package import Foundation
import OpshLocking
import ShellLanguage
import OpshSystemCalls

/// `> file` and `>> file`.
///
/// A replacement is written to a temporary file and renamed when it is complete, so that an error
/// in the middle keeps the old content; one with several hard links, or mounted, is overwritten
/// then. What was appended before an error stays, as in other shells.
/// A pipe that nothing reads, or too slowly, blocks the thread, but not its signals: it is in
/// non-blocking mode.
package final class FileSink: RedirectionTarget {
  private let descriptor: Int32
  private let shown: String
  private let replacement: FileReplacement?
  private let failure = Locked<(any Error)?>(nil)
  /// Called again and again while a pipe blocks the thread.
  private let attendBlocked: (@Sendable () throws -> Void)?

  /// A descriptor for the last program of a pipe; nil if its writes could not be undone.
  package var descriptorForProgram: Int32? { replacement == nil ? nil : descriptor }

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
    let exists = stat(path.forSystem, &information) == 0
    let isPipe = exists && information.st_mode & S_IFMT == S_IFIFO
    let isRegular = exists && information.st_mode & S_IFMT == S_IFREG
    // A symbolic link is kept: its target is replaced. For a link without a target the system
    // creates the file.
    let target = exists ? resolvedPath(path) : nil
    var link = stat()
    let isNew = !exists && lstat(path.forSystem, &link) != 0
    if !isAppending, isRegular || isNew {
      do throws(SystemCallError) {
        let new = try FileReplacement(
          of: target ?? path, mode: mode ?? 0o666)
        // The mask for new files does not apply to an existing one.
        if exists { fchmod(new.descriptor, mode ?? information.st_mode & 0o777) }
        (replacement, descriptor) = (new, new.descriptor)
        return
      } catch {
        // A file may be writable in a folder that is not.
        guard isRegular, [EACCES, EPERM, EROFS].contains(error.code) else {
          throw UnplacedError.file(shown, error.code)
        }
      }
    }
    replacement = nil
    let flags = isAppending ? O_APPEND : O_TRUNC
    let all = O_WRONLY | O_CREAT | flags | O_CLOEXEC | O_NONBLOCK
    var opened = Glibc.open(path.forSystem, all, mode ?? 0o666)
    while opened < 0 {
      guard errno == ENXIO, isPipe, let attend else { throw UnplacedError.file(shown, errno) }
      // There is nothing to wait on until a program reads the pipe.
      _ = poll(nil, 0, 20)
      try attend()
      opened = Glibc.open(path.forSystem, all, mode ?? 0o666)
    }
    descriptor = opened
  }

  package func write(text: String) { write(bytes: Array(text.utf8)) }

  package func write(bytes: [UInt8]) {
    guard failure.withLock({ $0 }) == nil else { return }
    do {
      let number = try bytes.withUnsafeBytes {
        try writeFully($0, to: descriptor) { try attendBlocked?() }
      }
      if number != 0 { throw UnplacedError.file(shown, number) }
    } catch {
      failure.withLock { $0 = error }
    }
  }

  /// Writes the whole text, unless the run ends while a pipe is full.
  package func write(_ text: String, ending: RunEnding) {
    let error = StreamWriter(nonBlocking: descriptor, ending: ending).write(text)
    if error != 0 { failure.withLock { $0 = UnplacedError.file(shown, error) } }
  }

  /// Ends the command if the session or the user did while a pipe was full.
  package func attend() throws {
    if let error = failure.withLock({ $0 }), !(error is UnplacedError) { throw error }
  }

  package func close() throws {
    let error = failure.withLock { $0 }
    let number = close(after: error == nil ? 0 : ECANCELED)
    if let error { throw error }
    if number != 0 { throw UnplacedError.file(shown, number) }
  }

  private func close(after failure: Int32) -> Int32 {
    if let replacement { return replacement.finish(after: failure) }
    return Glibc.close(descriptor) == 0 ? 0 : errno
  }

  package func abandon(after error: any Error) -> any Error {
    abandon()
    return error
  }

  package func abandon() { _ = close(after: ECANCELED) }
}
