import OpshJSON
import OpshLocking
import OpshNetworking
import Operations
import ShellOutput

extension OperationIdentity {
  /// Reads an `operation` line.
  init(recorded description: JSONValue) {
    self.init(
      id: description["id"]?.exactInteger() ?? 0, name: description["name"]?.string,
      kind: description["kind"]?.string ?? "operation")
  }
}

/// An operation of a recording: it has what was recorded of it, and does nothing.
class RecordedOperation: ObservableOperation, @unchecked Sendable {
  // @unchecked because the superclass is; what this class adds is behind a lock.

  /// What is known of it; it grows until the operation has finished.
  fileprivate let latest: Locked<JSONValue>

  /// - Parameters:
  ///   - description: The first `operation` line about it.
  ///   - engine: The engine that shows the recording.
  init(_ description: JSONValue, engine: OperationEngine) {
    latest = Locked(description)
    super.init(folded: OperationIdentity(recorded: description), engine: engine)
    RecordedSettings.apply(description["settings"], to: self)
  }

  /// Takes what a later line says.
  func update(_ description: JSONValue) { latest.withLock { $0 = description } }

  override var isAsynchronous: Bool {
    latest.withLock { $0["isAsynchronous"] == .boolean(true) }
  }

  /// What it was doing when the recording ended.
  var activity: String? {
    state == .executing ? latest.withLock { $0["activity"]?.string } : nil
  }

  override var outcomeSummary: String? { latest.withLock { $0["outcomeSummary"]?.string } }
}

/// A request of a recording.
final class RecordedRequest: RecordedOperation, NetworkOperationMetrics, RequestPerforming,
  @unchecked Sendable
{
  // @unchecked because the superclass is; what this class adds is behind a lock.

  private let attemptsKept = Locked<[RequestAttempt]>([])

  /// Takes the next attempt, or what a later line says of one.
  func add(_ attempt: RequestAttempt) {
    attemptsKept.withLock { kept in
      if let index = kept.firstIndex(where: { $0.number == attempt.number }) {
        kept[index] = attempt
      } else {
        kept.append(attempt)
      }
    }
  }

  private var facts: JSONValue? { latest.withLock { $0["request"] } }

  var performedRequest: any NetworkOperationMetrics { self }
  var requestURL: String { facts?["url"]?.string ?? "" }
  var method: String { facts?["method"]?.string ?? "GET" }
  var statusCode: Int? { latest.withLock { $0["status"]?.exactInteger() } }
  /// Bounded, so that sums of what an edited recording says do not overflow.
  var bytesReceived: Int {
    min(max(0, latest.withLock { $0["bytes"]?.exactInteger() } ?? 0), 1 << 50)
  }
  var itemCount: Int? { latest.withLock { $0["items"]?.exactInteger() } }
  var bytesExpected: Int? { facts?["expected"]?.exactInteger() }
  var outputPath: String? { facts?["file"]?.string }
  var resumedAt: Int? { facts?["resumedAt"]?.exactInteger() }
  var redirectedURL: String? { facts?["redirected"]?.string }
  var bytesPerSecond: Double? { facts?["bandwidth"]?.double }

  var timings: TransferTimings? { facts?["timings"].flatMap(TransferTimings.init(recorded:)) }

  var transfers: [RequestTransfer] {
    guard case .array(let transfers)? = facts?["transfers"] else { return [] }
    return transfers.compactMap { json in
      guard let start = RecordingFormat.duration(json["start"]),
        let timings = TransferTimings(recorded: json)
      else { return nil }
      return RequestTransfer(start: engine.startInstant + start, timings: timings)
    }
  }

  var hostPause: RequestPacer.Pause? {
    guard state == .executing, let json = facts?["hostPause"],
      let end = RecordingFormat.duration(json["end"])
    else { return nil }
    return RequestPacer.Pause(end: engine.startInstant + end, cause: json["cause"]?.string)
  }

  var joinedOperation: OperationIdentity? {
    guard let json = latest.withLock({ $0["joined"] }), json != .null else { return nil }
    return OperationIdentity(recorded: json)
  }

  var isTransferring: Bool { false }
  var requestAttempts: [RequestAttempt] { attemptsKept.withLock { $0 } }

  var responseHead: HTTPResponseHead? {
    guard let exchange = requestAttempts.last?.exchanges.last, let status = exchange.status else {
      return nil
    }
    return HTTPResponseHead(
      status: status, headers: HTTPHeaders(received: exchange.receivedHeaders), url: exchange.url)
  }

  var sentHeaders: [(name: String, value: String)] {
    guard case .array(let fields)? = facts?["headers"] else { return [] }
    return fields.map { ($0["name"]?.string ?? "", $0["value"]?.string ?? "") }
  }

  var authenticationText: String? { facts?["authentication"]?.string }
  var cookiePath: String? { facts?["cookies"]?.string }
  var cacheUse: CacheUse? { facts?["cache"].flatMap(CacheUse.init(recorded:)) }

  // What a recording does not keep: bodies and credentials.

  var credentials: [String] { [] }
  var refusal: HTTPResponse? { nil }
  var headSize: Int { 0 }
  var requestPhase: RequestPhase? { nil }
  var storedValue: (any Sendable)? { nil }

  func curlCommand(environment: [String: String]) -> CurlCommand {
    CurlCommand()
  }

  func addReceiveHandler(_ handler: @escaping @Sendable () -> Void) -> Int { 0 }
  func removeReceiveHandler(_ number: Int) {}

  /// The value of the key `request`.
  static func json(
    of metrics: any NetworkOperationMetrics, since start: ContinuousClock.Instant
  ) -> JSONValue {
    let pause = metrics.hostPause.map { pause in
      JSONValue.members([
        "end": RecordingFormat.seconds(pause.end - start), "cause": .optional(pause.cause),
      ])
    }
    func members(_ timings: TransferTimings) -> [JSONValue.Member] {
      timings.parts.map { .init(name: $0.name, value: RecordingFormat.seconds($0.time)) }
    }
    let transfers = metrics.transfers.map { transfer in
      JSONValue.object(
        [.init(name: "start", value: RecordingFormat.seconds(transfer.start - start))]
          + members(transfer.timings))
    }
    let headers = metrics.sentHeaders.map { header in
      JSONValue.members(["name": .string(header.name), "value": .string(header.value)])
    }
    return JSONValue.members([
      "method": .string(metrics.method), "url": .string(metrics.requestURL),
      "redirected": .optional(metrics.redirectedURL), "expected": .optional(metrics.bytesExpected),
      "resumedAt": .optional(metrics.resumedAt), "file": .optional(metrics.outputPath),
      "bandwidth": metrics.bytesPerSecond.map { .real($0) } ?? .null,
      "timings": metrics.timings.map { .object(members($0)) } ?? .null,
      "transfers": .array(transfers), "hostPause": pause ?? .null,
      "headers": .array(headers), "authentication": .optional(metrics.authenticationText),
      "cookies": .optional(metrics.cookiePath), "cache": metrics.cacheUse?.recorded ?? .null,
    ])
  }
}
