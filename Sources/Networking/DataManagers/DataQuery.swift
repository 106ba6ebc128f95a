public import Foundation
public import Operations

/// Describes something that can be fetched, and knows the operation that does it.
public protocol DataQuery: Sendable {
  /// What is fetched.
  associatedtype Value: Sendable
  /// What fetches it.
  associatedtype FetchOperation: ConcurrentOperation<Value>

  /// Makes the operation, on no queue yet.
  ///
  /// - Parameter call: Everything besides the query.
  /// - Returns: The operation.
  func makeOperation(_ call: DataCall<Value>) -> FetchOperation
}

/// Describes a part of a list, the first page of all if nothing else is said.
public protocol ListQuery: DataQuery {
  /// Creates a query for the first page of all.
  init()
}

/// Holds what an operation needs besides its query.
public struct DataCall<Value: Sendable>: Sendable {
  /// The name; nil for one made of the kind and the number.
  public var name: String?
  /// The log of its transitions.
  public var log: EventLog
  /// The service.
  public var endpoint: Endpoint
  /// What carries the request.
  public var transport: any Transport
  /// How to ask.
  public var options: RequestOptions
  /// Remembers the pauses that the service asks for.
  public var pacer: RequestPacer
  /// Where the completion handler is called.
  public var callbackQueue: DispatchQueue?
  /// Is told the result, before the operation is seen as finished.
  public var completionHandler: (@Sendable (Result<Value, any Error>) -> Void)?

  /// Creates a call.
  public init(
    name: String?, log: EventLog, endpoint: Endpoint, transport: any Transport,
    options: RequestOptions, pacer: RequestPacer, callbackQueue: DispatchQueue?,
    completionHandler: (@Sendable (Result<Value, any Error>) -> Void)?
  ) {
    self.name = name
    self.log = log
    self.endpoint = endpoint
    self.transport = transport
    self.options = options
    self.pacer = pacer
    self.callbackQueue = callbackQueue
    self.completionHandler = completionHandler
  }
}
