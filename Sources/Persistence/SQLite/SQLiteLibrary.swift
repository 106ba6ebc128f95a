import CSQLite
import Networking

/// Gives access to SQLite, which is opened when the store is first used.
struct SQLiteLibrary: @unchecked Sendable {
  // @unchecked because the table is filled before anyone sees it and never changes after that.
  private let storage: UnsafeMutablePointer<opsh_sqlite_table>

  /// The functions of the library.
  var functions: opsh_sqlite_table { storage.pointee }
  /// The same for the wrappers in C.
  var table: UnsafePointer<opsh_sqlite_table> { UnsafePointer(storage) }

  /// The library, or why it cannot be used; opened when first asked for.
  static let shared: Result<SQLiteLibrary, StoreError> = open(named: "libsqlite3.so.0")

  /// 3.37 is the first version that knows strict tables.
  private static let minimumVersion: Int32 = 3_037_000

  /// Opens the library of a name; a test gives one that does not exist.
  static func open(named name: String) -> Result<SQLiteLibrary, StoreError> {
    let storage = UnsafeMutablePointer<opsh_sqlite_table>.allocate(capacity: 1)
    storage.initialize(to: opsh_sqlite_table())
    if let missing = opsh_sqlite_load(storage, name) {
      let reason = String(cString: missing)
      storage.deallocate()
      return .failure(
        StoreError(
          .unavailable,
          "the store needs the library SQLite, install the package libsqlite3-0 "
            + "(\(printable(reason)))"))
    }
    let library = SQLiteLibrary(storage: storage)
    guard library.functions.libversion_number() >= minimumVersion else {
      return .failure(
        StoreError(.unavailable, "the library SQLite is too old, 3.37 or a later one is needed"))
    }
    guard library.functions.threadsafe() != 0 else {
      return .failure(
        StoreError(.unavailable, "the library SQLite was built for programs with one thread only"))
    }
    return .success(library)
  }
}
