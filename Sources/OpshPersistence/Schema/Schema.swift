/// The tables of the store.
///
/// A released migration never changes: changes go into a new one.
enum Schema {
  /// `opsh` in ASCII; distinguishes our databases from those of other programs.
  static let applicationID = 0x6F70_7368

  /// The tables that are checked whenever the file is opened: all except the bodies of responses,
  /// which may be large.
  static let checkedTables = ["settings", "quotes", "tags", "responses"]

  static let migrations = [
    Migration(version: 1, statements: settings + quotes + tags + responses)
  ]

  /// The salt is the key of the message codes that identify secrets in the cache.
  private static let settings = [
    "CREATE TABLE settings (name TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID",
    "INSERT INTO settings VALUES ('cache.salt', randomblob(32))",
  ]

  /// Times are milliseconds since 1970, everywhere.
  private static let quotes = [
    """
    CREATE TABLE quotes (
      id INTEGER PRIMARY KEY,
      object_id TEXT NOT NULL UNIQUE,
      text TEXT NOT NULL,
      author TEXT,
      read_count INTEGER NOT NULL,
      created INTEGER,
      updated INTEGER
    ) STRICT
    """
  ]

  /// `folded` is the same for all spellings of a tag; the order is that of `id`.
  private static let tags = [
    """
    CREATE TABLE tags (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      text TEXT NOT NULL,
      folded TEXT NOT NULL UNIQUE,
      added INTEGER NOT NULL
    ) STRICT
    """
  ]

  // Bodies have a table of their own, because SQLite writes a row as a whole, and `used` changes
  // with every use. Ids are not reused, so that a look-up by id never returns another response.
  // `used` counts uses, not time: clocks may be set back.
  private static let responses = [
    """
    CREATE TABLE responses (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      method TEXT NOT NULL,
      url TEXT NOT NULL,
      fingerprint BLOB NOT NULL,
      vary TEXT NOT NULL,
      variant BLOB NOT NULL,
      status INTEGER NOT NULL,
      headers TEXT NOT NULL,
      requested INTEGER NOT NULL,
      received INTEGER NOT NULL,
      body_size INTEGER NOT NULL,
      size INTEGER NOT NULL,
      used INTEGER NOT NULL,
      hits INTEGER NOT NULL,
      revalidations INTEGER NOT NULL,
      UNIQUE (method, url, fingerprint, vary, variant)
    ) STRICT
    """,
    "CREATE INDEX responses_by_use ON responses (used, size, body_size)",
    """
    CREATE TABLE bodies (
      response INTEGER PRIMARY KEY REFERENCES responses (id) ON DELETE CASCADE,
      is_compressed INTEGER NOT NULL,
      bytes BLOB NOT NULL
    ) STRICT
    """,
  ]
}
