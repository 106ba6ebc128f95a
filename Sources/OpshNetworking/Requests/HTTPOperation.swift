public import Operations

/// Performs a request with any method; its value is the response with its body decompressed.
///
/// ```swift
/// let request = try HTTPRequest(url: "http://127.0.0.1:8080/2.3/info?site=stackoverflow")
/// let operation = HTTPOperation(request: request, transport: transport)
/// try queue.addOperation(operation)
/// let response = try await operation.value
/// ```
///
/// A status outside 200…299 is a failure; an empty body is not.
public final class HTTPOperation: NetworkOperation<HTTPResponse>, @unchecked Sendable {
  // @unchecked because it adds no state to its superclass.

  /// Creates an operation whose kind is the method in lower case.
  ///
  /// Without `pacing` it respects the backoff that is stored in ``RequestPacer/shared``.
  public convenience init(
    name: String? = nil, engine: OperationEngine = .shared, request: HTTPRequest,
    transport: any Transport, options: RequestOptions = RequestOptions(),
    pacing: RequestPacing? = nil,
    completionHandler: (@Sendable (Result<HTTPResponse, any Error>) -> Void)? = nil
  ) {
    self.init(
      name: name, kind: request.method.lowercased(), engine: engine, request: request,
      transport: transport, options: options,
      pacing: pacing ?? RequestPacing(pacer: .shared, request: request),
      completionHandler: completionHandler)
  }

  /// Returns the response itself.
  public override func decode(_ response: HTTPResponse) -> HTTPResponse { response }

  /// Describes a response by its status, such as `status 204`.
  public override func describe(_ value: HTTPResponse) -> String? {
    "status \(value.head.status)"
  }

  /// False: many good responses are empty.
  public override var requiresBody: Bool { false }
}
