import Foundation
import OpshLocking
import Operations
import OpshSystemCalls

/// Writes the bytes of a file under another name in the same folder, and renames the file when it is
/// complete.
///
/// At any time the path has the old file or the complete new one. The other name is that of a
/// ``KeptPart``, or begins with `.opsh-download-` where that one is taken.
final class PartialFile: Sendable {
  private struct State {
    var descriptor: Int32
    var temporary: String
    /// What the name is to stand for, also when it is renamed or removed.
    var identity: FileIdentity?
    var pending: [[UInt8]] = []
    var pendingCount = 0
    var isWriting = false
    /// Whether taken bytes are being written right now.
    var isInWrite = false
    var isPaused = false
    /// Whether what was written is to be removed before the next bytes are.
    var mustEmpty = false
    /// What the bytes are the beginning of; nil if their rest can't be requested.
    var source: DownloadSource?
    /// What is written after the bytes, and where.
    var part: KeptPart
    var partPlace = 0
    var written = 0
    /// The number of bytes that `write` took, written or not.
    var accepted = 0
    var failure: Int32 = 0
    /// Renamed, kept or removed.
    var isDone = false

    /// Whether the name still is that of the file; another program may have removed or replaced it.
    var hasItsName: Bool { FileIdentity(at: temporary) == identity }

    /// Notes that writing goes on; returns whether the caller has to start it.
    mutating func mustStartWriting() -> Bool {
      defer { isWriting = true }
      return !isWriting
    }
  }

  /// The number of buffered bytes at which the sender is paused, and at which it is resumed.
  private static let (highWater, lowWater) = (4 << 20, 1 << 20)

  /// How far after the bytes the description of the part is written.
  private static let gap = 1 << 20

  /// The path as it was given.
  let path: String
  private let place: String
  /// The address that is requested, for the description of the part.
  private let request: String
  private let state: Locked<State>
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
    self.request = request ?? ""
    var new: State
    if let (file, source, count, partPlace) = KeptPart.open(beside: place, for: request) {
      new = State(
        descriptor: file, temporary: place + KeptPart.ending,
        part: KeptPart(request: self.request, source: source))
      (new.source, new.accepted, new.written) = (source, count, count)
      new.partPlace = partPlace
    } else {
      let (file, name) = try Self.create(in: Self.folder(of: place), for: path)
      new = State(
        descriptor: file, temporary: name, part: KeptPart(request: self.request, source: nil))
    }
    new.identity = FileIdentity(of: new.descriptor)
    if let mode {
      keepOwner(status, on: new.descriptor)
      fchmod(new.descriptor, mode)
    }
    KeptPart.mark(new.descriptor)
    state = Locked(new)
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
    let (disposition, mustStart) = state.withLock { state -> (TransferDisposition, Bool) in
      guard state.failure == 0, !state.isDone else { return (.stop, false) }
      state.pending.append(bytes)
      state.pendingCount += bytes.count
      state.accepted += bytes.count
      let mustStart = state.mustStartWriting()
      guard state.pendingCount >= Self.highWater else { return (.proceed, mustStart) }
      state.isPaused = true
      return (.pause, mustStart)
    }
    if mustStart { startWriting() }
    return disposition
  }

  /// The number of bytes that `write` took since the file was created or emptied.
  var count: Int { state.withLock { $0.accepted } }

  /// What the file has the beginning of, and how much; nil if it has none, or its rest can't be
  /// requested.
  var beginning: (source: DownloadSource, count: Int)? {
    state.withLock { state in
      guard state.accepted > 0, let source = state.source else { return nil }
      return (source, state.accepted)
    }
  }

  /// Whether a write failed, which `finish()` reports.
  var hasFailed: Bool { state.withLock { $0.failure != 0 } }

  /// Removes all bytes, so that the next ones are the first; does not wait.
  ///
  /// - Parameter source: What the next bytes are the beginning of.
  func empty(for source: DownloadSource?) {
    let part = KeptPart(request: request, source: source)
    let mustStart = state.withLock { state -> Bool in
      (state.source, state.part) = (source, part)
      guard !state.isDone, state.accepted > 0 else { return false }
      state.pendingCount -= state.pending.reduce(0) { $0 + $1.count }
      state.pending = []
      // Also after a write error: what was written is not to be kept as a part of the new version.
      (state.mustEmpty, state.accepted) = (true, 0)
      return state.failure == 0 && state.mustStartWriting()
    }
    if mustStart { startWriting() }
  }

  private func startWriting() {
    if let engine {
      engine.perform(on: queue) { [self] in writePending() }
    } else {
      queue.async { [self] in writePending() }
    }
  }

  /// Writes all buffered data.
  private func writePending() {
    while true {
      let next = state.withLock { state -> State? in
        defer { state.pending = [] }
        state.isInWrite = false
        // Closed, and the number possibly reused for another file.
        guard !state.isDone, state.failure == 0, !state.pending.isEmpty || state.mustEmpty else {
          state.isWriting = false
          state.pendingCount = 0
          return nil
        }
        state.isInWrite = true
        defer { state.mustEmpty = false }
        return state
      }
      guard let next else { break }
      if next.mustEmpty {
        let isEmpty =
          ftruncate(next.descriptor, 0) == 0 && lseek(next.descriptor, 0, SEEK_SET) == 0
        let failure = isEmpty ? 0 : errno
        state.withLock { state in
          (state.written, state.partPlace) = (0, 0)
          if failure != 0 { state.failure = failure }
        }
        if failure != 0 { continue }
      }
      var (written, partPlace) = next.mustEmpty ? (0, 0) : (next.written, next.partPlace)
      for piece in next.pending {
        let end = written + piece.count
        // Without a description, the rest can't be requested after the process was killed.
        if end > partPlace, next.part.write(to: next.descriptor, at: end + Self.gap, of: written) {
          partPlace = end + Self.gap
        }
        let failure = writeFully(piece, to: next.descriptor)
        if failure == 0, end <= partPlace {
          next.part.update(next.descriptor, at: partPlace, to: end)
        }
        if failure == 0 { written = end }
        state.withLock { [written, partPlace] state in
          if failure != 0, state.failure == 0 { state.failure = failure }
          (state.written, state.partPlace) = (written, partPlace)
          state.pendingCount = max(0, state.pendingCount - piece.count)
        }
        if failure != 0 { break }
        resumeIfDrained()
      }
    }
    resumeIfDrained()
  }

  private func resumeIfDrained() {
    let mustResume = state.withLock { state in
      guard state.isPaused, state.pendingCount <= Self.lowWater || state.failure != 0 else {
        return false
      }
      state.isPaused = false
      return true
    }
    if mustResume { resume() }
  }

  /// Moves the file to its path.
  ///
  /// Waits until all data has been written.
  ///
  /// - Returns: The size of the file.
  /// - Throws: `FileError`; an existing file is unchanged then. After a failed write, what was written
  ///   before can still be kept; otherwise the temporary file is removed.
  func finish() throws -> Int {
    let result = queue.sync {
      state.withLock { state -> Result<Int, FileError> in
        guard !state.isDone else { return .failure(FileError(path: path, number: ECANCELED)) }
        guard state.failure == 0 else {
          return .failure(FileError(path: path, number: state.failure))
        }
        state.isDone = true
        // The lock ends last: until it has its name, no other download may take the file.
        defer { KeptPart.end(state.descriptor) }
        var failure: Int32 = 0
        KeptPart.mark(state.descriptor, false)
        if ftruncate(state.descriptor, off_t(state.written)) != 0 { failure = errno }
        // Some file systems report only at a close that the disk is full.
        let copy = dup(state.descriptor)
        if failure == 0, copy >= 0, close(copy) != 0 { failure = errno }
        guard state.hasItsName else {
          return .failure(
            FileError(
              path: path, number: ENOENT,
              explanation: "the file of its part was removed or replaced meanwhile"))
        }
        if failure == 0, rename(state.temporary.forSystem, place.forSystem) != 0 { failure = errno }
        guard failure == 0 else {
          unlink(state.temporary.forSystem)
          return .failure(FileError(path: path, number: failure))
        }
        // That of another address, where this file had another name.
        KeptPart.remove(beside: place)
        return .success(state.written)
      }
    }
    return try result.get()
  }

  /// Keeps what was written for a later download, or removes it if its rest can't be requested.
  ///
  /// - Returns: The number of bytes that are kept; nil for none.
  func keep() -> Int? {
    let kept = queue.sync {
      state.withLock { state -> Int? in
        // By the virtual clock, writing is not on this queue.
        guard !state.isDone, !state.isInWrite, !state.mustEmpty, state.written > 0,
          state.part.source != nil
        else { return nil }
        let (file, count) = (state.descriptor, state.written)
        guard state.failure == 0 || Self.makeRoom(after: count, in: file, state.failure),
          state.part.write(to: file, at: count, of: count),
          state.hasItsName,
          state.temporary == place + KeptPart.ending
            || state.part.put(state.temporary, of: count, beside: place)
        else { return nil }
        state.isDone = true
        KeptPart.end(file)
        return count
      }
    }
    if kept == nil { discard() }
    return kept
  }

  /// Makes room for the description in a file that could not grow, by removing what follows its
  /// bytes.
  ///
  /// - Returns: Whether there is room, and the bytes before it are certain to be there.
  private static func makeRoom(after count: Int, in file: Int32, _ failure: Int32) -> Bool {
    var status = stat()
    return [ENOSPC, EDQUOT, EFBIG].contains(failure) && fstat(file, &status) == 0
      && status.st_size >= count && ftruncate(file, off_t(count)) == 0 && fsync(file) == 0
  }

  /// Removes the file, unless it has been moved to its path, or is kept.
  func discard() {
    let descriptor = state.withLock { state -> Int32? in
      guard !state.isDone else { return nil }
      state.isDone = true
      if state.hasItsName { unlink(state.temporary.forSystem) }
      return state.descriptor
    }
    // After the write in progress.
    if let descriptor { queue.async { KeptPart.end(descriptor) } }
  }
}
