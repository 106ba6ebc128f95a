import Foundation
import OpshLocking
import OpshNetworking

/// The database of all parts of the store, opened on first use.
///
/// One connection, used by one thread at a time, under a lock. A body must use the database only
/// through its argument.
final class Database: Sendable {
  /// The location of the data.
  enum Place: Sendable, Equatable {
    case file(String)
    case memory
    /// There is no data directory; the text says why.
    case nowhere(String)
  }

  private enum State {
    case closed
    case open(Connection, DatabaseFile.Identity?)
    /// The error of all further writes, so that they do not increase the damage.
    case damaged(DatabaseFile.Identity?, StoreError)
  }

  let place: Place
  private let busyTimeout: Duration
  private let migrations: [Migration]
  private let state = Locked(State.closed)
  /// The state of the file when it was last opened read-only and found undamaged.
  private let healthyVersion = Locked<DatabaseFile.Version?>(nil)

  init(place: Place, busyTimeout: Duration, migrations: [Migration]) {
    self.place = place
    // At most a day, so that no sum overflows.
    self.busyTimeout = min(max(.zero, busyTimeout), .seconds(86_400))
    self.migrations = migrations
  }

  deinit { close() }

  private var version: Int { migrations.last?.version ?? 0 }

  // MARK: Using it

  /// Runs statements that change nothing.
  ///
  /// - Parameters:
  ///   - patience: How long to wait for another process that is writing; nil for the default.
  ///   - body: The statements; may run more than once.
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
        // The wait is here and not in SQLite, so that a waiting thread does not keep another thread
        // from finding that it need not wait.
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
        // Another process may write it next, and then it must not be read as an immutable file.
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

  /// Runs statements in a transaction.
  ///
  /// - Parameters:
  ///   - patience: How long to wait for another process that is writing; nil for the default.
  ///   - body: The statements; may run again after a failed attempt.
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
      // Deleted or replaced: data written to it would be lost.
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

  /// Opens a file read-only when SQLite can't create the log next to it, which it needs even for
  /// reading: the folder is read-only, or the disk is full.
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

  /// Adds the reason that SQLite omits: it fails to create the log, and reports that the log does
  /// not exist.
  private static func explained(_ error: StoreError, path: String) -> StoreError {
    guard error.kind == .unwritable, let reason = DatabaseFile.reasonNotToWrite(nextTo: path)
    else { return error }
    return .unwritable(path, "its folder must be writable: \(reason)")
  }

  /// Checks that a file is an undamaged store of this program, and migrates it.
  func setUp(_ connection: Connection) throws(StoreError) {
    // Before any change: the file may belong to another program.
    try connection.snapshot { () throws(StoreError) in
      try checkOwner(of: connection)
      try checkVersion(of: connection)
    }
    try connection.runOnce("PRAGMA foreign_keys = ON")
    try connection.runOnce("PRAGMA trusted_schema = OFF")
    try connection.runOnce("PRAGMA cell_size_check = ON")
    try checkHealthOnce(of: connection)
    let isCurrent = try Migration.version(of: connection) == version
    // A read-only file can be read if its version is current.
    if isCurrent, connection.isReadOnly { return }
    // Another process may hold the lock for writing, which this needs, and readers need not wait.
    let isSetUp = isCurrent ? try hasLog(connection) : false
    if !isSetUp {
      // This setting has an effect only before there are tables.
      try connection.runOnce("PRAGMA auto_vacuum = INCREMENTAL")
      try connection.runOnce("PRAGMA journal_mode = WAL")
    }
    // With the log a killed process loses nothing; a power failure may lose the last changes.
    try connection.runOnce("PRAGMA synchronous = NORMAL")
    try connection.runOnce("PRAGMA journal_size_limit = 4194304")
    try Migration.migrate(connection, migrations: migrations)
  }

  /// Whether a file is written by way of a log beside it.
  private func hasLog(_ connection: Connection) throws(StoreError) -> Bool {
    let mode = try connection.first("PRAGMA journal_mode") { $0.text(0) }
    return mode == "wal"
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

  /// Checks a file that is opened for each read only if it has changed since the last check.
  private func checkHealthOnce(of connection: Connection) throws(StoreError) {
    guard connection.reasonNotToWrite != nil else { return try checkHealth(of: connection) }
    // Taken before the check: a change during it is checked the next time.
    let version = DatabaseFile.version(of: connection.path)
    guard version == nil || version != healthyVersion.withLock({ $0 }) else { return }
    try checkHealth(of: connection)
    healthyVersion.withLock { $0 = version }
  }

  /// Checks for damage before anything is written: a statement finds it only on the pages it reads.
  ///
  /// Excludes the bodies of responses, which may be large.
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
