import Foundation
import OpshLocking
import Operations
import PracticeServer
import TestSupport
import Testing

@testable import OpshNetworking

@Suite("Attempts", .timeLimit(.minutes(15)))
struct RequestAttemptTests {
  @Test(
    "What is shown as sent is what the server gets, header by header",
    arguments: ["GET", "HEAD", "DELETE", "POST", "PUT"])
  func sent(method: String) async throws {
    let received = Locked<[ReceivedRequest]>([])
    let server = try LoopbackServer { connection in
      while let request = connection.readRequest() {
        received.withLock { $0.append(request) }
        connection.respond("200 OK", ["X-One: 1", "X-Two: a b", "Set-Cookie: c=d"])
      }
    }
    defer { server.stop() }
    let place = Workplace()
    defer { place.transport.shutdown() }
    var request = try HTTPRequest(method: method, url: server.url + "/a/../b?key=abcdef&c=d%20e")
    request.headers = try HTTPHeaders([("X-Mine", "1"), ("X-None", "")])
    if method == "PUT" { request.body = .bytes(Array("text".utf8)) }
    let operation = HTTPOperation(
      engine: place.engine, request: request, transport: place.transport)
    try place.queue.addOperation(operation)
    try await place.finish(operation)
    let one = try #require(received.withLock { $0 }.first)
    let exchange = try #require(operation.requestAttempts.first?.exchanges.first)
    #expect(exchange.requestLine == one.line.replacing("abcdef", with: "***"))
    #expect(
      exchange.sentHeaders.map { "\($0.name): \($0.value)" }
        == one.headers.map { "\($0.name): \($0.value)" })
    #expect(exchange.statusLine == "HTTP/1.1 200 OK")
    #expect(
      exchange.receivedHeaders.map { "\($0.name): \($0.value)" }
        == ["Content-Length: 0", "X-One: 1", "X-Two: a b", "Set-Cookie: ***"])
    #expect(exchange.peer == "127.0.0.1:\(server.port)")
    #expect(exchange.tls == nil && exchange.wasSent)
    let firstByte = try #require(exchange.timings.firstByte)
    #expect(firstByte > .zero && exchange.timings.total >= firstByte)
  }

  @Test("Each attempt has its status, its fault and its times; the first and the latest are kept")
  func attempts() async throws {
    let number = Locked(0)
    let server = try LoopbackServer { connection in
      while connection.readRequest() != nil {
        let count = number.withLock { number in
          number += 1
          return number
        }
        connection.respond(count < 30 ? "503 No" : "200 OK", ["X-Count: \(count)"])
      }
    }
    defer { server.stop() }
    let place = Workplace()
    defer { place.transport.shutdown() }
    var options = RequestOptions()
    options.retryPolicy = RetryPolicy(limit: 40, backoff: .milliseconds(1), factor: 1, jitter: 0)
    let operation = try await place.get(server.url, options: options)
    let attempts = operation.requestAttempts
    #expect(operation.attempts == 30)
    #expect(attempts.map(\.number) == [1] + Array(12...30))
    #expect(attempts.first?.error?.code == "invalid-status-code(503)")
    #expect(attempts.last?.error == nil && attempts.last?.status == 200)
    for attempt in attempts {
      let exchange = try #require(attempt.exchanges.first)
      #expect(exchange.receivedHeaders.contains { $0 == ("X-Count", "\(attempt.number)") })
      #expect(try #require(attempt.duration) >= #require(exchange.timings.firstByte))
    }
    for (one, next) in zip(attempts, attempts.dropFirst()) {
      #expect(try #require(one.ended) <= next.started)
    }
  }

  @Test("An attempt that goes on with another transfer ends with that one")
  func anotherTransfer() {
    let start = ContinuousClock.now
    var attempts = RequestAttempts()
    attempts.begin(1, at: start)
    attempts.end(1, at: start + .seconds(1), nil)
    attempts.begin(1, at: start + .seconds(2))
    #expect(attempts.kept.map(\.ended) == [nil])
    attempts.end(1, at: start + .seconds(3), NetworkError.connectionLost)
    #expect(attempts.kept.map(\.duration) == [.seconds(3)])
    #expect(attempts.kept.map { $0.error?.code } == ["connection-lost"])
  }

  @Test("Of an upload, sending the body and waiting for the response are told apart")
  func upload() async throws {
    // Less than the server waits: the end of sending may be noticed late.
    let wait = Duration.milliseconds(300)
    let server = try LoopbackServer { connection in
      guard connection.readRequest() != nil else { return }
      Thread.sleep(forTimeInterval: 5)
      connection.respond("200 OK", [])
    }
    defer { server.stop() }
    let place = Workplace()
    defer { place.transport.shutdown() }
    var request = try HTTPRequest(method: "PUT", url: server.url)
    request.body = .bytes([UInt8](repeating: 65, count: 300_000))
    let operation = HTTPOperation(
      engine: place.engine, request: request, transport: place.transport)
    try place.queue.addOperation(operation)
    try await place.finish(operation)
    let timings = try #require(operation.requestAttempts.first?.exchanges.first?.timings)
    let (sent, firstByte) = try (#require(timings.sent), #require(timings.firstByte))
    #expect(timings.connect <= sent && sent + wait <= firstByte && firstByte <= timings.total)
    #expect(operation.timings?.firstByte == firstByte && operation.timings?.sent == sent)
  }

  @Test("A request that is under way, or that a time limit has just ended, has been sent")
  func underWay() async throws {
    let server = try LoopbackServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.stall()
    }
    defer { server.stop() }
    let place = Workplace()
    defer { place.transport.shutdown() }
    var options = RequestOptions()
    options.timeout = .seconds(6)
    let operation = HTTPOperation(
      engine: place.engine, request: try HTTPRequest(url: server.url + "/a"),
      transport: place.transport, options: options)
    try place.queue.addOperation(operation)
    #expect(eventually { server.accepted == 1 })
    let present = try #require(operation.requestAttempts.first?.exchanges.first)
    #expect(present.isUnderWay && present.requestLine == "GET /a HTTP/1.1")
    #expect(present.status == nil && present.timings.firstByte == nil)
    try await place.finish(operation)
    let last = try #require(operation.requestAttempts.first)
    #expect(last.error?.code == "timed-out" && last.exchanges.count == 1)
    #expect(eventually { operation.requestAttempts.first?.exchanges.first?.isUnderWay == false })
  }

  @Test(
    "A request that ends while all places of the transport are taken has waited, and was not sent",
    arguments: [true, false])
  func endsWaiting(byTimeLimit: Bool) async throws {
    let server = try LoopbackServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.stall()
    }
    defer { server.stop() }
    let place = Workplace()
    let transport = CurlTransport(configuration: .init(maximumConcurrentTransfers: 1))
    defer { transport.shutdown() }
    func start(_ options: RequestOptions = RequestOptions()) throws -> HTTPOperation {
      let operation = HTTPOperation(
        engine: place.engine, request: try HTTPRequest(url: server.url), transport: transport,
        options: options)
      try place.queue.addOperation(operation)
      return operation
    }
    let first = try start()
    #expect(eventually { server.accepted == 1 })
    var options = RequestOptions()
    // Longer than a busy machine takes to hand the request to the transport.
    if byTimeLimit { options.timeout = .seconds(5) }
    let second = try start(options)
    func expectWait(_ sourceLocation: SourceLocation = #_sourceLocation) throws -> HTTPExchange {
      let exchange = try #require(
        second.requestAttempts.first?.exchanges.first, sourceLocation: sourceLocation)
      #expect(
        !exchange.wasSent && exchange.timings.waited > .zero && exchange.timings.total == .zero,
        sourceLocation: sourceLocation)
      #expect(
        second.transfers.map { $0.timings.waited > .zero } == [true],
        sourceLocation: sourceLocation)
      return exchange
    }
    #expect(
      eventually {
        second.requestAttempts.first?.exchanges.first.map { $0.timings.waited > .zero } == true
      })
    _ = try expectWait()
    if !byTimeLimit { second.cancel() }
    try await place.finish(second)
    _ = try expectWait()
    #expect(eventually { second.requestAttempts.first?.exchanges.first?.isUnderWay == false })
    #expect(try !expectWait().isUnderWay)
    #expect(second.requestAttempts.first?.error?.code == (byTimeLimit ? "timed-out" : "cancelled"))
    first.cancel()
  }

  @Test("A connection that fails, a lost one and a cancelled request are attempts too")
  func failures() async throws {
    let server = try LoopbackServer { connection in
      guard connection.readRequest()?.target == "/stall" else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-One: 1\r\n\r\n")
      connection.stall()
    }
    defer { server.stop() }
    let place = Workplace()
    defer { place.transport.shutdown() }
    let refused = try await place.get("http://127.0.0.1:1/")
    #expect(refused.requestAttempts.map { $0.error?.code } == ["connection-refused"])
    #expect(refused.requestAttempts.first?.exchanges.map(\.wasSent) == [false])
    let lost = try await place.get(server.url + "/lost")
    #expect(lost.requestAttempts.map { $0.error?.code } == ["connection-lost"])
    #expect(lost.requestAttempts.first?.exchanges.map(\.wasSent) == [true])
    #expect(lost.requestAttempts.first?.status == nil)
    let timings = try #require(lost.requestAttempts.first?.exchanges.first?.timings)
    #expect(timings.firstByte == nil && timings.total > timings.connect)

    let stalled = HTTPOperation(
      engine: place.engine, request: try HTTPRequest(url: server.url + "/stall"),
      transport: place.transport)
    try place.queue.addOperation(stalled)
    #expect(eventually { stalled.statusCode == 200 })
    #expect(stalled.requestAttempts.map(\.ended) == [nil])
    stalled.cancel()
    try await place.finish(stalled)
    #expect(stalled.requestAttempts.map { $0.error?.code } == ["cancelled"])
    // The transfer ends after the operation.
    #expect(eventually { stalled.requestAttempts.first?.exchanges.map(\.status) == [200] })
  }

  @Test("A huge head is kept in part")
  func huge() async throws {
    let server = try LoopbackServer { connection in
      while connection.readRequest() != nil {
        let value = String(repeating: "x", count: 1_000)
        connection.respond("200 OK", (0..<100).map { "X-\($0): \(value)" })
      }
    }
    defer { server.stop() }
    let place = Workplace()
    defer { place.transport.shutdown() }
    let operation = try await place.get(server.url)
    let exchange = try #require(operation.requestAttempts.first?.exchanges.first)
    #expect(exchange.receivedHeaders.count == 17 && exchange.droppedHeaders == 84)
    #expect(operation.responseHead?.headers.fields.count == 101)
  }

  @Test("A TLS connection is described, a reused one as well")
  func tls() async throws {
    let folder = try TemporaryFolder()
    let issuer = folder.path + "/issuer.pem"
    try Data(TestCertificates.issuer.utf8).write(to: URL(fileURLWithPath: issuer))
    let server = TestCertificates.server(TestCertificates.valid)
    try server.start()
    defer { server.stop() }
    let place = Workplace(width: 1)
    defer { place.transport.shutdown() }
    var options = RequestOptions()
    options.transfer.tls.trustedCertificatesFile = issuer
    let url = "https://localhost:\(server.port ?? 0)/"
    for _ in 0..<2 {
      let operation = try await place.get(url, options: options)
      #expect(outcomeCode(operation) == "succeeded")
      let exchange = try #require(operation.requestAttempts.first?.exchanges.first)
      let tls = try #require(exchange.tls)
      #expect(tls.version.hasPrefix("TLSv1."))
      #expect(tls.cipher.contains("AES") || tls.cipher.contains("CHACHA"))
      let certificate = try #require(tls.certificate)
      #expect(certificate.subject == "opsh test" && certificate.issuer == "opsh test issuer")
      #expect(certificate.validFrom == Date(timeIntervalSince1970: 1_577_836_800))
      #expect(certificate.validUntil == Date(timeIntervalSince1970: 4_733_510_400))
      #expect(exchange.peer?.hasSuffix(":\(server.port ?? 0)") == true)
    }
    #expect(server.statistics.connections == 1)
  }
}
