import OpshCompression
import Foundation
import TestSupport
import Testing

@testable import PracticeServer

@Suite("Faults by name", .timeLimit(.minutes(15)))
final class NamedFaultTests {
  // It needs no data of a site, which take time to make.
  private static let target = "/2.3/sites?pagesize=10"
  private let server = PracticeServer()

  init() throws {
    try server.start()
  }

  deinit {
    server.stop()
  }

  private func set(
    _ name: String, percent: Double = 100, route: RoutePattern = .everything,
    duration: Duration? = nil, spread: Duration? = nil, size: Int? = nil
  ) throws {
    let fault = try Fault(
      name, percent: percent, route: route, duration: duration, spread: spread, size: size)
    server.update { $0.set(fault) }
  }

  private func get(_ target: String = target) throws -> RawClient.Reply {
    try RawClient.Reply.get(target, from: server.port)
  }

  /// What comes on a connection until it ends.
  private func stream(_ target: String = target) throws -> (bytes: [UInt8], wasReset: Bool) {
    let client = try RawClient(port: server.port)
    client.sendRequest(target)
    return (try client.readToEnd(), client.wasReset)
  }

  // MARK: The list

  @Test("All kinds of faults have a unique name and a description")
  func kinds() throws {
    let kinds = Fault.Kind.all
    #expect(Set(kinds.map(\.name)).count == kinds.count)
    for kind in kinds {
      #expect(!kind.summary.isEmpty && !kind.summary.hasSuffix(".") && kind.summary.count <= 100)
      #expect(!kind.summary.contains("\n"))
      let name = kind.name == "status-NNN" ? "status-418" : kind.name
      let fault = try Fault(name)
      #expect(fault.kind.parameters.map(\.value) == kind.parameters.map(\.value))
    }
  }

  struct Mistake: Sendable, CustomTestStringConvertible {
    var name = "latency"
    var percent: Double = 100
    var duration: Duration?
    var size: Int?
    let code: String
    var testDescription: String { "\(name) \(percent) \(code)" }
  }

  @Test(
    "Invalid fault settings are refused",
    arguments: [
      Mistake(name: "no-such", code: "unknown-fault"), Mistake(name: "", code: "unknown-fault"),
      Mistake(name: "status-399", code: "unknown-fault"),
      Mistake(name: "status-600", code: "unknown-fault"),
      Mistake(name: "status-0503", code: "unknown-fault"),
      Mistake(name: "status-NNN", code: "unknown-fault"),
      Mistake(percent: 101, code: "bad-fault"), Mistake(percent: .nan, code: "bad-fault"),
      Mistake(percent: -1, code: "bad-fault"), Mistake(size: 1, code: "bad-fault"),
      Mistake(duration: .seconds(-1), code: "bad-fault"),
      Mistake(name: "reset", duration: .seconds(1), code: "bad-fault"),
      Mistake(name: "huge-body", size: -1, code: "bad-fault"),
    ])
  func mistakes(_ mistake: Mistake) {
    let error = #expect(throws: PracticeServerError.self) {
      try Fault(
        mistake.name, percent: mistake.percent, duration: mistake.duration, size: mistake.size)
    }
    #expect(error?.code == mistake.code)
  }

  @Test("Faults are replaced and removed by name and route")
  func changing() throws {
    var faults = Faults()
    let search = try RoutePattern("/search.json")
    faults.set(try Fault("latency", percent: 20, route: search, duration: .milliseconds(300)))
    faults.set(try Fault("latency", duration: .seconds(2), spread: .milliseconds(50)))
    faults.set(try Fault("latency", percent: 12.5, duration: .seconds(1)))
    faults.set(try Fault("status-503", route: search))
    #expect(
      faults.named.map(\.description) == [
        "latency 300 ms for 20% of /search.json", "latency 1 s for 12.5%",
        "status-503 for /search.json",
      ])
    #expect(faults.remove(named: "latency", route: search) == 1)
    #expect(faults.remove(named: "latency") == 1)
    #expect(faults.remove(named: "latency") == 0)
    #expect(!faults.isClean)
    #expect(faults.remove(named: "status-503") == 1)
    #expect(faults.isClean)
  }

  struct PatternCase: Sendable {
    let pattern: String
    let path: String
    var method = "GET"
    let matches: Bool
  }

  @Test(
    "Routes are matched by their pattern",
    arguments: [
      PatternCase(pattern: "/2.3/questions", path: "/2.3/questions", matches: true),
      PatternCase(pattern: "/2.3/questions", path: "/2.3/questions/1", matches: false),
      PatternCase(pattern: "/2.3/questions/", path: "/2.3/questions", matches: true),
      PatternCase(pattern: "/2.3/*", path: "/2.3/questions/1/answers", matches: true),
      PatternCase(pattern: "/2.3/*", path: "/2.2/questions", matches: false),
      PatternCase(pattern: "*/answers", path: "/2.3/questions/1/answers", matches: true),
      PatternCase(pattern: "/*/a*b*c", path: "/x/aabbcc", matches: true),
      PatternCase(pattern: "/*/a*b*c", path: "/x/aabbcd", matches: false),
      PatternCase(pattern: "*", path: "/", matches: true),
      PatternCase(pattern: "/*", path: "/1/classes/Quote", matches: true),
      PatternCase(pattern: "POST /1/*", path: "/1/classes/Quote", matches: false),
      PatternCase(
        pattern: "POST /1/*", path: "/1/classes/Quote", method: "POST", matches: true),
    ])
  func patterns(_ pattern: PatternCase) throws {
    let found = try RoutePattern(pattern.pattern)
    #expect(found.matches(method: pattern.method, path: pattern.path) == pattern.matches)
  }

  @Test("Invalid routes are refused", arguments: ["", "questions", "GET", "GET POST /", "get /a"])
  func badPatterns(_ text: String) {
    #expect(throws: PracticeServerError.badRoute(text)) { try RoutePattern(text) }
  }

  // MARK: What each does

  struct Broken: Sendable, CustomTestStringConvertible {
    let name: String
    /// What has to be at the beginning, and whether the head ends.
    var start = "HTTP/1.1 200 OK\r\n"
    var hasWholeHead = true
    var wasReset = false
    var testDescription: String { name }
  }

  @Test(
    "A delivery fault never returns a complete response",
    arguments: [
      Broken(name: "drop-before-headers", start: "", hasWholeHead: false),
      Broken(name: "drop-in-headers", hasWholeHead: false),
      Broken(name: "drop-after-headers"), Broken(name: "truncated-body"),
      Broken(name: "reset", start: "", hasWholeHead: false, wasReset: true),
      Broken(name: "reset-in-body", wasReset: true),
      Broken(name: "broken-chunk"), Broken(name: "truncated-chunks"),
    ])
  func deliveries(_ broken: Broken) throws {
    let whole = try get()
    try set(broken.name)
    let (bytes, wasReset) = try stream()
    #expect(wasReset == broken.wasReset)
    #expect(bytes.starts(with: broken.start.utf8))
    #expect(bytes.isEmpty == broken.start.isEmpty)
    let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))
    #expect((end != nil) == broken.hasWholeHead)
    if let end { #expect(!bytes[end.upperBound...].elementsEqual(whole.body)) }
    #expect(server.statistics.faults == [broken.name: 1])
    // The next connection is served as ever, once the fault is gone.
    server.setFaults(Faults())
    #expect(try get().body.count == whole.body.count)
  }

  @Test("Lengths, chunks, headers and status lines are wrong as the fault's name says")
  func wrongHeads() throws {
    let whole = try get().body
    func text(_ name: String, size: Int? = nil) throws -> String {
      server.reset()
      try set(name, size: size)
      return String(decoding: try stream().bytes, as: UTF8.self)
    }
    #expect(try text("wrong-length").contains("\r\nContent-Length: \(whole.count - 10)\r\n"))
    #expect(try text("bad-length").contains("\r\nContent-Length: \(whole.count)x\r\n"))
    #expect(try text("broken-chunk").contains("\r\nzz\r\n"))
    #expect(try text("truncated-chunks").contains("\r\nTransfer-Encoding: chunked\r\n"))
    #expect(try text("bad-status-line").hasPrefix("HTTP/1.1 everything is well\r\n"))
    #expect(try text("bad-header").contains("\r\nthis line has no colon\r\n"))
    let huge = try text("huge-header", size: 300_000)
    #expect(huge.hasPrefix("HTTP/1.1 200 OK\r\nX-Huge: xxxx"))
    #expect(huge.contains("x\r\nDate: "))
    #expect(huge.contains("\r\nContent-Type: application/json"))
    #expect(huge.utf8.count > 300_000)
  }

  @Test("Content faults change only the content of a response")
  func contents() throws {
    func reply(_ name: String) throws -> RawClient.Reply {
      server.reset()
      try set(name)
      return try get()
    }
    let whole = try get().text()
    let malformed = try reply("malformed-json").text()
    #expect(whole.hasPrefix(malformed.prefix(100)) && malformed.utf8.count < whole.utf8.count)
    #expect(throws: OrderedJSON.Failure.self) { try OrderedJSON(parsing: malformed) }
    let types = try reply("wrong-types").json()
    #expect(types.items.count == 10 && types.string("has_more") == "true")
    #expect(types.items[0].string("launch_date") != nil)
    #expect(types.items[0].integer("name") != nil)
    #expect(try reply("empty-body").body.isEmpty)
    let page = try reply("html-body")
    #expect(page.headers["content-type"] == "text/html; charset=utf-8")
    #expect(try page.text().hasPrefix("<html>"))
    for name in ["broken-gzip", "truncated-gzip"] {
      let broken = try reply(name)
      #expect(broken.status == 200 && broken.headers["content-encoding"] == "gzip")
      #expect(broken.body.starts(with: Gzip.magic))
      #expect(throws: CompressionError.self) { try Gzip.decompress(broken.body) }
    }
  }

  @Test("A huge body is valid JSON of the announced length")
  func hugeBody() throws {
    try set("huge-body", size: 3_000_000)
    let reply = try get()
    #expect(reply.body.count == 3_000_000)
    #expect(try reply.json().items.count == 1)
    #expect(eventually { server.records().records.last?.bytes == 3_000_000 })
    // A client that has seen enough may leave.
    try set("huge-body", size: 1 << 40)
    let client = try RawClient(port: server.port)
    client.sendRequest(Self.target)
    _ = try client.read(atLeast: 1_000_000)
    client.close()
    server.setFaults(Faults())
    #expect(try get().status == 200)
  }

  @Test(
    "A fault can return any status with its usual headers",
    arguments: [400, 401, 403, 404, 405, 408, 418, 420, 429, 451, 500, 502, 503, 504, 511, 599])
  func statuses(status: Int) throws {
    try set("status-\(status)")
    let reply = try get()
    #expect(reply.status == status)
    #expect((reply.headers["retry-after"] == "1") == [420, 429, 503].contains(status))
    #expect((reply.headers["www-authenticate"] != nil) == (status == 401))
    try set("status-\(status)", duration: .seconds(7))
    #expect(try get().headers["retry-after"] == "7")
  }

  @Test("A redirect can loop, lead to another host, or use an unsupported scheme")
  func redirects() throws {
    let port = try #require(server.port)
    try set("redirect-loop")
    var places: [String] = []
    var target = Self.target
    for _ in 0..<4 {
      let reply = try get(target)
      #expect(reply.status == 302)
      target = try #require(reply.headers["location"])
      places.append(target)
    }
    #expect(
      places == ["/redirect-loop/1", "/redirect-loop/2", "/redirect-loop/1", "/redirect-loop/2"])

    server.setFaults(Faults())
    try set("redirect-elsewhere")
    let away = try #require(try get().headers["location"])
    #expect(away == "http://localhost:\(port)/elsewhere\(Self.target)")
    // There it is answered, though the fault is still set.
    #expect(try get("/elsewhere\(Self.target)").json().items.count == 10)
    let client = try RawClient(port: port)
    client.send("GET \(Self.target) HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n")
    #expect(try client.readReply().headers["location"]?.hasPrefix("http://127.0.0.1:") == true)

    server.setFaults(Faults())
    try set("redirect-unsupported")
    #expect(try get().headers["location"]?.hasPrefix("ftp://") == true)
  }

  // MARK: Time

  @Test(
    "A stall ends after its duration, and the response is complete",
    arguments: ["stall", "stall-headers", "stall-body"])
  func stalls(name: String) throws {
    let whole = try get().body.count
    try set(name, duration: .milliseconds(150))
    var reply: RawClient.Reply?
    let took = try ContinuousClock().measure { reply = try get() }
    #expect(reply?.body.count == whole)
    #expect(took >= .milliseconds(150))
  }

  @Test(
    "An endless stall lasts until the client disconnects and delays no other client",
    arguments: ["stall", "stall-headers", "stall-body", "slow-drip"])
  func endlessStalls(name: String) throws {
    try set(name, size: name == "slow-drip" ? 1 : nil)
    let clients = try (0..<20).map { _ in try RawClient(port: server.port) }
    for client in clients { client.sendRequest(Self.target) }
    #expect(eventually { server.records().records.count == 20 })
    #expect(server.records().records.allSatisfy { !$0.isFinished && $0.faults == [name] })
    server.setFaults(Faults())
    #expect(try get().status == 200)
    for client in clients { client.close() }
    #expect(eventually { server.records().records.allSatisfy(\.isFinished) })
  }

  @Test("A slow body arrives a few bytes at a time, and complete")
  func slowDrip() throws {
    let whole = try get().body.count
    try set("slow-drip", size: whole * 4)
    var reply: RawClient.Reply?
    let took = try ContinuousClock().measure { reply = try get() }
    #expect(reply?.body.count == whole)
    #expect(took >= .milliseconds(230))
    #expect(eventually { server.records().records.last?.isFinished == true })
  }

  @Test("Latency varies around its duration by its spread, depending on the seed")
  func spread() throws {
    var faults = Faults()
    faults.set(try Fault("latency", duration: .milliseconds(100), spread: .milliseconds(40)))
    let request = PracticeRequest(method: "GET", target: Array(Self.target.utf8))
    let delays = (0..<500 as Range<UInt64>).map {
      FaultDecision(faults: faults, seed: 9, number: $0, request: request).delay / 1_000_000
    }
    #expect(delays.allSatisfy { (60...140).contains($0) })
    #expect(delays.contains { $0 < 70 } && delays.contains { $0 > 130 })
    faults.set(try Fault("latency", duration: .milliseconds(10), spread: .seconds(1)))
    #expect(
      FaultDecision(faults: faults, seed: 9, number: 4, request: request).delay < 1_011_000_000)
  }

  // MARK: Several

  @Test("Several faults strike with their own shares and routes")
  func several() throws {
    try set("status-503", route: RoutePattern("/2.3/answers*"))
    try set("latency", route: RoutePattern("/2.3/*"), duration: .milliseconds(1))
    try set("truncated-body", route: RoutePattern("/search.json"))
    try set("reset", percent: 0)
    #expect(try get().status == 200)
    #expect(try get("/2.3/answers?site=stackoverflow").status == 503)
    #expect(throws: RawClient.Failure.self) { try get("/search.json?q=a") }
    #expect(
      server.records().records.map(\.faults) == [
        ["latency"], ["status-503", "latency"], ["truncated-body"],
      ])
    #expect(server.statistics.faults == ["latency": 2, "status-503": 1, "truncated-body": 1])
    #expect(server.statistics.failuresInjected == 1 && server.statistics.dropsInjected == 1)
  }

  @Test("Of two faults that replace the response or its delivery, the first one applies")
  func firstWins() throws {
    try set("status-500")
    try set("rate-limited")
    try set("slow-drip", size: 1_000_000)
    try set("reset")
    #expect(try get().status == 500)
    #expect(server.records().records.last?.faults == ["status-500", "slow-drip"])
  }

  @Test("A fault with a share strikes the same requests for the same seed")
  func shares() throws {
    func pattern() throws -> [Int] {
      server.setSeed(4)
      return try (0..<60).map { _ in try get("/search.json?q=a&rpp=1").status }
    }
    try set("status-502", percent: 30)
    let first = try pattern()
    #expect((6...32).contains(first.count { $0 == 502 }))
    #expect(try pattern() == first)
    // Another fault that strikes others does not move them.
    try set("latency", percent: 50, duration: .milliseconds(1))
    #expect(try pattern() == first)
  }
}
