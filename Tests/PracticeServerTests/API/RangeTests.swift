import OpshSupport
import TestSupport
import Testing

@testable import PracticeServer

/// Parts of answers (RFC 9110, 14), by the headers of the request.
@Suite("Ranges of the practice server", .timeLimit(.minutes(15)))
struct RangeTests {
  private func reply(
    _ server: PracticeServer, _ headers: [String], method: String = "GET"
  ) throws -> RawClient.Reply {
    let client = try RawClient(port: server.port)
    client.sendRequest("/search.json?q=swift", method: method, headers: headers)
    return try client.readReply(hasBody: method != "HEAD")
  }

  @Test("A part is what was asked for, of the version that was asked for")
  func parts() throws {
    let server = PracticeServer()
    try server.start()
    defer { server.stop() }
    let whole = try reply(server, [])
    let (body, count) = (whole.body, whole.body.count)
    let tag = try #require(whole.headers["etag"])
    #expect(tag.hasPrefix("\"") && whole.headers["accept-ranges"] == "bytes")
    try #require(count > 1_000)
    let rows: [(headers: [String], part: Range<Int>?)] = [
      (["Range: bytes=0-9"], 0..<10), (["Range: bytes=10-"], 10..<count),
      (["Range: bytes=-10"], count - 10..<count), (["Range: bytes=5-9999999"], 5..<count),
      (["Range: bytes=-9999999"], 0..<count), (["Range: Bytes=1-1"], 1..<2),
      (["Range: bytes=10-", "If-Range: \(tag)"], 10..<count),
      // Ignored: another version, a weak tag, a date, several parts, another unit, no range.
      (["Range: bytes=10-", "If-Range: \"x\""], nil),
      (["Range: bytes=10-", "If-Range: W/\(tag)"], nil),
      (["Range: bytes=10-", "If-Range: Sun, 06 Nov 1994 08:49:37 GMT"], nil),
      (["Range: bytes=0-1,5-6"], nil), (["Range: items=0-1"], nil), (["Range: bytes=9-5"], nil),
      (["Range: bytes=-"], nil), (["Range: bytes=a-"], nil),
      (["Range: bytes=99999999999999999999-"], nil),
    ]
    for (headers, part) in rows {
      let reply = try reply(server, headers)
      #expect(reply.status == (part == nil ? 200 : 206), "\(headers)")
      #expect(reply.body == Array(body[part ?? 0..<count]), "\(headers)")
      #expect(
        reply.headers["content-range"]
          == part.map { "bytes \($0.lowerBound)-\($0.upperBound - 1)/\(count)" }, "\(headers)")
      #expect(reply.headers["etag"] == tag)
    }
    for range in ["bytes=\(count)-", "bytes=-0"] {
      let reply = try reply(server, ["Range: \(range)"])
      #expect(reply.status == 416 && reply.body.isEmpty)
      #expect(reply.headers["content-range"] == "bytes */\(count)")
    }
  }

  @Test("A compressed answer, one to HEAD, and one that a fault changes have no parts")
  func without() throws {
    let server = PracticeServer()
    try server.start()
    defer { server.stop() }
    let packed = try reply(server, ["Range: bytes=0-9", "Accept-Encoding: gzip"])
    #expect(packed.status == 200 && packed.headers["etag"]?.hasPrefix("W/") == true)
    #expect(try reply(server, ["Range: bytes=0-9"], method: "HEAD").status == 200)
    let fault = try Fault("malformed-json")
    server.update { $0.set(fault) }
    #expect(try reply(server, ["Range: bytes=0-9"]).status == 200)
  }

  @Test("The bytes of a part are the same without a socket")
  func inProcess() throws {
    let server = PracticeServer()
    try server.answerInProcess { 1_000_000_000 }
    try server.start()
    let exchange = try #require(
      server.exchange(
        method: "GET", target: "/search.json?q=swift", headers: [("Range", "bytes=3-5")]))
    #expect(text(of: exchange.steps).hasPrefix("HTTP/1.1 206 Partial Content\r\n"))
  }

  /// The bytes that steps send.
  private func text(of steps: [ExchangeStep]) -> String {
    var (bytes, rest) = ([UInt8](), Array(steps.reversed()))
    while let step = rest.popLast() {
      switch step {
      case .bytes(let part): bytes += part
      case .then(let more): rest += more().reversed()
      case .wait, .reset, .stale: break
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
