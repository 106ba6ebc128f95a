import OpshNetworking

/// Converts a database from one version to the next.
struct Migration: Sendable {
  /// The resulting version; versions count from 1 without gaps.
  let version: Int
  /// The statements, which run in one transaction.
  let statements: [String]

  /// Migrates a database to the current version, one transaction for each version.
  ///
  /// - Parameters:
  ///   - connection: The database.
  ///   - migrations: All versions in order.
  /// - Throws: `StoreError`; the database then has its old version, or one in between.
  static func migrate(
    _ connection: Connection, migrations: [Migration]
  ) throws(StoreError) {
    for migration in migrations where try version(of: connection) < migration.version {
      try connection.transaction { () throws(StoreError) in
        // Another process may have migrated it while this one waited for the write lock.
        guard try version(of: connection) < migration.version else { return }
        for statement in migration.statements { try connection.runOnce(statement) }
        try connection.runOnce("PRAGMA application_id = \(Schema.applicationID)")
        try connection.runOnce("PRAGMA user_version = \(migration.version)")
      }
    }
  }

  /// The version of a database, 0 for an empty one.
  static func version(of connection: Connection) throws(StoreError) -> Int {
    try connection.first("PRAGMA user_version") { $0.integer(0) } ?? 0
  }
}
