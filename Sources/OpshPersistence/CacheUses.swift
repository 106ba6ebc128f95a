import OpshNetworking

/// Counts uses of the cache until they are written.
struct CacheUses: Sendable, Equatable {
  private(set) var hitCount = 0
  private(set) var missCount = 0
  /// The used responses, the most recent one last, and their numbers of hits.
  private var used: [(id: Int, hits: Int)] = []

  static func == (first: CacheUses, second: CacheUses) -> Bool {
    first.hitCount == second.hitCount && first.missCount == second.missCount
      && first.used.elementsEqual(second.used, by: ==)
  }

  var isEmpty: Bool { hitCount == 0 && missCount == 0 && used.isEmpty }

  mutating func note(_ id: Int?, isHit: Bool) {
    if isHit { hitCount += 1 } else { missCount += 1 }
    if let id { note(id, hits: isHit ? 1 : 0) }
  }

  private mutating func note(_ id: Int, hits: Int) {
    var hits = hits
    if let place = used.firstIndex(where: { $0.id == id }) { hits += used.remove(at: place).hits }
    used.append((id, hits))
    // If nothing can be written for long, only the latest uses matter.
    if used.count > 256 { used.removeFirst() }
  }

  /// Adds uses back that happened before these.
  mutating func merge(_ earlier: CacheUses) {
    var merged = earlier
    merged.hitCount += hitCount
    merged.missCount += missCount
    for (id, hits) in used { merged.note(id, hits: hits) }
    self = merged
  }

  func write(_ connection: Connection) throws(StoreError) {
    for (id, hits) in used {
      try connection.run(
        "UPDATE responses SET used = \(CacheRow.nextUse), hits = hits + ? WHERE id = ?",
        .integer(hits), .integer(id))
    }
    if hitCount > 0 { try Self.count("hits", hitCount, connection) }
    if missCount > 0 { try Self.count("misses", missCount, connection) }
  }

  /// Adds to one of the persistent counts.
  static func count(_ name: String, _ amount: Int, _ connection: Connection) throws(StoreError) {
    try connection.run(
      """
      INSERT INTO settings VALUES ('cache.' || ?1, ?2)
      ON CONFLICT (name) DO UPDATE SET value = value + ?2
      """,
      .text(name), .integer(amount))
  }

  static func value(_ name: String, _ connection: Connection) throws(StoreError) -> Int {
    try connection.first("SELECT value FROM settings WHERE name = 'cache.' || ?", .text(name)) {
      $0.integer(0)
    } ?? 0
  }
}
