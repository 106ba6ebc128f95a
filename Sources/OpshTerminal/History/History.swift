import COpshSystem
import Foundation
import OpshSystemCalls

/// The typed lines of this session, and a file with them for later sessions.
///
/// The file has one line per entry, in which `\n` stands for a newline and `\\` for a
/// backslash; `\@` and a number before it are its time, in seconds since 1970. Entries are appended
/// with a single write each, so that sessions running at the same time do not disturb one another;
/// ``refresh()`` reads what the others have added.
public final class History {
  /// The entries, oldest first.
  public private(set) var entries: [String] = []
  /// What else is known of the entries.
  private var facts: [Facts] = []
  /// The greatest number of entries kept.
  public let limit: Int
  /// The file for later sessions; nil for none.
  public let file: String?

  private struct Facts {
    /// Seconds since 1970; nil if it was stored without a time.
    var time: Int?
    /// Whether it is in no file, so that reading the file again does not bring it back.
    var isPrivate = false
  }

  /// The file as it was read last, and how much of it was read.
  var known: (device: dev_t, inode: ino_t, size: Int)?

  /// Whether a line contains secrets and is kept in this session only.
  private let isPrivate: (String) -> Bool
  /// Called with the first error of the file; nil once it was.
  private var reportFailure: ((Int32) -> Void)?

  /// Opens a history.
  ///
  /// A file that cannot be read counts as empty: a missing history must not prevent the start.
  ///
  /// - Parameters:
  ///   - file: The file, created with its folder on the first append; nil to keep nothing.
  ///   - limit: The greatest number of entries.
  ///   - isPrivate: Says which lines are not to be written to the file.
  ///   - onFailure: Called with the system's number of the first error of writing to the file.
  public init(
    file: String?, limit: Int = 10_000, isPrivate: @escaping (String) -> Bool = { _ in false },
    onFailure: @escaping (_ code: Int32) -> Void = { _ in }
  ) {
    reportFailure = onFailure
    self.file = file
    self.isPrivate = isPrivate
    self.limit = max(1, limit)
    load()
  }

  /// Adds a line, unless it is blank, begins with a space, or is the same as the last one.
  ///
  /// Newlines at the end, as pasted text has them, are removed.
  ///
  /// - Parameter line: The line as typed; may hold newlines.
  public func append(_ line: String) {
    let line = StoredLine.withoutFinalNewlines(line)
    guard line.first != " ", !line.allSatisfy(\.isWhitespace), line != entries.last else { return }
    let entry = StoredLine(time: Int(Date().timeIntervalSince1970), text: line)
    guard let file, !isPrivate(line) else { return add(entry, isPrivate: file != nil) }
    let error = write(entry, to: file)
    add(entry, isPrivate: error != 0)
    guard error != 0 else { return }
    reportFailure?(error)
    reportFailure = nil
  }

  private func add(_ entry: StoredLine, isPrivate: Bool = false) {
    guard entry.text != entries.last else { return }
    entries.append(entry.text)
    facts.append(Facts(time: entry.time, isPrivate: isPrivate))
    guard entries.count > limit else { return }
    facts.removeFirst(entries.count - limit)
    entries.removeFirst(entries.count - limit)
  }

  /// The time at which an entry was typed, in seconds since 1970; nil if it is not known.
  public func time(of index: Int) -> Int? { facts[index].time }

  /// Reads what other sessions have added to the file, or the whole file if it was replaced.
  public func refresh() {
    guard let file else { return }
    let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    guard isKnown(descriptor) else {
      let own = zip(entries, facts).filter { $1.isPrivate }
      entries = []
      facts = []
      load()
      for (text, facts) in own { add(StoredLine(time: facts.time, text: text), isPrivate: true) }
      return
    }
    readAdded(descriptor)
  }

  /// Removes entries, from the file too.
  ///
  /// - Parameter indices: Their indices.
  /// - Returns: Whether the file has been changed, or needs no change.
  public func delete(_ indices: Set<Int>) -> Bool {
    let deleted = Set(indices.map { StoredLine(time: facts[$0].time, text: entries[$0]) })
    let kept = entries.indices.filter { !indices.contains($0) }
    entries = kept.map { entries[$0] }
    facts = kept.map { facts[$0] }
    return removeLines { deleted.contains($0) }
  }

  // MARK: The file

  /// More than this is not read: a history of ten thousand lines is far smaller.
  private static let greatestFileSize = 64 << 20

  private func load() {
    guard let file else { return }
    let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0, let size = Self.size(of: descriptor) else {
      if descriptor >= 0 { close(descriptor) }
      return
    }
    defer { close(descriptor) }
    var reader = LastLines(of: descriptor, size: size, atMost: Self.greatestFileSize)
    var last: ArraySlice<UInt8>?
    var count = 0
    var found: [StoredLine] = []
    // Not shortened at every start: only when it has grown to twice what is kept.
    while found.count < limit || count <= 2 * limit, let line = reader.next() {
      guard !line.isEmpty else { continue }
      count += 1
      guard found.count < limit, line != last else { continue }
      last = line
      let entry = StoredLine(line)
      if entry.text != found.last?.text { found.append(entry) }
    }
    found.reverse()
    entries = found.map(\.text)
    facts = found.map { Facts(time: $0.time) }
    note(descriptor, size: size)
    if count > 2 * limit { shorten(file, readBytes: size) }
  }

  private func note(_ descriptor: Int32, size: Int) {
    var status = stat()
    known = fstat(descriptor, &status) == 0 ? (status.st_dev, status.st_ino, size) : nil
  }

  /// Whether a file is the one that was read last, perhaps with further lines.
  func isKnown(_ descriptor: Int32) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return true }
    guard let known else { return false }
    return known.device == status.st_dev && known.inode == status.st_ino
      && known.size <= status.st_size
  }

  /// Reads the lines after those that were read, as far as they are complete.
  func readAdded(_ descriptor: Int32) {
    guard let known, let size = Self.size(of: descriptor), size > known.size,
      size - known.size <= Self.greatestFileSize
    else { return }
    var bytes = [UInt8](repeating: 0, count: size - known.size)
    let count = pread(descriptor, &bytes, bytes.count, off_t(known.size))
    guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: "\n")) else { return }
    self.known?.size = known.size + end + 1
    for line in bytes[..<end].split(separator: UInt8(ascii: "\n")) { add(StoredLine(line)) }
  }

  /// The size of a regular file; nil of others.
  private static func size(of descriptor: Int32) -> Int? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  static func contents(of descriptor: Int32) -> [UInt8]? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return readFully(descriptor, atMost: greatestFileSize).bytes
  }

  /// Returns 0, or the system's error.
  private func write(_ entry: StoredLine, to file: String) -> Int32 {
    Self.createDirectory(of: file)
    let bytes = Array((entry.stored + "\n").utf8)
    for _ in 0..<3 {
      // For reading too: the last entry may have no end.
      let descriptor = open(file, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
      guard descriptor >= 0 else { return opsh_errno() }
      defer { close(descriptor) }
      var status = stat()
      // A device such as '/dev/null' keeps nothing.
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
      // It was readable for others if another program made it.
      if status.st_mode & 0o077 != 0 { fchmod(descriptor, 0o600) }
      _ = FileLock.take(descriptor)
      // Another session may have replaced the file between the opening and the locking.
      guard Self.isStill(descriptor, at: file) else { continue }
      let isEnded = Self.lastByte(of: descriptor).map { $0 == UInt8(ascii: "\n") } ?? true
      if known == nil { note(descriptor, size: 0) }
      if isKnown(descriptor) { readAdded(descriptor) }
      let before = Self.size(of: descriptor)
      let isWhole = before == 0 || isKnown(descriptor) && before == known?.size
      let error = writeFully(isEnded ? bytes : [UInt8(ascii: "\n")] + bytes, to: descriptor)
      if isWhole, error == 0, let size = Self.size(of: descriptor) { note(descriptor, size: size) }
      return error
    }
    return 0
  }

  /// The last byte of a file, nil of an empty one.
  ///
  /// An editor, or a disk that was full, may have left a last line without its line feed.
  private static func lastByte(of descriptor: Int32) -> UInt8? {
    var status = stat()
    var byte: UInt8 = 0
    guard fstat(descriptor, &status) == 0, status.st_size > 0,
      pread(descriptor, &byte, 1, status.st_size - 1) == 1
    else { return nil }
    return byte
  }

  /// Replaces the file by one with the kept entries only.
  private func shorten(_ file: String, readBytes: Int) {
    let original = open(file, O_RDONLY | O_CLOEXEC)
    guard original >= 0 else { return }
    defer { close(original) }
    // What another session has appended since the file was read must not be lost.
    var status = stat()
    guard FileLock.take(original), Self.isStill(original, at: file),
      fstat(original, &status) == 0, Int(status.st_size) == readBytes
    else { return }
    let lines = zip(entries, facts).map { StoredLine(time: $1.time, text: $0).stored.utf8 }
    if Self.replace(file, with: lines) { noteReplacement() }
  }

  /// Notes that this session has replaced the file by one that it knows.
  func noteReplacement() {
    guard let file else { return }
    let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    if let size = Self.size(of: descriptor) { note(descriptor, size: size) }
  }

  /// Replaces a file that is locked by one with these lines.
  ///
  /// - Returns: Whether that was possible.
  static func replace(_ file: String, with lines: [some Sequence<UInt8>]) -> Bool {
    FileReplacement.replace(file, with: lines.flatMap { Array($0) + [UInt8(ascii: "\n")] }) == 0
  }

  static func isStill(_ descriptor: Int32, at file: String) -> Bool {
    var own = stat()
    var current = stat()
    return fstat(descriptor, &own) == 0 && stat(file, &current) == 0
      && own.st_ino == current.st_ino && own.st_dev == current.st_dev
  }

  private static func createDirectory(of file: String) {
    guard let slash = file.lastIndex(of: "/"), slash > file.startIndex else { return }
    try? FileManager.default.createDirectory(
      atPath: String(file[..<slash]), withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
  }
}

@available(*, unavailable)
extension History: Sendable {}
