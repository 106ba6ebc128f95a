import Foundation
import OpshNetworking

/// Stores quotes in the database.
struct SQLiteQuoteStore: QuoteStore {
  let database: Database

  private static let columns = "object_id, text, author, read_count, created, updated"

  func merge(
    _ records: [QuoteRecord], syncedAt: Date?
  ) throws(StoreError) -> QuoteMergeReport {
    var report = QuoteMergeReport()
    let quotes = Self.sift(records, &report)
    guard !quotes.isEmpty || syncedAt != nil else { return report }
    return try database.write { connection throws(StoreError) in
      var report = report
      for (index, quote) in quotes.enumerated() {
        try StoreWait.note(done: index, of: quotes.count)
        let isKnown =
          try connection.first(
            "SELECT 1 FROM quotes WHERE object_id = ?", .text(quote.id), body: { _ in true })
          ?? false
        // A quote without changes is not written again.
        try connection.run(
          """
          INSERT INTO quotes (\(Self.columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
          ON CONFLICT (object_id) DO UPDATE SET
            text = ?2, author = ?3, read_count = ?4, created = ?5, updated = ?6
          WHERE text IS NOT ?2 OR author IS NOT ?3 OR read_count IS NOT ?4
            OR created IS NOT ?5 OR updated IS NOT ?6
          """,
          .text(quote.id), .text(quote.text), .text(quote.author), .integer(quote.readCount),
          .time(quote.createdAt), .time(quote.updatedAt))
        if !isKnown {
          report.created += 1
        } else if connection.changes > 0 {
          report.updated += 1
        } else {
          report.unchanged += 1
        }
      }
      try StoreWait.note(done: quotes.count, of: quotes.count)
      if let syncedAt {
        try connection.run(
          "INSERT OR REPLACE INTO settings VALUES ('quotes.synced', ?)", .time(syncedAt))
      }
      return report
    }
  }

  /// Returns the quotes to write, the last of each id, in order.
  private static func sift(_ records: [QuoteRecord], _ report: inout QuoteMergeReport) -> [Quote] {
    var places: [[UInt8]: Int] = [:]
    var quotes: [Quote] = []
    for (index, record) in records.enumerated() {
      switch record.validated {
      case .success(let quote):
        // By bytes, as the database compares them; `String` would treat two spellings of `é` as
        // equal.
        let key = Array(quote.id.utf8)
        if let place = places[key] {
          quotes[place] = quote
          report.repeated += 1
        } else {
          places[key] = quotes.count
          quotes.append(quote)
        }
      case .failure(let problem):
        report.rejected.append(.init(index: index, id: record.id, reason: problem.reason))
      }
    }
    return quotes
  }

  func list(order: QuoteOrder, limit: Int?, offset: Int) throws(StoreError) -> [Quote] {
    try database.read { connection throws(StoreError) in
      try connection.rows(
        "SELECT \(Self.columns) FROM quotes ORDER BY \(Self.terms(of: order)) LIMIT ? OFFSET ?",
        // For SQLite a negative limit means no limit.
        [.integer(limit.map { max(0, $0) } ?? -1), .integer(max(0, offset))],
        body: Self.quote)
    }
  }

  /// The terms of an `ORDER BY`; there are no others.
  private static func terms(of order: QuoteOrder) -> StaticString {
    switch order {
    case .newest: "created IS NULL, created DESC, object_id"
    case .oldest: "created IS NULL, created, object_id"
    case .updated: "updated IS NULL, updated DESC, object_id"
    case .reads: "read_count DESC, object_id"
    case .author: "author IS NULL, author COLLATE NOCASE, author, object_id"
    case .text: "text COLLATE NOCASE, text, object_id"
    case .id: "object_id"
    }
  }

  func quote(id: String) throws(StoreError) -> Quote? {
    try database.read { connection throws(StoreError) in
      try Self.find(id, connection)
    }
  }

  func raiseReadCount(id: String, by amount: Int) throws(StoreError) -> Quote {
    try changeReadCount(id) { count in
      let (sum, overflows) = count.addingReportingOverflow(amount)
      return overflows ? (amount > 0 ? .max : 0) : max(0, sum)
    }
  }

  func setReadCount(id: String, to count: Int) throws(StoreError) -> Quote {
    try changeReadCount(id) { _ in max(0, count) }
  }

  private func changeReadCount(
    _ id: String, _ change: (Int) -> Int
  ) throws(StoreError) -> Quote {
    try database.write { connection throws(StoreError) in
      guard let old = try Self.find(id, connection) else { throw .unknownQuote(id) }
      let count = change(old.readCount)
      try connection.run(
        "UPDATE quotes SET read_count = ? WHERE object_id = ?", .integer(count), .text(id))
      return Quote(
        id: old.id, text: old.text, author: old.author, readCount: count,
        createdAt: old.createdAt, updatedAt: old.updatedAt)
    }
  }

  func remove(id: String) throws(StoreError) {
    try database.write { connection throws(StoreError) in
      try connection.run("DELETE FROM quotes WHERE object_id = ?", .text(id))
      guard connection.changes > 0 else { throw .unknownQuote(id) }
    }
  }

  func removeAll() throws(StoreError) -> Int {
    try database.write { connection throws(StoreError) in
      try connection.run("DELETE FROM quotes")
      let count = connection.changes
      try connection.run("DELETE FROM settings WHERE name = 'quotes.synced'")
      return count
    }
  }

  func summary() throws(StoreError) -> QuoteSummary {
    try database.read { connection throws(StoreError) in
      // One statement, so that all values are from the same moment.
      let summary = try connection.first(
        """
        SELECT count(*), count(*) FILTER (WHERE read_count = 0), total(read_count),
          (SELECT value FROM settings WHERE name = 'quotes.synced')
        FROM quotes
        """
      ) { row in
        QuoteSummary(
          count: row.integer(0), unreadCount: row.integer(1),
          // A sum beyond 64 bits is an error in SQLite; `total` is a floating-point number instead.
          readTotal: row.integer(2), lastSync: row.optionalTime(3))
      }
      return summary ?? QuoteSummary(count: 0, unreadCount: 0, readTotal: 0, lastSync: nil)
    }
  }

  private static func find(_ id: String, _ connection: Connection) throws(StoreError) -> Quote? {
    try connection.first(
      "SELECT \(columns) FROM quotes WHERE object_id = ?", .text(id), body: quote)
  }

  private static func quote(_ row: Row) -> Quote {
    Quote(
      id: row.text(0), text: row.text(1), author: row.optionalText(2), readCount: row.integer(3),
      createdAt: row.optionalTime(4), updatedAt: row.optionalTime(5))
  }
}
