import CommandParts
import OpshNetworking
import Operations
import ShellLanguage
import ShellSession

/// Whether a fetch holds a thread until its response has come, with what follows from that.
struct BlockingChoice {
  private let isBlocking: Bool
  private let engine: OperationEngine
  /// The process that runs its queue; nil for a queue of opsh.
  private let link: FoundationLink?
  /// The queue of the requests themselves, which an operation that blocks waits for.
  let requestQueue: InspectableQueue

  /// Reads `--blocking`.
  init(_ invocation: Invocation, of kind: OperationKind) throws {
    link = try invocation.foundationLink(for: kind)
    engine = invocation.jobs.engine
    isBlocking = invocation.call[RequestParameters.blocking]
    requestQueue = isBlocking ? invocation.outside.network.blockingQueue : try invocation.queue()
  }

  /// The operation that performs a request.
  func operation<Value: Sendable>(
    for request: NetworkOperation<Value>, name: String
  ) -> ObservableOperation {
    guard isBlocking else { return request }
    if let link {
      return FoundationRequest(
        name: name, engine: engine, link: link, queue: requestQueue, request: request)
    }
    return BlockingNetworkOperation(
      name: name, engine: engine, queue: requestQueue, request: request)
  }
}
