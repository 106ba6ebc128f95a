import Locking
public import Operations

/// Fetches quotes and decodes them; made by `QuotesDataManager`.
public final class QuotesFetchOperation: ParseOperation<QuotesPage>, @unchecked Sendable {
  // @unchecked because it adds no state to its superclass.

  /// Decodes the quotes.
  ///
  /// - Parameter response: The response.
  /// - Returns: The quotes.
  /// - Throws: `NetworkError.serialization`, also where not one record is a quote.
  public override func decode(_ response: HTTPResponse) throws -> QuotesPage {
    let page = try QuotesPage(decoding: response.body)
    try page.checkForQuotes()
    return page
  }

  /// Counts the records.
  ///
  /// - Parameter value: The quotes.
  /// - Returns: The number of records.
  public override func countItems(in value: QuotesPage) -> Int? { value.records.count }

  /// Counts the records in words.
  ///
  /// - Parameter value: The quotes.
  /// - Returns: Such as `60 quotes`.
  public override func describe(_ value: QuotesPage) -> String? {
    let count = value.records.count
    let words = "\(count) \(count == 1 ? "quote" : "quotes")"
    return value.missingCount > 0 ? "\(words) of \(value.total ?? count)" : words
  }
}

/// Fetches one quote; made by `QuotesDataManager`.
public final class QuoteFetchOperation: ParseOperation<QuoteRecord>, @unchecked Sendable {
  // @unchecked because it adds no state to its superclass.

  /// Decodes the quote.
  ///
  /// - Parameter response: The response.
  /// - Returns: The quote as it was sent.
  /// - Throws: `NetworkError.serialization`.
  public override func decode(_ response: HTTPResponse) throws -> QuoteRecord {
    QuoteRecord(parsing: try JSONValue(parsing: response.body))
  }
}

/// Downloads quotes as they are, for somebody else to parse.
public final class QuotesDownloadOperation: ParseOperation<[UInt8]>, @unchecked Sendable {
  // @unchecked because it adds no state to its superclass.

  /// Returns the body itself.
  ///
  /// - Parameter response: The response.
  /// - Returns: Its bytes.
  public override func decode(_ response: HTTPResponse) -> [UInt8] { response.body }
}

/// Raises the read count of a quote on the service, which adds by itself, so that of two who do
/// it at once none is lost.
///
/// Its value is the new count, if the service says it.
public final class QuoteCountOperation: ParseOperation<Int?>, @unchecked Sendable {
  // @unchecked because it adds no state to its superclass.

  /// Reads the new count.
  ///
  /// - Parameter response: The response.
  /// - Returns: The count; Parse.com did not send it.
  /// - Throws: `NetworkError.serialization`.
  public override func decode(_ response: HTTPResponse) throws -> Int? {
    try JSONValue(parsing: response.body)["readCount"]?.exactInteger()
  }

  /// Says the new count.
  ///
  /// - Parameter value: The count.
  /// - Returns: Such as `read 5 times`.
  public override func describe(_ value: Int?) -> String? {
    value.map { "read \($0) \($0 == 1 ? "time" : "times")" }
  }
}

/// Makes records of what was downloaded.
public final class QuotesParseOperation: ConcurrentOperation<QuotesPage>, @unchecked Sendable {
  // @unchecked because `input` and `summary` are locked.
  private let input: Input<[UInt8]>
  /// What there is to say of the page, also after it was dropped.
  private let summary = Locked<String?>(nil)

  /// Creates an operation that parses what a download gives.
  ///
  /// - Parameters:
  ///   - name: The name; nil for one made of the kind and the number.
  ///   - log: The log of its transitions.
  ///   - download: Where the data come from.
  /// - Throws: `DependencyError` where the two can't be joined.
  public init(
    name: String? = nil, log: EventLog = .shared, download: QuotesDownloadOperation
  ) throws(DependencyError) {
    let input = Input<[UInt8]>()
    self.input = input
    super.init(name: name, kind: "quotes parse", log: log)
    try depend(on: download, policy: .skip) { input.put($0) }
  }

  /// Parses.
  public override func execute() {
    finish(
      Result {
        guard let data = input.take() else { throw NetworkError.missingData }
        let page = try QuotesPage(decoding: data)
        try page.checkForQuotes()
        let words = Self.describe(page)
        summary.withLock { $0 = words }
        return page
      })
  }

  /// Says how many records there are.
  public override var outcomeSummary: String? {
    let (isMade, error) = decision
    return isMade && error == nil ? summary.withLock { $0 } : nil
  }

  private static func describe(_ page: QuotesPage) -> String {
    let count = page.records.count
    let words = "\(count) \(count == 1 ? "record" : "records")"
    return page.missingCount > 0 ? "\(words) of \(page.total ?? count)" : words
  }
}
