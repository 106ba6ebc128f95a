import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

@testable import OpshNetworking

@Suite("The curl command of a request", .timeLimit(.minutes(15)))
struct CurlCommandTests {
  static let curl = "/usr/bin/curl"

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var method = "GET"
    var body: [UInt8]?
    var headers: [(String, String)] = []
    /// A path that begins with a status redirects.
    var target = "/a?b=c%20d&e"
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
      Case(testDescription: "encodings", headers: [("Accept-Encoding", "br")]),
      Case(testDescription: "a query with brackets", target: "/a?x[]=1&y[2-3]={4,5}"),
      Case(
        testDescription: "PUT of a large body", method: "PUT",
        body: Array(repeating: 0, count: 1_200_000)),
      Case(
        testDescription: "PUT that is redirected", method: "PUT", body: Array("text".utf8),
        target: "/302"),
      Case(
        testDescription: "PATCH that is redirected", method: "PATCH", body: Array("text".utf8),
        target: "/301"),
      Case(testDescription: "DELETE that is redirected", method: "DELETE", target: "/302"),
    ])
  func same(one: Case) async throws {
    let received = Locked<[ReceivedRequest]>([])
    let server = try LoopbackServer { connection in
      while let request = connection.readRequest() {
        received.withLock { $0.append(request) }
        if let status = Int(request.target.dropFirst()) {
          connection.respond("\(status) Moved", ["Location: /"])
        } else {
          connection.respond()
        }
      }
    }
    defer { server.stop() }
    let transport = CurlTransport()
    defer { transport.shutdown() }
    var request = try HTTPRequest(method: one.method, url: server.url + one.target)
    request.body = one.body.map(RequestBody.bytes)
    request.headers = try HTTPHeaders(one.headers)
    let engine = OperationEngine()
    let operation = HTTPOperation(engine: engine, request: request, transport: transport)
    let queue = InspectableQueue(name: "q", engine: engine)
    try queue.addOperation(operation)
    _ = try await operation.value

    let own = received.withLock { $0 }
    let words = operation.curlCommand().words.map(\.text)
    #expect(words.first == "curl")
    let folder = try TemporaryFolder()
    try Data(one.body ?? []).write(to: URL(fileURLWithPath: folder.path + "/body"))
    let outcome = try ChildProcess.run(
      Self.curl, arguments: ["--silent", "--show-error"] + words.dropFirst(),
      directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let others = received.withLock { Array($0.dropFirst(own.count)) }
    try #require(own.count == others.count && own.count == (one.target.count == 4 ? 2 : 1))
    for (own, other) in zip(own, others) {
      #expect(own.line == other.line)
      #expect(own.body == other.body)
      #expect(Self.headers(own) == Self.headers(other))
    }
  }

  private static func headers(_ request: ReceivedRequest) -> [String] {
    request.headers.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
  }

  @Test("A note says what curl does otherwise after a redirect with status 303")
  func note() throws {
    let transport = CurlTransport()
    defer { transport.shutdown() }
    func lines(_ method: String, follows: Bool = true) throws -> [Substring] {
      var options = RequestOptions()
      options.transfer.followsRedirects = follows
      return HTTPOperation(
        engine: OperationEngine(),
        request: try HTTPRequest(method: method, url: "https://a.example/"),
        transport: transport, options: options
      ).curlCommand().shellText { $0 }.split(separator: "\n")
    }
    #expect(
      try lines("DELETE").last
        == "# after a redirect with status 303 opsh sends GET, and curl DELETE without a body")
    for method in ["GET", "HEAD", "POST"] { #expect(try lines(method).count == 1) }
    #expect(try lines("DELETE", follows: false).count == 1)
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
        == "curl --user-agent opsh --header Accept-Encoding: gzip, deflate --compressed "
        + "--connect-timeout 1.5 --max-time 3 "
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
