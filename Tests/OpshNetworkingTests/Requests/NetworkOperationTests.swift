import OpshCompression
import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

@testable import OpshNetworking

@Suite("NetworkOperation", .timeLimit(.minutes(15)))
struct NetworkOperationTests {
  /// Runs the given actions for requests in order; the last one is repeated.
  private func server(
    _ actions: [@Sendable (RawConnection) -> Void]
  ) throws -> (server: LoopbackServer, requests: Locked<[ReceivedRequest]>) {
    let requests = Locked<[ReceivedRequest]>([])
    let server = try LoopbackServer { connection in
      while let request = connection.readRequest() {
        let index = requests.withLock { requests in
          requests.append(request)
          return requests.count - 1
        }
        actions[min(index, actions.count - 1)](connection)
      }
    }
    return (server, requests)
  }

  @Test("A successful operation passes every state and reports the response")
  func lifecycle() async throws {
    let (server, requests) = try server([{ $0.respond(body: Array("hello".utf8)) }])
    defer { server.stop() }
    let workplace = Workplace()
    let operation = try await workplace.get(server.url + "/a?key=SECRET")
    #expect(outcomeCode(operation) == "succeeded")
    #expect(
      workplace.transitions(of: operation) == [
        "created→pending", "pending→ready", "ready→executing", "executing→finished",
      ])
    #expect(operation.kind == "get")
    #expect(try operation.result?.get().body == Array("hello".utf8))
    #expect(operation.statusCode == 200 && operation.bytesReceived == 5)
    #expect(operation.progress == 1)
    #expect(operation.timings != nil && operation.bytesPerSecond ?? 0 > 0)
    #expect(operation.requestURL == server.url + "/a?key=***")
    let reason = try #require(workplace.entries(of: operation).last?.reason)
    #expect(reason.hasPrefix("status 200, 5 B, "))
    let received = try #require(requests.withLock { $0.first })
    #expect(received.values("Accept-Encoding") == ["gzip, deflate"])
    #expect(received.values("User-Agent") == ["opsh"])
    #expect(!workplace.entries(of: operation).contains { $0.reason.contains("SECRET") })
  }

  @Test("Progress handlers are called for received bytes and can be removed separately")
  func receiveHandlers() async throws {
    let goOn = DispatchSemaphore(value: 0)
    let server = try LoopbackServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na")
      _ = goOn.wait(timeout: .now() + 60)
      connection.send("b")
    }
    defer { server.stop() }
    let workplace = Workplace()
    let operation = HTTPOperation(
      engine: workplace.engine, request: try HTTPRequest(url: server.url),
      transport: workplace.transport)
    let calls = Locked((first: 0, second: 0))
    let hasCome = Promise<Bool>()
    let first = operation.addReceiveHandler {
      calls.withLock { $0.first += 1 }
      hasCome.fulfil(true)
    }
    let second = operation.addReceiveHandler { calls.withLock { $0.second += 1 } }
    try workplace.queue.addOperation(operation)
    _ = try await hasCome.value()
    operation.removeReceiveHandler(first)
    goOn.signal()
    _ = try await operation.value
    operation.removeReceiveHandler(second)
    #expect(calls.withLock { $0.first } == 1)
    #expect(calls.withLock { $0.second } == 2)
  }

  @Test("A range is requested without compression, unless the request says otherwise")
  func range() async throws {
    let (server, requests) = try server([{ $0.respond() }, { $0.respond() }])
    defer { server.stop() }
    var options = RequestOptions()
    options.headers = try HTTPHeaders([("range", "bytes=0-9")])
    _ = try await Workplace().get(server.url, options: options)
    options.headers = try HTTPHeaders([("Range", "bytes=0-9"), ("Accept-Encoding", "br")])
    _ = try await Workplace().get(server.url, options: options)
    #expect(
      requests.withLock { $0.map { $0.values("Accept-Encoding") } } == [["identity"], ["br"]])
  }

  @Test("Options override properties of the request")
  func options() async throws {
    let (server, requests) = try server([{ $0.respond() }])
    defer { server.stop() }
    var options = RequestOptions()
    options.userAgent = "test/1"
    options.headers = try HTTPHeaders([("A", "1"), ("a", "2"), ("Accept-Encoding", "identity")])
    let operation = try await Workplace().get(server.url, method: "DELETE", options: options)
    #expect(outcomeCode(operation) == "succeeded")
    let received = try #require(requests.withLock { $0.first })
    #expect(received.method == "DELETE")
    #expect(received.values("User-Agent") == ["test/1"])
    #expect(received.values("A") == ["1", "2"])
    #expect(received.values("Accept-Encoding") == ["identity"])
    options.userAgent = "bad\r\nX: y"
    let refused = try await Workplace().get(server.url, options: options)
    #expect(outcomeCode(refused) == "bad-request")
  }

  /// A transport that records requests and rejects them.
  private struct NotingTransport: Transport, TransportTask {
    let transfers = Locked<[TransferOptions]>([])

    func start(_ request: HTTPRequest, delegate: any TransportDelegate) -> any TransportTask {
      transfers.withLock { $0.append(request.transfer) }
      delegate.didComplete(.failure(.connectionRefused(.init(at: "a.example:80"))))
      return self
    }

    func cancel() {}
  }

  @Test("The time limit of the options overrides the default; a lower one of the request is kept")
  func limits() async throws {
    let (workplace, transport) = (Workplace(), NotingTransport())
    for (own, given) in [(nil, 400_000_000), (nil, 1000), (500, 1000), (500, 100)] {
      var request = try HTTPRequest(url: "http://a/")
      if let own { request.transfer.maximumBodySize = own }
      var options = RequestOptions()
      options.transfer.maximumBodySize = given
      let operation = HTTPOperation(
        engine: workplace.engine, request: request, transport: transport, options: options)
      try workplace.queue.addOperation(operation)
      try await workplace.finish(operation)
    }
    #expect(
      transport.transfers.withLock { $0.map(\.maximumBodySize) } == [400_000_000, 1000, 500, 100])
  }

  @Test("Time limits and certificates of a request count before those of its operation")
  func ownOptions() throws {
    var (own, given) = (TransferOptions(), TransferOptions())
    #expect(given.merged(with: own) == given)
    given.connectTimeout = .seconds(5)
    given.idleTimeout = .seconds(6)
    given.tls.trustedCertificatesFile = "given.pem"
    given.tls.clientCertificateFile = "client.pem"
    given.tls.clientKeyFile = "client.key"
    #expect(given.merged(with: own) == given)
    own.idleTimeout = nil
    own.tls.clientCertificateFile = "own.pem"
    own.tls.verifiesServer = false
    var merged = given.merged(with: own)
    #expect(merged.connectTimeout == .seconds(5) && merged.idleTimeout == nil)
    #expect(merged.tls.trustedCertificatesFile == "given.pem" && !merged.tls.verifiesServer)
    // The key belongs to the certificate.
    #expect(merged.tls.clientCertificateFile == "own.pem" && merged.tls.clientKeyFile == nil)
    own.connectTimeout = .seconds(40)
    merged = given.merged(with: own)
    #expect(merged.connectTimeout == .seconds(40))
  }

  @Test("A request of an operation keeps its own time limits and certificates")
  func sentOptions() async throws {
    let (workplace, transport) = (Workplace(), NotingTransport())
    var request = try HTTPRequest(url: "http://a/")
    request.transfer.tls.trustedCertificatesFile = "own.pem"
    request.transfer.idleTimeout = .seconds(90)
    let operation = HTTPOperation(
      engine: workplace.engine, request: request, transport: transport, options: RequestOptions())
    let command = operation.curlCommand().shellText { $0 }
    #expect(command.contains("--cacert own.pem") && command.contains("--speed-time 90"))
    try workplace.queue.addOperation(operation)
    try await workplace.finish(operation)
    let sent = try #require(transport.transfers.withLock { $0.first })
    #expect(sent.tls == request.transfer.tls && sent.idleTimeout == .seconds(90))
  }

  /// Delivers the beginning of a body, and more of it during cancellation.
  private final class SlowlyCancelledTransport: Transport, TransportTask {
    private let delegate = Locked<(any TransportDelegate)?>(nil)
    let disposition = Locked<TransferDisposition?>(nil)

    func start(_ request: HTTPRequest, delegate: any TransportDelegate) -> any TransportTask {
      self.delegate.withLock { $0 = delegate }
      _ = delegate.didReceive(
        head: HTTPResponseHead(status: 200, headers: HTTPHeaders(), url: request.url))
      _ = delegate.didReceive(chunk: Array("begin".utf8))
      return self
    }

    func cancel() {
      guard let delegate = delegate.withLock({ $0.take() }) else { return }
      let said = delegate.didReceive(chunk: Array("ning".utf8))
      disposition.withLock { $0 = said }
      delegate.didComplete(.success(TransferSummary(bytesReceived: 9, wasStopped: true)))
      // Long enough for other threads to run first, as on a busy machine.
      Thread.sleep(forTimeInterval: 0.1)
    }
  }

  @Test("A cancelled operation ends as cancelled, and a partial body is not its value")
  func partWhileCancelled() async throws {
    let (workplace, transport) = (Workplace(), SlowlyCancelledTransport())
    let operation = HTTPOperation(
      engine: workplace.engine, request: try HTTPRequest(url: "http://a/"), transport: transport)
    try workplace.queue.addOperation(operation)
    #expect(eventually { operation.bytesReceived == 5 })
    operation.cancel()
    try await workplace.finish(operation)
    #expect(transport.disposition.withLock { $0 } == .stop)
    #expect(outcomeCode(operation) == "cancelled")
  }

  /// Delivers a status and the beginning of a body, and then fails.
  private struct BreakingTransport: Transport, TransportTask {
    let status: Int
    let error: NetworkError

    func start(_ request: HTTPRequest, delegate: any TransportDelegate) -> any TransportTask {
      _ = delegate.didReceive(
        head: HTTPResponseHead(status: status, headers: HTTPHeaders(), url: request.url))
      _ = delegate.didReceive(chunk: Array("because".utf8))
      delegate.didComplete(.failure(error))
      return self
    }

    func cancel() {}
  }

  private static let late = RequestTimeout(.total, limit: .seconds(1))

  @Test(
    "The status of an error response takes precedence over an error of its body",
    arguments: [
      (500, .timedOut(late), "invalid-status-code(500)"),
      (404, .tls(.expired), "invalid-status-code(404)"),
      (503, .connectionLost, "invalid-status-code(503)"), (500, .cancelled, "cancelled"),
      (200, .timedOut(late), "timed-out"),
    ] as [(Int, NetworkError, String)])
  func brokenRefusal(status: Int, error: NetworkError, code: String) async throws {
    let workplace = Workplace()
    let operation = HTTPOperation(
      engine: workplace.engine, request: try HTTPRequest(url: "http://a/"),
      transport: BreakingTransport(status: status, error: error))
    try workplace.queue.addOperation(operation)
    try await workplace.finish(operation)
    #expect(outcomeCode(operation) == code)
    guard code.hasPrefix("invalid") else { return }
    #expect(operation.refusal?.body == Array("because".utf8))
    #expect(operation.refusal?.isTruncated == true && operation.statusCode == status)
  }

  struct BodyCase: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var encoding: String
    var body: [UInt8]
    var expected: String
  }

  static let plain = Array("hello, hello, hello".utf8)
  static let bodies: [BodyCase] = {
    guard let packed = try? Gzip.compress(plain),
      let bomb = try? Gzip.compress(
        [UInt8](repeating: 0, count: 2_000_000))
    else { return [] }
    var broken = packed
    broken[14] ^= 0xFF
    return [
      BodyCase(testDescription: "whole", encoding: "gzip", body: packed, expected: "succeeded"),
      BodyCase(
        testDescription: "other name", encoding: "X-GZIP", body: packed, expected: "succeeded"),
      BodyCase(
        testDescription: "deflate", encoding: "deflate", body: packed, expected: "succeeded"),
      BodyCase(
        testDescription: "cut", encoding: "gzip", body: packed.dropLast(9), expected: "bad-response"
      ),
      BodyCase(testDescription: "broken", encoding: "gzip", body: broken, expected: "bad-response"),
      BodyCase(
        testDescription: "junk", encoding: "gzip", body: packed + [0], expected: "bad-response"),
      BodyCase(testDescription: "plain", encoding: "gzip", body: plain, expected: "bad-response"),
      BodyCase(testDescription: "unknown", encoding: "br", body: plain, expected: "bad-response"),
      BodyCase(
        testDescription: "identity", encoding: "identity", body: plain, expected: "succeeded"),
      BodyCase(testDescription: "bomb", encoding: "gzip", body: bomb, expected: "too-large"),
    ]
  }()

  @Test("The content encoding is decoded, and invalid encodings are errors", arguments: bodies)
  func encodings(testCase: BodyCase) async throws {
    let (server, _) = try server([
      { $0.respond(headers: testCase.encoding, body: testCase.body) }
    ])
    defer { server.stop() }
    var options = RequestOptions()
    options.transfer.maximumBodySize = 1_000_000
    let operation = try await Workplace().get(server.url, options: options)
    #expect(outcomeCode(operation) == testCase.expected)
    if testCase.expected == "succeeded" {
      #expect(try operation.result?.get().body == Self.plain)
      #expect(operation.bytesReceived == testCase.body.count)
    }
  }

  @Test("An encoding that is not known is named, whether it was asked for or not")
  func unknownEncodings() async throws {
    for (encoding, isAsked) in [("br", true), ("br", false), ("gzip, gzip", false)] {
      let (server, _) = try server([{ $0.respond(headers: encoding, body: Self.plain) }])
      defer { server.stop() }
      var options = RequestOptions()
      if isAsked { options.headers = try HTTPHeaders([("Accept-Encoding", encoding)]) }
      let operation = try await Workplace().get(server.url, options: options)
      let failure = try #require(operation.outcome?.failure)
      #expect(failure.code == "bad-response" && failure.topic == "unknown-encoding")
      #expect(
        failure.message
          == "the body has the encoding '\(encoding)', which can't be decoded: "
          + "only gzip or deflate alone can")
    }
  }

  @Test("The response to a HEAD request with a content encoding is complete without a body")
  func head() async throws {
    let (server, _) = try server([
      { $0.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 99\r\n\r\n") }
    ])
    defer { server.stop() }
    let operation = try await Workplace().get(server.url, method: "HEAD")
    #expect(outcomeCode(operation) == "succeeded")
    #expect(operation.kind == "head")
  }

  @Test("Compression is told by the first two bytes, in whatever pieces they come")
  func inferredCompression() throws {
    let hello = Array("hello".utf8)
    for (body, expected) in [
      (try Gzip.compress(hello), hello), (hello, hello), ([0x1F], [0x1F]), ([], []),
    ] {
      for size in [1, 2, 100] {
        let decoder = BodyDecoder(headers: HTTPHeaders(), infersCompression: true, limit: 1_000)
        var decoded: [UInt8] = []
        let keep: ([UInt8]) -> Bool = { piece in
          decoded += piece
          return true
        }
        for start in stride(from: 0, to: body.count, by: size) {
          try decoder.decode(Array(body[start..<min(start + size, body.count)]), deliver: keep)
        }
        try decoder.finish(deliver: keep)
        #expect(decoded == expected, "\(body) in pieces of \(size)")
      }
    }
  }

  @Test("The limit of a body applies to what comes, and not to a length without a body")
  func limitOfBody() async throws {
    let head: @Sendable (RawConnection) -> Void = {
      $0.send("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n")
    }
    let (server, _) = try server([
      head, { $0.respond(body: [UInt8](repeating: 1, count: 1_000)) }, head,
    ])
    defer { server.stop() }
    var options = RequestOptions()
    options.transfer.maximumBodySize = 1_000
    for (method, code) in [("HEAD", "succeeded"), ("GET", "succeeded"), ("GET", "too-large")] {
      let operation = try await Workplace().get(server.url, method: method, options: options)
      #expect(outcomeCode(operation) == code, "\(method)")
    }
  }

  @Test("The agent of the request itself is the only one that is sent")
  func ownAgent() async throws {
    let (server, requests) = try server([{ $0.respond() }])
    defer { server.stop() }
    let workplace = Workplace()
    var request = try HTTPRequest(url: server.url)
    try request.headers.append("user-agent", "own/1")
    let operation = HTTPOperation(
      engine: workplace.engine, request: request, transport: workplace.transport)
    try workplace.queue.addOperation(operation)
    try await workplace.finish(operation)
    #expect(requests.withLock { $0.first }?.values("User-Agent") == ["own/1"])
  }

  @Test("A time limit of zero ends a request before it is sent", arguments: [true, false])
  func noTime(isIdle: Bool) async throws {
    let (server, requests) = try server([{ $0.respond() }])
    defer { server.stop() }
    var options = RequestOptions()
    if isIdle {
      options.transfer.idleTimeout = .zero
    } else {
      options.transfer.connectTimeout = .zero
    }
    let operation = try await Workplace().get(server.url, options: options)
    #expect(outcomeCode(operation) == "timed-out")
    #expect(requests.withLock { $0.isEmpty })
  }

  @Test("A transient failure is retried, and the retry is logged in the executing state")
  func retry() async throws {
    let (server, requests) = try server([
      { $0.respond("503 Unavailable") },
      { connection in
        // Within the body: if a connection closes before any byte, libcurl itself retries.
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nx")
        connection.close()
      },
      { $0.respond(body: [1]) },
    ])
    defer { server.stop() }
    let workplace = Workplace()
    var options = RequestOptions()
    options.retryPolicy = RetryPolicy(limit: 3, backoff: .milliseconds(1))
    let operation = try await workplace.get(server.url, options: options)
    #expect(outcomeCode(operation) == "succeeded")
    #expect(operation.attempts == 3)
    #expect(
      workplace.transitions(of: operation).suffix(6) == [
        "ready→executing", "executing→executing", "executing→executing", "executing→executing",
        "executing→executing", "executing→finished",
      ])
    let reasons = workplace.entries(of: operation).map(\.reason)
    #expect(reasons.contains { $0.hasPrefix("attempt 2 of 4 after invalid-status-code(503)") })
    #expect(reasons.contains { $0.hasPrefix("attempt 3 of 4 after connection-lost") })
    #expect(requests.withLock { $0.count } == 3)
  }

  @Test("Retry-After is honoured, also as a date; a time that is too long ends the retries")
  func retryAfter() async throws {
    let (server, _) = try server([
      { $0.respond("429 Slow", ["Retry-After: 1"]) }, { $0.respond(body: [1]) },
    ])
    defer { server.stop() }
    var options = RequestOptions()
    options.retryPolicy = RetryPolicy(limit: 1, backoff: .milliseconds(1))
    let started = ContinuousClock.now
    let operation = try await Workplace().get(server.url, options: options)
    #expect(outcomeCode(operation) == "succeeded")
    #expect(ContinuousClock.now - started >= .seconds(1))

    for value in ["3600", "99999999999999999999", "Fri, 01 Jan 2100 00:00:00 GMT"] {
      let (server, requests) = try self.server([{ $0.respond("503 No", ["Retry-After: \(value)"]) }]
      )
      defer { server.stop() }
      let operation = try await Workplace().get(server.url, options: options)
      #expect(outcomeCode(operation) == "invalid-status-code(503)")
      #expect(requests.withLock { $0.count } == 1)
    }
  }

  @Test("Requests with side effects and permanent failures are not retried")
  func noRetry() async throws {
    var options = RequestOptions()
    options.retryPolicy = RetryPolicy(limit: 3, backoff: .milliseconds(1))
    for (method, status) in [("POST", "503 No"), ("DELETE", "500 No"), ("GET", "404 No")] {
      let (server, requests) = try server([{ $0.respond(status) }])
      defer { server.stop() }
      let operation = try await Workplace().get(server.url, method: method, options: options)
      #expect(outcomeCode(operation) == "invalid-status-code(\(status.prefix(3)))")
      #expect(requests.withLock { $0.count } == 1)
      #expect(operation.attempts == 1)
    }
  }

  @Test("The time limit of an operation includes its backoff; the last error is reported")
  func deadline() async throws {
    let (server, requests) = try server([{ $0.respond("503 No") }])
    defer { server.stop() }
    var options = RequestOptions()
    options.retryPolicy = RetryPolicy(limit: 100, backoff: .seconds(30))
    options.timeout = .seconds(20)
    let operation = try await Workplace().get(server.url, options: options)
    #expect(outcomeCode(operation) == "invalid-status-code(503)")
    #expect(requests.withLock { $0.count } == 1)
  }

  @Test("Cancelling ends a transfer and a backoff immediately")
  func cancel() async throws {
    let (server, _) = try server([
      { connection in
        connection.send("HTTP/1.1 200 OK\r\n\r\nbegin")
        connection.stall()
      }
    ])
    defer { server.stop() }
    let (failing, requests) = try self.server([{ $0.respond("503 No") }])
    defer { failing.stop() }
    let workplace = Workplace()
    var options = RequestOptions()
    options.retryPolicy = RetryPolicy(limit: 3, backoff: .seconds(50))
    let stalled = HTTPOperation(
      engine: workplace.engine, request: try HTTPRequest(url: server.url),
      transport: workplace.transport)
    let pausing = HTTPOperation(
      engine: workplace.engine, request: try HTTPRequest(url: failing.url),
      transport: workplace.transport, options: options)
    for operation in [stalled, pausing] { try workplace.queue.addOperation(operation) }
    let limit = ContinuousClock.now + .seconds(20)
    while stalled.bytesReceived == 0 || pausing.attemptPause == nil, ContinuousClock.now < limit {
      await Task.yield()
    }
    #expect(stalled.state == .executing && pausing.state == .executing)
    for operation in [stalled, pausing] {
      operation.cancel()
      try await workplace.finish(operation)
      #expect(outcomeCode(operation) == "cancelled")
      #expect(operation.attemptPause == nil)
    }
    #expect(requests.withLock { $0.count } == 1)
  }

  @Test("Cancelling at any moment finishes every operation once")
  func cancelRaces() async throws {
    let (server, _) = try server([{ $0.respond(body: [UInt8](repeating: 65, count: 30_000)) }])
    defer { server.stop() }
    let workplace = Workplace(width: 16)
    let completions = Locked<[Int: Int]>([:])
    let request = try HTTPRequest(url: server.url)
    let operations = (0..<500).map { index in
      HTTPOperation(engine: workplace.engine, request: request, transport: workplace.transport) {
        _ in
        completions.withLock { $0[index, default: 0] += 1 }
      }
    }
    for operation in operations { try workplace.queue.addOperation(operation) }
    for operation in operations.shuffled() {
      DispatchQueue.global().asyncAfter(deadline: .now() + .random(in: 0...0.05)) {
        operation.cancel()
      }
    }
    for operation in operations { try await workplace.finish(operation) }
    let outcomes = Set(operations.map(outcomeCode))
    #expect(outcomes.isSubset(of: ["succeeded", "cancelled"]))
    #expect(completions.withLock { $0.count } == 500)
    #expect(completions.withLock { $0.values.allSatisfy { $0 == 1 } })
  }
}

extension RawConnection {
  fileprivate func respond(headers encoding: String, body: [UInt8]) {
    respond("200 OK", ["Content-Encoding: \(encoding)"], body: body)
  }
}
