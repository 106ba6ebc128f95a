public import Foundation
public import Operations

/// Fetches one page of questions; made by `QuestionsDataManager`.
public final class QuestionsFetchOperation: StackExchangeOperation<Question>, @unchecked Sendable {
  // @unchecked because `query` is constant.

  /// Which page is fetched.
  public let query: QuestionsQuery

  /// Creates an operation of the kind `fetch questions`.
  ///
  /// - Parameters:
  ///   - name: The name; nil for one made of the kind and the number.
  ///   - log: The log of its transitions.
  ///   - query: Which page to fetch.
  ///   - endpoint: The service.
  ///   - transport: What carries the request.
  ///   - options: How to ask.
  ///   - pacer: Remembers the pauses that the service asks for.
  ///   - callbackQueue: Where the completion handler is called.
  ///   - completionHandler: Is told the result, before the operation is seen as finished.
  public init(
    name: String? = nil, log: EventLog = .shared, query: QuestionsQuery, endpoint: Endpoint,
    transport: any Transport, options: RequestOptions = RequestOptions(),
    pacer: RequestPacer = .shared, callbackQueue: DispatchQueue? = nil,
    completionHandler: (@Sendable (Result<QuestionsPage, any Error>) -> Void)? = nil
  ) {
    self.query = query
    super.init(
      name: name, kind: "fetch questions", noun: "question", isFiltered: query.filter != nil,
      log: log,
      request: endpoint.request(path: query.path, fields: query.fields), transport: transport,
      options: options,
      pacing: RequestPacing(pacer: pacer, method: "\(endpoint.baseURL) \(query.apiMethod)"),
      callbackQueue: callbackQueue, completionHandler: completionHandler)
  }
}
