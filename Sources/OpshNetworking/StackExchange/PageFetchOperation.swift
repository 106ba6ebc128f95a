import Operations
public import OpshWebAPIs

/// Fetches a page of items from a Stack Exchange service; created by a data manager.
///
/// A response of status 400 with the service's own error fails as `NetworkError.api`. A compressed
/// body without a declared encoding is expanded. A `backoff` in a page is stored, and every
/// operation on the same method waits until it is over.
public final class PageFetchOperation<Description: StackExchangeEndpoint>:
  NetworkOperation<StackExchangePage<Description>>, QueryOperation, @unchecked Sendable
{
  // @unchecked because `query` is constant.

  /// The query.
  public let query: APIQuery<Description>

  /// Creates an operation of a kind such as `fetch questions`.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - context: The other parameters.
  ///   - completionHandler: Called with the result before the operation finishes.
  public init(
    query: APIQuery<Description>, _ context: RequestContext,
    completionHandler: (@Sendable (Result<StackExchangePage<Description>, any Error>) -> Void)?
  ) {
    self.query = query
    super.init(
      kind: "fetch \(Description.name)", request: context.endpoint.request(query),
      pause: " \(query.pattern)", context, completionHandler: completionHandler)
  }

  /// Decodes the page.
  public override func decode(_ response: HTTPResponse) throws -> StackExchangePage<Description> {
    try StackExchangePage(
      decoding: response.body, isFiltered: query[StackExchange.filter] != nil)
  }

  override func handleMetadata(of page: StackExchangePage<Description>) {
    guard let pacing else { return }
    if let remaining = page.wrapper.quotaRemaining, let maximum = page.wrapper.quotaMax {
      // A space separates the address and the method.
      let service = pacing.method.prefix { $0 != " " }
      pacing.pacer.note(quota: (remaining, maximum), of: String(service))
    }
    if let backoff = page.wrapper.backoff {
      pauseHost(for: .seconds(max(0, min(backoff, 1 << 20))), what: "backoff")
    }
  }

  /// Returns the service's own error if the body explains it.
  public override func failure(for response: HTTPResponse) -> NetworkError {
    if response.head.status == 400, let error = StackExchangeText.error(in: response.body) {
      return error
    }
    return super.failure(for: response)
  }

  /// Counts the items of the page.
  public override func countItems(in value: StackExchangePage<Description>) -> Int? {
    value.count
  }

  /// Describes the number of items, such as `30 questions`, or `30 questions of 4012` with a total.
  public override func describe(_ value: StackExchangePage<Description>) -> String? {
    let words = { (number: Int) in "\(number) \(number == 1 ? Description.noun : Description.name)"
    }
    guard let total = value.total else { return words(value.count) }
    return value.hasNoItems ? "\(words(total)) in all" : "\(words(value.count)) of \(total)"
  }

  /// True: the service always compresses and does not always declare it.
  public override var infersCompression: Bool { true }
}

/// Fetches a page of questions.
public typealias QuestionsFetchOperation = PageFetchOperation<Questions>

/// Fetches a page of answers.
public typealias AnswersFetchOperation = PageFetchOperation<Answers>

/// Fetches questions.
public typealias QuestionsDataManager = DataManager<QuestionsFetchOperation>

/// Fetches answers.
public typealias AnswersDataManager = DataManager<AnswersFetchOperation>
