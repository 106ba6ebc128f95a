import TestSupport
import Testing

@testable import PracticeServer

@Suite("Rules of the services", .timeLimit(.minutes(15)))
final class ServiceRuleTests {
  private static let errors = "/2.3/errors?pagesize=3"
  private let server = PracticeServer()

  init() throws {
    try server.start()
  }

  deinit {
    server.stop()
  }

  private func set(_ fault: Fault) {
    server.update { $0.set(fault) }
  }

  private func get(_ target: String, headers: [String] = []) throws -> RawClient.Reply {
    try RawClient.Reply.get(target, from: server.port, headers: headers)
  }

  // MARK: Keeping answers

  struct Cached: Sendable, CustomTestStringConvertible {
    let target: String
    let control: String
    var headers: [String] = []
    var testDescription: String { target }
  }

  static let cached: [Cached] = [
    Cached(target: "/2.3/sites?pagesize=4", control: "private"),
    Cached(target: "/2.3/tags?site=stackoverflow&callback=f", control: "private"),
    Cached(target: "/search.json?q=swift", control: "max-age=0, must-revalidate"),
    Cached(
      target: "/search.json?q=swift", control: "max-age=0, must-revalidate",
      headers: ["Accept-Encoding: gzip"]),
  ]

  @Test(
    "A response that the client already has is revalidated with 304, without a body",
    arguments: cached)
  func revalidation(_ cached: Cached) throws {
    let client = try RawClient(port: server.port)
    func reply(_ match: String?, method: String = "GET") throws -> RawClient.Reply {
      client.sendRequest(
        cached.target, method: method,
        headers: cached.headers + (match.map { ["If-None-Match: \($0)"] } ?? []))
      return try client.readReply(hasBody: method == "GET")
    }
    let first = try reply(nil)
    let tag = try #require(first.headers["etag"])
    let opaque = tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag
    #expect(first.status == 200 && opaque.hasPrefix("\"") && opaque.hasSuffix("\""))
    #expect(first.headers["cache-control"] == cached.control)
    for match in [tag, opaque, "\"x\", \(tag)", "W/\"y\" ,  \(tag) ", "*"] {
      let again = try reply(match)
      #expect(again.status == 304 && again.body.isEmpty, "\(match)")
      #expect(again.headers["etag"] == tag)
      #expect(again.headers["cache-control"] == cached.control)
      // The library may leave the length of an empty body out, as HTTP allows. Under /2.3 the quota
      // counts down in the body, so that its compressed length varies.
      if !cached.target.hasPrefix("/2.3") {
        let lengths = [nil, first.headers["content-length"]]
        #expect(lengths.contains(again.headers["content-length"]))
      }
    }
    #expect(try reply("\"x\"").status == 200)
    #expect(try reply("W/\"\(tag)\"").status == 200)
    #expect(try reply(tag, method: "HEAD").status == 304)
    // The connection is still good, so nothing that was not announced came on it.
    #expect(try reply(nil).body.count == first.body.count)
  }

  @Test("The page, the filter and the seed change the ETag, the quota does not")
  func tags() throws {
    func tag(_ target: String) throws -> String {
      try #require(try get(target).headers["etag"])
    }
    let first = try tag(Self.errors)
    #expect(try tag(Self.errors) == first)
    #expect(try tag(Self.errors + "&page=2") != first)
    #expect(try tag(Self.errors + "&filter=total") != first)
    #expect(try tag(Self.errors + "&callback=a") != tag(Self.errors + "&callback=b"))
    let tweets = try tag("/search.json?q=a")
    server.setSeed(2)
    #expect(try tag("/search.json?q=a") != tweets)
    #expect(try get("/2.3/errors/400").headers["etag"] == nil)
  }

  @Test("Responses can have max-age and stale-while-revalidate")
  func cacheControl() throws {
    set(try Fault("cache"))
    let usual = "private, max-age=60, stale-while-revalidate=300"
    let first = try get(Self.errors)
    #expect(first.headers["cache-control"] == usual)
    let tag = try #require(first.headers["etag"])
    let again = try get(Self.errors, headers: ["If-None-Match: \(tag)"])
    #expect(again.status == 304 && again.headers["cache-control"] == usual)
    set(
      try Fault(
        "cache", route: RoutePattern("/search.json"), duration: .seconds(1), spread: .seconds(5)))
    server.update { $0.remove(named: "cache", route: .everything) }
    #expect(
      try get("/search.json?q=a").headers["cache-control"]
        == "private, max-age=1, stale-while-revalidate=5")
    #expect(try get(Self.errors).headers["cache-control"] == "private")
    #expect(try get("/search.json").headers["cache-control"] == "max-age=0, must-revalidate")
  }

  // MARK: Stack Exchange

  private func refusal(_ reply: RawClient.Reply) throws -> String? {
    guard reply.status == 400 else { return nil }
    let json = try reply.json()
    #expect(json.keys == ["error_id", "error_message", "error_name"])
    #expect(json.integer("error_id") == 502 && json.string("error_name") == "throttle_violation")
    return json.string("error_message")
  }

  @Test("A response contains a backoff only if one is set")
  func backoff() throws {
    #expect(try get(Self.errors).json()["backoff"] == nil)
    set(try Fault("backoff", duration: .seconds(3_600)))
    let page = try get(Self.errors).json()
    #expect(page.keys == ["items", "has_more", "backoff", "quota_max", "quota_remaining"])
    #expect(page.integer("backoff") == 3_600)
    // Who ignores it is refused, at that method only; what was on its way is not held against it.
    #expect(eventually { (try? refusal(get(Self.errors))) == "Violation of backoff parameter" })
    #expect(try refusal(get(Self.errors)) == "Violation of backoff parameter")
    #expect(try get("/2.3/sites").status == 200)
    #expect(try get("/search.json?q=a").status == 200)
    #expect(server.records().records.last?.faults == [])
    server.update { $0.remove(named: "backoff") }
    #expect(try get(Self.errors).status == 200)
  }

  @Test("Requests already in flight when a backoff begins are answered")
  func backoffInFlight() {
    var limits = ClientLimits()
    limits.beginBackoff(client: 1, pattern: "/a", seconds: 1, now: 5_000_000_000)
    // Told once more by the answer to a second request, it does not begin anew.
    limits.beginBackoff(client: 1, pattern: "/a", seconds: 1, now: 5_900_000_000)
    let ignores = { (arrival: UInt64) in
      limits.ignoresBackoff(client: 1, pattern: "/a", arrival: arrival)
    }
    #expect(!ignores(4_990_000_000) && !ignores(5_000_500_000))
    #expect(ignores(5_010_000_000) && ignores(5_999_000_000))
    #expect(!ignores(6_000_000_000))
    #expect(!limits.ignoresBackoff(client: 1, pattern: "/b", arrival: 5_500_000_000))
  }

  @Test("Requests are answered again after a backoff")
  func backoffEnds() throws {
    set(try Fault("backoff", duration: .seconds(1)))
    #expect(try get(Self.errors).status == 200)
    #expect(eventually { (try? get(Self.errors).status) == 200 })
  }

  @Test("Too many requests in a second are refused for a time, for that address only")
  func throttle() throws {
    // As many as anyone likes, unless a limit is set.
    for _ in 0..<40 { #expect(try get(Self.errors).status == 200) }
    set(try Fault("throttle", duration: .seconds(3_600)))
    let client = try RawClient(port: server.port)
    // All in one packet, so that they are there within one second.
    let request = "GET \(Self.errors) HTTP/1.1\r\nHost: localhost\r\n\r\n"
    client.send(String(repeating: request, count: 40))
    let messages = try (0..<40).map { _ in try refusal(client.readReply()) }
    #expect(messages.prefix(30).allSatisfy { $0 == nil })
    let expected = "too many requests from this IP, more requests available in"
    #expect(messages.suffix(10).allSatisfy { $0?.hasPrefix(expected) == true })
    #expect(messages[30] == expected + " 3600 seconds")
    #expect(try refusal(get("/2.3/sites")) != nil)
    let other = try RawClient(port: server.port, from: "127.0.0.9")
    other.sendRequest(Self.errors)
    #expect(try other.readReply().status == 200)
    #expect(try get("/search.json?q=a").status == 200)
  }

  @Test("A throttled client is answered again after its time")
  func throttleEnds() {
    var limits = ClientLimits()
    let rule = FaultDecision.Rules.Throttle(requestsPerSecond: 2, seconds: 10)
    let second: UInt64 = 1_000_000_000
    func seconds(_ milliseconds: UInt64) -> Int? {
      limits.throttle(client: 1, by: rule, now: 100 * second + milliseconds * 1_000_000)
    }
    #expect([seconds(0), seconds(1), seconds(999)] == [nil, nil, 10])
    #expect(seconds(2_000) == 9)
    #expect(seconds(10_998) == 1)
    #expect([seconds(11_000), seconds(11_100), seconds(12_100)] == [nil, nil, nil])
  }

  @Test("The quota counts down, from 300 without a key, and ends at the configured value")
  func quota() throws {
    set(try Fault("quota"))
    let client = try RawClient(port: server.port)
    func remaining(_ key: String) throws -> Int? {
      client.sendRequest(Self.errors + key)
      let reply = try client.readReply()
      if reply.status == 200 { return try reply.json().integer("quota_remaining") }
      #expect(try refusal(reply)?.hasPrefix("too many requests from this IP") == true)
      return nil
    }
    #expect(try (0..<300).map { _ in try remaining("") } == (0..<300).reversed())
    #expect(try remaining("") == nil)
    #expect(try remaining("&key=k") == 9_999)
    server.update { $0.remove(named: "quota") }
    #expect(try remaining("") == 0)
  }

  // MARK: All services

  struct Limited: Sendable {
    let target: String
    var headers: [String] = []
    let status: Int
    let body: String
  }

  @Test(
    "Each service has its own error for too many requests",
    arguments: [
      Limited(
        target: "/2.3/sites", status: 400,
        body: #"{"error_id":502,"error_message":"too many requests from this IP, more requests "#
          + #"available in 7 seconds","error_name":"throttle_violation"}"#),
      Limited(
        target: "/search.json?q=a", status: 420,
        body: #"{"error":"You have been rate limited. Enhance your calm."}"#),
      Limited(
        target: "/1/classes/Quote", status: 400,
        body: #"{"code":155,"error":"This application has exceeded its request limit."}"#),
    ])
  func rateLimited(_ limited: Limited) throws {
    set(try Fault("rate-limited", duration: .seconds(7)))
    let reply = try get(limited.target)
    #expect(reply.status == limited.status)
    #expect(try reply.text() == limited.body)
    #expect(reply.headers["retry-after"] == (limited.target.hasPrefix("/2.3") ? nil : "7"))
    if limited.status == 420 {
      let client = try RawClient(port: server.port)
      client.sendRequest(limited.target)
      let text = String(decoding: try client.readToEnd(), as: UTF8.self)
      #expect(text.hasPrefix("HTTP/1.1 420 Enhance Your Calm\r\n"))
    }
  }
}
