import CommandParts
import OpshNetworking
import Operations
import ShellLanguage
import ShellSession

/// Whether a fetch holds a thread until its response has come, with what follows from that.
struct BlockingChoice {
  private let isBlocking: Bool
  private let engine: OperationEngine
  /// The queue of the requests themselves, which an operation that blocks waits for.
  let requestQueue: InspectableQueue

  /// Reads `--blocking`.
  init(_ invocation: Invocation) throws {
    engine = invocation.jobs.engine
    isBlocking = invocation.call[RequestParameters.blocking]
    requestQueue = isBlocking ? invocation.outside.network.blockingQueue : try invocation.queue()
  }

  /// The operation that performs a request.
  func operation<Value: Sendable>(
    for request: NetworkOperation<Value>, name: String
  ) -> ObservableOperation {
    guard isBlocking else { return request }
    return BlockingNetworkOperation(
      name: name, engine: engine, queue: requestQueue, request: request)
  }
}
