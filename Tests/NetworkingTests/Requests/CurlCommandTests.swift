import Foundation
import Locking
import Operations
import TestSupport
import Testing

@testable import Networking

@Suite("The curl command of a request", .timeLimit(.minutes(15)))
struct CurlCommandTests {
  static let curl = "/usr/bin/curl"

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var method = "GET"
    var body: [UInt8]?
    var headers: [(String, String)] = []
  }

  @Test(
    "It sends what the operation sends",
    arguments: [
      Case(testDescription: "GET"),
      Case(testDescription: "HEAD", method: "HEAD"),
      Case(testDescription: "DELETE", method: "DELETE"),
      Case(testDescription: "POST without a body", method: "POST"),
      Case(
        testDescription: "POST of JSON", method: "POST", body: Array("{\"it's\": \"a\\nb\"}".utf8),
        headers: [("Content-Type", "application/json")]),
      Case(testDescription: "PUT of text", method: "PUT", body: Array("@ä\n\t'\"$HOME".utf8)),
      Case(
        testDescription: "headers",
        headers: [
          ("X-One", "1"), ("X-Two", "a"), ("X-Two", "b c"), ("X-None", ""), ("User-Agent", "me"),
        ]),
      Case(testDescription: "a range", headers: [("Range", "bytes=0-9")]),
    ])
  func same(one: Case) async throws {
    let received = Locked<[ReceivedRequest]>([])
    let server = try LoopbackServer { connection in
      guard let request = connection.readRequest() else { return }
      received.withLock { $0.append(request) }
      connection.respond()
    }
    defer { server.stop() }
    let transport = CurlTransport()
    defer { transport.shutdown() }
    var request = try HTTPRequest(method: one.method, url: "\(server.url)/a?b=c%20d&e")
    request.body = one.body.map(RequestBody.bytes)
    request.headers = try HTTPHeaders(one.headers)
    let engine = OperationEngine()
    let operation = HTTPOperation(engine: engine, request: request, transport: transport)
    let queue = InspectableQueue(name: "q", engine: engine)
    try queue.addOperation(operation)
    _ = try await operation.value

    let words = operation.curlCommand().words.map(\.text)
    #expect(words.first == "curl")
    let outcome = try ChildProcess.run(
      Self.curl, arguments: ["--silent", "--show-error"] + words.dropFirst())
    #expect(outcome.status == 0, "\(outcome.errors)")
    let requests = received.withLock { $0 }
    try #require(requests.count == 2)
    let (own, other) = (requests[0], requests[1])
    #expect(own.line == other.line)
    #expect(own.body == other.body)
    #expect(Self.headers(own) == Self.headers(other))
  }

  /// The headers, but for the encodings that each client knows.
  private static func headers(_ request: ReceivedRequest) -> [String] {
    request.headers.map { ($0.name.lowercased(), $0.value) }
      .filter { $0.0 != "accept-encoding" }.map { "\($0.0): \($0.1)" }.sorted()
  }

  @Test("Secrets are masked, and a body that cannot be typed is read from a file")
  func masked() throws {
    var request = try HTTPRequest(method: "POST", url: "http://a.example/?key=abcdefgh")
    request.headers = try HTTPHeaders([("Authorization", "Bearer abcdefgh")])
    request.body = .bytes(Array("{\"password\":\"hunter22\"}".utf8))
    let transport = CurlTransport()
    defer { transport.shutdown() }
    func words() -> [String] {
      HTTPOperation(engine: OperationEngine(), request: request, transport: transport)
        .curlCommand().words.map(\.text)
    }
    let text = words().joined(separator: " ")
    #expect(!text.contains("abcdefgh") && !text.contains("hunter22"))
    for body in [[0xFF], Array(repeating: UInt8(ascii: "a"), count: 5_000), [27]] as [[UInt8]] {
      request.body = .bytes(body)
      #expect(words().contains("@body"))
    }
  }

  @Test("Time limits and certificates are options of curl")
  func options() throws {
    var options = RequestOptions()
    options.transfer.connectTimeout = .milliseconds(1_500)
    options.timeout = .seconds(3)
    options.transfer.followsRedirects = false
    options.transfer.tls.verifiesServer = false
    options.transfer.tls.clientCertificateFile = "cert.pem"
    let transport = CurlTransport()
    defer { transport.shutdown() }
    let operation = HTTPOperation(
      engine: OperationEngine(), request: try HTTPRequest(url: "https://a.example/"),
      transport: transport, options: options)
    #expect(
      operation.curlCommand().shellText { $0 }
        == "curl --user-agent opsh --compressed --connect-timeout 1.5 --max-time 3 "
        + "--speed-limit 1 --speed-time 60 --cert cert.pem --insecure https://a.example/")
    #expect(
      operation.curlCommand(environment: ["https_proxy": "http://u:p@proxy:3128"])
        .shellText { $0 }.hasSuffix("--insecure --proxy \"$https_proxy\" https://a.example/"))
  }

  @Test("A secret is read by the shell where the request has read it")
  func secrets() throws {
    let transport = CurlTransport()
    defer { transport.shutdown() }
    func text(_ authentication: HTTPAuthentication) throws -> String {
      var options = RequestOptions()
      options.transfer.authentication = authentication
      return HTTPOperation(
        engine: OperationEngine(), request: try HTTPRequest(url: "https://a.example/"),
        transport: transport, options: options
      ).curlCommand().shellText { "'\($0)'" }
    }
    #expect(
      try text(.init(.digest, user: "a\"$b", secret: "hidden", source: .environment("PW")))
        .contains("'--digest' '--user' \"a\\\"\\$b:$PW\""))
    #expect(
      try text(.init(.bearer, secret: "hidden", source: .file("/t o")))
        .contains("'--oauth2-bearer' \"$(cat '/t o')\""))
    let unknown = try text(.init(.basic, user: "ada", secret: "hidden"))
    #expect(unknown.contains("'--basic' '--user' 'ada:***'") && !unknown.contains("hidden"))
  }
}
