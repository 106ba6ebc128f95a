import Foundation
import PracticeServer
import Testing

@Suite("Every fault of the practice server on every family of requests", .timeLimit(.minutes(15)))
struct FaultMatrixTests {
  /// A fault, the deadline it needs, and the expected result of each family: the prefix of an error
  /// code or of the name of an outcome.
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    var duration: Duration?
    var size: Int?
    var timeout: Duration = .seconds(20)
    let usual: String
    var exceptions: [PracticeClient.Family: String] = [:]
    var testDescription: String { name }

    init(
      _ name: String, _ usual: String, _ exceptions: [PracticeClient.Family: String] = [:],
      duration: Duration? = nil, size: Int? = nil, timeout: Duration = .seconds(20)
    ) {
      self.name = name
      self.usual = usual
      self.exceptions = exceptions
      self.duration = duration
      self.size = size
      self.timeout = timeout
    }

    func expected(_ family: PracticeClient.Family) -> String { exceptions[family] ?? usual }
  }

  private static let short = Duration.milliseconds(250)
  /// A redirect to another origin loses its headers and is rejected there.
  private static let refusedElsewhere: [PracticeClient.Family: String] = [
    .objects: "invalid-status-code(403)", .creation: "invalid-status-code(403)",
  ]

  static let rows: [Row] = [
    Row("latency", "succeeded", duration: .milliseconds(20)),
    Row("latency", "timed-out", duration: .seconds(60), timeout: short),
    Row("slow-drip", "timed-out", size: 20, timeout: short),
    Row("stall", "timed-out", timeout: short),
    Row("stall-headers", "timed-out", timeout: short),
    Row("stall-body", "timed-out", timeout: short),
    Row("status-400", "invalid-status-code(400)"), Row("status-401", "invalid-status-code(401)"),
    Row("status-404", "invalid-status-code(404)"), Row("status-407", "invalid-status-code(407)"),
    Row("status-420", "invalid-status-code(420)"), Row("status-429", "invalid-status-code(429)"),
    Row("status-500", "invalid-status-code(500)"), Row("status-503", "invalid-status-code(503)"),
    Row("status-599", "invalid-status-code(599)"),
    Row(
      "rate-limited", "invalid-status-code(4",
      [.questions: "api(502, throttle_violation, too many requests"]),
    Row("redirect-loop", "too-many-redirects"),
    Row("redirect-elsewhere", "succeeded", refusedElsewhere),
    Row("redirect-unsupported", "unsupported-protocol"),
    Row("empty-body", "missing-data"),
    Row("html-body", "serialization"),
    Row("malformed-json", "serialization"),
    Row("wrong-types", "succeeded", [.questions: "serialization"]),
    Row("broken-gzip", "bad-response"), Row("truncated-gzip", "bad-response"),
    Row("huge-body", "too-large"), Row("fail", "invalid-status-code(503)"),
    Row("bandwidth", "succeeded"), Row("drop", "connection-lost"),
    Row("drop-before-headers", "connection-lost"), Row("drop-in-headers", "connection-lost"),
    Row("drop-after-headers", "connection-lost"), Row("truncated-body", "connection-lost"),
    Row("reset", "connection-lost"), Row("reset-in-body", "connection-lost"),
    // Compressed bodies lack the end of the compressed data.
    Row("wrong-length", "serialization", [.questions: "bad-response", .tweets: "bad-response"]),
    Row("bad-length", "bad-response"), Row("broken-chunk", "bad-response"),
    Row("truncated-chunks", "connection-lost"), Row("bad-status-line", "bad-response"),
    Row("bad-header", "bad-response"), Row("huge-header", "too-large"),
    Row("stale-connection", "succeeded"), Row("expired-certificate", "tls"),
    Row("wrong-host", "tls"),
    Row("throttle", "succeeded", [.questions: "api(502, throttle_violation"], size: 0),
    Row("backoff", "succeeded"), Row("quota", "succeeded"), Row("cache", "succeeded"),
  ]

  @Test("The table has every fault")
  func complete() {
    let named = Set(Self.rows.map(\.name))
    for kind in Fault.Kind.all where kind.name != "status-NNN" {
      #expect(named.contains(kind.name), "\(kind.name)")
    }
  }

  @Test("The documented code of a fault is the code that questions fail with", arguments: rows)
  func report(_ row: Row) throws {
    let report = try Fault(row.name).kind.report
    let code = row.expected(.questions)
    if row.name == "quota" {
      // One request does not use up the fault.
      #expect(code == "succeeded")
      #expect(report.contains("throttle_violation"), "\(report)")
    } else if code == "succeeded" {
      #expect(report.hasPrefix("nothing"), "\(report)")
    } else if code.hasPrefix("api(") {
      #expect(report.hasPrefix("api(502, throttle_violation, …)"), "\(report)")
    } else {
      #expect(report.contains(code), "\(report)")
    }
  }

  @Test(
    "A fault ends an operation with its code in time; the next one succeeds", arguments: rows)
  func ends(_ row: Row) async throws {
    let client = try PracticeClient()
    defer { client.stop() }
    for family in PracticeClient.Family.allCases {
      client.server.reset()
      let fault = try Fault(row.name, duration: row.duration, size: row.size)
      client.server.update { $0.set(fault) }
      let start = ContinuousClock.now
      let operation = try await client.run(family, timeout: row.timeout)
      let took = ContinuousClock.now - start
      let code = outcomeCode(operation)
      #expect(code.hasPrefix(row.expected(family)), "\(family.rawValue): \(code)")
      // The machine may be busy; a hanging request would take for ever.
      #expect(took < row.timeout + .seconds(10), "\(family.rawValue): \(took)")
      client.server.reset()
      let next = try await client.run(family, timeout: .seconds(20))
      #expect(outcomeCode(next) == "succeeded", "after it, \(family.rawValue)")
    }
  }
}
