import Foundation
import OpshLocking
import OpshSecrets
import OpshSystemCalls

/// The cookies of a file: requests send them, and keep those of the responses in it.
///
/// ```swift
/// let jar = try CookieJar(path: "cookies.txt")
/// var request = try HTTPRequest(url: "https://example.com/login")
/// request.transfer.cookies = jar
/// ```
///
/// All requests that share a jar may run at once. Writing merges: what other processes have written
/// meanwhile is kept, unless it is the same cookie. Methods can be called on any thread; those that
/// use the file may block for the time of a file access.
public final class CookieJar: Sendable, Equatable {
  private struct State {
    var cookies: [Cookie]
    /// Cookies to write, the oldest first; one that has expired deletes.
    var changes: [Cookie] = []
    /// The lines that are not cookies, each the first time that it was read.
    var faults: [CookieFileError] = []
    var knownFaults: Set<[UInt8]> = []

    mutating func note(_ skipped: [CookieFile.SkippedLine]) {
      for line in skipped where knownFaults.insert(line.bytes).inserted {
        faults.append(line.fault)
      }
    }
  }

  /// How many cookies of one domain are kept, so that no server fills the file; the oldest go first.
  static let limitForDomain = 180

  /// The path of the file, with symbolic links resolved.
  public let path: String
  private let state: Locked<State>
  /// Held during each use of the file; the value means nothing.
  ///
  /// It is not empty, for a value of no size would share the address of what follows it, which the
  /// thread sanitizer takes for a race.
  private let file = Locked(0)

  /// Opens a file of cookies, and creates it if it does not exist.
  ///
  /// - Parameter path: The path of the file.
  /// - Throws: `FileError`, or `CookieFileError` if it is not a file of cookies.
  public init(path: String) throws {
    self.path = Self.resolved(path)
    let found = try CookieFile.read(self.path)
    if found == nil { try CookieFile.write(CookieFile.Contents(), to: self.path) }
    var state = State(cookies: found?.cookies ?? [])
    state.note(found?.skipped ?? [])
    self.state = Locked(state)
  }

  /// Returns whether two are the same object.
  public static func == (first: CookieJar, second: CookieJar) -> Bool { first === second }

  /// Returns a path without symbolic links, also of a file that does not exist.
  ///
  /// - Parameter path: The path of a file.
  /// - Returns: The same path for each way to write it.
  public static func resolved(_ path: String) -> String {
    if let path = resolvedPath(path) { return path }
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { String(path[...$0]) } ?? "."
    let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
    return resolvedPath(folder).map { ($0 == "/" ? "" : $0) + "/" + name } ?? path
  }

  /// The cookies, also expired ones, in the order of the file.
  public var cookies: [Cookie] { state.withLock { $0.cookies } }

  /// Returns the lines that are not cookies and were skipped, each only once.
  public func takeFaults() -> [CookieFileError] {
    state.withLock { state in
      defer { state.faults = [] }
      return state.faults
    }
  }

  /// The values of all cookies, which must be masked in output.
  var secrets: [String] { cookies.flatMap { Credentials.written($0.value) } }

  /// Reads the file again, and keeps the changes that are not written yet; creates a file that does
  /// not exist any more.
  ///
  /// - Throws: `FileError`, or `CookieFileError` if it is not a file of cookies any more.
  public func reload() throws {
    try file.withLock { _ in
      let found = try CookieFile.read(path)
      if found == nil { try CookieFile.write(CookieFile.Contents(), to: path) }
      state.withLock { state in
        state.cookies = found?.cookies ?? []
        state.note(found?.skipped ?? [])
        for change in state.changes { Self.apply(change, to: &state.cookies) }
      }
    }
  }

  /// The value of the `Cookie` header of a request; nil without cookies for it.
  func field(for address: WebAddress, now: Date) -> String? {
    let found = cookies.filter { !$0.isExpired(at: now) && $0.belongs(to: address) }
    guard !found.isEmpty else { return nil }
    // Longer paths first, and then in the order in which they were set.
    return found.enumerated().sorted { one, other in
      let (first, second) = (one.element.path.utf8.count, other.element.path.utf8.count)
      return first == second ? one.offset < other.offset : first > second
    }
    .map { "\($0.element.name)=\($0.element.value)" }.joined(separator: "; ")
  }

  /// Keeps the cookies that a response sets, in memory.
  func take(_ head: HTTPResponseHead, from address: WebAddress, now: Date) {
    let set = head.headers.values(of: "Set-Cookie").compactMap {
      Cookie(setting: $0, from: address, now: now)
    }
    guard !set.isEmpty else { return }
    state.withLock { state in
      for cookie in set {
        guard
          cookie.isSecure || Cookie.isTrustworthy(address)
            || !state.cookies.contains(where: {
              $0.isProtected(from: cookie) && !$0.isExpired(at: now)
            })
        else { continue }
        Self.apply(cookie, to: &state.cookies, now: now)
        state.changes.append(cookie)
      }
    }
  }

  /// Writes the changes to the file, if there are any.
  ///
  /// - Parameter now: The present date, by which cookies expire.
  /// - Throws: `FileError` or `CookieFileError`; then the file is unchanged, and the next call tries
  ///   it again.
  func save(now: Date) throws {
    try file.withLock { _ in
      let changes = state.withLock { state in
        defer { state.changes = [] }
        return state.changes
      }
      guard !changes.isEmpty else { return }
      do {
        let written = try merge(changes, now: now)
        state.withLock { state in
          state.cookies = written
          for change in state.changes { Self.apply(change, to: &state.cookies, now: now) }
        }
      } catch {
        state.withLock { $0.changes = changes + $0.changes }
        throw error
      }
    }
  }

  /// Adds changes to what the file holds now, while no other process does the same.
  private func merge(_ changes: [Cookie], now: Date) throws -> [Cookie] {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    // The folder is locked: a lock of the file itself would be one of a file that is replaced. A
    // program that keeps it must not stop this one. Without the lock, what another process writes at
    // the same moment is lost.
    let descriptor = open(folder.forSystem, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor >= 0 { _ = FileLock.take(descriptor, within: 5_000) }
    defer { if descriptor >= 0 { close(descriptor) } }
    var contents = try CookieFile.read(path) ?? CookieFile.Contents()
    for change in changes { Self.apply(change, to: &contents.cookies, now: now) }
    contents.cookies.removeAll { $0.isExpired(at: now) }
    try CookieFile.write(contents, to: path)
    return contents.cookies
  }

  /// Puts a cookie in the place of that with the same name, domain and path.
  private static func apply(_ change: Cookie, to cookies: inout [Cookie], now: Date? = nil) {
    let isDeleted = now.map(change.isExpired(at:)) ?? false
    if let place = cookies.firstIndex(where: { $0.hasKey(of: change) }) {
      if isDeleted { cookies.remove(at: place) } else { cookies[place] = change }
    } else if !isDeleted {
      cookies.append(change)
      let ofDomain = cookies.indices.filter { cookies[$0].domain == change.domain }
      if ofDomain.count > limitForDomain { cookies.remove(at: ofDomain[0]) }
    }
  }
}
