public import Foundation

/// Keeps quotes from one session to the next.
///
/// All calls block for the time of a small file access (or, when another process is writing, for
/// as long as the store waits), so they belong on a thread that may block: a `BlockingOperation`,
/// not a callback of the transport.
///
/// **Downloaded data wins.** A record that is merged replaces the kept one whole: what the
/// download lacks is gone afterwards, and a read count that was raised here only is lost to the
/// one downloaded, also when the downloaded record is the older. Quotes that the download does not
/// mention stay as they are.
public protocol QuoteStore: Sendable {
  /// Takes downloaded records over, all of them or, on an error, none.
  ///
  /// Records whose id is known update that quote, others create one, and those that don't fit are
  /// reported and passed over. Of several with the same id the last one counts.
  ///
  /// - Parameters:
  ///   - records: What was downloaded.
  ///   - syncedAt: Becomes the time of the last sync; nil leaves that as it is.
  /// - Returns: What was done with each record.
  /// - Throws: `StoreError`; then nothing has changed.
  func merge(
    _ records: [QuoteRecord], syncedAt: Date?
  ) throws(StoreError) -> QuoteMergeReport

  /// Returns quotes in an order.
  ///
  /// - Parameters:
  ///   - order: The order; quotes that are equal in it follow by id.
  ///   - limit: How many at most; nil for all.
  ///   - offset: How many to leave out at the beginning.
  /// - Returns: The quotes.
  /// - Throws: `StoreError`.
  func list(order: QuoteOrder, limit: Int?, offset: Int) throws(StoreError) -> [Quote]

  /// Returns one quote.
  ///
  /// - Parameter id: Its object id.
  /// - Returns: The quote, or nil where there is none of that id.
  /// - Throws: `StoreError`.
  func quote(id: String) throws(StoreError) -> Quote?

  /// Adds to a read count, for a reader without connection.
  ///
  /// - Parameters:
  ///   - id: The object id.
  ///   - amount: What to add; the count stays within 0 and the greatest integer.
  /// - Returns: The quote with its new count.
  /// - Throws: `StoreError`, of the kind `unknownQuote` where there is none.
  func raiseReadCount(id: String, by amount: Int) throws(StoreError) -> Quote

  /// Sets a read count to what the service answered.
  ///
  /// - Parameters:
  ///   - id: The object id.
  ///   - count: The new count; a negative one counts as 0.
  /// - Returns: The quote with its new count.
  /// - Throws: `StoreError`, of the kind `unknownQuote` where there is none.
  func setReadCount(id: String, to count: Int) throws(StoreError) -> Quote

  /// Forgets a quote.
  ///
  /// - Parameter id: The object id.
  /// - Throws: `StoreError`, of the kind `unknownQuote` where there is none.
  func remove(id: String) throws(StoreError)

  /// Forgets all quotes and the time of the last sync.
  ///
  /// - Returns: How many there were.
  /// - Throws: `StoreError`.
  func removeAll() throws(StoreError) -> Int

  /// Counts what is kept.
  ///
  /// - Returns: The counts, and when the last sync was.
  /// - Throws: `StoreError`.
  func summary() throws(StoreError) -> QuoteSummary
}

extension QuoteStore {
  /// Returns all quotes, the newest first.
  ///
  /// - Returns: The quotes.
  /// - Throws: `StoreError`.
  public func list() throws(StoreError) -> [Quote] {
    try list(order: .newest, limit: nil, offset: 0)
  }
}

/// The order of a list of quotes; the raw values are the words for a command line.
public enum QuoteOrder: String, Sendable, CaseIterable {
  /// By the time of creation, the newest first, those without at the end.
  case newest
  /// By the time of creation, the oldest first, those without at the end.
  case oldest
  /// By the time of the last change, the latest first, those without at the end.
  case updated
  /// By the read count, the most read first.
  case reads
  /// By the author, ASCII letters in any case being equal, those without at the end.
  case author
  /// By the text, ASCII letters in any case being equal.
  case text
  /// By the object id.
  case id
}

/// Says what a merge did with each record.
public struct QuoteMergeReport: Sendable, Equatable {
  /// A record that was passed over.
  public struct Rejection: Sendable, Equatable {
    /// Its place in the download, from 0.
    public let index: Int
    /// Its object id, if it has one.
    public let id: String?
    /// Why it does not fit, in a few words.
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
  /// How many known quotes were like the download already.
  public var unchanged: Int
  /// How many records were replaced by a later one of the same id in the same download.
  public var repeated: Int
  /// The records that were passed over, in their order.
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

/// Counts the quotes that are kept.
public struct QuoteSummary: Sendable, Equatable {
  /// How many there are.
  public let count: Int
  /// How many of them were never read.
  public let unreadCount: Int
  /// The sum of all read counts, or the greatest integer where that is less.
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
