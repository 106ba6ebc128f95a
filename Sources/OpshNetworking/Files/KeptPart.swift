import Foundation
import OpshSystemCalls

/// The description at the end of a download that is not complete, so that a later download of the
/// same address to the same path can request the rest.
///
/// The file has the name of the path with `.opsh-part` after it. While bytes come, the description is
/// some way after them, and only its count changes; before they reach it, another one is written
/// further on. So the file has one at any time, also after the process was killed. Who writes to the
/// file holds a lock on it (`flock`), so that of several downloads only one continues it. It is
/// removed when the path has a complete file. A file that was cut or has grown since has no
/// description at its end, and is begun again; that it is not one of the user shows a bit of its
/// permissions that means nothing for a file. The version must be told by an entity tag: that is
/// another one for each representation (RFC 9110, 8.8.3), while files for other headers or another
/// user may have the same date.
struct KeptPart {
  /// The ending of the file's name.
  static let ending = ".opsh-part"
  /// The last bytes of the file.
  private static let mark = Array("opsh-part".utf8)
  private static let longestText = 64 << 10

  private struct Contents: Codable, Equatable {
    /// The digest of the address that was requested, which may hold secrets.
    let request: String
    let source: DownloadSource?
  }

  private let contents: Contents
  /// The contents as JSON, encoded once for all writes.
  private let text: [UInt8]

  /// The version that the bytes are the beginning of; nil if a later download can't request the
  /// rest, which then replaces them.
  var source: DownloadSource? { contents.source }

  /// Creates a description.
  init(request: String, source: DownloadSource?) {
    contents = Contents(
      request: DownloadSource.digest(of: request),
      source: source.flatMap { $0.isUnique ? $0 : nil })
    // Strings and numbers can always be encoded.
    text = (try? JSONEncoder().encode(contents)).map { Array($0) } ?? []
  }

  private init(_ contents: Contents, _ text: [UInt8]) {
    (self.contents, self.text) = (contents, text)
  }

  /// Writes the description.
  ///
  /// - Parameters:
  ///   - file: The file, whose position stays.
  ///   - place: Where; the file ends with it.
  ///   - count: The number of bytes that the file has, up to the place at most.
  /// - Returns: Whether it was written.
  func write(to file: Int32, at place: Int, of count: Int) -> Bool {
    let bytes =
      text + Self.bigEndian(count) + Self.bigEndian(place) + Self.bigEndian(text.count) + Self.mark
    return text.count <= Self.longestText
      && pwrite(file, bytes, bytes.count, off_t(place)) == bytes.count
      && ftruncate(file, off_t(place + bytes.count)) == 0
  }

  /// Changes the number of bytes in a description that was written.
  func update(_ file: Int32, at place: Int, to count: Int) {
    let bytes = Self.bigEndian(count)
    pwrite(file, bytes, bytes.count, off_t(place + text.count))
  }

  private static func bigEndian(_ number: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) }
  }

  /// Opens the file beside a path for a download that begins, locks it, and moves to the end of its
  /// bytes.
  ///
  /// - Parameters:
  ///   - place: The path of the download.
  ///   - request: The address that is requested; nil if its rest can't be.
  /// - Returns: The file, the version that it has the beginning of, the number of bytes, and the
  ///   place of the description; no version and no bytes if it is to be written from the start, also
  ///   because another program has cut it or written to its end. Nil if another download uses it, if it has the part of another address, or if a file of the user
  ///   has the name.
  static func open(
    beside place: String, for request: String?
  ) -> (file: Int32, source: DownloadSource?, count: Int, place: Int)? {
    guard let file = lock(place + ending, O_CREAT) else { return nil }
    let found = read(file)
    if let (part, count, place) = found, let source = part.source {
      if part.contents.request == request.map(DownloadSource.digest),
        lseek(file, off_t(count), SEEK_SET) == count
      {
        return (file, source, count, place)
      }
    } else if size(of: file) == 0 || (found != nil || isMarked(file)) && ftruncate(file, 0) == 0 {
      // It was just created, and stays untouched: after a truncation to nothing ext4 writes all to
      // the disk at the close. Or no download could request its rest.
      return (file, nil, 0, 0)
    }
    end(file)
    return nil
  }

  /// Names a file with a description as the one that is kept beside a path.
  ///
  /// A file that is in use, or belongs to the user, stays. So does a part that has more of the same.
  ///
  /// - Parameters:
  ///   - temporary: The present name of the file.
  ///   - count: The number of its bytes.
  ///   - place: The path of the download.
  /// - Returns: Whether it has the new name.
  func put(_ temporary: String, of count: Int, beside place: String) -> Bool {
    let kept = place + Self.ending
    // Another process may give a file that name at this moment; a link does not replace it.
    if link(temporary.forSystem, kept.forSystem) == 0 { return unlink(temporary.forSystem) == 0 }
    guard errno == EEXIST, let file = Self.lock(kept) else { return false }
    defer { Self.end(file) }
    guard let (old, oldCount, _) = Self.read(file),
      old.contents != contents || oldCount < count
    else {
      return false
    }
    return rename(temporary.forSystem, kept.forSystem) == 0
  }

  /// Marks a file as a part, or takes the mark away; a file system may refuse it.
  ///
  /// Unlike the description, the mark survives what another program does to the content. Extended
  /// attributes would too, but fewer file systems have them.
  static func mark(_ file: Int32, _ isPart: Bool = true) {
    var status = stat()
    guard fstat(file, &status) == 0 else { return }
    let mode = status.st_mode & 0o7777
    fchmod(file, isPart ? mode | S_ISVTX : mode & ~S_ISVTX)
  }

  private static func isMarked(_ file: Int32) -> Bool {
    var status = stat()
    return fstat(file, &status) == 0 && status.st_mode & S_ISVTX != 0
  }

  /// Removes the part that is kept beside a path, unless another download uses it.
  static func remove(beside place: String) {
    guard let file = lock(place + ending) else { return }
    if read(file) != nil || isMarked(file) { unlink((place + ending).forSystem) }
    end(file)
  }

  /// Closes a locked file.
  ///
  /// The lock ends at once, also while a process that another thread starts has a copy of the
  /// descriptor.
  static func end(_ file: Int32) {
    flock(file, LOCK_UN)
    close(file)
  }

  /// Opens and locks a file; nil if that is not possible, or it is not a file of the user alone.
  private static func lock(_ path: String, _ creation: Int32 = 0) -> Int32? {
    let file = Glibc.open(
      path.forSystem, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | creation, 0o666)
    guard file >= 0 else { return nil }
    var status = stat()
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      // A file system without locks; it is not to have an empty file for each download.
      if errno != EWOULDBLOCK, creation != 0, size(of: file) == 0 { unlink(path.forSystem) }
      end(file)
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

  private static func size(of file: Int32) -> Int? {
    var status = stat()
    return fstat(file, &status) == 0 ? Int(status.st_size) : nil
  }

  /// Reads the description at the end of a file, with the number of bytes and its place; nil if there
  /// is none that fits.
  private static func read(_ file: Int32) -> (KeptPart, count: Int, place: Int)? {
    guard let size = size(of: file), let end = bytes(of: file, 24 + mark.count, before: size),
      Array(end.dropFirst(24)) == mark
    else { return nil }
    let numbers = stride(from: 0, to: 24, by: 8).map { start in
      end[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    guard let count = Int(exactly: numbers[0]), let place = Int(exactly: numbers[1]),
      let length = Int(exactly: numbers[2]), count > 0, count <= place, length <= longestText,
      size - end.count - length == place,
      let text = bytes(of: file, length, before: size - end.count),
      let contents = try? JSONDecoder().decode(Contents.self, from: Data(text)),
      contents.source?.length.map({ $0 >= count }) ?? true
    else { return nil }
    return (KeptPart(contents, text), count, place)
  }

  private static func bytes(of file: Int32, _ count: Int, before end: Int) -> [UInt8]? {
    guard end >= count else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    let read = bytes.withUnsafeMutableBytes {
      pread(file, $0.baseAddress, $0.count, off_t(end - count))
    }
    return read == count ? bytes : nil
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
