import Foundation
import OpshLocking
import OpshNetworking

/// Stores responses in the database.
final class SQLiteResponseCache: ResponseCache {
  /// The default size limit.
  static let defaultSizeLimit = 64_000_000

  let database: Database
  /// How long a request waits for another process that is writing; then it continues without.
  private static let patience = Duration.milliseconds(250)
  /// For how long after a failed wait no further request waits.
  private static let impatience = Duration.seconds(1)

  private let lastBusy = Locked<ContinuousClock.Instant?>(nil)
  /// Uses that have not been written yet.
  private let pending = Locked(CacheUses())

  init(database: Database) {
    self.database = database
  }

  // MARK: Finding

  func lookup(_ request: HTTPRequest, now: Date) throws(StoreError) -> CacheLookup {
    // Requests that are never cached do not count as misses.
    guard CachePolicy.refusal(of: request) == nil else {
      return CacheLookup(response: nil, freshness: .notStored)
    }
    let found = try read { connection throws(StoreError) -> PackedResponse? in
      guard let id = try Self.find(request, connection) else { return nil }
      return try CacheRow.packedResponse(id: id, connection)
    }
    let response = found.flatMap { $0.unpacked }
    if response == nil, let found { try? remove(id: found.entry.id) }
    let freshness = CacheFreshness.of(response?.entry, for: request, at: now)
    pending.withLock { uses in
      uses.note(response?.entry.id, isHit: [.fresh, .usableWhileRevalidating].contains(freshness))
    }
    // Without waiting: a cached response must not be delayed because another process writes.
    writePendingUses()
    return CacheLookup(response: response, freshness: freshness)
  }

  private func read<Result>(
    _ body: (Connection) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try briefly { patience throws(StoreError) in try database.read(patience: patience, body) }
  }

  private func write<Result>(
    _ body: (Connection) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try briefly { patience throws(StoreError) in try database.write(patience: patience, body) }
  }

  /// Performs an access for a request, which must not wait long for other processes.
  private func briefly<Result>(
    _ body: (_ patience: Duration) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let isBusy = lastBusy.withLock { $0.map { .now - $0 < Self.impatience } ?? false }
    do throws(StoreError) {
      return try body(isBusy ? .zero : Self.patience)
    } catch {
      if error.kind == .busy { lastBusy.withLock { $0 = .now } }
      throw error
    }
  }

  /// Finds the id of the response for a request among those of its address.
  private static func find(
    _ request: HTTPRequest, _ connection: Connection
  ) throws(StoreError) -> Int? {
    let salt = try salt(connection)
    let identity = RequestIdentity(request, salt: salt)
    let candidates = try connection.rows(
      "SELECT id, vary, variant FROM responses WHERE method = ? AND url = ? AND fingerprint = ?"
        + " ORDER BY used DESC",
      [.text(identity.method), .text(identity.url), .blob(identity.fingerprint)]
    ) { row in
      (id: row.integer(0), names: CacheRow.names(row.text(1)), variant: row.blob(2))
    }
    return candidates.first { candidate in
      candidate.variant
        == RequestIdentity.variant(of: request, varyingBy: candidate.names, salt: salt)
    }?.id
  }

  func entries(limit: Int?) throws(StoreError) -> [CacheEntry] {
    try database.read { connection throws(StoreError) in
      try connection.rows(
        "SELECT \(CacheRow.columns) FROM responses ORDER BY used DESC LIMIT ?",
        [.integer(limit.map { max(0, $0) } ?? -1)], body: CacheRow.entry)
    }
  }

  func response(id: Int) throws(StoreError) -> CachedResponse {
    let found = try database.read { connection throws(StoreError) in
      try CacheRow.packedResponse(id: id, connection)
    }
    guard let response = found.flatMap({ $0.unpacked }) else { throw .unknownResponse(id) }
    return response
  }

  // MARK: Keeping

  func store(
    _ response: HTTPResponse, for request: HTTPRequest, requestedAt: Date, receivedAt: Date
  ) throws(StoreError) -> CachePolicy.Refusal? {
    if let refusal = CachePolicy.refusal(of: request) { return refusal }
    if let refusal = CachePolicy.refusal(of: response, to: request) {
      // A failure does not invalidate the stored response; any other response replaces it.
      if refusal != .status { try forget(request) }
      return refusal
    }
    let headers = CachePolicy.keptHeaders(response.head.headers, request: request)
    let packed = PackedBody(response.body)
    let text = CacheRow.text(headers)
    let varying = CachePolicy.varyingNames(response.head.headers)
    return try write { connection throws(StoreError) in
      let salt = try Self.salt(connection)
      let identity = RequestIdentity(request, salt: salt)
      if let old = try Self.find(request, connection) {
        try connection.run("DELETE FROM responses WHERE id = ?", .integer(old))
      }
      let size = CacheRow.size(url: identity.url, headers: text, body: packed.bytes)
      let limit = try Self.sizeLimit(connection)
      guard size <= limit / 4 else { return .tooLarge }
      try connection.run(
        """
        INSERT INTO responses (
          method, url, fingerprint, vary, variant, status, headers, requested, received,
          body_size, size, used, hits, revalidations)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, \(CacheRow.nextUse), 0, 0)
        """,
        .text(identity.method), .text(identity.url), .blob(identity.fingerprint),
        .text(CacheRow.text(varying)),
        .blob(RequestIdentity.variant(of: request, varyingBy: varying, salt: salt)),
        .integer(response.head.status), .text(text), .time(requestedAt), .time(receivedAt),
        .integer(response.body.count), .integer(size))
      let id = connection.lastInsertedRow
      try connection.run(
        "INSERT INTO bodies VALUES (?, ?, ?)", .integer(id),
        .integer(packed.isCompressed ? 1 : 0), .blob(packed.bytes))
      try Self.makeRoom(limit, keeping: id, connection)
      return nil
    }
  }

  /// Removes the stored response of a request.
  private func forget(_ request: HTTPRequest) throws(StoreError) {
    try write { connection throws(StoreError) in
      guard let id = try Self.find(request, connection) else { return }
      try connection.run("DELETE FROM responses WHERE id = ?", .integer(id))
    }
  }

  func revalidated(
    _ response: CachedResponse, by head: HTTPResponseHead, for request: HTTPRequest,
    requestedAt: Date, receivedAt: Date
  ) throws(StoreError) -> CachedResponse? {
    guard
      let headers = CachePolicy.updatedHeaders(
        response.entry.headers, by: head.headers, request: request)
    else { return nil }
    var updated = response
    updated.entry.headers = headers
    updated.entry.requestedAt = requestedAt
    updated.entry.receivedAt = receivedAt
    let text = CacheRow.text(headers)
    let mayBeKept = !CacheControl(headers).isNoStore
    try write { connection throws(StoreError) in
      if mayBeKept {
        try connection.run(
          """
          UPDATE responses SET size = size - length(CAST(headers AS BLOB)) + ?1, headers = ?2,
            requested = ?3, received = ?4, used = \(CacheRow.nextUse),
            revalidations = revalidations + 1
          WHERE id = ?5
          """,
          .integer(text.utf8.count), .text(text), .time(requestedAt), .time(receivedAt),
          .integer(response.entry.id))
      } else {
        try connection.run("DELETE FROM responses WHERE id = ?", .integer(response.entry.id))
      }
      try CacheUses.count("revalidations", 1, connection)
    }
    return updated
  }

  // MARK: Forgetting

  func invalidate(_ request: HTTPRequest) throws(StoreError) -> Int {
    try database.write { connection throws(StoreError) in
      let url = RequestIdentity(request, salt: []).url
      try connection.run(
        "DELETE FROM responses WHERE method IN ('GET', 'HEAD') AND url = ?", .text(url))
      return connection.changes
    }
  }

  func remove(id: Int) throws(StoreError) {
    try database.write { connection throws(StoreError) in
      try connection.run("DELETE FROM responses WHERE id = ?", .integer(id))
      guard connection.changes > 0 else { throw .unknownResponse(id) }
    }
  }

  func removeAll() throws(StoreError) -> Int {
    let count = try database.write { connection throws(StoreError) in
      try connection.run("DELETE FROM responses")
      return connection.changes
    }
    giveSpaceBack()
    return count
  }

  func setSizeLimit(_ bytes: Int) throws(StoreError) {
    let bytes = max(0, bytes)
    try database.write { connection throws(StoreError) in
      try connection.run(
        "INSERT OR REPLACE INTO settings VALUES ('cache.limit', ?)", .integer(bytes))
      try Self.makeRoom(bytes, keeping: 0, connection)
    }
    giveSpaceBack()
  }

  /// Evicts the least recently used responses until the rest fits.
  private static func makeRoom(
    _ limit: Int, keeping kept: Int, _ connection: Connection
  ) throws(StoreError) {
    var total =
      try connection.first("SELECT coalesce(sum(size), 0) FROM responses") { $0.integer(0) } ?? 0
    var evictions = 0
    while total > limit {
      let oldest = try connection.first(
        "SELECT id, size FROM responses WHERE id <> ? ORDER BY used LIMIT 1", .integer(kept)
      ) { (id: $0.integer(0), size: $0.integer(1)) }
      guard let oldest else { break }
      try connection.run("DELETE FROM responses WHERE id = ?", .integer(oldest.id))
      total -= oldest.size
      evictions += 1
    }
    if evictions > 0 { try CacheUses.count("evictions", evictions, connection) }
  }

  /// Shrinks the file after many removals; a failure is ignored.
  private func giveSpaceBack() {
    try? database.read { connection throws(StoreError) in
      try connection.run("PRAGMA incremental_vacuum")
      try connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }
  }

  // MARK: Counting

  func statistics() throws(StoreError) -> CacheStatistics {
    writePendingUses()
    let unwritten = pending.withLock { $0 }
    return try database.read { connection throws(StoreError) in
      var statistics = CacheStatistics(sizeLimit: try Self.sizeLimit(connection))
      let sums = try connection.first(
        "SELECT count(*), coalesce(sum(size), 0), coalesce(sum(body_size), 0) FROM responses"
      ) { ($0.integer(0), $0.integer(1), $0.integer(2)) }
      (statistics.entryCount, statistics.storedSize, statistics.bodySize) = sums ?? (0, 0, 0)
      statistics.hitCount = try CacheUses.value("hits", connection) + unwritten.hitCount
      statistics.missCount = try CacheUses.value("misses", connection) + unwritten.missCount
      statistics.revalidationCount = try CacheUses.value("revalidations", connection)
      statistics.evictionCount = try CacheUses.value("evictions", connection)
      return statistics
    }
  }

  /// Writes the uses recorded so far, unless another process is writing: then the next call does.
  func writePendingUses() {
    let uses = pending.withLock { pending in
      let uses = pending
      pending = CacheUses()
      return uses
    }
    guard !uses.isEmpty else { return }
    do {
      try database.write(patience: .zero) { connection throws(StoreError) in
        try uses.write(connection)
      }
    } catch {
      pending.withLock { $0.merge(uses) }
    }
  }

  private static func sizeLimit(_ connection: Connection) throws(StoreError) -> Int {
    try connection.first("SELECT value FROM settings WHERE name = 'cache.limit'") {
      $0.integer(0)
    } ?? defaultSizeLimit
  }

  private static func salt(_ connection: Connection) throws(StoreError) -> [UInt8] {
    try connection.first("SELECT value FROM settings WHERE name = 'cache.salt'") {
      $0.blob(0)
    } ?? []
  }
}
