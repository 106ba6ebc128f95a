import Foundation
import OpshSystemCalls

/// A version of a regular file whose content is sent.
///
/// Only a description is kept. The file is opened when it is sent, and must then be as it was: what
/// was overwritten, replaced or shortened meanwhile is an error, never sent by mistake.
public struct BodyFile: Sendable, Equatable {
  /// The path as it was given.
  public let path: String
  /// The number of bytes.
  public let size: Int

  private let place: String
  private let version: Version

  /// What changes with the content of a file.
  private struct Version: Equatable {
    let device: UInt
    let inode: UInt
    let size: Int
    let seconds: Int
    let nanoseconds: Int

    init(_ status: stat) {
      device = UInt(status.st_dev)
      inode = UInt(status.st_ino)
      size = Int(status.st_size)
      seconds = status.st_mtim.tv_sec
      nanoseconds = status.st_mtim.tv_nsec
    }
  }

  /// Describes a file as it is now.
  ///
  /// - Parameters:
  ///   - path: The path for messages.
  ///   - place: The path to open; nil for the same.
  /// - Throws: `FileError` if it is not a regular file that can be read.
  public init(path: String, place: String? = nil) throws(FileError) {
    self.path = path
    self.place = place ?? path
    let descriptor = Foundation.open(self.place.forSystem, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileError(path: path, number: errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileError(path: path, number: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw FileError(path: path, number: EINVAL, explanation: "it is not a regular file")
    }
    version = Version(status)
    size = version.size
  }

  /// Opens the file for reading from its start to its end.
  ///
  /// - Returns: The descriptor, which the caller closes.
  /// - Throws: `FileError` if it is gone or has changed.
  func open() throws(FileError) -> Int32 {
    let descriptor = Foundation.open(place.forSystem, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileError(path: path, number: errno) }
    do throws(FileError) {
      try check(descriptor)
    } catch {
      close(descriptor)
      throw error
    }
    // The system then reads ahead further than usual, so that reading rarely waits for the disk.
    #if os(Linux)
      posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
    #endif
    return descriptor
  }

  /// Checks that the file is still the same version.
  ///
  /// - Parameter descriptor: What `open()` returned.
  /// - Throws: `FileError` if it has changed.
  func check(_ descriptor: Int32) throws(FileError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileError(path: path, number: errno) }
    guard Version(status) == version else { throw changed }
  }

  /// The error that the content is no longer what it was.
  var changed: FileError {
    FileError(
      path: path, number: ESTALE,
      explanation: "the file has changed since the request was made, and was not sent to its end")
  }
}
