import COpshSQLite
import Foundation
import OpshNetworking
import OpshSupport
import OpshSystemCalls

/// One connection to a database, for one thread at a time.
///
/// Statements are compiled once and cached by their text, so the text must be constant: values are
/// always bound.
final class Connection {
  let path: String
  let library: SQLiteLibrary
  private let pointer: OpaquePointer
  private var statements: [String: OpaquePointer] = [:]
  /// Why the file is opened read-only and immutable; nil for a normal connection.
  let reasonNotToWrite: StoreError?

  /// Opens a file that exists, or `:memory:`.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - library: The library.
  ///   - reason: Opens the file read-only, without a log next to it; the error of writes.
  /// - Throws: `StoreError`.
  init(
    path: String, library: SQLiteLibrary, readingOnlyBecause reason: StoreError? = nil
  ) throws(StoreError) {
    reasonNotToWrite = reason
    self.path = path
    self.library = library
    var pointer: OpaquePointer?
    // Without SQLite's own locks: the store admits one thread at a time.
    let way = reason == nil ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
    let flags = way | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let name = reason == nil ? path : Self.unchanging(path)
    let code = library.functions.open_v2(name.forSystem, &pointer, flags, nil)
    guard let pointer else {
      throw StoreError(.failed, "there is no memory left for the store")
    }
    self.pointer = pointer
    guard code == SQLITE_OK else {
      let error = failure(code)
      _ = library.functions.close(pointer)
      throw error
    }
  }

  /// The URI by which SQLite opens an immutable file, without a log or locks.
  private static func unchanging(_ path: String) -> String {
    let encoded = path.systemBytes.map { byte in
      String(
        decoding: byte == UInt8(ascii: "/") ? [byte] : PercentEncoding.escape(byte), as: UTF8.self)
    }
    return "file:\(encoded.joined())?immutable=1"
  }

  /// Closes the connection; it must not be used afterwards.
  ///
  /// - Parameter tidiesUp: Whether to checkpoint and delete the log. Must be false if the path now
  ///   names another file, because SQLite finds the log by its name and would delete that of the
  ///   other file, and if the file is damaged, because damaged files are not modified.
  func close(tidiesUp: Bool = true) {
    if !tidiesUp {
      _ = opsh_sqlite_set_switch(library.table, pointer, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    }
    for statement in statements.values { _ = library.functions.finalize(statement) }
    statements = [:]
    _ = library.functions.close(pointer)
  }

  /// Whether the file is read-only.
  var isReadOnly: Bool { library.functions.db_readonly(pointer, "main") == 1 }

  /// The number of rows that the last changing statement has changed.
  var changes: Int { Int(library.functions.changes(pointer)) }

  /// The id of the row that was inserted last.
  var lastInsertedRow: Int { Int(library.functions.last_insert_rowid(pointer)) }

  // MARK: Statements

  /// Runs a statement to its end.
  func run(_ sql: String, _ values: SQLValue...) throws(StoreError) {
    _ = try rows(sql, values) { _ in }
  }

  /// Runs a statement and returns the result of `body` for its first row.
  func first<Result>(
    _ sql: String, _ values: SQLValue..., body: (Row) -> Result
  ) throws(StoreError) -> Result? {
    let statement = try prepare(sql)
    defer { _ = library.functions.reset(statement) }
    try bind(values, to: statement)
    return try step(statement) ? body(Row(statement: statement, library: library)) : nil
  }

  /// Runs a statement and returns the results for each row.
  func rows<Result>(
    _ sql: String, _ values: [SQLValue] = [], body: (Row) -> Result
  ) throws(StoreError) -> [Result] {
    let statement = try prepare(sql)
    defer { _ = library.functions.reset(statement) }
    try bind(values, to: statement)
    var results: [Result] = []
    while try step(statement) {
      results.append(body(Row(statement: statement, library: library)))
    }
    return results
  }

  /// Runs a statement that is needed only once.
  func runOnce(_ sql: String) throws(StoreError) {
    defer { forget(sql) }
    try run(sql)
  }

  /// Finalizes a statement that is not needed again.
  func forget(_ sql: String) {
    if let statement = statements.removeValue(forKey: sql) {
      _ = library.functions.finalize(statement)
    }
  }

  private func prepare(_ sql: String) throws(StoreError) -> OpaquePointer {
    if let statement = statements[sql] { return statement }
    var statement: OpaquePointer?
    let code = library.functions.prepare_v3(
      pointer, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw failure(code) }
    statements[sql] = statement
    return statement
  }

  private func bind(_ values: [SQLValue], to statement: OpaquePointer) throws(StoreError) {
    _ = library.functions.clear_bindings(statement)
    for (offset, value) in values.enumerated() {
      let index = Int32(offset + 1)
      let code =
        switch value {
        case .null: library.functions.bind_null(statement, index)
        case .integer(let number): library.functions.bind_int64(statement, index, Int64(number))
        case .text(var text):
          text.withUTF8 { bytes in
            opsh_sqlite_bind_text(
              library.table, statement, index, bytes.baseAddress, UInt64(bytes.count))
          }
        case .blob(let blob):
          blob.withUnsafeBytes { bytes in
            opsh_sqlite_bind_blob(
              library.table, statement, index, bytes.baseAddress, UInt64(bytes.count))
          }
        }
      guard code == SQLITE_OK else { throw failure(code) }
    }
  }

  /// Returns whether there is a row.
  private func step(_ statement: OpaquePointer) throws(StoreError) -> Bool {
    var systemError: Int32 = 0
    switch opsh_sqlite_step(library.table, statement, &systemError) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw failure(code, systemError: systemError)
    }
  }

  private func failure(_ code: Int32, systemError: Int32 = 0) -> StoreError {
    StoreError.sqlite(
      code: code,
      systemError: systemError == 0 ? library.functions.system_errno(pointer) : systemError,
      text: library.functions.errmsg(pointer).map { String(cString: $0) } ?? "", path: path)
  }

  // MARK: Transactions

  /// Runs queries on a consistent snapshot.
  func snapshot<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
    try run("BEGIN")
    defer { try? run("ROLLBACK") }
    return try body()
  }

  /// Runs changes in a transaction.
  ///
  /// It acquires the write lock at its start, because in the middle of a transaction SQLite could
  /// not wait for it.
  func transaction<Result>(
    _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try run("BEGIN IMMEDIATE")
    do throws(StoreError) {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      // After some errors, such as a full disk, SQLite has rolled back by itself.
      if library.functions.get_autocommit(pointer) == 0 { try? run("ROLLBACK") }
      throw error
    }
  }
}

@available(*, unavailable)
extension Connection: Sendable {}
