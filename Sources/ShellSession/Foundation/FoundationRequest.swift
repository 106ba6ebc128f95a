package import Operations
package import OpshNetworking
import ShellLanguage

/// A request on a queue of Foundation, which holds a thread there until its response has come.
package final class FoundationRequest: FoundationOperation, RequestPerforming, @unchecked Sendable {
  // @unchecked because the superclass is; what this class adds is constant.

  private let request: any ObservableOperation & NetworkOperationMetrics

  /// Creates an operation that is on no queue.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - engine: Its engine.
  ///   - link: The process that runs its queue.
  ///   - queue: The queue of the request itself, with an engine of its own.
  ///   - request: The request, on no queue yet and created for the engine of `queue`.
  package init<Response: Sendable>(
    name: String, engine: OperationEngine, link: FoundationLink, queue: InspectableQueue,
    request: NetworkOperation<Response>
  ) {
    self.request = request
    super.init(
      name: name, kind: request.kind, engine: engine, link: link, style: .synchronous
    ) { operation in
      _ = try request.perform(for: operation, on: queue)
      return .null
    }
  }

  package var performedRequest: any NetworkOperationMetrics { request }

  package override var outcomeSummary: String? { request.outcomeSummary }

  package override var resultValue: (any Sendable)? { request.resultValue }

  package override func releaseValue() { request.dropValue() }

  /// The time limit of the request, which ends the body: Foundation has none.
  package override var timeLimit: Duration? {
    get { request.timeLimit }
    set { request.timeLimit = newValue }
  }

  /// The retry policy of the request, whose body goes on meanwhile.
  package override var retryPolicy: RetryPolicy? {
    get { request.retryPolicy }
    set { request.retryPolicy = newValue }
  }

  package override var phases: Set<OperationPhase> { request.phases }

  package override var standardBackoff: Duration { request.standardBackoff }
}
