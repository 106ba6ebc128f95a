import Foundation
import Locking
import Networking

/// The one database behind all parts of the store, opened when it is first used.
///
/// One connection, used by one thread at a time, under a lock. A body that is run here must not
/// use the database in another way than through its argument.
final class Database: Sendable {
  /// Where the data are.
  enum Place: Sendable, Equatable {
    case file(String)
    case memory
    /// There is no place; the text says why.
    case nowhere(String)
  }

  private enum State {
    case closed
    case open(Connection, DatabaseFile.Identity?)
    /// Refused from now on, so that no further write makes the damage worse.
    case damaged(DatabaseFile.Identity?, StoreError)
  }

  let place: Place
  private let busyTimeout: Duration
  private let migrations: [Migration]
  private let state = Locked(State.closed)
  /// The file as it was when it was last opened for reading alone and found healthy.
  private let healthyVersion = Locked<DatabaseFile.Version?>(nil)

  init(place: Place, busyTimeout: Duration, migrations: [Migration]) {
    self.place = place
    // A day at most, so that no sum overflows.
    self.busyTimeout = min(max(.zero, busyTimeout), .seconds(86_400))
    self.migrations = migrations
  }

  deinit { close() }

  private var version: Int { migrations.last?.version ?? 0 }

  // MARK: Using it

  /// Runs statements that change nothing.
  ///
  /// - Parameters:
  ///   - patience: How long it waits for another process that is writing; nil for the usual time.
  ///   - body: What to do, perhaps more than once.
  /// - Returns: What the body returns.
  /// - Throws: `StoreError`.
  func read<Result>(
    patience: Duration? = nil, _ body: (Connection) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let end = ContinuousClock.now + (patience ?? busyTimeout)
    var pause: UInt32 = 1_000
    while true {
      do throws(StoreError) {
        return try readOnce(body)
      } catch  where error.kind == .busy && ContinuousClock.now < end && !StoreWait.isAbandoned {
        // Waited here and not in SQLite, so that nobody who waits keeps another thread from finding
        // that it need not.
        usleep(pause)
        pause = min(pause * 2, 20_000 + UInt32.random(in: 0...5_000))
      }
    }
  }

  private func readOnce<Result>(
    _ body: (Connection) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try state.withLock { state throws(StoreError) in
      let connection = try opened(&state)
      defer {
        // Somebody may write it next, and then it must not be read as one that nobody changes.
        if connection.reasonNotToWrite != nil, case .open = state {
          connection.close(tidiesUp: false)
          state = .closed
        }
      }
      do throws(StoreError) {
        return try body(connection)
      } catch {
        note(error, &state)
        throw error
      }
    }
  }

  /// Runs statements that are kept all or not at all.
  ///
  /// - Parameters:
  ///   - patience: How long it waits for another process that is writing; nil for the usual time.
  ///   - body: What to do, perhaps more than once, where nothing has come of it.
  /// - Returns: What the body returns.
  /// - Throws: `StoreError`; then nothing has changed.
  func write<Result>(
    patience: Duration? = nil, _ body: (Connection) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try read(patience: patience) { connection throws(StoreError) in
      if let reason = connection.reasonNotToWrite { throw reason }
      return try connection.transaction { () throws(StoreError) in
        // A later version of the program may have changed the tables under this one.
        try checkVersion(of: connection)
        return try body(connection)
      }
    }
  }

  /// Closes the file; the next use opens it again.
  func close() {
    state.withLock { state in
      if case .open(let connection, let identity) = state {
        connection.close(tidiesUp: !isGone(identity))
      }
      state = .closed
    }
  }

  // MARK: Opening it

  private func opened(_ state: inout State) throws(StoreError) -> Connection {
    switch state {
    case .open(let connection, let identity):
      if !isGone(identity) { return connection }
      // Deleted or replaced: what was written there would be lost without a word.
      connection.close(tidiesUp: false)
    case .damaged(let identity, let error):
      if !isGone(identity) { throw error }
    case .closed: break
    }
    state = .closed
    let connection: Connection
    do throws(StoreError) {
      connection = try open()
    } catch {
      note(error, &state)
      throw error
    }
    var identity: DatabaseFile.Identity?
    if case .file(let path) = place { identity = DatabaseFile.identity(of: path) }
    state = .open(connection, identity)
    return connection
  }

  private func isGone(_ identity: DatabaseFile.Identity?) -> Bool {
    guard case .file(let path) = place else { return false }
    return DatabaseFile.identity(of: path) != identity
  }

  private func note(_ error: StoreError, _ state: inout State) {
    guard error.kind == .damaged, case .file(let path) = place else { return }
    if case .open(let connection, _) = state { connection.close(tidiesUp: false) }
    state = .damaged(DatabaseFile.identity(of: path), error)
  }

  private func open() throws(StoreError) -> Connection {
    let library = try SQLiteLibrary.shared.get()
    switch place {
    case .nowhere(let why): throw StoreError(.unavailable, why)
    case .memory:
      let connection = try Connection(path: ":memory:", library: library)
      return try settingUp(connection)
    case .file(let path):
      try DatabaseFile.prepare(path)
      do throws(StoreError) {
        return try settingUp(Connection(path: path, library: library))
      } catch {
        return try openUnchanging(path, library, after: error)
      }
    }
  }

  /// Opens a file for reading alone, where SQLite can't make the log beside it that it needs even for
  /// that: the folder is read-only, or the disk full.
  private func openUnchanging(
    _ path: String, _ library: SQLiteLibrary, after error: StoreError
  ) throws(StoreError) -> Connection {
    guard [.unwritable, .full].contains(error.kind), DatabaseFile.isWhole(path) else { throw error }
    do throws(StoreError) {
      return try settingUp(
        Connection(path: path, library: library, readingOnlyBecause: error))
    } catch {}
    throw error
  }

  private func settingUp(_ connection: Connection) throws(StoreError) -> Connection {
    do throws(StoreError) {
      try setUp(connection)
      return connection
    } catch {
      connection.close(tidiesUp: ![.damaged, .busy].contains(error.kind))
      throw Self.explained(error, path: connection.path)
    }
  }

  /// Names the reason that SQLite does not know: it fails to make the log, and says that it is not
  /// there.
  private static func explained(_ error: StoreError, path: String) -> StoreError {
    guard error.kind == .unwritable, let reason = DatabaseFile.reasonNotToWrite(besides: path)
    else { return error }
    return .unwritable(path, "its folder must be writable: \(reason)")
  }

  /// Checks that a file is a healthy store of this program, and brings it up to date.
  func setUp(_ connection: Connection) throws(StoreError) {
    // Before anything is changed: it may not be ours to change.
    try connection.snapshot { () throws(StoreError) in
      try checkOwner(of: connection)
      try checkVersion(of: connection)
    }
    try connection.runOnce("PRAGMA foreign_keys = ON")
    try connection.runOnce("PRAGMA trusted_schema = OFF")
    try connection.runOnce("PRAGMA cell_size_check = ON")
    try checkHealthOnce(of: connection)
    // A file that cannot be written can still be read, if it is up to date.
    if connection.isReadOnly, try Migration.version(of: connection) == version { return }
    // This one has an effect only before there are tables.
    try connection.runOnce("PRAGMA auto_vacuum = INCREMENTAL")
    try connection.runOnce("PRAGMA journal_mode = WAL")
    // With the log a killed process loses nothing; a power failure may take the last changes.
    try connection.runOnce("PRAGMA synchronous = NORMAL")
    try connection.runOnce("PRAGMA journal_size_limit = 4194304")
    try Migration.bringUpToDate(connection, migrations: migrations)
  }

  private func checkOwner(of connection: Connection) throws(StoreError) {
    let application = try connection.first("PRAGMA application_id") { $0.integer(0) } ?? 0
    guard application != Schema.applicationID else { return }
    let tables = try connection.first("SELECT count(*) FROM sqlite_schema") { $0.integer(0) } ?? 0
    guard application != 0 || tables > 0 else { return }
    throw StoreError(
      .foreign,
      "'\(printable(connection.path))' is the database of another program, it was left as it is")
  }

  /// Checks a file that is opened for each read only where it has changed since the last check.
  private func checkHealthOnce(of connection: Connection) throws(StoreError) {
    guard connection.reasonNotToWrite != nil else { return try checkHealth(of: connection) }
    // Taken before the check: a change during it is checked the next time.
    let version = DatabaseFile.version(of: connection.path)
    guard version == nil || version != healthyVersion.withLock({ $0 }) else { return }
    try checkHealth(of: connection)
    healthyVersion.withLock { $0 = version }
  }

  /// Looks for damage before anything is written: a statement meets it only on the pages it reads.
  ///
  /// The bodies of responses are left out, for there may be much of them.
  private func checkHealth(of connection: Connection) throws(StoreError) {
    for table in Schema.checkedTables {
      let isThere = try connection.first(
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", .text(table)
      ) { _ in true }
      guard isThere == true else { continue }
      let sql = "PRAGMA quick_check('\(table)')"
      defer { connection.forget(sql) }
      if let problem = try connection.first(sql, body: { $0.text(0) }), problem != "ok" {
        throw .damaged(connection.path, problem)
      }
    }
  }

  private func checkVersion(of connection: Connection) throws(StoreError) {
    let found = try Migration.version(of: connection)
    guard found > version else { return }
    throw StoreError(
      .newer,
      "'\(printable(connection.path))' was written by a later version of opsh (format \(found), "
        + "this one knows \(version)), it was left as it is")
  }
}
