import Foundation
import OpshLocking
import Operations
import OpshSupport
import TestSupport
import Testing

@testable import OpshNetworking

@Suite("Credentials", .timeLimit(.minutes(15)))
struct AuthenticationTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var path: String
    var scheme: HTTPAuthentication.Scheme
    var method = "GET"
    var isRight = true
    /// The statuses of all exchanges.
    var statuses: [Int]
    var testDescription: String { "\(method) \(path) \(scheme) \(isRight)" }
  }

  @Test(
    "The practice server accepts right credentials, and a challenge is answered once",
    arguments: [
      Case(path: "/auth/basic", scheme: .basic, statuses: [200]),
      Case(path: "/auth/basic", scheme: .basic, isRight: false, statuses: [401]),
      Case(path: "/auth/bearer", scheme: .bearer, statuses: [200]),
      Case(path: "/auth/bearer", scheme: .bearer, isRight: false, statuses: [401]),
      Case(path: "/auth/digest", scheme: .digest, statuses: [401, 200]),
      Case(path: "/auth/digest", scheme: .digest, method: "POST", statuses: [401, 200]),
      Case(path: "/auth/digest", scheme: .digest, isRight: false, statuses: [401, 401]),
      Case(path: "/auth/digest?algorithm=MD5", scheme: .digest, statuses: [401, 200]),
      Case(path: "/auth/digest?algorithm=MD5-sess", scheme: .digest, statuses: [401, 200]),
      Case(path: "/auth/digest?algorithm=SHA-256-sess", scheme: .digest, statuses: [401, 200]),
      // The server offers another scheme.
      Case(path: "/auth/basic", scheme: .digest, statuses: [401]),
      Case(path: "/auth/digest", scheme: .basic, statuses: [401]),
    ])
  func practice(one: Case) async throws {
    let client = try PracticeClient()
    defer { client.stop() }
    var options = RequestOptions()
    options.transfer.authentication = HTTPAuthentication(
      one.scheme, user: "opsh", secret: one.isRight ? "practice" : "wrong")
    let operation = try await client.place.get(
      client.url + one.path, method: one.method, options: options)
    let attempts = operation.requestAttempts
    #expect(attempts.count == 1)
    #expect(attempts.flatMap(\.exchanges).map(\.status) == one.statuses)
    #expect(operation.statusCode == one.statuses.last)
    let headers = attempts.flatMap(\.exchanges).flatMap(\.sentHeaders)
    #expect(headers.filter { $0.name == "Authorization" }.allSatisfy { $0.value == "***" })
  }

  @Test("The answer to a challenge is no redirect")
  func noRedirect() async throws {
    let client = try PracticeClient()
    defer { client.stop() }
    let transport = CurlTransport()
    defer { transport.shutdown() }
    var request = try HTTPRequest(url: client.url + "/auth/digest")
    request.transfer.authentication = HTTPAuthentication(
      .digest, user: "opsh", secret: "practice")
    let delegate = RecordingDelegate()
    _ = transport.start(request, delegate: delegate)
    #expect(try await delegate.end().get().redirectCount == 0)
    #expect(delegate.record.heads.map(\.status) == [200])
  }

  @Test("curl's own digest credentials are right for the practice server")
  func curl() throws {
    let client = try PracticeClient()
    defer { client.stop() }
    for query in ["", "?algorithm=MD5", "?algorithm=SHA-256"] {
      let outcome = try ChildProcess.run(
        CurlCommandTests.curl,
        arguments: [
          "--silent", "--fail", "--digest", "--user", "opsh:practice",
          client.url + "/auth/digest" + query,
        ])
      #expect(outcome.status == 0 && outcome.output.contains("\"authenticated\":true"), "\(query)")
    }
  }

  /// A server that refuses everything, and the requests it got.
  private static func refusing(
    _ challenges: [String]
  ) throws -> (LoopbackServer, Locked<[ReceivedRequest]>) {
    let received = Locked<[ReceivedRequest]>([])
    let server = try LoopbackServer { connection in
      while let request = connection.readRequest() {
        received.withLock { $0.append(request) }
        connection.respond(
          "401 Unauthorized", challenges.map { "WWW-Authenticate: " + $0 }, body: Array("no".utf8))
      }
    }
    return (server, received)
  }

  @Test(
    "Credentials that fit no challenge result in an error that lists the offers",
    arguments: [
      (HTTPAuthentication.Scheme.bearer, [#"Basic realm="r""#], "basic"),
      (.digest, [#"Basic realm="r", Bearer"#], "basic, bearer"),
      (
        .digest, [#"Digest realm="r", nonce="n", qop="token", algorithm=MD5"#],
        "digest algorithm MD5 qop token"
      ),
      (
        .digest, [#"Digest realm="r", nonce="n", algorithm=SHA-512-256"#, "Negotiate"],
        "digest algorithm SHA-512-256, negotiate"
      ),
      (.basic, [#"Digest realm="r", nonce="n""#, "Basic"], ""), (.bearer, ["Bearer"], ""),
      (.digest, [#"Digest realm="r", nonce="n", qop="auth""#], ""), (.basic, [], ""),
    ])
  func misfit(scheme: HTTPAuthentication.Scheme, challenges: [String], offered: String)
    async throws
  {
    let (server, _) = try Self.refusing(challenges)
    defer { server.stop() }
    var options = RequestOptions()
    options.transfer.authentication = HTTPAuthentication(scheme, user: "ada", secret: "wrong")
    options.retriedStatuses = [401]
    options.retryPolicy = RetryPolicy(limit: 1, backoff: .milliseconds(1))
    let operation = try await Workplace().get(server.url, options: options)
    #expect(operation.attempts == 2)
    let failure = try #require(operation.outcome?.failure)
    #expect(failure.code == "invalid-status-code(401)")
    #expect(failure.topic == (offered.isEmpty ? "unauthorized" : "unfit-credentials"))
    let reason = ": it offers \(offered), and \(scheme.rawValue) credentials do not fit"
    #expect(
      failure.message == "the server answered with status 401" + (offered.isEmpty ? "" : reason))
  }

  @Test("Of a challenge the words may be in capitals, and of several the first counts")
  func challenges() throws {
    let authentication = HTTPAuthentication(.digest, user: "ada", secret: "x")
    let request = try HTTPRequest(url: "http://a.example/")
    func answer(_ fields: String...) -> String? {
      let headers = HTTPHeaders(received: fields.map { ("WWW-Authenticate", $0) })
      let head = HTTPResponseHead(status: 401, headers: headers, url: request.url)
      var challenge = DigestChallenge(in: head, for: request)
      return challenge?.answer(as: authentication, for: request)
    }
    let loud = answer(#"DIGEST realm="r", nonce="n", qop="AUTH", userhash=TRUE"#) ?? ""
    #expect(loud.contains("qop=auth") && loud.contains("userhash=true"), "\(loud)")
    let quiet = answer(#"Digest realm="r", nonce="n", userhash=false"#) ?? "userhash"
    #expect(!quiet.contains("qop") && !quiet.contains("userhash"), "\(quiet)")
    let first = answer(
      #"Basic realm="r""#, #"Digest realm="r", nonce="1", algorithm=SHA-256"#,
      #"Digest realm="r", nonce="2""#)
    #expect(first?.contains(#"nonce="1""#) == true, "\(first ?? "")")
    #expect(answer(#"Digest nonce="n""#)?.contains(#"realm="""#) == true)
    // A quotation mark is one, also with an accent.
    let accented = answer("Digest nonce=\"n\", realm=\"\\\"\u{301}\"") ?? ""
    #expect(
      accented.unicodeScalars.map(\.value).contains(
        "realm=\"\\\"\u{301}\"".unicodeScalars.map(\.value)), "\(accented)")
  }

  @Test("A server that calls every answer stale gets one, for each attempt")
  func stale() async throws {
    let (server, received) = try Self.refusing([
      #"Digest realm="r", nonce="n", qop="auth-int,auth", opaque="o", userhash=true, stale=true"#
    ])
    defer { server.stop() }
    let place = Workplace()
    defer { place.transport.shutdown() }
    var options = RequestOptions()
    options.transfer.authentication = HTTPAuthentication(.digest, user: "zoe", secret: "secret")
    options.retryPolicy = RetryPolicy(limit: 2, backoff: .milliseconds(1))
    options.retriedStatuses = [401]
    let operation = try await place.get(server.url + "/a?b=c%20d", options: options)
    #expect(outcomeCode(operation) == "invalid-status-code(401)")
    let requests = received.withLock { $0 }
    // Three attempts, the first request of each without credentials.
    #expect(requests.count == 6)
    #expect(requests.map { $0.values("Authorization").count } == [0, 1, 0, 1, 0, 1])
    let answer = try #require(requests[1].values("Authorization").first)
    for part in [
      #"uri="/a?b=c%20d""#, #"opaque="o""#, "qop=auth,", "nc=00000001", "userhash=true",
    ] { #expect(answer.contains(part), "\(answer)") }
    #expect(!answer.contains("zoe"))
    #expect(operation.requestAttempts.map(\.exchanges.count) == [2, 2, 2])
  }

  @Test(
    "A challenge with auth-int alone is answered, and the answer covers the body",
    arguments: [
      ("GET", nil), ("POST", RequestBody.bytes(Array("a=1&b=é".utf8))),
      ("PUT", RequestBody([.bytes([0, 255]), .bytes([1])])), ("POST", nil),
    ] as [(String, RequestBody?)])
  func integrity(method: String, body: RequestBody?) async throws {
    let server = try Self.protected(#"Digest realm="r", nonce="n", qop="auth-int", opaque="o""#)
    defer { server.stop() }
    let operation = try await Self.send(method, body, to: server.url)
    #expect(operation.requestAttempts.flatMap(\.exchanges).map(\.status) == [401, 200])
  }

  @Test("A challenge with auth-int alone is not answered for a file that is read while it is sent")
  func integrityOfFile() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/body"
    #expect(FileManager.default.createFile(atPath: path, contents: Data("text".utf8)))
    let server = try Self.protected(#"Digest realm="r", nonce="n", qop="auth-int""#)
    defer { server.stop() }
    let operation = try await Self.send(
      "PUT", RequestBody([.file(try BodyFile(path: path))]), to: server.url)
    #expect(
      operation.outcome?.failure?.message.contains(
        "it offers digest qop auth-int, and digest credentials do not fit") == true)
  }

  /// A server that accepts only the right answer to a challenge, which covers the body.
  private static func protected(_ challenge: String) throws -> LoopbackServer {
    try LoopbackServer { connection in
      while let request = connection.readRequest() {
        let field = AuthenticationField.all(in: request.values("Authorization")).first
        let answer = field?.parameters ?? [:]
        let right = DigestAlgorithm.md5.response(
          user: "ada", password: "secret", realm: "r", request: (request.method, request.target),
          nonces: .init(nonce: "n", client: (answer["cnonce"] ?? "", answer["nc"] ?? "")),
          body: request.body)
        if answer["response"] == right, answer["qop"] == "auth-int" {
          connection.respond("200 OK", body: Array("yes".utf8))
        } else {
          connection.respond("401 Unauthorized", ["WWW-Authenticate: " + challenge])
        }
      }
    }
  }

  private static func send(
    _ method: String, _ body: RequestBody?, to url: String
  ) async throws -> HTTPOperation {
    let place = Workplace()
    defer { place.transport.shutdown() }
    var request = try HTTPRequest(method: method, url: url + "/a?b=c")
    request.body = body
    request.transfer.authentication = HTTPAuthentication(.digest, user: "ada", secret: "secret")
    let operation = HTTPOperation(
      engine: place.engine, request: request, transport: place.transport)
    try place.queue.addOperation(operation)
    try await place.finish(operation)
    return operation
  }

  @Test("Challenges that are not understood are not answered")
  func unknown() async throws {
    for challenge in [
      #"Digest realm="r", nonce="n", qop="token""#, #"Digest realm="r", qop="auth""#,
      #"Digest realm="r", nonce="n", algorithm=SHA-512-256"#, "Negotiate", "",
    ] {
      let (server, received) = try Self.refusing([challenge])
      defer { server.stop() }
      let place = Workplace()
      defer { place.transport.shutdown() }
      var options = RequestOptions()
      options.transfer.authentication = HTTPAuthentication(.digest, user: "ada", secret: "secret")
      _ = try await place.get(server.url, options: options)
      #expect(received.withLock { $0.count } == 1, "\(challenge)")
    }
  }

  @Test(
    "After a redirect only the same origin gets credentials and an answer",
    arguments: HTTPAuthentication.Scheme.allCases)
  func origins(scheme: HTTPAuthentication.Scheme) async throws {
    let challenge = #"Digest realm="r", nonce="n", qop="auth""#
    let (other, received) = try Self.refusing([challenge])
    defer { other.stop() }
    let own = Locked<[ReceivedRequest]>([])
    let server = try LoopbackServer { connection in
      while let request = connection.readRequest() {
        own.withLock { $0.append(request) }
        switch request.target {
        case "/1" where scheme == .digest && request.values("Authorization").isEmpty:
          connection.respond("401 Unauthorized", ["WWW-Authenticate: " + challenge])
        case "/1": connection.respond("302 Found", ["Location: /2"])
        default: connection.respond("302 Found", ["Location: \(other.url)/3"])
        }
      }
    }
    defer { server.stop() }
    let place = Workplace()
    defer { place.transport.shutdown() }
    var options = RequestOptions()
    options.transfer.authentication = HTTPAuthentication(scheme, user: "ada", secret: "secret")
    let operation = try await place.get(server.url + "/1", options: options)
    #expect(outcomeCode(operation) == "invalid-status-code(401)")
    let own2 = own.withLock { $0 }.filter { $0.target == "/2" }
    #expect(own2.map { $0.values("Authorization").count } == [1])
    if scheme == .digest {
      let field = try #require(own2.first?.values("Authorization").first)
      #expect(field.contains("nc=00000002") && field.contains(#"uri="/2""#))
    }
    let foreign = received.withLock { $0 }
    #expect(foreign.map(\.target) == ["/3"])
    #expect(foreign.allSatisfy { $0.values("Authorization").isEmpty })
  }

  @Test("A response to credentials is never kept in a cache")
  func identity() throws {
    var request = try HTTPRequest(url: "http://a.example/")
    #expect(!RequestSecrets(request).namesPerson)
    request.transfer.authentication = HTTPAuthentication(.digest, user: "ada", secret: "secret")
    #expect(RequestSecrets(request).namesPerson)
    // Masked, the addresses of two persons are the same.
    for target in ["a;token=x", ";key=x/b", "?next=/x?token=x", "?next=%2Fx%3Fkey%3Dx"] {
      #expect(RequestSecrets(try HTTPRequest(url: "http://a.example/" + target)).namesPerson)
    }
    for target in ["a;v=1", "?key=x", "?next=%2Fx%3Fpage%3D2"] {
      #expect(!RequestSecrets(try HTTPRequest(url: "http://a.example/" + target)).namesPerson)
    }
  }

  @Test("The secret is in no description")
  func descriptions() {
    let authentication = HTTPAuthentication(
      .basic, user: "ada", secret: "hidden", source: .environment("PW"))
    var dumped = ""
    dump(authentication, to: &dumped)
    for text in ["\(authentication)", String(reflecting: authentication), dumped] {
      #expect(!text.contains("hidden"))
    }
    #expect("\(authentication)" == "basic as 'ada', secret of env:PW")
    #expect(authentication.secrets.contains("hidden"))
    #expect(authentication.secrets.contains("YWRhOmhpZGRlbg=="))
  }
}
