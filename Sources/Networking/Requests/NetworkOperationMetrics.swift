/// Tells about a network operation, also while it runs, without knowing its value.
public protocol NetworkOperationMetrics: AnyObject {
  /// How it is asked.
  var options: RequestOptions { get }
  /// The address with every secret masked.
  var requestURL: String { get }
  /// The method of the request.
  var method: String { get }
  /// The status, the headers and the address of the response, once they have arrived.
  var responseHead: HTTPResponseHead? { get }
  /// The status of the response, once its head has arrived.
  var statusCode: Int? { get }
  /// The bytes of the body as they were on the wire, of the latest attempt.
  var bytesReceived: Int { get }
  /// How long the server says the body is, of the latest attempt.
  var bytesExpected: Int? { get }
  /// The address that answered, where redirects led to another one; masked.
  var redirectedURL: String? { get }
  /// What is sent in the head of the request, by the request itself or the options; secrets are
  /// masked.
  var sentHeaders: [(name: String, value: String)] { get }
  /// The texts that are sent as credentials, which are to be hidden wherever they appear.
  var credentials: [String] { get }
  /// What the server answered, where its status was the reason to fail.
  var refusal: HTTPResponse? { get }
  /// How many bytes are kept of the head of the response.
  var headSize: Int { get }
  /// How many items the value holds.
  var itemCount: Int? { get }
  /// When the parts of the latest transfer were done; nil before it has ended.
  var timings: TransferTimings? { get }
  /// The bytes of the body per second of the transfer; nil before there are any.
  var bytesPerSecond: Double? { get }
  /// Why the operation executes without transferring, such as a pause between attempts.
  var pauseReason: String? { get }
  /// How long that pause still lasts.
  var remainingPause: Duration? { get }
  /// Has a handler called each time that bytes have come, on the transport's thread; returns a
  /// number to remove it by.
  func addReceiveHandler(_ handler: @escaping @Sendable () -> Void) -> Int
  /// Has a handler not called any more; a call that has begun may still end.
  func removeReceiveHandler(_ number: Int)
}
