import Foundation
import Networking

/// The file of a database, as far as SQLite does not look after it.
///
/// Nothing here opens a database that exists: closing any descriptor of it would drop the locks
/// that SQLite has on it in this process.
enum DatabaseFile {
  /// Tells one file from another that took its place.
  struct Identity: Equatable, Sendable {
    let device: UInt
    let number: UInt
  }

  /// The identity of what is at a path, or nil where there is nothing.
  static func identity(of path: String) -> Identity? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return Identity(device: UInt(status.st_dev), number: UInt(status.st_ino))
  }

  /// Tells a file from what it was before it was written to.
  struct Version: Equatable, Sendable {
    let identity: Identity
    let size: Int
    let seconds: Int
    let nanoseconds: Int
  }

  /// The version of the file at a path, or nil where there is none.
  static func version(of path: String) -> Version? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return Version(
      identity: Identity(device: UInt(status.st_dev), number: UInt(status.st_ino)),
      size: Int(status.st_size), seconds: status.st_mtim.tv_sec,
      nanoseconds: status.st_mtim.tv_nsec)
  }

  /// Why nothing can be written into the folder of a file, or nil where it can.
  static func reasonNotToWrite(besides path: String) -> String? {
    access(folder(of: path), W_OK) == 0 ? nil : String(cString: strerror(errno))
  }

  /// Whether the file alone holds all that was written: it is there, and has no log with changes.
  static func isWhole(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
      return false
    }
    return stat(path + "-wal", &status) != 0 || status.st_size == 0
  }

  /// Sees to it that there is a file, which may be empty, and that it is one.
  ///
  /// What a deleted database may have left of its log, SQLite deletes when it finds an empty file.
  ///
  /// - Parameter path: The path.
  /// - Throws: `StoreError` where there is none and none can be made.
  static func prepare(_ path: String) throws(StoreError) {
    var status = stat()
    if stat(path, &status) == 0 {
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
    // By us and not by SQLite, for what is kept here is nobody else's business.
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 || errno == EEXIST else { throw .system(errno, path: path) }
    if file >= 0 { close(file) }
  }

  /// The folder that a file is in.
  ///
  /// Foundation's own way traps on a name of one letter.
  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
  }

  private static func createDirectory(_ directory: String) throws(StoreError) {
    var path = directory.hasPrefix("/") ? "/" : ""
    for part in directory.split(separator: "/") {
      path += part + "/"
      guard mkdir(path, 0o700) != 0, errno != EEXIST else { continue }
      let reason = errno
      // Somebody else's folder on a disk that is read-only says so before it says that it exists.
      var status = stat()
      if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { continue }
      throw .system(reason, path: directory)
    }
  }
}
