/// Fetches questions.
///
/// ```swift
/// let manager = QuestionsDataManager(queue: queue, transport: CurlTransport(), endpoint: .live())
/// try manager.fetch { result in
///   if case .success(let page) = result { print(page.items.count) }
/// }
/// ```
public typealias QuestionsDataManager = DataManager<QuestionsQuery>

extension QuestionsQuery: ListQuery {
  /// Makes the operation, on no queue yet.
  ///
  /// - Parameter call: Everything besides the query.
  /// - Returns: The operation.
  public func makeOperation(_ call: DataCall<QuestionsPage>) -> QuestionsFetchOperation {
    QuestionsFetchOperation(
      name: call.name, log: call.log, query: self, endpoint: call.endpoint,
      transport: call.transport, options: call.options, pacer: call.pacer,
      callbackQueue: call.callbackQueue, completionHandler: call.completionHandler)
  }
}
