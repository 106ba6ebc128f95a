import Foundation
import OpshHTTPServing
import OpshSupport
import TestSupport
import Testing

@testable import PracticeServer

@Suite("Robustness of the practice server", .timeLimit(.minutes(15)))
struct RobustnessTests {
  private static let target = "/2.3/sites?pagesize=3"

  static let hostile: [(name: String, bytes: [UInt8])] = [
    ("nothing", []),
    ("zero bytes", [UInt8](repeating: 0, count: 4_096)),
    ("all byte values", (0..<4_096).map { UInt8(truncatingIfNeeded: $0) }),
    ("a TLS greeting", [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xFC, 0x03, 0x03]),
    ("an endless request line", Array("GET /".utf8) + [UInt8](repeating: 0x61, count: 200_000)),
    (
      "endless headers",
      Array("GET / HTTP/1.1\r\n".utf8)
        + (0..<20_000).flatMap { Array("X-\($0): y\r\n".utf8) }
    ),
    ("bare line feeds", Array("GET /2.3/tags HTTP/1.1\n\n".utf8)),
    ("no version", Array("GET /\r\n\r\n".utf8)),
    ("a wrong version", Array("GET / HTTP/9.9\r\nHost: localhost\r\n\r\n".utf8)),
    (
      "a negative length",
      Array("POST /2.3/tags HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n".utf8)
    ),
    (
      "a broken chunk",
      Array(
        "POST /2.3/tags HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"
          .utf8)
    ),
    (
      "broken escapes",
      Array("GET /2.3/%ZZ/%?%=%&&&==%00%FF HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
    ),
    (
      "bad UTF-8",
      Array("GET /2.3/tags?site=".utf8) + [0xFF, 0xC0, 0x80]
        + Array(" HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
    ),
    (
      "one header of a megabyte",
      Array("GET /search.json?q=a HTTP/1.1\r\nX: ".utf8) + [UInt8](repeating: 0x61, count: 1 << 20)
    ),
    ("a header without a colon", Array("GET /2.3/tags HTTP/1.1\r\nHost localhost\r\n\r\n".utf8)),
    (
      "two lengths",
      Array("POST /1/classes/A HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 9\r\n\r\n{}".utf8)
    ),
    (
      "a body that never comes",
      Array(
        "POST /1/classes/A HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n{".utf8
      )
    ),
    (
      "a length beyond all numbers",
      Array(
        "POST /1/classes/A HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n"
          .utf8
      )
    ),
    (
      "an endless body",
      Array(
        "POST /1/classes/A HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        + (0..<2_000).flatMap { _ in
          Array("400\r\n".utf8) + [UInt8](repeating: 0x5B, count: 1_024) + [13, 10]
        }
    ),
    ("a whole URL", Array("GET http://x HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)),
  ]

  @Test("Hostile bytes do not affect other clients", arguments: hostile.indices)
  func hostileBytes(index: Int) throws {
    let server = PracticeServer()
    try server.start()
    for _ in 0..<3 {
      let client = try RawClient(port: server.port)
      client.send(Self.hostile[index].bytes)
    }
    #expect(try RawClient.Reply.get(Self.target, from: server.port).status == 200)
    server.stop()
  }

  @Test("Two hundred connections are served at once")
  func manyConnections() throws {
    let server = PracticeServer()
    try server.start()
    let clients = try (0..<200).map { _ in try RawClient(port: server.port) }
    for _ in 0..<3 {
      for client in clients { client.sendRequest(Self.target) }
      for client in clients { #expect(try client.readReply().status == 200) }
    }
    #expect(server.statistics.connections == 200)
    #expect(server.statistics.requests == 600)
    #expect(server.statistics.routes == ["sites": 600])
    server.stop()
  }

  @Test("Clients that disconnect before or during a response are cleaned up")
  func vanishing() throws {
    let server = PracticeServer()
    try server.start()
    server.update {
      $0.latency = .milliseconds(30)
      $0.bandwidth = 2_000
    }
    for _ in 0..<60 {
      let client = try RawClient(port: server.port)
      client.sendRequest(Self.target)
    }
    #expect(eventually { server.statistics.requests == 60 })
    server.setFaults(Faults())
    #expect(try RawClient.Reply.get(Self.target, from: server.port).status == 200)
    server.stop()
  }

  @Test("Thousands of open connections each get a response")
  func thousandsOfConnections() throws {
    let server = PracticeServer()
    try server.start()
    // Both ends of each are in this process.
    let count = min(TestScale.count(1_500), Self.descriptorLimit() / 2 - 500)
    let clients = try (0..<count).map { _ in try RawClient(port: server.port) }
    for client in clients { client.sendRequest(Self.target) }
    for client in clients { #expect(try client.readReply().status == 200) }
    #expect(server.statistics.connections == count && server.statistics.requests == count)
    // While all of them wait for ever, one more is served.
    let stall = try Fault("stall", route: RoutePattern("/2.3/tags"))
    server.update { $0.set(stall) }
    for client in clients { client.sendRequest("/2.3/tags") }
    #expect(eventually { server.lastRecord == 2 * count })
    #expect(try RawClient.Reply.get(Self.target, from: server.port).status == 200)
    for client in clients { client.close() }
    #expect(eventually { server.records().records.allSatisfy(\.isFinished) })
    server.stop()
  }

  private static func descriptorLimit() -> Int {
    var limit = rlimit()
    return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
      ? Int(min(limit.rlim_cur, 1_000_000)) : 1_024
  }

  @Test("Clients that send slowly or do not read delay no other client")
  func slowClients() throws {
    let server = PracticeServer()
    try server.start()
    let huge = try Fault("huge-body", route: RoutePattern("/2.3/errors"), size: 50_000_000)
    server.update { $0.set(huge) }
    var clients: [RawClient] = []
    for _ in 0..<20 {
      let slow = try RawClient(port: server.port)
      slow.send("GET \(Self.target) HTT")
      let deaf = try RawClient(port: server.port)
      deaf.sendRequest("/2.3/errors")
      clients += [slow, deaf]
    }
    let reply = try RawClient.Reply.get(Self.target, from: server.port)
    #expect(reply.status == 200)
    for slow in clients where slow === clients[0] || slow === clients[2] {
      slow.send("P/1.1\r\nHost: localhost\r\n\r\n")
      #expect(try slow.readReply().body.count == reply.body.count)
    }
    server.stop()
  }

  @Test("No request to any service crashes the server")
  func noise() throws {
    let server = PracticeServer()
    try server.start()
    let client = try RawClient(port: server.port)
    var random = RandomSource(seed: 11)
    let paths = [
      "/2.3/search", "/2.3/search/advanced", "/2.3/errors", "/search.json", "/1/classes/Quote",
      "/parse/1/classes/Quote/x", "/elsewhere/2.3/sites", "/redirect-loop/7", "/search.", "/parse",
    ]
    let names = [
      "q", "tagged", "intitle", "site", "page", "pagesize", "rpp", "max_id", "since_id", "until",
      "geocode", "where", "order", "limit", "skip", "include", "keys", "callback", "filter", "lang",
    ]
    let values = [
      "", "-1", "0", "9223372036854775807", "-9223372036854775808", "99999999999999999999", "1e9",
      "NaN", "%00", "%FF%FE", "%F0%9F%98%80", ";;;", "stackoverflow", "swift", "\"", "-\"a b\"",
      "OR",
      "a%20OR%20b", "from:", "%5B%5D", "%7B%7D", "%7B%22a%22:%7B%22$regex%22:%22(%22%7D%7D", "!x",
      "2012-02-30", "1,2,3km", "90,180,39999km", "-90,-180,1mi", "*", ",,,", "-,-", "a.b.c",
      "default", "none", "%7B%22$or%22:%5B%7B%7D%5D%7D", "-x%20-y%20z", "to:%40a", "%23", "%40",
    ]
    let headers = [
      "X-Parse-Application-Id: a", "X-Parse-REST-API-Key: k", "If-None-Match: W/\"\", *x",
    ]
    for _ in 0..<TestScale.count(600) {
      let query = (0..<random.below(5)).map { _ in "\(random.pick(names))=\(random.pick(values))" }
      let method = random.pick(["GET", "GET", "POST", "PUT", "DELETE", "OPTIONS", "BREW"])
      let target = "\(random.pick(paths))?\(query.joined(separator: "&"))"
      client.sendRequest(
        target, method: method, headers: headers,
        body: method == "GET" ? nil : random.pick(["", "{", "{}", "[]", #"{"a":{"__op":"Add"}}"#]))
      let status = try client.readReply().status
      #expect((200..<600).contains(status) && status != 502, "\(method) \(target)")
    }
    server.stop()
  }

  @Test("Pipelined requests are answered in order")
  func pipelining() throws {
    let server = PracticeServer()
    try server.start()
    server.update { $0.latency = .milliseconds(5) }
    let client = try RawClient(port: server.port)
    let request = "GET /2.3/errors?page=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
    client.send(String(repeating: request, count: 20))
    let remaining = try (0..<20).map { _ in
      try client.readReply().json().integer("quota_remaining")
    }
    #expect(remaining == (280..<300).reversed())
    server.stop()
  }

  @Test("A body that no route uses is read, and the connection stays open")
  func uploads() throws {
    let server = PracticeServer()
    try server.start()
    let client = try RawClient(port: server.port)
    client.send("POST /2.3/tags HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n")
    client.send([UInt8](repeating: 0x78, count: 100_000))
    #expect(try client.readReply().status == 400)
    client.sendRequest(Self.target)
    #expect(try client.readReply().status == 200)
    server.stop()
  }

  @Test("A request that arrives too slowly is cut off, however steadily it arrives")
  func trickling() throws {
    var limits = HTTPLimits()
    limits.requestNanoseconds = 2_000_000_000
    let server = PracticeServer(seed: 1, limits: limits)
    try server.start()
    let client = try RawClient(port: server.port)
    client.send("GET / HTTP/1.1\r\nX: ")
    // The end comes although nothing else would end it.
    _ = try client.readToEnd()
    #expect(server.statistics.requests == 0)
    #expect(try RawClient.Reply.get("/", from: server.port).status == 200)
    server.stop()
  }

  @Test("Paths and parameters are decoded; the first of several equal names counts")
  func decoding() {
    let request = PracticeRequest(
      method: "GET",
      target: Array("/2.3//questions/1%3B2/?Site=a+b%2Bc&site=z&x&=&tagged=c%23%".utf8))
    guard case .stackExchange(let route) = request.route else {
      Issue.record("the path is not one of the Stack Exchange API")
      return
    }
    #expect(route.pattern == "questions/{ids}" && route.argument == "1;2")
    #expect(request.parameters["site"] == "a b+c")
    #expect(request.parameters["x"] == "")
    #expect(request.parameters["tagged"] == "c#%")
  }
}
