import Operations
import OpshNetworking

/// An operation as it was at an earlier moment: its state is the moment's, and it does nothing.
class PastOperation: ObservableOperation, @unchecked Sendable {
  // @unchecked because the superclass is; what this class adds is constant.

  private let registry: OperationRegistry

  /// The operation that it shows; nil if its record was dropped.
  final var original: ObservableOperation? { registry.operation(id: id) }

  /// - Parameters:
  ///   - identity: Its number, its name at the moment, and its kind.
  ///   - registry: The operations among which is the one that it shows.
  ///   - engine: The engine of the moment.
  init(_ identity: OperationIdentity, in registry: OperationRegistry, engine: OperationEngine) {
    self.registry = registry
    super.init(folded: identity, engine: engine)
  }

  override var isAsynchronous: Bool { original?.isAsynchronous ?? false }
  override var standardBackoff: Duration { original?.standardBackoff ?? super.standardBackoff }

  override var outcomeSummary: String? { state == .finished ? original?.outcomeSummary : nil }
  override var resultValue: (any Sendable)? { state == .finished ? original?.resultValue : nil }
  override var isValueDropped: Bool { state == .finished && original?.isValueDropped == true }
}

/// A request as it was at an earlier moment.
///
/// What was received by then is known of a request that had finished; of one that had not, what it had
/// been told to send, its earlier attempts, and what its transfer was doing.
final class PastRequest: PastOperation, RequestPerforming, NetworkOperationMetrics,
  @unchecked Sendable
{
  // @unchecked because the superclass is; what this class adds is constant.

  private let metrics: any NetworkOperationMetrics

  init(
    _ identity: OperationIdentity, _ metrics: any NetworkOperationMetrics,
    in registry: OperationRegistry, engine: OperationEngine
  ) {
    self.metrics = metrics
    super.init(identity, in: registry, engine: engine)
  }

  /// The metrics of the whole request, once it has finished.
  private var whole: (any NetworkOperationMetrics)? { state == .finished ? metrics : nil }

  var performedRequest: any NetworkOperationMetrics { self }
  var requestURL: String { metrics.requestURL }
  var method: String { metrics.method }
  var outputPath: String? { metrics.outputPath }
  var sentHeaders: [(name: String, value: String)] { metrics.sentHeaders }
  var authenticationText: String? { metrics.authenticationText }
  var cookiePath: String? { metrics.cookiePath }
  var credentials: [String] { metrics.credentials }
  func curlCommand(environment: [String: String]) -> CurlCommand {
    metrics.curlCommand(environment: environment)
  }

  var responseHead: HTTPResponseHead? { whole?.responseHead }
  var statusCode: Int? { whole?.statusCode }
  var bytesReceived: Int { whole?.bytesReceived ?? 0 }
  var bytesExpected: Int? { whole?.bytesExpected }
  var resumedAt: Int? { whole?.resumedAt }
  var redirectedURL: String? { whole?.redirectedURL }
  var refusal: HTTPResponse? { whole?.refusal }
  var headSize: Int { whole?.headSize ?? 0 }
  var itemCount: Int? { whole?.itemCount }
  var timings: TransferTimings? { whole?.timings }
  var bytesPerSecond: Double? { whole?.bytesPerSecond }
  var cacheUse: CacheUse? { whole?.cacheUse }
  var storedValue: (any Sendable)? { whole?.storedValue }
  var joinedOperation: OperationIdentity? { whole?.joinedOperation }
  var hostPause: RequestPacer.Pause? { nil }
  var isTransferring: Bool { false }

  var requestAttempts: [RequestAttempt] {
    whole?.requestAttempts
      ?? metrics.requestAttempts.filter { $0.ended.map { $0 <= engine.now } == true }
  }

  var transfers: [RequestTransfer] { metrics.transfers.filter { $0.start <= engine.now } }

  var requestPhase: RequestPhase? {
    guard state == .executing else { return nil }
    guard let transfer = transfers.last else { return .preparing }
    let timings = transfer.timings
    let time = engine.now - transfer.start - timings.waited
    if time < .zero { return .queued }
    if time < timings.firstByte ?? timings.total { return .waiting }
    return time < timings.total ? .receiving : .handling
  }

  func addReceiveHandler(_ handler: @escaping @Sendable () -> Void) -> Int { 0 }
  func removeReceiveHandler(_ number: Int) {}
}
