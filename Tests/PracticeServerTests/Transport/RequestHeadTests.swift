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
    "A request that says its length twice is refused before its body, and ends the connection",
    arguments: [
      "Content-Length: 1\r\nContent-Length: 9", "Content-Length: 9\r\nContent-Length: 9",
      "Content-Length: 9\r\nTransfer-Encoding: chunked",
      "Transfer-Encoding: chunked\r\nContent-Length: 9",
    ])
  func lengths(fields: String) throws {
    #expect(
      try status(of: "POST /1/classes/A HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n\r\n") == 400)
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

  @Test("Refused requests are in the log, and no page of another origin may read an answer")
  func logged() throws {
    let server = PracticeServer()
    try server.start()
    defer { server.stop() }
    let client = try RawClient(port: server.port ?? 0)
    defer { client.close() }
    client.send("GET /2.3/info?site=stackoverflow HTTP/1.1\r\nHost: localhost\r\n\r\n")
    let fields = try client.readReply().headers
    #expect(!fields.keys.contains { $0.hasPrefix("access-control-") })
    client.send("GET /2.3/info HTTP/1.1\r\nHost: evil.example\r\n\r\n")
    _ = try client.readReply()
    #expect(server.records().records.map(\.status) == [200, 421])
  }
}
