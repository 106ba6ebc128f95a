import Foundation
import Support

/// What stands after the bytes of a download that did not become complete, so that a later download
/// of the same address to the same path can request the rest.
///
/// The file is named as the path with `.opsh-part` after it. A download that begins takes it by
/// renaming it, so that of several only one continues it; a process that is killed then loses it. It is
/// removed when the path has a complete file. The version must be told by an entity tag: that is
/// another one for each representation (RFC 9110, 8.8.3), while files for other headers or another
/// user may have the same date.
struct KeptPart: Codable, Equatable {
  /// The ending of the file's name.
  static let ending = ".opsh-part"
  /// The last bytes of the file, after the length of the description.
  private static let mark = Array("opshpart".utf8)
  private static let longestDescription = 64 << 10

  /// The digest of the address that was requested, which may hold secrets.
  let request: String
  /// The version that the bytes are the beginning of.
  let source: DownloadSource
  /// The number of bytes.
  let count: Int

  /// Creates a description.
  ///
  /// - Parameters:
  ///   - request: The address that was requested.
  ///   - source: The version that the bytes are the beginning of.
  ///   - count: The number of bytes.
  init(request: String, source: DownloadSource, count: Int) {
    (self.request, self.source, self.count) = (DownloadSource.digest(of: request), source, count)
  }

  /// Appends the description to a file of exactly the bytes, and names it as the one to keep.
  ///
  /// A file of that name that is not such a part belongs to the user, and stays. So does a part that
  /// has more of the same.
  ///
  /// - Parameters:
  ///   - descriptor: The file, at its end.
  ///   - temporary: Its present name.
  ///   - place: The path of the download.
  /// - Returns: Whether it has the new name.
  func put(_ descriptor: Int32, _ temporary: String, beside place: String) -> Bool {
    let kept = place + Self.ending
    var status = stat()
    if lstat(kept, &status) == 0 {
      guard let (old, part) = Self.open(kept) else { return false }
      close(old)
      if part.request == request, part.source == source, part.count >= count { return false }
    }
    guard let text = try? JSONEncoder().encode(self), text.count <= Self.longestDescription else {
      return false
    }
    let length = withUnsafeBytes(of: UInt32(text.count).bigEndian) { Array($0) }
    let bytes = Array(text) + length + Self.mark
    // Not more than was counted, so that the description says where it begins.
    guard lseek(descriptor, off_t(count), SEEK_SET) == count,
      bytes.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) == bytes.count,
      ftruncate(descriptor, off_t(count + bytes.count)) == 0
    else { return false }
    return rename(temporary, kept) == 0
  }

  /// Takes the part that is kept beside a path, if it is one of the same address.
  ///
  /// - Parameters:
  ///   - place: The path of the download.
  ///   - request: The address that is requested.
  ///   - temporary: The name that it gets, which no file has.
  /// - Returns: The file with only its bytes, at its end, and its description; nil if there is none, and
  ///   then no file has the name.
  static func take(
    beside place: String, of request: String, as temporary: String
  ) -> (Int32, KeptPart)? {
    let kept = place + ending
    let digest = DownloadSource.digest(of: request)
    guard let (seen, part) = open(kept) else { return nil }
    close(seen)
    guard part.request == digest, rename(kept, temporary) == 0 else { return nil }
    // Another download may have put another one there meanwhile.
    guard let (descriptor, taken) = open(temporary), taken.request == digest else {
      rename(temporary, kept)
      return nil
    }
    guard ftruncate(descriptor, off_t(taken.count)) == 0,
      lseek(descriptor, 0, SEEK_END) == taken.count
    else {
      close(descriptor)
      unlink(temporary)
      return nil
    }
    return (descriptor, taken)
  }

  /// Removes the part that is kept beside a path.
  static func remove(beside place: String) {
    guard let (descriptor, _) = open(place + ending) else { return }
    close(descriptor)
    unlink(place + ending)
  }

  /// Opens a file and reads its description; nil if it is no such part, or not the user's own.
  private static func open(_ path: String) -> (Int32, KeptPart)? {
    let descriptor = Glibc.open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    guard let part = read(descriptor) else {
      close(descriptor)
      return nil
    }
    return (descriptor, part)
  }

  private static func read(_ descriptor: Int32) -> KeptPart? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_uid == geteuid(), status.st_nlink == 1
    else { return nil }
    let size = Int(status.st_size)
    guard let end = bytes(of: descriptor, 4 + mark.count, before: size),
      Array(end.dropFirst(4)) == mark
    else { return nil }
    let length = end.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    guard length <= longestDescription,
      let text = bytes(of: descriptor, length, before: size - end.count),
      let part = try? JSONDecoder().decode(KeptPart.self, from: Data(text)),
      part.count > 0, part.count == size - end.count - length,
      part.source.length.map({ $0 >= part.count }) ?? true
    else { return nil }
    return part
  }

  private static func bytes(of descriptor: Int32, _ count: Int, before end: Int) -> [UInt8]? {
    guard end >= count else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    let read = bytes.withUnsafeMutableBytes {
      pread(descriptor, $0.baseAddress, $0.count, off_t(end - count))
    }
    return read == count ? bytes : nil
  }
}
