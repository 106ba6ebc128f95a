import OpshHTTPServing
import TestSupport
import Testing

@testable import PracticeServer

/// What is refused because of a request's head, by the server itself.
@Suite("Heads of requests", .timeLimit(.minutes(5)))
struct RequestHeadTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let head: String
    let status: Int
    var testDescription: String { head.debugDescription }

    init(_ head: String, _ status: Int) {
      self.head = head
      self.status = status
    }
  }

  @Test(
    "A request without one Host of this server is refused",
    arguments: [
      Case("GET / HTTP/1.1\r\nHost: localhost", 200),
      Case("GET / HTTP/1.1\r\nHost: LocalHost:1", 200),
      Case("GET / HTTP/1.1\r\nHost: 127.0.0.1:80", 200),
      Case("GET / HTTP/1.1\r\nHost: [::1]:80", 200),
      Case("GET / HTTP/1.0", 200),
      Case("GET / HTTP/1.1", 400),
      Case("GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost", 400),
      Case("GET / HTTP/1.1\r\nHost: localhost\r\nhost: evil.example", 400),
      Case("GET / HTTP/1.1\r\nHost: evil.example", 421),
      Case("GET / HTTP/1.0\r\nHost: evil.example", 421),
      Case("GET / HTTP/1.1\r\nHost: localhost.evil.example", 421),
      Case("GET / HTTP/1.1\r\nHost: evil.example:127.0.0.1", 421),
      Case("GET / HTTP/1.1\r\nHost: [::1", 200),
      Case("GET / HTTP/1.1\r\nHost:", 421),
      // The host of a whole URL counts instead (RFC 9112, 3.2.2).
      Case("GET http://localhost/ HTTP/1.1\r\nHost: evil.example", 200),
      Case("GET http://evil.example/ HTTP/1.1\r\nHost: localhost", 421),
      Case("GET http://evil.example?localhost/ HTTP/1.1\r\nHost: localhost", 421),
      Case("GET http://localhost@evil.example/ HTTP/1.1\r\nHost: localhost", 421),
    ])
  func hosts(_ one: Case) throws {
    #expect(try status(of: one.head + "\r\n\r\n") == one.status)
  }

  @Test(
    "A request with two body lengths is refused before its body, and the connection ends",
    arguments: [
      "Content-Length: 1\r\nContent-Length: 9", "Content-Length: 9\r\nContent-Length: 9",
      "Content-Length: 9\r\nTransfer-Encoding: chunked",
      "Transfer-Encoding: chunked\r\nContent-Length: 9",
    ])
  func lengths(fields: String) throws {
    #expect(
      try status(of: "POST /1/classes/A HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n\r\n") == 400)
  }

  @Test(
    "A length that is not one number is refused, and ends the connection",
    arguments: ["9, 1", "9, 9", "+9", "-9", "0x9", "9 9", "", "99999999999999999999"])
  func invalidLengths(value: String) throws {
    let client = try RawClient(port: SharedServer.port)
    client.send("POST /1/classes/A HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(value)\r\n\r\n")
    // libmicrohttpd refuses it by itself; its answer has two heads, of which the first counts.
    #expect([400, 413].contains(try client.readReply().status))
    _ = try client.readToEnd()
  }

  /// libmicrohttpd would take the rest of the connection as the body, and never answer.
  @Test(
    "A Transfer-Encoding other than chunked is refused before the body, and ends the connection",
    arguments: [
      ("Transfer-Encoding: gzip", 400), ("Transfer-Encoding: identity", 400),
      ("Transfer-Encoding: chunked, gzip", 400), ("Transfer-Encoding: chunked, chunked", 400),
      ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", 400),
      ("Transfer-Encoding: chunked\r\ntransfer-encoding: gzip", 400),
      ("Transfer-Encoding: xchunked", 400), ("Transfer-Encoding: \"chunked\"", 400),
      ("Transfer-Encoding: chunked;a=b", 400), ("Transfer-Encoding:", 400),
      ("Transfer-Encoding: gzip, chunked", 501), ("Transfer-Encoding: GZip , Chunked", 501),
      ("Transfer-Encoding : chunked", 400), ("Content-Length : 9", 400),
    ])
  func codings(fields: String, expected: Int) throws {
    let head = "POST /1/classes/A HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n\r\n"
    #expect(try status(of: head) == expected)
  }

  /// libmicrohttpd 0.9 would pass on what stands before it, and take the rest for nothing.
  @Test(
    "A value with a zero byte, and one of several lines, is refused",
    arguments: [
      Case("Host: localhost\0.evil.example", 400), Case("Host: localhost\0", 400),
      Case("Host: localhost\0\0\0.evil.example\r\nAccept: a", 400),
      Case("Accept: a\0b\r\nHost: localhost", 400), Case("Host: localhost\r\nAccept: \0", 400),
      Case("Host: localhost\r\nAccept: a\r\n\0: b", 400), Case("Host\0: localhost", 400),
      Case("Host: localhost\r\nAccept: a\r\n b", 400),
      Case("Host: localhost\r\n .evil.example\r\nAccept: a", 400),
      // What is allowed, and written in other ways.
      Case("Host: localhost\r\nAccept:", 200), Case("Accept:\r\nHost:localhost", 200),
      Case("Host: \t localhost\r\nAccept: a ", 200), Case("Host: localhost\nAccept: a", 200),
      Case("Host: localhost\r\nCookie: a=b; c=\"d\"\r\nX: 1\r\nCookie: e=f", 200),
      Case("Host: localhost\r\nLong: " + String(repeating: "x", count: 9_000) + "\r\nX: 1", 200),
    ])
  func values(_ one: Case) throws {
    #expect(try status(of: "GET / HTTP/1.1\r\n\(one.head)\r\n\r\n") == one.status)
  }

  @Test("Every request on a connection is checked, and its body does not count as a request")
  func valuesOfSeveral() throws {
    let client = try RawClient(port: SharedServer.port)
    for count in [1, 200, 3] {
      let fields = (0..<count).map { "X-\($0): \($0)\r\n" }.joined()
      client.send(
        "POST /1/classes/A HTTP/1.1\r\nHost: localhost\r\n\(fields)Content-Length: 4\r\n\r\na\0bc")
      #expect(try client.readReply().status == 403)
    }
    client.send("GET / HTTP/1.1\r\nHost: localhost\0a\r\n\r\n")
    #expect(try client.readReply().status == 400)
  }

  @Test("Transfer-Encoding is refused in HTTP/1.0; HTTP/1.1 accepts chunked in any letter case")
  func versions() throws {
    let fields = "Host: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    #expect(try status(of: "GET / HTTP/1.0\r\n" + fields) == 400)
    #expect(try status(of: "GET / HTTP/1.1\r\n" + fields) == 200)
    let upper = fields.replacing("chunked", with: "CHUNKED")
    #expect(try status(of: "GET / HTTP/1.1\r\n" + upper) == 200)
  }

  @Test("A connection on which nothing comes is closed, before the first request and after one")
  func idle() throws {
    var limits = HTTPLimits()
    limits.requestNanoseconds = 5_000_000_000
    let server = PracticeServer(seed: 1, limits: limits)
    try server.start()
    defer { server.stop() }
    let silent = try RawClient(port: server.port)
    let waiting = try RawClient(port: server.port)
    waiting.sendRequest("/")
    #expect(try waiting.readReply().status == 200)
    #expect(try waiting.readToEnd().isEmpty)
    #expect(try silent.readToEnd().isEmpty)
  }

  /// Sends a head alone, and reads until the server closes the connection or has answered.
  private func status(of head: String) throws -> Int {
    let server = PracticeServer()
    try server.start()
    defer { server.stop() }
    let client = try RawClient(port: server.port ?? 0)
    defer { client.close() }
    client.send(head)
    let reply = try client.readReply()
    if reply.status >= 400 {
      #expect(reply.headers["connection"]?.lowercased() == "close")
      #expect(try client.readToEnd().isEmpty)
    }
    return reply.status
  }

  @Test(
    "No page of another origin may read an answer",
    arguments: ["/", "/2.3/info?site=stackoverflow", "/search.json?q=a", "/1/classes/Quote", "/x"])
  func origins(target: String) throws {
    let reply = try RawClient.Reply.get(
      target, from: SharedServer.port,
      headers: [
        "Origin: http://evil.example", "X-Parse-Application-Id: a", "X-Parse-REST-API-Key: k",
      ])
    #expect(!reply.headers.keys.contains { $0.hasPrefix("access-control-") })
  }

  @Test("Refused requests are in the log")
  func logged() throws {
    let server = PracticeServer()
    try server.start()
    defer { server.stop() }
    let client = try RawClient(port: server.port ?? 0)
    defer { client.close() }
    client.send("GET /2.3/info?site=stackoverflow HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(try client.readReply().status == 200)
    client.send("GET /2.3/info HTTP/1.1\r\nHost: evil.example\r\n\r\n")
    _ = try client.readReply()
    #expect(server.records().records.map(\.status) == [200, 421])
  }
}
