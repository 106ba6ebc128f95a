import Foundation
public import OpshNetworking
import OpshSystemCalls

/// Stores quotes, search tags and responses in one SQLite file, shared by all sessions.
///
/// ```swift
/// let store = SQLiteStore(directory: "/home/me/.local/share/opsh")
/// try store.tags.add("c++")
/// for quote in try store.quotes.list(order: .reads, limit: 10, offset: 0) { print(quote.text) }
/// ```
///
/// Creating a store does nothing: the first use opens the library and the file, and creates the
/// folder and the file if they do not exist (accessible by their owner only). From then on:
///
/// * Every call that changes data is one transaction. A process that is killed in the middle leaves
///   the old data or the new, complete; only a power failure may lose the last changes.
/// * It may be used from all threads, one at a time, and from several processes. A write waits for
///   another process for a limited time and then fails with `store-busy`.
/// * A file that is damaged, newer than this program, or not a store is not modified, and every
///   call throws an error; nothing else in the program is affected.
/// * If the file is deleted or replaced while it is open, the next call detects that and opens the
///   new file.
public final class SQLiteStore: Sendable {
  /// The name of the file in its directory.
  public static let fileName: String = "store.sqlite"

  /// The quotes.
  public let quotes: any QuoteStore
  /// The search tags.
  public let tags: any TagStore
  /// The responses.
  public let responses: any ResponseCache

  let database: Database
  private let responseStore: SQLiteResponseCache

  /// Creates a store without opening it.
  ///
  /// - Parameters:
  ///   - directory: The directory of the file; nil for none, which every use reports as an error.
  ///   - busyTimeout: How long a call waits for another process that is writing.
  public convenience init(directory: String?, busyTimeout: Duration = .seconds(5)) {
    self.init(directory: directory, busyTimeout: busyTimeout, migrations: Schema.migrations)
  }

  /// Creates a store in memory, for tests and the virtual clock.
  public static func inMemory() -> SQLiteStore {
    SQLiteStore(place: .memory, busyTimeout: .zero, migrations: Schema.migrations)
  }

  convenience init(directory: String?, busyTimeout: Duration, migrations: [Migration]) {
    let place: Database.Place =
      if let directory, !directory.isEmpty {
        .file(Self.absolute(directory) + "/" + Self.fileName)
      } else {
        .nowhere("there is no place for the data: HOME is not set, name a directory with --data")
      }
    self.init(place: place, busyTimeout: busyTimeout, migrations: migrations)
  }

  private init(place: Database.Place, busyTimeout: Duration, migrations: [Migration]) {
    database = Database(place: place, busyTimeout: busyTimeout, migrations: migrations)
    responseStore = SQLiteResponseCache(database: database)
    quotes = SQLiteQuoteStore(database: database)
    tags = SQLiteTagStore(database: database)
    responses = responseStore
  }

  /// The path of the file; nil for a store in memory.
  public var path: String? {
    if case .file(let path) = database.place { path } else { nil }
  }

  /// Writes pending statistics and closes the file; the next use opens it again.
  ///
  /// Call this at the end of a session. Without it, only the latest statistics of the cache are
  /// lost.
  public func close() {
    responseStore.writePendingUses()
    database.close()
  }

  /// Absolute, so that a later change of the working directory has no effect.
  private static func absolute(_ directory: String) -> String {
    var path = directory
    if !path.hasPrefix("/") { path = workingDirectory() + "/" + path }
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path == "/" ? "" : path
  }
}
