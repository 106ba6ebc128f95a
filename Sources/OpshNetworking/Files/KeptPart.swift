import Foundation
import OpshSupport
import OpshSystemCalls

/// The part of a download that is not complete, and beside it a small file that tells the version,
/// so that a later download of the same address to the same path can request the rest.
///
/// The bytes have the name of the path with `.opsh-part` after it, and nothing else is in that file.
/// The other one has the number of bytes that count, brought up to date after each write, then the
/// address and the version as JSON. So both fit at any time, also after the process was killed; where
/// they do not, the download begins again. Who writes holds a lock on the bytes (`flock`), so that of
/// several downloads only one continues them. A file with the name of a part that has no other one
/// beside it is the user's, and stays. The version must be told by an entity tag: that is another one
/// for each representation (RFC 9110, 8.8.3), while files for other headers or another user may have
/// the same date.
struct KeptPart {
  /// The ending of the name of the bytes.
  static let ending = ".opsh-part"
  private static let versionEnding = ending + ".version"
  /// The digits of the number of bytes, so that writing it again never needs room on the disk.
  private static let digits = 20

  private struct Version: Codable {
    /// The digest of the address that was requested, which may hold secrets.
    let request: String
    let source: DownloadSource?
  }

  /// The bytes.
  let file: Int32
  /// The number and the version.
  private let version: Int32
  private let place: String
  private let request: String
  /// The version that the bytes are the beginning of; nil if their rest can't be requested.
  private(set) var source: DownloadSource?

  /// Opens and locks the part beside a path, and moves to the end of its bytes.
  ///
  /// - Parameters:
  ///   - place: The path of the download.
  ///   - request: The address that is requested.
  /// - Returns: The part, with the number of its bytes, and whether the file has others, which are to
  ///   be removed before the first are written. Nil if another download uses it, or if a file of the
  ///   user has one of the names.
  static func open(
    beside place: String, for request: String
  ) -> (part: KeptPart, count: Int, hasOthers: Bool)? {
    guard let file = lock(place + ending) else { return nil }
    var status = stat()
    let size = fstat(file, &status) == 0 ? Int(status.st_size) : 0
    let text = FileManager.default.contents(atPath: place + versionEnding)
    let kept = text.flatMap(read)
    // Bytes always have one, be it empty when the process was killed, or damaged.
    let isForeign = text.map { size == 0 && kept == nil && !$0.isEmpty } ?? (size > 0)
    let version = isForeign ? -1 : create(place + versionEnding)
    guard version >= 0 else {
      if size == 0 { unlink((place + ending).forSystem) }
      end(file)
      return nil
    }
    let digest = DownloadSource.digest(of: request)
    var part = KeptPart(file: file, version: version, place: place, request: digest)
    guard let (kept, count) = kept, kept.request == digest, let source = kept.source, count > 0,
      count <= min(size, source.length ?? .max), ftruncate(file, off_t(count)) == 0,
      lseek(file, off_t(count), SEEK_SET) == count
    else { return (part, 0, size > 0) }
    part.source = source
    return (part, count, false)
  }

  private init(file: Int32, version: Int32, place: String, request: String) {
    (self.file, self.version, self.place, self.request) = (file, version, place, request)
  }

  /// Tells the version of the bytes that are written next, before which there are none.
  mutating func begin(_ source: DownloadSource?) {
    self.source = source.flatMap { $0.isUnique ? $0 : nil }
    // Strings and numbers can always be encoded.
    let json = (try? JSONEncoder().encode(Version(request: request, source: self.source))) ?? Data()
    let text = Array(Self.line(0) + json)
    // Without it, the rest can't be requested after the process was killed.
    if ftruncate(version, 0) != 0 || pwrite(version, text, text.count, 0) != text.count {
      self.source = nil
    }
  }

  /// Tells how many bytes there are.
  func tell(count: Int) {
    let line = Array(Self.line(count))
    pwrite(version, line, line.count, 0)
  }

  private static func line(_ count: Int) -> Data { Data((count.padded(to: digits) + "\n").utf8) }

  private static func read(_ text: Data) -> (Version, count: Int)? {
    guard text.count > digits, let line = String(bytes: text.prefix(digits), encoding: .utf8),
      let count = Int(line),
      let version = try? JSONDecoder().decode(Version.self, from: text.dropFirst(digits))
    else { return nil }
    return (version, count)
  }

  /// Removes what tells the version.
  func removeVersion() { unlink((place + Self.versionEnding).forSystem) }

  /// Closes the files.
  func end() {
    close(version)
    Self.end(file)
  }

  /// Closes a locked file.
  ///
  /// The lock ends at once, also while a process that another thread starts has a copy of the
  /// descriptor.
  static func end(_ file: Int32) {
    flock(file, LOCK_UN)
    close(file)
  }

  private static func create(_ path: String) -> Int32 {
    Glibc.open(path.forSystem, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_CREAT, 0o666)
  }

  /// Opens and locks a file; nil if that is not possible, or it is not a file of the user alone.
  private static func lock(_ path: String) -> Int32? {
    let file = create(path)
    guard file >= 0 else { return nil }
    var status = stat()
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      // A file system without locks; it is not to have an empty file for each download.
      if errno != EWOULDBLOCK, fstat(file, &status) == 0, status.st_size == 0 {
        unlink(path.forSystem)
      }
      close(file)
      return nil
    }
    // Before it was locked, another download may have renamed or removed it.
    guard FileIdentity(of: file) == FileIdentity(at: path), fstat(file, &status) == 0,
      status.st_mode & S_IFMT == S_IFREG,
      status.st_uid == geteuid(), status.st_nlink == 1
    else {
      end(file)
      return nil
    }
    return file
  }
}

/// Which file a descriptor or a path stands for.
struct FileIdentity: Equatable {
  private let device: dev_t
  private let number: ino_t

  /// The identity of an open file; nil if the system can't tell.
  init?(of file: Int32) {
    var status = stat()
    guard fstat(file, &status) == 0 else { return nil }
    (device, number) = (status.st_dev, status.st_ino)
  }

  /// The identity of what has a path, be it a symbolic link; nil if nothing has.
  init?(at path: String) {
    var status = stat()
    guard lstat(path.forSystem, &status) == 0 else { return nil }
    (device, number) = (status.st_dev, status.st_ino)
  }
}
