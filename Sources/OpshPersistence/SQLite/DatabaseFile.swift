import Foundation
import OpshNetworking
import OpshSystemCalls

/// Operations on a database file outside SQLite.
///
/// Nothing here opens an existing database: closing any descriptor of it would drop the locks that
/// SQLite has on it in this process.
enum DatabaseFile {
  /// Identifies a file, to detect a replacement.
  struct Identity: Equatable, Sendable {
    let device: UInt
    let number: UInt
  }

  /// The identity of the file at a path, or nil if there is none.
  static func identity(of path: String) -> Identity? {
    var status = stat()
    guard stat(path.forSystem, &status) == 0 else { return nil }
    return Identity(device: UInt(status.st_dev), number: UInt(status.st_ino))
  }

  /// Identifies the state of a file, to detect changes.
  struct Version: Equatable, Sendable {
    let identity: Identity
    let size: Int
    let seconds: Int
    let nanoseconds: Int
  }

  /// The version of the file at a path, or nil if there is none.
  static func version(of path: String) -> Version? {
    var status = stat()
    guard stat(path.forSystem, &status) == 0 else { return nil }
    return Version(
      identity: Identity(device: UInt(status.st_dev), number: UInt(status.st_ino)),
      size: Int(status.st_size), seconds: status.st_mtim.tv_sec,
      nanoseconds: status.st_mtim.tv_nsec)
  }

  /// Why the folder of a file is not writable, or nil if it is.
  static func reasonNotToWrite(nextTo path: String) -> String? {
    access(folder(of: path).forSystem, W_OK) == 0 ? nil : String(cString: strerror(errno))
  }

  /// Whether the file contains all data: it exists, and has no log with changes.
  static func isWhole(_ path: String) -> Bool {
    var status = stat()
    guard stat(path.forSystem, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0
    else {
      return false
    }
    return stat((path + "-wal").forSystem, &status) != 0 || status.st_size == 0
  }

  /// Ensures that there is a regular file, which may be empty.
  ///
  /// If the log of a deleted database remains, SQLite deletes it when it finds an empty file.
  ///
  /// - Parameter path: The path.
  /// - Throws: `StoreError` if there is none and none can be created.
  static func prepare(_ path: String) throws(StoreError) {
    var status = stat()
    if stat(path.forSystem, &status) == 0 {
      let kind = status.st_mode & S_IFMT
      guard kind == S_IFREG else {
        // SQLite would open a pipe or a device and try to read it.
        throw .unwritable(path, kind == S_IFDIR ? "it is a directory" : "it is not a file")
      }
      return
    }
    guard errno == ENOENT || errno == ENOTDIR else { throw .system(errno, path: path) }
    try create(path)
  }

  private static func create(_ path: String) throws(StoreError) {
    try createDirectory(folder(of: path))
    // Created here and not by SQLite, so that only the owner can access it.
    let file = open(path.forSystem, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 || errno == EEXIST else { throw .system(errno, path: path) }
    if file >= 0 { close(file) }
  }

  /// The folder that contains a file.
  ///
  /// Foundation's implementation traps on a name of one letter.
  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
  }

  private static func createDirectory(_ directory: String) throws(StoreError) {
    var path = directory.hasPrefix("/") ? "/" : ""
    for part in directory.split(separator: "/") {
      path += part + "/"
      guard mkdir(path.forSystem, 0o700) != 0, errno != EEXIST else { continue }
      let reason = errno
      // For another user's folder on a read-only disk, that error precedes the one that it exists.
      var status = stat()
      if stat(path.forSystem, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { continue }
      throw .system(reason, path: directory)
    }
  }
}
