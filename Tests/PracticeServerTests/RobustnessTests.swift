@testable import PracticeServer
import Testing

@Suite("What clients may do to the practice server", .timeLimit(.minutes(15)))
struct RobustnessTests {
  private static let target = "/2.3/questions?site=stackoverflow&pagesize=3"

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
    ("a wrong version", Array("GET / HTTP/9.9\r\nHost: x\r\n\r\n".utf8)),
    (
      "a negative length",
      Array("POST /2.3/tags HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n".utf8)
    ),
    (
      "a broken chunk",
      Array("POST /2.3/tags HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n".utf8)
    ),
    ("broken escapes", Array("GET /2.3/%ZZ/%?%=%&&&==%00%FF HTTP/1.1\r\nHost: x\r\n\r\n".utf8)),
    (
      "bad UTF-8",
      Array("GET /2.3/tags?site=".utf8) + [0xFF, 0xC0, 0x80]
        + Array(" HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
    ),
    ("a whole URL", Array("GET http://x HTTP/1.1\r\nHost: x\r\n\r\n".utf8)),
  ]

  @Test("Hostile bytes harm nobody else", arguments: hostile.indices)
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
    #expect(server.statistics.routes == ["questions": 600])
    server.stop()
  }

  @Test("Clients that vanish are forgotten, before the answer and inside it")
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
    #expect(waitUntil { server.statistics.requests == 60 })
    server.setFaults(Faults())
    #expect(try RawClient.Reply.get(Self.target, from: server.port).status == 200)
    server.stop()
  }

  @Test("Requests sent together are answered in turn")
  func pipelining() throws {
    let server = PracticeServer()
    try server.start()
    server.update { $0.latency = .milliseconds(5) }
    let client = try RawClient(port: server.port)
    let request = "GET /2.3/errors?page=1 HTTP/1.1\r\nHost: x\r\n\r\n"
    client.send(String(repeating: request, count: 20))
    let remaining = try (0..<20).map { _ in
      try client.readReply().json().integer("quota_remaining")
    }
    #expect(remaining == (280..<300).reversed())
    server.stop()
  }

  @Test("A body that no route wants is read, and the connection goes on")
  func uploads() throws {
    let server = PracticeServer()
    try server.start()
    let client = try RawClient(port: server.port)
    client.send("POST /2.3/tags HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n")
    client.send([UInt8](repeating: 0x78, count: 100_000))
    #expect(try client.readReply().status == 400)
    client.sendRequest(Self.target)
    #expect(try client.readReply().status == 200)
    server.stop()
  }

  @Test("A request that trickles in is cut off, however steadily it does")
  func trickling() throws {
    let server = PracticeServer(
      seed: 1, limits: ServerLimits(requestNanoseconds: 200_000_000))
    try server.start()
    let client = try RawClient(port: server.port)
    client.send("GET / HTTP/1.1\r\nX: ")
    // The end comes although nothing else would end it.
    _ = try client.readToEnd()
    #expect(server.statistics.requests == 0)
    #expect(try RawClient.Reply.get("/", from: server.port).status == 200)
    server.stop()
  }

  @Test("Paths and parameters are decoded, and the first of equal names counts")
  func decoding() {
    let request = PracticeRequest(
      method: "GET",
      target: Array("/2.3//questions/1%3B2/?Site=a+b%2Bc&site=z&x&=&tagged=c%23%".utf8))
    #expect(request.route == .stackExchange(.questionsByID("1;2")))
    #expect(request.parameters["site"] == "a b+c")
    #expect(request.parameters["x"] == "")
    #expect(request.parameters["tagged"] == "c#%")
  }
}
