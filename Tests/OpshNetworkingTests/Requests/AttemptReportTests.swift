import OpshLocking
import OpshNetworking
import Operations
import PracticeServer
import TestSupport
import Testing

@Suite("Request attempts", .timeLimit(.minutes(15)))
struct AttemptReportTests {
  /// The ends that a handler was called with.
  private func attempts(
    _ change: (inout Faults) -> Void, limit: Int = 0, cancelled: Bool = false
  ) async throws -> [AttemptReport.End] {
    let client = try PracticeClient()
    client.server.update(change)
    let pacer = RequestPacer()
    let ends = Locked<[AttemptReport.End]>([])
    pacer.attemptHandler = { attempt in
      #expect(attempt.time >= attempt.started)
      ends.withLock { $0.append(attempt.end) }
    }
    // Reading it often does not make a call of it any longer.
    for _ in 0..<100_000 { _ = pacer.attemptHandler }
    var options = RequestOptions()
    options.retryPolicy = RetryPolicy(limit: limit, backoff: .milliseconds(1))
    let request = try HTTPRequest(url: "\(client.url)/2.3/info?site=stackoverflow")
    let operation = HTTPOperation(
      engine: client.place.engine, request: request, transport: client.place.transport,
      options: options, pacing: RequestPacing(pacer: pacer, request: request))
    try client.place.queue.addOperation(operation)
    if cancelled {
      #expect(eventually { operation.statusCode != nil })
      operation.cancel()
    }
    try await client.place.finish(operation)
    // The end of a cancelled attempt follows the end of its operation.
    let deadline = ContinuousClock.now + .seconds(30)
    while ends.withLock({ $0.isEmpty }), .now < deadline {
      try await Task.sleep(for: .milliseconds(5))
    }
    return ends.withLock { $0 }
  }

  @Test("An attempt that succeeds is reported at its end")
  func success() async throws {
    #expect(try await attempts { _ in } == [.succeeded])
  }

  @Test("Each attempt is reported, also one that is followed by another")
  func retries() async throws {
    let ends = try await attempts(
      { faults in
        faults.failPercent = 100
        faults.failStatus = 503
      }, limit: 2)
    let statuses = ends.map { end -> Int? in
      guard case .failed(_, let status) = end else { return nil }
      return status
    }
    #expect(statuses == [503, 503, 503])
  }

  @Test("A cancelled attempt is reported as cancelled")
  func cancelling() async throws {
    #expect(try await attempts({ $0.bandwidth = 50 }, cancelled: true) == [.cancelled])
  }
}
