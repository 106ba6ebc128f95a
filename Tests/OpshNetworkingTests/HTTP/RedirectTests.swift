import Foundation
import OpshLocking
import OpshNetworking
import TestSupport
import Testing

@Suite("Redirects", .timeLimit(.minutes(15)))
struct RedirectTests {
  struct MethodCase: Sendable, CustomTestStringConvertible {
    var status: Int
    var method: String
    var expected: String
    var keepsBody: Bool
    var testDescription: String { "\(method) \(status)" }
  }

  static let methodCases: [MethodCase] = [
    MethodCase(status: 301, method: "POST", expected: "GET", keepsBody: false),
    MethodCase(status: 302, method: "POST", expected: "GET", keepsBody: false),
    MethodCase(status: 303, method: "POST", expected: "GET", keepsBody: false),
    MethodCase(status: 303, method: "DELETE", expected: "GET", keepsBody: false),
    MethodCase(status: 303, method: "HEAD", expected: "HEAD", keepsBody: false),
    MethodCase(status: 307, method: "POST", expected: "POST", keepsBody: true),
    MethodCase(status: 308, method: "PUT", expected: "PUT", keepsBody: true),
    MethodCase(status: 302, method: "PUT", expected: "PUT", keepsBody: true),
    MethodCase(status: 301, method: "GET", expected: "GET", keepsBody: false),
  ]

  @Test(
    "The method and the body of a redirected request depend on the status", arguments: methodCases)
  func methods(testCase: MethodCase) async throws {
    let requests = Locked<[ReceivedRequest]>([])
    let server = try LoopbackServer { connection in
      while let request = connection.readRequest() {
        requests.withLock { $0.append(request) }
        if request.target == "/from" {
          connection.respond(
            "\(testCase.status) Moved", ["Location: to"],
            body: request.method == "HEAD" ? [] : Array("moved".utf8))
        } else {
          connection.respond()
        }
      }
    }
    defer { server.stop() }
    let transport = CurlTransport()
    defer { transport.shutdown() }
    var request = try HTTPRequest(method: testCase.method, url: server.url + "/from")
    if testCase.keepsBody || testCase.method == "POST" {
      request.body = .bytes(Array("data".utf8))
      try request.headers.append("Content-Type", "text/plain")
    }
    let delegate = RecordingDelegate()
    _ = transport.start(request, delegate: delegate)
    let summary = try await delegate.end().get()
    #expect(summary.redirectCount == 1)
    #expect(delegate.record.heads.map(\.status) == [200])
    #expect(delegate.record.heads.first?.url == server.url + "/to")
    let second = try #require(requests.withLock { $0.last })
    #expect(second.method == testCase.expected)
    #expect(second.target == "/to")
    #expect(second.body == Array((testCase.keepsBody ? "data" : "").utf8))
    #expect(second.values("Content-Type") == (testCase.keepsBody ? ["text/plain"] : []))
  }

  @Test("The address that a redirect leads to is shown without its secrets")
  func shownAddress() async throws {
    let server = try LoopbackServer { connection in
      while let request = connection.readRequest() {
        let isFirst = request.target == "/"
        connection.respond(
          isFirst ? "302 Found" : "200 OK", isFirst ? ["Location: /to?key=SECRET&page=2"] : [])
      }
    }
    defer { server.stop() }
    let operation = try await Workplace().get(server.url + "/")
    #expect(operation.redirectedURL == server.url + "/to?key=***&page=2")
  }

  @Test("A status that offers a choice is no redirect, although it has an address")
  func choices() async throws {
    let server = try LoopbackServer { connection in
      while connection.readRequest() != nil {
        connection.respond("300 Multiple Choices", ["Location: /to"])
      }
    }
    defer { server.stop() }
    let transport = CurlTransport()
    defer { transport.shutdown() }
    let delegate = RecordingDelegate()
    _ = transport.start(try HTTPRequest(url: server.url), delegate: delegate)
    #expect(try await delegate.end().get().redirectCount == 0)
    #expect(delegate.record.heads.map(\.status) == [300])
  }

  @Test("Secret headers are not sent to another origin, other headers are")
  func credentials() async throws {
    let requests = Locked<[ReceivedRequest]>([])
    let record: @Sendable (RawConnection) -> Void = { connection in
      guard let request = connection.readRequest() else { return }
      requests.withLock { $0.append(request) }
      connection.respond()
    }
    let other = try LoopbackServer(record)
    defer { other.stop() }
    let target = other.url
    let server = try LoopbackServer { connection in
      while let request = connection.readRequest() {
        requests.withLock { $0.append(request) }
        let isFirst = request.target == "/"
        connection.respond("302 Found", ["Location: \(isFirst ? "/same" : target + "/other")"])
      }
    }
    defer { server.stop() }
    let transport = CurlTransport()
    defer { transport.shutdown() }
    var request = try HTTPRequest(url: server.url)
    for (name, value) in [
      ("Authorization", "Bearer s"), ("Cookie", "s=1"), ("X-Parse-REST-API-Key", "s"),
      ("Accept", "text/plain"), ("Referer", "http://a.example/private"),
    ] {
      try request.headers.append(name, value)
    }
    let delegate = RecordingDelegate()
    _ = transport.start(request, delegate: delegate)
    #expect(try await delegate.end().get().redirectCount == 2)
    let received = requests.withLock { $0 }
    #expect(received.map(\.target) == ["/", "/same", "/other"])
    #expect(received[1].values("Authorization") == ["Bearer s"])
    #expect(received[1].values("X-Parse-REST-API-Key") == ["s"])
    #expect(received[1].values("Referer") == ["http://a.example/private"])
    for name in ["Authorization", "Cookie", "X-Parse-REST-API-Key", "Referer"] {
      #expect(received[2].values(name).isEmpty)
    }
    #expect(received[2].values("Accept") == ["text/plain"])
  }

  @Test("Twenty redirects are followed, and the next one is an error", arguments: [20, 21])
  func limit(count: Int) async throws {
    let requests = Locked(0)
    let server = try LoopbackServer { connection in
      while connection.readRequest() != nil {
        let number = requests.withLock { requests in
          requests += 1
          return requests
        }
        if number <= count {
          connection.respond("302 Found", ["Location: /\(number)"])
        } else {
          connection.respond()
        }
      }
    }
    defer { server.stop() }
    let transport = CurlTransport()
    defer { transport.shutdown() }
    let delegate = RecordingDelegate()
    _ = transport.start(try HTTPRequest(url: server.url), delegate: delegate)
    #expect(code(try await delegate.end()) == (count == 20 ? "success" : "too-many-redirects"))
    #expect(requests.withLock { $0 } == 21)
  }

  @Test("Redirects are delivered as responses if following is off")
  func notFollowed() async throws {
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      connection.respond("302 Found", ["Location: /x"], body: Array("moved".utf8))
    }
    defer { server.stop() }
    let transport = CurlTransport()
    defer { transport.shutdown() }
    var request = try HTTPRequest(url: server.url)
    request.transfer.followsRedirects = false
    let delegate = RecordingDelegate()
    _ = transport.start(request, delegate: delegate)
    #expect(code(try await delegate.end()) == "success")
    #expect(delegate.record.heads.map(\.status) == [302])
    #expect(delegate.record.body == Array("moved".utf8))
  }

  @Test(
    "An address that a redirect leads to and is not reached is an error that says why",
    arguments: [
      (
        "http://LOCALHOST:1/x?key=hidden",
        "the server at 'localhost:1' does not accept connections"
      ),
      (
        "http://no-such-host.invalid/",
        "the name of the server at 'no-such-host.invalid:80' could not be resolved"
      ),
      (
        "http://user:hidden@localhost:1/",
        "it redirects to an address with a user name in it, and such addresses are not followed"
      ),
      (
        "ftp://host/x",
        "it redirects to an address with the protocol 'ftp', which is not followed"
      ),
      (
        "http://m\u{FC}ller/",
        "the response is broken: it redirects to an invalid address: 'm\u{FC}ller' is not a host "
          + "(names outside ASCII need their xn-- form)"
      ),
    ])
  func unreached(location: String, message: String) async throws {
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      connection.respond("302 Found", ["Location: \(location)"])
    }
    defer { server.stop() }
    let transport = CurlTransport()
    defer { transport.shutdown() }
    var request = try HTTPRequest(url: server.url)
    request.isOfEndpoint = true
    let delegate = RecordingDelegate()
    _ = transport.start(request, delegate: delegate)
    let error = await #expect(throws: NetworkError.self) { try await delegate.end().get() }
    #expect(error?.message == message)
    #expect(error?.topic != "service-unreachable")
  }

  @Test(
    "Bytes of a location that are no text are encoded one by one, text by its characters",
    arguments: [
      ([0x2F, 0xE9, 0x3F, 0xFC], "/%E9?%FC"), ([0x2F, 0xC3, 0xA9], "/%C3%A9"),
    ] as [([UInt8], String)])
  func bytes(location: [UInt8], target: String) async throws {
    let targets = Locked<[String]>([])
    let server = try LoopbackServer { connection in
      while let request = connection.readRequest() {
        targets.withLock { $0.append(request.target) }
        if request.target == "/" {
          connection.send(
            Array("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: ".utf8) + location
              + Array("\r\n\r\n".utf8))
        } else {
          connection.respond()
        }
      }
    }
    defer { server.stop() }
    let transport = CurlTransport()
    defer { transport.shutdown() }
    let delegate = RecordingDelegate()
    _ = transport.start(try HTTPRequest(url: server.url), delegate: delegate)
    #expect(code(try await delegate.end()) == "success")
    #expect(targets.withLock { $0 } == ["/", target])
  }

  @Test("An endless body of a redirect does not delay it")
  func endlessBody() async throws {
    let server = try LoopbackServer { connection in
      guard let request = connection.readRequest() else { return }
      if request.target == "/" {
        connection.send("HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n")
        while connection.send([UInt8](repeating: 65, count: 10_000)) {}
      } else {
        connection.respond()
      }
    }
    defer { server.stop() }
    let transport = CurlTransport()
    defer { transport.shutdown() }
    let delegate = RecordingDelegate()
    _ = transport.start(try HTTPRequest(url: server.url), delegate: delegate)
    #expect(code(try await delegate.end()) == "success")
  }
}
