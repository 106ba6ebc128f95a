import Foundation
import OpshLocking
import OpshSystemCalls
import ShellLanguage
import ShellOutput

/// The files that a session reads and writes, as they were at each use.
///
/// A session that takes the inputs of another one again reads each file as that one read it, and writes
/// to copies. When it has become the session, it reads on from the copies of what it has written, and
/// of what only the other one wrote after that; writing to such a file ends the use of its copy.
package final class SessionFiles: Sendable {
  package enum Use: Sendable {
    case reading
    /// Replacing its content.
    case replacing
    /// Adding to its content, or changing it.
    case changing
  }

  /// What is at a path.
  private enum Content: Equatable {
    case nothing
    case bytes([UInt8])
    case folder
    /// A device or a pipe, or too much to keep.
    case other
  }

  private struct Record {
    let path: String
    let content: Change
    let writes: Bool
  }

  /// A content, as a change of that at the use of the same file before.
  private enum Change {
    case whole(Content)
    /// So many bytes at the end are new.
    case appended([UInt8])

    func content(after before: Content?) -> Content {
      switch self {
      case .whole(let content): content
      case .appended(let bytes):
        if case .bytes(let old)? = before { .bytes(old + bytes) } else { .nothing }
      }
    }
  }

  /// Tells whether a file is as it was.
  private struct Identity: Equatable {
    var numbers: [Int] = []

    init(_ status: stat) {
      numbers = [
        Int(bitPattern: UInt(status.st_dev)), Int(bitPattern: UInt(status.st_ino)),
        Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
        status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
      ]
    }
  }

  private struct State {
    private(set) var records: [Record] = []
    /// The content at the last use, by path.
    private var last: [String: Content] = [:]

    /// Adds a use; what a file has kept from the use before takes no memory again.
    mutating func add(_ path: String, _ content: Content, writes: Bool) {
      var change = Change.whole(content)
      if case .bytes(let bytes) = content, case .bytes(let before)? = last[path],
        bytes.count >= before.count, memcmp(bytes, before, before.count) == 0
      {
        change = .appended(Array(bytes[before.count...]))
      }
      last[path] = content
      records.append(Record(path: path, content: change, writes: writes))
    }

    /// Calls `body` with each use, in order, and the content at that time.
    func forEachUse(_ body: (Int, Record, Content) -> Void) {
      var last: [String: Content] = [:]
      for (index, record) in records.enumerated() {
        let content = record.content.content(after: last[record.path])
        last[record.path] = content
        body(index, record, content)
      }
    }

    /// The contents that were read last, by the paths in the system.
    var known: [String: (identity: Identity, content: Content)] = [:]
    var keepsContents = false
    /// While inputs are taken again: what is still to be read, by path.
    var coming: [String: ArraySlice<Change>]?
    /// What was read last of it, by path.
    var come: [String: Content] = [:]
    /// The paths of copies by those of the files.
    var copies: [String: String] = [:]
    var written: Set<String> = []
    /// What was at the paths that have copies when the session went back.
    var originals: [String: Content] = [:]
    /// The folder of the copies.
    var folder: String?
    var copyCount = 0
    /// The system's error for a copy.
    var error: Int32 = 0
  }

  /// Content beyond this is not kept, in bytes.
  private static let greatestSize = 64 << 20

  private let state = Locked(State())
  private let directory: String?

  /// - Parameter directory: The folder that relative paths start from; nil for the process's.
  init(directory: String?) { self.directory = directory }

  deinit { removeCopies() }

  /// Keeps the content of each file that is used from now on.
  func keepContents() { state.withLock { $0.keepsContents = true } }

  /// How many uses were recorded.
  var count: Int { state.withLock { $0.records.count } }

  /// Returns where the system finds a file for one use.
  ///
  /// - Parameters:
  ///   - path: The path, as the system resolves it.
  ///   - use: The use.
  ///   - isScript: Whether it is a script, whose content is always kept.
  /// - Returns: The path itself, or that of a copy.
  package func place(
    of path: String, for use: Use, isScript: Bool = false
  ) -> String {
    let key = absolute(path)
    return state.withLock { state in
      if state.coming != nil { return Self.retakenPlace(of: key, for: use, &state) }
      var place = path
      if let copy = state.copies[key] {
        place = use == .reading ? copy : Self.leaveCopy(copy, of: key, path, for: use, &state)
      }
      if state.keepsContents || isScript {
        let content = Self.content(at: place, &state)
        state.add(key, content, writes: use != .reading)
      }
      return place
    }
  }

  private func absolute(_ path: String) -> String {
    let whole = path.hasPrefix("/") ? path : (directory ?? workingDirectory()) + "/" + path
    // A path that is no UTF-8 stays as it is.
    guard whole.contains("/.") || whole.contains("//") else { return whole }
    return NSString(string: whole).standardizingPath
  }

  // MARK: Contents

  private static func content(at place: String, _ state: inout State) -> Content {
    var status = stat()
    guard stat(place.forSystem, &status) == 0 else { return .nothing }
    if status.st_mode & S_IFMT == S_IFDIR { return .folder }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= greatestSize else { return .other }
    let identity = Identity(status)
    if let known = state.known[place], known.identity == identity { return known.content }
    let descriptor = open(place.forSystem, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return .other }
    defer { close(descriptor) }
    let content = Content.bytes(readFully(descriptor, atMost: greatestSize).bytes)
    state.known[place] = (identity, content)
    return content
  }

  private static func set(_ content: Content, at place: String, _ state: inout State) {
    guard case .bytes(let bytes) = content else {
      unlink(place.forSystem)
      return
    }
    let descriptor = open(place.forSystem, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    let error = descriptor >= 0 ? writeFully(bytes, to: descriptor) : errno
    if descriptor >= 0 { close(descriptor) }
    if error != 0, state.error == 0 { state.error = error }
  }

  // MARK: Copies

  /// Returns the path of a new copy, which has the name of its file.
  private static func newCopy(of path: String, _ state: inout State) -> String {
    if state.folder == nil {
      var template = (NSTemporaryDirectory() + "opsh-back-XXXXXX").forSystem
      if mkdtemp(&template) == nil { state.error = errno }
      state.folder = String(ofSystem: template.dropLast().map(UInt8.init(bitPattern:)))
    }
    state.copyCount += 1
    let folder = "\(state.folder ?? "")/\(state.copyCount)"
    if mkdir(folder.forSystem, 0o700) != 0, state.error == 0 { state.error = errno }
    let copy = folder + "/" + (path.split(separator: "/").last ?? "file")
    state.copies[path] = copy
    return copy
  }

  private static func retakenPlace(
    of path: String, for use: Use, _ state: inout State
  ) -> String {
    let copy = state.copies[path]
    var content = content(at: copy ?? path, &state)
    if let next = state.coming?[path]?.popFirst() {
      content = next.content(after: state.come[path])
      state.come[path] = content
    }
    state.add(path, content, writes: use != .reading)
    if use != .reading { state.written.insert(path) }
    switch content {
    case .folder: return path
    // What a pipe held is gone.
    case .other: return "/dev/null"
    case .nothing, .bytes: break
    }
    let place = copy ?? newCopy(of: path, &state)
    if Self.content(at: place, &state) != content { set(content, at: place, &state) }
    return place
  }

  /// Ends the use of a copy, because its file is written to: one that is changed gets the content of the
  /// copy first, unless others have written to it since.
  private static func leaveCopy(
    _ copy: String, of key: String, _ path: String, for use: Use, _ state: inout State
  ) -> String {
    let content = content(at: copy, &state)
    state.copies[key] = nil
    unlink(copy.forSystem)
    let present = Self.content(at: path, &state)
    if use == .changing, present == state.originals[key], present != content {
      restore(content, at: resolvedPath(path) ?? path)
    }
    return path
  }

  /// Sets the content of a file at once, or leaves it as it is; what is written to it next meets the same
  /// error.
  private static func restore(_ content: Content, at path: String) {
    guard case .bytes(let bytes) = content else {
      unlink(path.forSystem)
      return
    }
    var status = stat()
    let exists = stat(path.forSystem, &status) == 0
    guard let file = try? FileReplacement(of: path, mode: 0o666) else { return }
    // The mask for new files does not apply to one that is there.
    if exists { fchmod(file.descriptor, status.st_mode & 0o777) }
    _ = file.finish(after: writeFully(bytes, to: file.descriptor))
  }

  /// Removes the copies; nothing may use the files after that.
  func removeCopies() {
    let (folder, count) = state.withLock { ($0.folder.take(), $0.copyCount) }
    guard let folder else { return }
    for number in 0..<count {
      let copy = "\(folder)/\(number + 1)"
      for name in names(inFolder: copy, atMost: .max) ?? [] { unlink("\(copy)/\(name)".forSystem) }
      rmdir(copy.forSystem)
    }
    rmdir(folder.forSystem)
  }

  // MARK: Taking inputs again

  /// Has each use find what the same use of another session found, and writes go to copies.
  ///
  /// - Parameters:
  ///   - other: The files of the other session.
  ///   - count: How many of its uses there were by then.
  func beginRetaking(_ other: SessionFiles, upTo count: Int) {
    let records = other.state.withLock { $0.records.prefix(count) }
    state.withLock { state in
      state.keepsContents = true
      state.coming = Dictionary(grouping: records, by: \.path).mapValues { $0.map(\.content)[...] }
    }
  }

  /// Reads and writes files themselves from now on, but for those that the session has written, and
  /// those that only the other one wrote.
  ///
  /// - Parameters:
  ///   - other: The files of the other session.
  ///   - count: How many of its uses there were by then.
  /// - Returns: The paths of what the other one wrote after that, which stays.
  /// - Throws: The system's error for a copy.
  func endRetaking(_ other: SessionFiles, from count: Int) throws(UnplacedError) -> [String] {
    // What was there before the first write of each.
    var left: [(path: String, content: Content)] = []
    other.state.withLock { other in
      other.forEachUse { index, record, content in
        guard index >= count, record.writes, !left.contains(where: { $0.path == record.path })
        else { return }
        left.append((record.path, content))
      }
    }
    let error = state.withLock { state in
      (state.coming, state.come) = (nil, [:])
      for (path, copy) in state.copies where !state.written.contains(path) {
        unlink(copy.forSystem)
        state.copies[path] = nil
      }
      for (path, content) in left where state.copies[path] == nil {
        if content == .folder || content == .other { continue }
        Self.set(content, at: Self.newCopy(of: path, &state), &state)
      }
      for path in state.copies.keys { state.originals[path] = Self.content(at: path, &state) }
      return state.error
    }
    if error != 0 { throw .file("copies of files", error) }
    return left.map(\.path).filter { access($0.forSystem, F_OK) == 0 }
  }
}
