public import Foundation
public import Operations

/// Makes a request of any method and gives the response as it came, its body decompressed.
///
/// ```swift
/// let request = try HTTPRequest(url: "http://127.0.0.1:8080/2.3/info?site=stackoverflow")
/// let operation = HTTPOperation(request: request, transport: transport)
/// try queue.addOperation(operation)
/// let response = try await operation.value
/// ```
///
/// A status outside 200…299 is a failure; an empty body is none.
public final class HTTPOperation: NetworkOperation<HTTPResponse>, @unchecked Sendable {
  // @unchecked because it adds no state to its superclass.

  /// Creates an operation whose kind is the method in lower case.
  ///
  /// - Parameters:
  ///   - name: The name; nil for one made of the kind and the number.
  ///   - log: The log of its transitions.
  ///   - request: What to ask.
  ///   - transport: What carries the request.
  ///   - options: How to ask.
  ///   - pacer: Remembers the pauses that servers ask for.
  ///   - callbackQueue: Where the completion handler is called.
  ///   - completionHandler: Is told the result, before the operation is seen as finished.
  public convenience init(
    name: String? = nil, log: EventLog = .shared, request: HTTPRequest,
    transport: any Transport, options: RequestOptions = RequestOptions(),
    pacer: RequestPacer = .shared, callbackQueue: DispatchQueue? = nil,
    completionHandler: (@Sendable (Result<HTTPResponse, any Error>) -> Void)? = nil
  ) {
    self.init(
      name: name, kind: request.method.lowercased(), log: log, request: request,
      transport: transport, options: options,
      pacing: RequestPacing(pacer: pacer, request: request), callbackQueue: callbackQueue,
      completionHandler: completionHandler)
  }

  /// Returns the response itself.
  ///
  /// - Parameter response: The response.
  /// - Returns: The same.
  public override func decode(_ response: HTTPResponse) -> HTTPResponse { response }

  /// Describes a response by its status.
  ///
  /// - Parameter value: The response.
  /// - Returns: Such as `status 204`.
  public override func describe(_ value: HTTPResponse) -> String? {
    "status \(value.head.status)"
  }

  /// False: many good responses are empty.
  public override var requiresBody: Bool { false }
}
