import OpshLocking
public import Operations

/// Fetches and decodes quotes; created by `QuotesDataManager`.
public final class QuotesFetchOperation: ParseOperation<QuotesPage>, @unchecked Sendable {
  // @unchecked because it adds no state to its superclass.

  /// Decodes the quotes; fails if no record is a quote.
  public override func decode(_ response: HTTPResponse) throws -> QuotesPage {
    let page = try QuotesPage(decoding: response.body)
    try page.checkForQuotes()
    return page
  }

  /// Counts the records.
  public override func countItems(in value: QuotesPage) -> Int? { value.records.count }

  /// Counts the records in words, such as `60 quotes`.
  public override func describe(_ value: QuotesPage) -> String? {
    let count = value.records.count
    let words = "\(count) \(count == 1 ? "quote" : "quotes")"
    return value.missingCount > 0 ? "\(words) of \(value.total ?? count)" : words
  }
}

/// Downloads quotes without decoding them; another operation parses them.
public final class QuotesDownloadOperation: ParseOperation<[UInt8]>, @unchecked Sendable {
  // @unchecked because it adds no state to its superclass.

  /// Returns the body itself.
  public override func decode(_ response: HTTPResponse) -> [UInt8] { response.body }
}

/// Increments the read count of a quote on the service atomically, so that no concurrent increment
/// is lost.
///
/// Its value is the new count, if the service returns it.
public final class QuoteCountOperation: ParseOperation<Int?>, @unchecked Sendable {
  // @unchecked because it adds no state to its superclass.

  /// Reads the new count, which Parse.com did not send.
  public override func decode(_ response: HTTPResponse) throws -> Int? {
    try JSONValue(body: response.body)["readCount"]?.exactInteger()
  }

  /// Describes the new count, such as `read 5 times`.
  public override func describe(_ value: Int?) -> String? {
    value.map { "read \($0) \($0 == 1 ? "time" : "times")" }
  }
}

/// Parses the downloaded data into records.
public final class QuotesParseOperation: ConcurrentOperation<QuotesPage>, @unchecked Sendable {
  // @unchecked because `input` and `summary` are locked.
  private let input: Input<[UInt8]>
  /// The description of the page, also after it was dropped.
  private let summary = Locked<String?>(nil)

  /// Creates an operation that parses the data of a download.
  public init(
    engine: OperationEngine, download: QuotesDownloadOperation
  ) throws(DependencyError) {
    let input = Input<[UInt8]>()
    self.input = input
    super.init(kind: "quotes parse", engine: engine)
    try depend(on: download, policy: .skip) { input.put($0) }
  }

  /// Parses; the phase `decoding` is entered in the middle.
  public override func execute() {
    do {
      guard let data = input.take() else { throw NetworkError.missingData }
      var parsing = try QuotesParsing(data)
      parsing.parse(parsing.total / 2)
      let begun = parsing
      let progress = PhaseProgress(.decoding, done: begun.done, of: begun.total)
      let continues = enter(progress) { [self] in
        callbackPool.perform(for: engine) { self.end(begun) }
      }
      if continues { end(begun) }
    } catch {
      finish(.failure(error))
    }
  }

  /// Decoding.
  public override var phases: Set<OperationPhase> { [.decoding] }

  /// Parses the rest.
  private func end(_ begun: QuotesParsing) {
    finish(
      Result {
        var parsing = begun
        parsing.parse(parsing.total)
        let page = parsing.page
        try page.checkForQuotes()
        let words = Self.describe(page)
        summary.withLock { $0 = words }
        return page
      })
  }

  /// Describes the number of records.
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
