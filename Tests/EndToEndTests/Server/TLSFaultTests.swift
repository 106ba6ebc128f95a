import PracticeServer
import TestSupport
import Testing

/// libcurl reports other errors for faults under TLS.
@Suite("Faults under TLS", .timeLimit(.minutes(15)))
struct TLSFaultTests {
  @Test(
    "A fault has the same code as without TLS, and the next request succeeds",
    arguments: [
      ("broken-chunk", "bad-response"), ("truncated-chunks", "connection-lost"),
      ("truncated-body", "connection-lost"), ("bad-length", "bad-response"),
      ("bad-status-line", "bad-response"), ("bad-header", "bad-response"),
      ("huge-header", "too-large"), ("broken-gzip", "bad-response"),
      ("truncated-gzip", "bad-response"), ("drop-before-headers", "connection-lost"),
      ("drop-in-headers", "connection-lost"), ("drop-after-headers", "connection-lost"),
      ("reset", "connection-lost"), ("reset-in-body", "connection-lost"),
      ("stall-body", "timed-out"),
    ])
  func faults(name: String, code: String) throws {
    let server = PracticeServer()
    try server.start()
    defer { server.stop() }
    let proxy = try TLSProxy(port: #require(server.port))
    let fault = try Fault(name, route: RoutePattern("/2.3/questions"))
    server.update { $0.set(fault) }
    // Only of a stall the time limit is the end.
    let limit = name == "stall-body" ? "2s" : "20s"
    let outcome = try Opsh.run(
      [
        "-c",
        """
        endpoint \(proxy.url); fetch questions --timeout \(limit) --name faulty; wait --any-outcome
        expect (faulty.error.code == '\(code)')
        get \(proxy.url)/2.3/info?site=stackoverflow --name next; wait
        expect (next.outcome == succeeded)
        """,
      ], environment: ["SSL_CERT_FILE": proxy.bundle])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(server.statistics.requests == 2)
  }
}
