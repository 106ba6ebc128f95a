import Foundation
import Locking
import Operations

/// Writes the bytes of a file under a temporary name in the same folder, and renames the file when
/// it is complete.
///
/// At any time the path has the old file or the complete new one. The name of the temporary file
/// begins with `.opsh-download-`. One that did not become complete can be kept as a ``KeptPart``.
final class PartialFile: Sendable {
  private struct State {
    var descriptor: Int32
    var temporary: String
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
    var written = 0
    /// The number of bytes that `write` took, written or not.
    var accepted = 0
    var failure: Int32 = 0
    /// Renamed or removed.
    var isDone = false

    /// Notes that writing goes on; returns whether the caller has to start it.
    mutating func mustStartWriting() -> Bool {
      defer { isWriting = true }
      return !isWriting
    }
  }

  /// The number of buffered bytes at which the sender is paused, and at which it is resumed.
  private static let (highWater, lowWater) = (4 << 20, 1 << 20)

  /// The path as it was given.
  let path: String
  private let place: String
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
  ///     of it; nil to begin without.
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
    if stat(place, &status) == 0 {
      // Renaming would replace a device or a pipe by a file.
      guard status.st_mode & S_IFMT == S_IFREG else {
        guard status.st_mode & S_IFMT == S_IFDIR else {
          throw FileError(path: path, number: EINVAL, explanation: "it is not a regular file")
        }
        throw FileError(path: path, number: EISDIR)
      }
      // A file that is not writable must not be replaced either.
      guard access(place, W_OK) == 0 else { throw FileError(path: path, number: errno) }
      mode = status.st_mode & 0o777
    }
    guard !place.hasSuffix("/"), !place.isEmpty else { throw FileError(path: path, number: EISDIR) }
    let folder = Self.folder(of: place)
    let temporary = folder + Self.newName
    var new: State
    if let request, let (kept, part) = KeptPart.take(beside: place, of: request, as: temporary) {
      new = State(descriptor: kept, temporary: temporary)
      (new.source, new.accepted, new.written) = (part.source, part.count, part.count)
    } else {
      let (descriptor, name) = try Self.create(in: folder, for: path)
      new = State(descriptor: descriptor, temporary: name)
    }
    if let mode { fchmod(new.descriptor, mode) }
    state = Locked(new)
  }

  deinit { discard() }

  /// The path up to its last slash, with that.
  private static func folder(of path: String) -> String {
    String(path.lastIndex(of: "/").map { path[...$0] } ?? "")
  }

  private static var newName: String {
    ".opsh-download-" + String(UInt64.random(in: .min ... .max), radix: 36)
  }

  /// The path with its symbolic links followed, which stay: their target is replaced, or created.
  private static func target(of path: String) -> String {
    var place = path
    for _ in 0..<32 {
      if let pointer = realpath(place, nil) {
        defer { free(pointer) }
        return String(cString: pointer)
      }
      guard let link = try? FileManager.default.destinationOfSymbolicLink(atPath: place) else {
        return place
      }
      place = link.hasPrefix("/") ? link : folder(of: place) + link
    }
    return path
  }

  private static func create(
    in folder: String, for path: String
  ) throws(FileError) -> (Int32, String) {
    for _ in 0..<100 {
      let name = folder + newName
      let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      if descriptor >= 0 { return (descriptor, name) }
      guard errno == EEXIST || errno == EINTR else { break }
    }
    throw FileError(path: path, number: errno)
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
    let mustStart = state.withLock { state -> Bool in
      state.source = source
      guard state.failure == 0, !state.isDone, state.accepted > 0 else { return false }
      state.pendingCount -= state.pending.reduce(0) { $0 + $1.count }
      state.pending = []
      (state.mustEmpty, state.accepted) = (true, 0)
      return state.mustStartWriting()
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
      let next = state.withLock { state -> (pieces: [[UInt8]], mustEmpty: Bool, file: Int32)? in
        defer { (state.pending, state.mustEmpty) = ([], false) }
        state.isInWrite = false
        // Closed, and the number possibly reused for another file.
        guard !state.isDone, state.failure == 0, !state.pending.isEmpty || state.mustEmpty else {
          state.isWriting = false
          state.pendingCount = 0
          return nil
        }
        state.isInWrite = true
        return (state.pending, state.mustEmpty, state.descriptor)
      }
      guard let (pieces, mustEmpty, descriptor) = next else { break }
      if mustEmpty {
        let isEmpty = ftruncate(descriptor, 0) == 0 && lseek(descriptor, 0, SEEK_SET) == 0
        let failure = isEmpty ? 0 : errno
        state.withLock { state in
          state.written = 0
          if failure != 0 { state.failure = failure }
        }
        if failure != 0 { continue }
      }
      for piece in pieces {
        let failure = Self.write(piece, to: descriptor)
        state.withLock { state in
          if failure != 0, state.failure == 0 { state.failure = failure }
          state.written += piece.count
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

  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    bytes.withUnsafeBytes { bytes in
      var offset = 0
      while offset < bytes.count {
        let count = Glibc.write(
          descriptor, bytes.baseAddress.map { $0 + offset }, bytes.count - offset)
        if count > 0 {
          offset += count
        } else if count < 0, errno != EINTR {
          return errno
        }
      }
      return 0
    }
  }

  /// Moves the file to its path.
  ///
  /// Waits until all data has been written.
  ///
  /// - Returns: The size of the file.
  /// - Throws: `FileError`; then the temporary file is removed, and an existing file is unchanged.
  func finish() throws -> Int {
    let result = queue.sync {
      state.withLock { state -> Result<Int, FileError> in
        guard !state.isDone else { return .failure(FileError(path: path, number: ECANCELED)) }
        state.isDone = true
        var failure = state.failure
        // Some file systems report only here that the disk is full.
        if close(state.descriptor) != 0, failure == 0 { failure = errno }
        if failure == 0, rename(state.temporary, place) != 0 { failure = errno }
        guard failure == 0 else {
          unlink(state.temporary)
          return .failure(FileError(path: path, number: failure))
        }
        KeptPart.remove(beside: place)
        return .success(state.written)
      }
    }
    return try result.get()
  }

  /// Keeps what was written for a later download, or removes it if its rest can't be requested.
  ///
  /// - Parameter request: The address that was requested.
  /// - Returns: The number of bytes that are kept; nil for none.
  func keep(for request: String) -> Int? {
    let kept = queue.sync {
      state.withLock { state -> Int? in
        // By the virtual clock, writing is not on this queue.
        guard !state.isDone, !state.isInWrite, state.failure == 0, !state.mustEmpty,
          state.written > 0, let source = state.source, source.isUnique
        else { return nil }
        let part = KeptPart(request: request, source: source, count: state.written)
        guard part.put(state.descriptor, state.temporary, beside: place) else { return nil }
        state.isDone = true
        close(state.descriptor)
        return state.written
      }
    }
    if kept == nil { discard() }
    return kept
  }

  /// Removes the temporary file, unless it has been moved to its path.
  func discard() {
    let descriptor = state.withLock { state -> Int32? in
      guard !state.isDone else { return nil }
      state.isDone = true
      unlink(state.temporary)
      return state.descriptor
    }
    // After the write in progress.
    if let descriptor { queue.async { close(descriptor) } }
  }
}
