import COpshSQLite
import OpshNetworking
import OpshSupport

/// Loads SQLite when the store is first used.
struct SQLiteLibrary: @unchecked Sendable {
  // @unchecked because the table is filled before it is shared and never changes after that.
  /// For the wrappers in C.
  let table: UnsafePointer<opsh_sqlite_table>
  /// The functions of the library.
  var functions: opsh_sqlite_table { table.pointee }

  /// The library, or why it cannot be used; loaded on first use.
  static let shared: Result<SQLiteLibrary, StoreError> = open(named: "libsqlite3.so.0")

  /// 3.37 is the first version with strict tables.
  private static let minimumVersion: Int32 = 3_037_000

  private static let libraryTopic = "store-library"

  /// Loads the library with a name; a test passes one that does not exist.
  static func open(named name: String) -> Result<SQLiteLibrary, StoreError> {
    let library: SQLiteLibrary
    do {
      library = SQLiteLibrary(
        table: try DynamicLibrary.load([name], opsh_sqlite_table(), opsh_sqlite_resolve))
    } catch {
      return .failure(
        StoreError(
          .unavailable,
          "the store needs the library SQLite, install the package libsqlite3-0 "
            + "(\(printable(error.text)))", topic: libraryTopic))
    }
    guard library.functions.libversion_number() >= minimumVersion else {
      return .failure(
        StoreError(
          .unavailable, "the library SQLite is too old, 3.37 or a later one is needed",
          topic: libraryTopic))
    }
    guard library.functions.threadsafe() != 0 else {
      return .failure(
        StoreError(
          .unavailable, "the library SQLite was built for programs with one thread only",
          topic: libraryTopic))
    }
    return .success(library)
  }
}
