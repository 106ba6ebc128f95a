public import Operations

/// The metrics of a network operation, independent of the type of its value.
public protocol NetworkOperationMetrics: AnyObject {
  /// The address with every secret masked.
  var requestURL: String { get }
  /// The method of the request.
  var method: String { get }
  /// The status, the headers and the address of the response, once they have arrived.
  var responseHead: HTTPResponseHead? { get }
  /// The status of the response, once its head has arrived.
  var statusCode: Int? { get }
  /// The bytes of the body as they were on the wire, of the latest attempt; those of a request that
  /// it has joined count as the other operation's.
  var bytesReceived: Int { get }
  /// The length of the body according to the server, in the latest attempt.
  var bytesExpected: Int? { get }
  /// The file that the body of the response goes to; nil if the operation keeps it.
  var outputPath: String? { get }
  /// The position in the file at which the latest transfer resumed an earlier one.
  var resumedAt: Int? { get }
  /// The address that answered, if there were redirects; masked.
  var redirectedURL: String? { get }
  /// The headers that are sent, from the request or the options; secrets are masked.
  var sentHeaders: [(name: String, value: String)] { get }
  /// The attempts, the oldest first: with more than 20, the first one and the latest.
  var requestAttempts: [RequestAttempt] { get }
  /// Whether the transport has a request of the operation; one that is cancelled finishes before.
  var isTransferring: Bool { get }
  /// The operation whose request it joined last; nil if it has sent its requests itself.
  var joinedOperation: OperationIdentity? { get }
  /// Who sends the request, with the secret masked; nil without credentials.
  var authenticationText: String? { get }
  /// The file with the cookies of the request.
  var cookiePath: String? { get }
  /// Returns a curl command that sends the same request.
  ///
  /// Every secret is `***`, or is read from where it was read. The environment's variables name
  /// proxies.
  func curlCommand(environment: [String: String]) -> CurlCommand
  /// The credentials that are sent, which must be masked in all output.
  var credentials: [String] { get }
  /// The response, if the operation failed because of its status.
  var refusal: HTTPResponse? { get }
  /// The number of bytes kept of the head of the response.
  var headSize: Int { get }
  /// The number of items in the value.
  var itemCount: Int? { get }
  /// The transfers whose times are known, in order: of each kept attempt one for each request.
  var transfers: [RequestTransfer] { get }
  /// The times of the latest transfer's phases; nil before it has ended.
  var timings: TransferTimings? { get }
  /// The bytes of the body per second of the transfer; nil before there are any.
  var bytesPerSecond: Double? { get }
  /// The backoff that the service requested, while the operation waits for its end.
  var hostPause: RequestPacer.Pause? { get }
  /// What the latest transfer does at the moment; nil if the operation does not execute.
  var requestPhase: RequestPhase? { get }
  /// How the cache was used so far; nil without a cache.
  var cacheUse: CacheUse? { get }
  /// The cached value, available during revalidation.
  var storedValue: (any Sendable)? { get }
  /// Adds a handler that is called on the transport's thread after each receipt of bytes; returns a
  /// number to remove it by.
  func addReceiveHandler(_ handler: @escaping @Sendable () -> Void) -> Int
  /// Removes a handler; a call in progress may still end.
  func removeReceiveHandler(_ number: Int)
}

/// An operation that performs a request, or holds a thread until another one has performed it.
package protocol RequestPerforming {
  var performedRequest: any NetworkOperationMetrics { get }
}

extension ObservableOperation {
  /// The metrics of the request of a network operation; nil for other operations.
  public var networkMetrics: (any NetworkOperationMetrics)? {
    // By far the most frequent class first: a cast to a protocol takes a thousand instructions.
    if let request = self as? NetworkOperation<HTTPResponse> { return request }
    return (self as? any RequestPerforming)?.performedRequest
  }
}
