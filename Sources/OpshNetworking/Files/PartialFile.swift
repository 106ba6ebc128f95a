import Foundation
import OpshLocking
import Operations
import OpshSystemCalls

/// Writes the bytes of a file under another name in the same folder, and renames the file when it is
/// complete.
///
/// At any time the path has the old file or the complete new one. The other name is that of a
/// ``KeptPart``; it begins with `.opsh-download-` where that one is taken, and then nothing is kept.
final class PartialFile: Sendable {
  /// The bytes that came and are not written yet.
  private struct Buffer {
    var pieces: [[UInt8]] = []
    /// The number of bytes in the pieces, and in those that are being written.
    var size = 0
    /// The number of bytes that `write` took, written or not.
    var accepted = 0
    /// The version that the bytes are the beginning of; nil if their rest can't be requested.
    var source: DownloadSource?
    /// True if what was written is to be removed before the pieces are written.
    var mustEmpty = false
    var isPaused = false
    /// True while a call of `writePending` is to come, or runs.
    var isScheduled = false
    var failure: Int32 = 0
    var isClosed = false

    /// Takes what is to be written; nil if that is nothing.
    mutating func next() -> Buffer? {
      guard !isClosed, failure == 0, mustEmpty || !pieces.isEmpty else {
        isScheduled = false
        return nil
      }
      defer { (mustEmpty, pieces) = (false, []) }
      return self
    }
  }

  /// The file.
  ///
  /// Its members run under its lock, so that each waits for a write.
  private struct Disk {
    var file: Int32
    var name: String
    /// The file that the name is to stand for, also when it is renamed or removed.
    var identity: FileIdentity?
    /// The part that is kept for a later download; nil for a file whose name no other one would find.
    var part: KeptPart?
    var written = 0
    /// True if the file has bytes of another download, which the first of this one replace.
    var hasOthers = false

    /// True if the name still is that of the file; another program may have removed or replaced it.
    var hasItsName: Bool { FileIdentity(at: name) == identity }

    /// Removes all bytes; returns 0 or the system's error.
    mutating func empty(for source: DownloadSource?) -> Int32 {
      part?.begin(source)
      // An empty one stays untouched: after a truncation to nothing ext4 writes all at the close.
      guard written > 0 || hasOthers else { return 0 }
      (written, hasOthers) = (0, false)
      return ftruncate(file, 0) == 0 && lseek(file, 0, SEEK_SET) == 0 ? 0 : errno
    }

    /// Writes bytes after the others; returns 0 or the system's error.
    mutating func write(_ bytes: [UInt8]) -> Int32 {
      let failure = writeFully(bytes, to: file)
      guard failure == 0 else { return failure }
      written += bytes.count
      part?.tell(count: written)
      return 0
    }

    func end(isRemoved: Bool, isWhole: Bool = false) {
      if isRemoved, hasItsName { unlink(name.forSystem) }
      if isRemoved || isWhole { part?.removeVersion() }
      // The lock ends last: until then no other download may take the file.
      if let part { part.end() } else { KeptPart.end(file) }
    }
  }

  /// The number of buffered bytes at which the sender is paused, and at which it is resumed.
  private static let (highWater, lowWater) = (4 << 20, 1 << 20)

  /// The path as it was given.
  let path: String
  private let place: String
  private let buffer: Locked<Buffer>
  /// Nil when the file is closed.
  private let disk: Locked<Disk?>
  private let resume: @Sendable () -> Void
  private let engine: OperationEngine?
  /// Where the file is written: a queue of its own, so that a slow disk delays nothing else.
  ///
  /// Without a target it always gets a thread.
  private let queue = DispatchQueue(label: "opsh.network.file")

  /// Creates the temporary file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - engine: The engine whose clock schedules the writes; nil for the system's.
  ///   - request: The address that is requested, to begin with what is kept of an earlier download
  ///     of it; nil to begin without, and keep nothing.
  ///   - resume: Called when `write` accepts more after it returned `pause`.
  /// - Throws: `FileError` if the file can't be created.
  init(
    path: String, engine: OperationEngine? = nil, continuing request: String? = nil,
    resume: @escaping @Sendable () -> Void
  ) throws(FileError) {
    self.path = path
    self.engine = engine
    self.resume = resume
    place = Self.target(of: path)
    var status = stat()
    var mode: mode_t?
    // Not of the place: the target of '/dev/stdout' may be a pipe, which has no path.
    if stat(path.forSystem, &status) == 0 {
      // Renaming would replace a device or a pipe by a file.
      guard status.st_mode & S_IFMT == S_IFREG else {
        guard status.st_mode & S_IFMT == S_IFDIR else {
          throw FileError(path: path, number: EINVAL, explanation: "it is not a regular file")
        }
        throw FileError(path: path, number: EISDIR)
      }
      let identity = FileIdentity(at: place)
      guard identity != FileIdentity(of: 1), identity != FileIdentity(of: 2) else {
        throw FileError(
          path: path, number: EINVAL, explanation: "the output of this run goes there")
      }
      // A file that is not writable must not be replaced either.
      guard access(place.forSystem, W_OK) == 0 else { throw FileError(path: path, number: errno) }
      mode = status.st_mode & 0o777
    } else if errno == ELOOP {
      throw FileError(path: path, number: ELOOP)
    }
    guard !place.hasSuffix("/"), !place.isEmpty else { throw FileError(path: path, number: EISDIR) }
    var buffer = Buffer()
    var disk: Disk
    if let request, let (part, count, hasOthers) = KeptPart.open(beside: place, for: request) {
      disk = Disk(file: part.file, name: place + KeptPart.ending, part: part)
      (disk.written, disk.hasOthers) = (count, hasOthers)
      (buffer.source, buffer.accepted) = (part.source, count)
    } else {
      let (file, name) = try Self.create(in: Self.folder(of: place), for: path)
      disk = Disk(file: file, name: name)
    }
    disk.identity = FileIdentity(of: disk.file)
    if let mode {
      keepOwner(status, on: disk.file)
      fchmod(disk.file, mode)
    }
    (self.buffer, self.disk) = (Locked(buffer), Locked(disk))
  }

  deinit { discard() }

  /// The path up to its last slash, with that.
  private static func folder(of path: String) -> String {
    String(path.lastIndex(of: "/").map { path[...$0] } ?? "")
  }

  /// The path with its symbolic links followed, which stay: their target is replaced, or created.
  private static func target(of path: String) -> String {
    var place = path
    for _ in 0..<32 {
      if let path = resolvedPath(place) { return path }
      // The last zero stays.
      var target = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
      guard readlink(place.forSystem, &target, target.count - 1) > 0 else { return place }
      let link = String(ofSystem: target)
      place = link.hasPrefix("/") ? link : folder(of: place) + link
    }
    return path
  }

  private static func create(
    in folder: String, for path: String
  ) throws(FileError) -> (Int32, String) {
    do throws(SystemCallError) {
      return try TemporaryFile.create(in: folder, prefix: ".opsh-download-", mode: 0o666)
    } catch {
      // The file itself may be writable.
      let isAboutFolder = [EACCES, EPERM, EROFS].contains(error.code)
      throw FileError(
        path: isAboutFolder ? (folder.isEmpty ? "." : folder) : path, number: error.code)
    }
  }

  /// Buffers bytes, which are written on another thread.
  ///
  /// - Parameter bytes: The bytes.
  /// - Returns: `pause` if the buffer is full, `stop` after a write error.
  func write(_ bytes: [UInt8]) -> TransferDisposition {
    let (disposition, mustStart) = buffer.withLock { buffer -> (TransferDisposition, Bool) in
      guard buffer.failure == 0, !buffer.isClosed else { return (.stop, false) }
      buffer.pieces.append(bytes)
      buffer.size += bytes.count
      buffer.accepted += bytes.count
      defer { buffer.isScheduled = true }
      let isFull = buffer.size >= Self.highWater
      if isFull { buffer.isPaused = true }
      return (isFull ? .pause : .proceed, !buffer.isScheduled)
    }
    if mustStart {
      if let engine {
        engine.perform(on: queue) { [self] in writePending() }
      } else {
        queue.async { [self] in writePending() }
      }
    }
    return disposition
  }

  /// The number of bytes that `write` took since the file was created or emptied.
  var count: Int { buffer.withLock { $0.accepted } }

  /// What the file has the beginning of, and how much; nil if it has none, or its rest can't be
  /// requested.
  var beginning: (source: DownloadSource, count: Int)? {
    buffer.withLock { buffer in
      guard buffer.accepted > 0, let source = buffer.source else { return nil }
      return (source, buffer.accepted)
    }
  }

  /// Whether a write failed, which `finish()` reports.
  var hasFailed: Bool { buffer.withLock { $0.failure != 0 } }

  /// Has all bytes removed before the next ones, which are the first then; does not wait.
  ///
  /// - Parameter source: What the next bytes are the beginning of.
  func empty(for source: DownloadSource?) {
    buffer.withLock { buffer in
      buffer.size -= buffer.pieces.reduce(0) { $0 + $1.count }
      (buffer.pieces, buffer.accepted) = ([], 0)
      (buffer.source, buffer.mustEmpty) = (source, true)
    }
  }

  /// Writes all that is buffered, and waits for a write of another thread.
  private func writePending() {
    var hasMore = true
    while hasMore {
      hasMore = disk.withLock { disk in
        guard let next = buffer.withLock({ $0.next() }) else { return false }
        var failure = next.mustEmpty ? disk?.empty(for: next.source) ?? 0 : 0
        for piece in next.pieces where failure == 0 { failure = disk?.write(piece) ?? 0 }
        let count = next.pieces.reduce(0) { $0 + $1.count }
        buffer.withLock { [failure] buffer in
          buffer.size -= count
          if failure != 0 { buffer.failure = failure }
        }
        return true
      }
      // Without the lock: the sender may well write at once.
      resumeIfDrained()
    }
  }

  private func resumeIfDrained() {
    let mustResume = buffer.withLock { buffer in
      guard buffer.isPaused, buffer.size <= Self.lowWater || buffer.failure != 0 else {
        return false
      }
      buffer.isPaused = false
      return true
    }
    if mustResume { resume() }
  }

  /// Writes what is buffered, takes no more, and hands over the file; nil if it is closed.
  private func close<Result>(
    _ body: (Disk, _ failure: Int32) throws -> Result
  ) rethrows -> Result? {
    writePending()
    return try disk.withLock { disk in
      let failure = buffer.withLock { buffer in
        buffer.isClosed = true
        return buffer.failure
      }
      defer { disk = nil }
      return try disk.map { try body($0, failure) }
    }
  }

  /// Moves the file to its path.
  ///
  /// Waits until all data has been written.
  ///
  /// - Returns: The size of the file.
  /// - Throws: `FileError`; an existing file is unchanged then. After a failed write, what was written
  ///   before can still be kept; otherwise the temporary file is removed.
  func finish() throws -> Int {
    writePending()
    let failure = buffer.withLock { $0.failure }
    guard failure == 0 else { throw FileError(path: path, number: failure) }
    let size = try close { disk, _ -> Int in
      guard disk.hasItsName else {
        disk.end(isRemoved: true)
        throw FileError(
          path: path, number: ENOENT,
          explanation: "the file of its part was removed or replaced meanwhile")
      }
      // Some file systems report only at a close that the disk is full.
      let copy = dup(disk.file)
      var failure = copy >= 0 && Glibc.close(copy) != 0 ? errno : 0
      if failure == 0, rename(disk.name.forSystem, place.forSystem) != 0 { failure = errno }
      disk.end(isRemoved: failure != 0, isWhole: failure == 0)
      guard failure == 0 else { throw FileError(path: path, number: failure) }
      return disk.written
    }
    guard let size else { throw FileError(path: path, number: ECANCELED) }
    return size
  }

  /// Keeps what was written for a later download, or removes it if its rest can't be requested.
  ///
  /// A part of an earlier download that this one did not touch stays.
  ///
  /// - Returns: The number of bytes that are kept; nil for none.
  func keep() -> Int? {
    let kept = close { disk, failure -> Int? in
      let mayKeep = disk.written > 0 && disk.part?.source != nil && disk.hasItsName
      // What there was room for is certain to be there only when the disk says so.
      let isKept = mayKeep && (failure == 0 || Self.isRoom(failure) && fsync(disk.file) == 0)
      disk.end(isRemoved: !isKept && !disk.hasOthers)
      return isKept ? disk.written : nil
    }
    return kept ?? nil
  }

  private static func isRoom(_ failure: Int32) -> Bool {
    [ENOSPC, EDQUOT, EFBIG].contains(failure)
  }

  /// Removes the file, unless it has been moved to its path, or is kept.
  func discard() {
    buffer.withLock { $0.pieces = [] }
    close { disk, _ in disk.end(isRemoved: !disk.hasOthers) }
  }
}
