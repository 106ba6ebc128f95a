import Foundation
import Operations
import PracticeServer
import ShellLanguage
import ShellOutput
import TestSupport
import Testing

@testable import ShellSession

@Suite("The practice server in the process", .timeLimit(.minutes(15)))
struct VirtualServerTests {
  /// The result of a request: its outcome, its error, and the response.
  private func ending(_ script: String, isVirtual: Bool) throws -> [String] {
    let fixture = try ShellFixture((isVirtual ? "set clock virtual\n" : "") + script)
    try fixture.run("wait --any-outcome")
    return fixture.session.jobs.operations.all.map { operation in
      let value = OperationObject(operation, clock: fixture.session.run.clock)
      let facts = ["outcome", "status", "items", "attempts"].map {
        value.property($0)?.text ?? "none"
      }
      let failure = operation.outcome?.failure
      // Other messages are those of libcurl, or name addresses.
      let message = failure?.code == "tls" ? failure?.message ?? "" : ""
      return ([operation.displayName, failure?.code ?? "well", message] + facts)
        .joined(separator: " ")
    }
  }

  /// A request that stalls for ever ends by its time limit.
  private static let kinds: [String] =
    Fault.Kind.all.map(\.name).filter {
      !["throttle", "huge-body", "slow-drip", "status-NNN"].contains($0)
    } + ["status-404", "status-503"]

  @Test("A fault has the same effect as through a socket", arguments: kinds)
  func sameFault(name: String) throws {
    // The socket takes real time, and more of it on a slow machine.
    let limit = TestScale.isSanitized ? "10s" : "2s"
    let script =
      "server fault \(name); fetch questions --pagesize 3 --timeout \(limit) --retry 0; "
      + "fetch tweets otters --timeout \(limit) --retry 0"
    #expect(try ending(script, isVirtual: true) == ending(script, isVirtual: false))
  }

  @Test("A stale connection has the same requests in the log as through a socket")
  func stale() throws {
    func log(_ prelude: String) throws -> [String] {
      let fixture = try ShellFixture(
        prelude + "queue width 1; server fault stale-connection; fetch questions --count 3; wait\n"
          + "post /1/classes/Quote --json '{}'; wait --any-outcome")
      return fixture.session.outside.network.server.records().records.map {
        "\($0.method) \($0.status ?? 0) \($0.faults)"
      }
    }
    let real = try log("")
    #expect(real.count == 6 && real.filter { $0.contains("stale") }.count == 2, "\(real)")
    #expect(try log("set clock virtual; ") == real)
  }

  @Test(
    "Requests have the same result as through a socket",
    arguments: [
      "fetch questions --pagesize 5 --tagged swift",
      "fetch answers --version 2.2 --pagesize 5; fetch quotes --limit 3; fetch tweets sea",
      "get /2.3/nothing-here; head '/2.3/info?site=stackoverflow'; get /search.json?q=a",
      "post /1/classes/Quote --json '{\"text\":\"a\"}'; put /1/classes/Quote/x --json '{}'",
      "server fault status-429 --duration 1s; fetch questions --retry 0",
      "quotes sync",
    ])
  func sameAnswer(script: String) throws {
    #expect(try ending(script, isVirtual: true) == ending(script, isVirtual: false))
  }

  @Test("The body is the same, compressed or not, and in one or several pieces")
  func sameBody() throws {
    func body(_ prelude: String) throws -> [String] {
      let fixture = try ShellFixture(
        prelude + "\nget '/2.3/questions?site=stackoverflow&pagesize=100'; wait")
      return try fixture.output(of: "result get-1").map {
        $0.replacing(/"quota_remaining":\d+/, with: "")
      }
    }
    let expected = try body("")
    #expect(try #require(expected.first).utf8.count > 20_000)
    #expect(try body("set clock virtual") == expected)
    #expect(try body("set clock virtual; server bandwidth 10kB") == expected)
  }

  @Test("Faults and backoff are determined by the seed")
  func seed() throws {
    func story(_ seed: Int) throws -> [String] {
      let fixture = try ShellFixture(
        """
        set clock virtual; set seed \(seed)
        server latency 200ms --jitter 100ms; server fail 50%; server drop 20%
        fetch questions --count 6 --retry 3 --backoff 1s --jitter 50%
        wait --any-outcome
        """)
      return fixture.session.jobs.engine.log.entries(from: 0, limit: .max).entries.map {
        "\(fixture.session.run.clock.elapsed($0.time)) \($0.operation.name) \($0.reason)"
      }
    }
    let first = try story(7)
    for _ in 0..<TestScale.count(4, long: 200) { #expect(try story(7) == first) }
    #expect(try story(8) != first)
  }

  @Test("Throttling, backoff and the quota use the virtual clock")
  func throttling() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      server fault throttle --size 2 --duration 30s
      queue width 8
      fetch questions --count 3 --retry 0
      wait --any-outcome
      sleep 31s
      fetch questions --name later
      wait later
      """)
    #expect(try fixture.operation("later").outcome == .succeeded)
    let outcomes = try (1...3).map { try fixture.operation("questions-\($0)").outcome }
    #expect(outcomes.filter { $0 != .succeeded }.count == 1)
  }

  @Test("The request log has virtual times and includes abandoned requests")
  func log() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual; server latency 10m; fetch questions
      sleep 59s; cancel last; wait; sleep 1ms
      """)
    let records = fixture.session.outside.network.server.records().records
    #expect(records.count == 1)
    #expect(records.first?.isFinished == true)
    #expect(records.first?.status == nil)
    #expect(Int((records.first?.milliseconds ?? 0) / 1000) == 58)
    #expect(fixture.session.outside.network.server.statistics.waiting == 0)
    let text = try fixture.output(of: "server log").joined()
    #expect(text.hasPrefix("  0.001"))
  }

  @Test("A file can be downloaded")
  func download() throws {
    let folder = try ScratchFolder()
    try ShellFixture(
      """
      set clock virtual; server bandwidth 100kB
      download '/2.3/questions?site=stackoverflow&pagesize=50' '\(folder.path)/file'; wait
      """
    ).session.jobs.eventHandlers.removeAll()
    #expect((folder.read("file") ?? "").isEmpty == false)
  }

  @Test("A stored response is revalidated by the virtual date")
  func cached() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      fetch questions --cached; wait; fetch questions --cached --name again; wait
      expect (again.cache == revalidated)
      """)
    #expect(try fixture.operation("again").outcome == .succeeded)
  }
}
