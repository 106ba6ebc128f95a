import COpshSystem
import Foundation
import OpshSystemCalls

/// The typed lines of this session, and a file with them for later sessions.
///
/// The file has one line per entry, in which `\n` stands for a newline and `\\` for a
/// backslash. Entries are appended with a single write each, so that sessions running at the
/// same time do not disturb one another; each sees what was there when it began, and its own.
public final class History {
  /// The entries, oldest first.
  public private(set) var entries: [String] = []
  /// The greatest number of entries kept.
  public let limit: Int
  /// The file for later sessions; nil for none.
  public let file: String?

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
    let line = Self.withoutFinalNewlines(line)
    guard line.first != " ", !line.allSatisfy(\.isWhitespace), line != entries.last else { return }
    entries.append(line)
    if entries.count > limit { entries.removeFirst(entries.count - limit) }
    guard let file, !isPrivate(line) else { return }
    let error = write(line, to: file)
    guard error != 0 else { return }
    reportFailure?(error)
    reportFailure = nil
  }

  /// Returns the last entry before a position that contains a text.
  ///
  /// - Parameters:
  ///   - text: What to look for, letter for letter; an empty text is in every entry.
  ///   - position: Only entries before this index are looked at; nil for all.
  /// - Returns: The entry's index, or nil.
  public func lastIndex(containing text: String, before position: Int? = nil) -> Int? {
    let end = min(position ?? entries.count, entries.count)
    return entries[..<max(0, end)].lastIndex { text.isEmpty || $0.contains(text) }
  }

  /// Returns the first entry from a position on that contains a text.
  ///
  /// - Parameters:
  ///   - text: What to look for, letter for letter.
  ///   - position: The first index to be looked at.
  /// - Returns: The entry's index, or nil.
  public func firstIndex(containing text: String, from position: Int) -> Int? {
    guard position < entries.count else { return nil }
    return entries[max(0, position)...].firstIndex { text.isEmpty || $0.contains(text) }
  }

  private static func withoutFinalNewlines(_ line: String) -> String {
    guard line.last?.isNewline == true else { return line }
    return String(line.reversed().drop(while: \.isNewline).reversed())
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
    // Not shortened at every start: only when it has grown to twice what is kept.
    while entries.count < limit || count <= 2 * limit, let line = reader.next() {
      guard !line.isEmpty else { continue }
      count += 1
      guard entries.count < limit, line != last else { continue }
      last = line
      let entry = Self.withoutFinalNewlines(Self.unescape(line))
      if entry != entries.last { entries.append(entry) }
    }
    entries.reverse()
    if count > 2 * limit { shorten(file, readBytes: size) }
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
  private func write(_ line: String, to file: String) -> Int32 {
    Self.createDirectory(of: file)
    let bytes = Array((Self.escape(line) + "\n").utf8)
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
      return writeFully(isEnded ? bytes : [UInt8(ascii: "\n")] + bytes, to: descriptor)
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
    Self.replace(file, with: entries.map { Self.escape($0).utf8 })
  }

  /// Replaces a file that is locked by one with these lines.
  static func replace(_ file: String, with lines: [some Sequence<UInt8>]) {
    _ = FileReplacement.replace(file, with: lines.flatMap { Array($0) + [UInt8(ascii: "\n")] })
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

  // MARK: Escaping

  static func escape(_ entry: String) -> String {
    var result = ""
    for scalar in entry.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\0": result += "\\0"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Undoes ``escape(_:)``; a backslash that begins no escape stands for itself.
  static func unescape(_ line: some Collection<UInt8>) -> String {
    guard line.contains(UInt8(ascii: "\\")) else { return String(decoding: line, as: UTF8.self) }
    var bytes: [UInt8] = []
    var isEscaped = false
    for byte in line {
      if isEscaped {
        isEscaped = false
        switch byte {
        case UInt8(ascii: "n"): bytes.append(UInt8(ascii: "\n"))
        case UInt8(ascii: "r"): bytes.append(UInt8(ascii: "\r"))
        case UInt8(ascii: "0"): bytes.append(0)
        case UInt8(ascii: "\\"): bytes.append(byte)
        default: bytes += [UInt8(ascii: "\\"), byte]
        }
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else {
        bytes.append(byte)
      }
    }
    if isEscaped { bytes.append(UInt8(ascii: "\\")) }
    return String(decoding: bytes, as: UTF8.self)
  }
}

@available(*, unavailable)
extension History: Sendable {}
