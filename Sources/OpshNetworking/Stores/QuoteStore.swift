public import Foundation

/// Persistent storage of quotes.
///
/// All calls block for the time of a small file access (or, if another process is writing, for as
/// long as the store waits), so call them on a thread that may block: in a `BlockingOperation`, not
/// in a callback of the transport.
///
/// **Downloaded data wins.** A merged record replaces all of the stored one: fields missing in the
/// download are removed, and local increments of the read count are replaced by the downloaded
/// count, even if the downloaded record is older. Quotes that are not in the download stay
/// unchanged.
public protocol QuoteStore: Sendable {
  /// Merges downloaded records, all of them or, on an error, none.
  ///
  /// Records with a known id update that quote, others create one, and invalid ones are reported
  /// and skipped. Of several with the same id the last one counts.
  ///
  /// - Parameters:
  ///   - records: The downloaded records.
  ///   - syncedAt: The new time of the last sync; nil leaves it unchanged.
  /// - Returns: What was done with each record.
  /// - Throws: `StoreError`; then nothing has changed.
  func merge(
    _ records: [QuoteRecord], syncedAt: Date?
  ) throws(StoreError) -> QuoteMergeReport

  /// Returns quotes in an order.
  ///
  /// - Parameters:
  ///   - order: The order; equal quotes are sorted by id.
  ///   - limit: The maximum number; nil for all.
  ///   - offset: How many to skip at the start.
  /// - Returns: The quotes.
  /// - Throws: `StoreError`.
  func list(order: QuoteOrder, limit: Int?, offset: Int) throws(StoreError) -> [Quote]

  /// Returns a quote by its object id.
  func quote(id: String) throws(StoreError) -> Quote?

  /// Increments a read count locally.
  ///
  /// - Parameters:
  ///   - id: The object id.
  ///   - amount: What to add; the count stays within 0 and the greatest integer.
  /// - Returns: The quote with its new count.
  /// - Throws: `StoreError`, of the kind `unknownQuote` if there is none.
  func raiseReadCount(id: String, by amount: Int) throws(StoreError) -> Quote

  /// Sets a read count to the value from the service.
  ///
  /// - Parameters:
  ///   - id: The object id.
  ///   - count: The new count; a negative one counts as 0.
  /// - Returns: The quote with its new count.
  /// - Throws: `StoreError`, of the kind `unknownQuote` if there is none.
  func setReadCount(id: String, to count: Int) throws(StoreError) -> Quote

  /// Removes a quote.
  ///
  /// - Parameter id: The object id.
  /// - Throws: `StoreError`, of the kind `unknownQuote` if there is none.
  func remove(id: String) throws(StoreError)

  /// Removes all quotes and the time of the last sync; returns how many there were.
  func removeAll() throws(StoreError) -> Int

  /// Counts the stored quotes; returns the counts, and when the last sync was.
  func summary() throws(StoreError) -> QuoteSummary
}

extension QuoteStore {
  /// Returns all quotes, the newest first.
  public func list() throws(StoreError) -> [Quote] {
    try list(order: .newest, limit: nil, offset: 0)
  }
}

/// The order of a list of quotes; the raw values are used on the command line.
public enum QuoteOrder: String, Sendable, CaseIterable {
  /// By creation time, newest first, missing values last.
  case newest
  /// By creation time, oldest first, missing values last.
  case oldest
  /// By the time of the last change, latest first, missing values last.
  case updated
  /// By the read count, the most read first.
  case reads
  /// By author, ignoring the case of ASCII letters, missing values last.
  case author
  /// By text, ignoring the case of ASCII letters.
  case text
  /// By the object id.
  case id
}

/// What a merge did with each record.
public struct QuoteMergeReport: Sendable, Equatable {
  /// A skipped record.
  public struct Rejection: Sendable, Equatable {
    /// Its index in the download.
    public let index: Int
    /// Its object id, if it has one.
    public let id: String?
    /// Why it is invalid, in a few words.
    public let reason: String

    /// Creates a rejection.
    public init(index: Int, id: String?, reason: String) {
      self.index = index
      self.id = id
      self.reason = reason
    }
  }

  /// How many quotes are new.
  public var created: Int
  /// How many known quotes changed.
  public var updated: Int
  /// How many known quotes equal the download.
  public var unchanged: Int
  /// How many records were replaced by a later one of the same id in the same download.
  public var repeated: Int
  /// The skipped records in order.
  public var rejected: [Rejection]

  /// Creates a report.
  public init(
    created: Int = 0, updated: Int = 0, unchanged: Int = 0, repeated: Int = 0,
    rejected: [Rejection] = []
  ) {
    self.created = created
    self.updated = updated
    self.unchanged = unchanged
    self.repeated = repeated
    self.rejected = rejected
  }
}

/// Statistics of the stored quotes.
public struct QuoteSummary: Sendable, Equatable {
  /// How many there are.
  public let count: Int
  /// How many of them were never read.
  public let unreadCount: Int
  /// The sum of all read counts, at most the greatest integer.
  public let readTotal: Int
  /// When the last sync was.
  public let lastSync: Date?

  /// Creates a summary.
  public init(count: Int, unreadCount: Int, readTotal: Int, lastSync: Date?) {
    self.count = count
    self.unreadCount = unreadCount
    self.readTotal = readTotal
    self.lastSync = lastSync
  }
}
