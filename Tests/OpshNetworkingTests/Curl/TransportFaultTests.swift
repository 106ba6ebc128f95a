import Foundation
import OpshLocking
import OpshNetworking
import TestSupport
import Testing

/// Faults of servers and the resulting error codes.
@Suite("Transport faults", .timeLimit(.minutes(15)))
struct TransportFaultTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var code: String
    var answer: @Sendable (RawConnection) -> Void

    /// Creates a case whose server sends text and closes.
    init(_ description: String, _ code: String, sends text: String) {
      self.init(description, code) { $0.send(text) }
    }

    init(_ description: String, _ code: String, answer: @escaping @Sendable (RawConnection) -> Void)
    {
      testDescription = description
      self.code = code
      self.answer = answer
    }
  }

  static let ok = "HTTP/1.1 200 OK\r\n"

  static let cases: [Case] = [
    Case("closes after the status line", "connection-lost", sends: ok),
    Case("closes inside the status line", "connection-lost", sends: "HTTP/1.1 20"),
    Case("closes inside the headers", "connection-lost", sends: ok + "Content-Length: 5\r\n"),
    Case("closes inside a header", "connection-lost", sends: ok + "Content-Len"),
    Case("closes without a byte", "connection-lost", sends: ""),
    Case("resets", "connection-lost") { $0.reset() },
    Case("resets inside the body", "connection-lost") { connection in
      connection.send(ok + "Content-Length: 500000\r\n\r\nhello")
      connection.reset()
    },
    Case(
      "sends less than it announced", "connection-lost", sends: ok + "Content-Length: 9\r\n\r\nx"),
    Case(
      "ends a chunked body early", "connection-lost",
      sends: ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
    Case(
      "sends a broken chunk size", "bad-response",
      sends: ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n"),
    Case(
      "sends a length that is not a number", "bad-response",
      sends: ok + "Content-Length: five\r\n\r\nhello"),
    Case(
      "sends a length that only begins as a number", "bad-response",
      sends: ok + "Content-Length: 2x\r\n\r\nhello"),
    Case(
      "sends two lengths", "bad-response",
      sends: ok + "Content-Length: 2\r\nContent-Length: 5\r\n\r\nhello"),
    Case(
      "sends the same length twice", "success",
      sends: ok + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello"),
    Case("sends a header without colon", "bad-response", sends: ok + "nonsense\r\n\r\n"),
    Case("sends a zero byte in a header", "bad-response", sends: ok + "A: b\u{0}c\r\n\r\n"),
    Case("sends a status line without a number", "bad-response", sends: "HTTP/1.1 abc OK\r\n\r\n"),
    Case("answers as HTTP/0.9", "bad-response", sends: "<html>hello</html>\r\n"),
    Case("sends garbage", "bad-response", sends: "\u{1}\u{2}\u{3}garbage\r\n\r\n"),
    Case("changes the protocol unasked", "bad-response", sends: "HTTP/1.1 101 Switching\r\n\r\n"),
    Case("sends one header of 150 kB", "too-large") {
      $0.send(ok + "A: " + String(repeating: "x", count: 150_000) + "\r\n\r\n")
      $0.stall()
    },
    Case("sends headers of 400 kB", "too-large") { connection in
      connection.send(ok)
      for _ in 0..<400 {
        guard connection.send("A: " + String(repeating: "x", count: 1000) + "\r\n") else { return }
      }
      connection.stall()
    },
    Case("sends a body without end", "too-large") { connection in
      connection.send(ok + "\r\n")
      while connection.send([UInt8](repeating: 65, count: 10_000)) {}
    },
    Case(
      "announces more than is allowed", "too-large", sends: ok + "Content-Length: 999999\r\n\r\n"),
    Case(
      "announces a length of 20 digits", "bad-response",
      sends: ok + "Content-Length: 99999999999999999999\r\n\r\nok"),
    Case("sends trailers of 400 kB", "too-large") { connection in
      connection.send(ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n")
      for _ in 0..<400 {
        guard connection.send("A: " + String(repeating: "x", count: 1000) + "\r\n") else { return }
      }
      connection.send("\r\n")
    },
    Case("redirects to itself", "too-many-redirects") { connection in
      repeat {
        connection.respond("302 Found", ["Location: /again"])
      } while connection.readRequest() != nil
    },
    Case("redirects to a file", "unsupported-protocol") {
      $0.respond("302 Found", ["Location: file:///etc/passwd"])
    },
    Case("redirects to nowhere", "bad-response") {
      $0.respond("302 Found", ["Location: http://"])
    },
    Case("sends more than it announced", "success", sends: ok + "Content-Length: 2\r\n\r\nhello"),
    Case("sends a body with 204", "success", sends: "HTTP/1.1 204 No Content\r\n\r\nhello"),
    Case(
      "sends interim responses first", "success",
      sends: "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ok + "Content-Length: 0\r\n\r\n"),
    Case("ends the body by closing", "success", sends: ok + "\r\nhello"),
  ]

  @Test("A faulty server results in the error code of its fault", arguments: cases)
  func fault(testCase: Case) async throws {
    let server = try LoopbackServer { connection in
      guard connection.readRequest() != nil else { return }
      testCase.answer(connection)
    }
    defer { server.stop() }
    let transport = CurlTransport()
    defer { transport.shutdown() }
    var request = try HTTPRequest(url: server.url + "/")
    request.transfer.maximumBodySize = 500_000
    request.timeout = .seconds(15)
    let delegate = RecordingDelegate()
    _ = transport.start(request, delegate: delegate)
    #expect(code(try await delegate.end()) == testCase.code)
    #expect(delegate.record.completions == 1)
    if testCase.code == "connection-lost", testCase.testDescription.contains("headers") {
      #expect(delegate.record.heads.isEmpty)
    }
  }

  @Test("The error of one transfer does not appear in the next")
  func staleError() async throws {
    let isFirst = Locked(true)
    let server = try LoopbackServer { connection in
      guard connection.readRequest() != nil else { return }
      let resets = isFirst.withLock { first in
        defer { first = false }
        return first
      }
      if resets {
        connection.reset()
      } else {
        connection.send(Self.ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n")
      }
    }
    defer { server.stop() }
    let transport = CurlTransport()
    defer { transport.shutdown() }
    var codes: [String] = []
    for _ in 0..<2 {
      let delegate = RecordingDelegate()
      _ = transport.start(try HTTPRequest(url: server.url), delegate: delegate)
      codes.append(code(try await delegate.end()))
    }
    #expect(codes == ["connection-lost", "bad-response"])
  }

  @Test("A port without a listener results in a refused connection")
  func refused() async throws {
    let server = try LoopbackServer { _ in }
    let url = server.url
    server.stop()
    // The port is free once the listener's thread has closed it; until then a connection is
    // accepted and dropped.
    let transport = CurlTransport()
    defer { transport.shutdown() }
    var last = ""
    for _ in 0..<1000 where last != "connection-refused" {
      let delegate = RecordingDelegate()
      _ = transport.start(try HTTPRequest(url: url), delegate: delegate)
      last = code(try await delegate.end())
    }
    #expect(last == "connection-refused")
  }

  @Test("An address that no route leads to is not called a server that refuses")
  func unreachable() async throws {
    let transport = CurlTransport(configuration: .init(environment: [:]))
    defer { transport.shutdown() }
    // Linux never connects to a multicast address: tcp(7) has no use for one.
    var request = try HTTPRequest(url: "http://224.0.0.1:9/")
    request.timeout = .seconds(15)
    let delegate = RecordingDelegate()
    _ = transport.start(request, delegate: delegate)
    let result = try await delegate.end()
    #expect(code(result) == "host-unreachable", "\(result)")
  }

  @Test("An unknown host results in a host-not-found error")
  func unknownHost() async throws {
    let transport = CurlTransport()
    defer { transport.shutdown() }
    var request = try HTTPRequest(url: "http://no-such-host.invalid/")
    request.timeout = .seconds(15)
    let delegate = RecordingDelegate()
    _ = transport.start(request, delegate: delegate)
    #expect(code(try await delegate.end()) == "host-not-found")
  }

  @Test("A server without TLS results in a tls error")
  func noTLS() async throws {
    let server = try LoopbackServer { connection in
      connection.send("this is not TLS\r\n\r\n")
    }
    defer { server.stop() }
    let transport = CurlTransport()
    defer { transport.shutdown() }
    let delegate = RecordingDelegate()
    let url = "https://127.0.0.1:\(server.port)/"
    _ = transport.start(try HTTPRequest(url: url), delegate: delegate)
    #expect(code(try await delegate.end()) == "tls")
  }
}
