import Foundation
import OpshLocking
import OpshNetworking
import TestSupport
import Testing

/// The transport with servers that work correctly.
@Suite("Transport", .timeLimit(.minutes(15)))
struct TransportTests {
  /// A server that answers every request on a connection with the request's method, target and
  /// body.
  private func echoServer() throws -> LoopbackServer {
    try LoopbackServer { connection in
      while let request = connection.readRequest() {
        let text = "\(request.method) \(request.target) "
        connection.respond(body: request.method == "HEAD" ? [] : Array(text.utf8) + request.body)
      }
    }
  }

  private func run(
    _ request: HTTPRequest, _ transport: CurlTransport = CurlTransport(),
    _ delegate: RecordingDelegate = RecordingDelegate()
  ) async throws -> (
    result: Result<TransferSummary, NetworkError>, record: RecordingDelegate.Record
  ) {
    _ = transport.start(request, delegate: delegate)
    let result = try await delegate.end()
    withExtendedLifetime(transport) {}
    return (result, delegate.record)
  }

  @Test("A response delivers its head, body and timings")
  func simple() async throws {
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      connection.respond("201 Created", ["X-One: 1", "x-one:  2 "], body: Array("hello".utf8))
    }
    defer { server.stop() }
    let (result, record) = try await run(HTTPRequest(url: server.url + "/a?b=c#d"))
    let summary = try result.get()
    let head = try #require(record.heads.first)
    #expect(head.status == 201)
    #expect(head.headers.values(of: "X-ONE") == ["1", "2"])
    #expect(head.contentLength == 5)
    #expect(head.url == server.url + "/a?b=c")
    #expect(String(decoding: record.body, as: UTF8.self) == "hello")
    #expect(summary.bytesReceived == 5)
    let firstByte = try #require(summary.timings.firstByte)
    #expect(firstByte > .zero && summary.timings.total >= firstByte)
    #expect(summary.timings.tls == nil)
  }

  @Test(
    "A request of every method sends its body",
    arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "REPORT"],
    [nil, "", "text \u{0} 日本"])
  func methods(method: String, body: String?) async throws {
    guard method != "HEAD" || body == nil else { return }
    let requests = Locked<[ReceivedRequest]>([])
    let server = try LoopbackServer { connection in
      guard let request = connection.readRequest() else { return }
      requests.withLock { $0.append(request) }
      connection.respond(body: method == "HEAD" ? [] : Array("ok".utf8))
    }
    defer { server.stop() }
    var request = try HTTPRequest(method: method, url: server.url + "/x")
    request.body = body.map { .bytes(Array($0.utf8)) }
    let (result, _) = try await run(request)
    #expect(code(result) == "success")
    let received = try #require(requests.withLock { $0.first })
    #expect(received.line == "\(method) /x HTTP/1.1")
    #expect(received.body == Array((body ?? "").utf8))
    #expect(received.values("Content-Type").isEmpty)
    #expect(received.values("Expect").isEmpty)
    let hasLength = body != nil || ["POST", "PUT", "PATCH"].contains(method)
    #expect(received.values("Content-Length").isEmpty == !hasLength)
  }

  @Test("Headers are sent unchanged, including empty ones")
  func headers() async throws {
    let requests = Locked<[ReceivedRequest]>([])
    let server = try LoopbackServer { connection in
      guard let request = connection.readRequest() else { return }
      requests.withLock { $0.append(request) }
      connection.respond()
    }
    defer { server.stop() }
    var request = try HTTPRequest(url: server.url)
    try request.headers.append("X-A", "1")
    try request.headers.append("X-Empty", "")
    try request.headers.append("x-a", "2: 3; ä")
    _ = try await run(request)
    let received = try #require(requests.withLock { $0.first })
    #expect(received.values("X-A") == ["1", "2: 3; ä"])
    #expect(received.values("X-Empty") == [""])
  }

  @Test("Connections are reused, except for requests with side effects")
  func reuse() async throws {
    let server = try echoServer()
    defer { server.stop() }
    let transport = CurlTransport()
    defer { transport.shutdown() }
    for _ in 0..<5 { _ = try await run(HTTPRequest(url: server.url), transport) }
    #expect(server.accepted == 1)
    _ = try await run(HTTPRequest(method: "POST", url: server.url), transport)
    #expect(server.accepted == 2)
  }

  @Test("A POST on a connection that the server just closes is sent once")
  func sentOnce() async throws {
    let posts = Locked(0)
    let server = try LoopbackServer { connection in
      // Answers the first request of a connection and closes on the second.
      guard let first = connection.readRequest() else { return }
      if first.method == "POST" { posts.withLock { $0 += 1 } }
      connection.respond()
      guard let second = connection.readRequest() else { return }
      if second.method == "POST" { posts.withLock { $0 += 1 } }
    }
    defer { server.stop() }
    let transport = CurlTransport()
    defer { transport.shutdown() }
    _ = try await run(HTTPRequest(url: server.url), transport)
    let (result, _) = try await run(HTTPRequest(method: "POST", url: server.url), transport)
    #expect(code(result) == "success")
    #expect(posts.withLock { $0 } == 1)
  }

  @Test("The number of concurrent transfers reaches the limit and never exceeds it")
  func width() async throws {
    let gate = Gate(size: 3)
    let server = try LoopbackServer { connection in
      while connection.readRequest() != nil {
        gate.pass()
        connection.respond()
      }
    }
    defer { server.stop() }
    let transport = CurlTransport(configuration: .init(maximumConcurrentTransfers: 3))
    defer { transport.shutdown() }
    let delegates = (0..<30).map { _ in RecordingDelegate() }
    for delegate in delegates {
      _ = transport.start(try HTTPRequest(url: server.url), delegate: delegate)
    }
    for delegate in delegates { #expect(code(try await delegate.end()) == "success") }
    #expect(gate.most == 3)
    #expect(gate.timeouts == 0)
    #expect(server.accepted == 3)
  }

  @Test("Waiting requests are sent in the order of their start")
  func order() async throws {
    let targets = Locked<[String]>([])
    let server = try LoopbackServer { connection in
      while let request = connection.readRequest() {
        targets.withLock { $0.append(request.target) }
        connection.respond()
      }
    }
    defer { server.stop() }
    let transport = CurlTransport(configuration: .init(maximumConcurrentTransfers: 1))
    defer { transport.shutdown() }
    let delegates = (0..<50).map { _ in RecordingDelegate() }
    for (index, delegate) in delegates.enumerated() {
      _ = transport.start(try HTTPRequest(url: server.url + "/\(index)"), delegate: delegate)
    }
    for delegate in delegates { #expect(code(try await delegate.end()) == "success") }
    #expect(targets.withLock { $0 } == (0..<50).map { "/\($0)" })
  }

  @Test("A delegate can end the transfer at the head")
  func stopAtHead() async throws {
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 404 Not Found\r\nContent-Length: 100\r\n\r\n")
      connection.stall()
    }
    defer { server.stop() }
    let delegate = RecordingDelegate(onHead: { _ in .stop })
    let (result, record) = try await run(HTTPRequest(url: server.url), CurlTransport(), delegate)
    #expect(try result.get().wasStopped)
    #expect(record.heads.first?.status == 404)
    #expect(record.body.isEmpty)
  }

  @Test("A delegate can end the transfer at a chunk")
  func stopAtChunk() async throws {
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\n\r\n")
      while connection.send([UInt8](repeating: 65, count: 10_000)) {}
    }
    defer { server.stop() }
    let delegate = RecordingDelegate(onChunk: { $0 < 3 ? .proceed : .stop })
    let (result, record) = try await run(HTTPRequest(url: server.url), CurlTransport(), delegate)
    #expect(try result.get().wasStopped)
    #expect(record.chunks == 3)
  }

  @Test("A pause stops the sender, and no data is lost on resume")
  func backPressure() async throws {
    let total = 20_000_000
    let sent = Locked(0)
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
      let part = [UInt8](repeating: 65, count: 100_000)
      for _ in 0..<(total / part.count) {
        guard connection.send(part) else { return }
        sent.withLock { $0 += part.count }
      }
    }
    defer { server.stop() }
    let transport = CurlTransport()
    defer { transport.shutdown() }
    let delegate = RecordingDelegate(onChunk: { $0 == 1 ? .pause : .proceed })
    var request = try HTTPRequest(url: server.url)
    // A pause does not count as idle time. The sender's thread may also be delayed.
    request.transfer.idleTimeout = .seconds(5)
    let task = transport.start(request, delegate: delegate)
    _ = try await delegate.firstChunk.value()
    let paused = ContinuousClock.now
    // Other requests show that the transport's thread continues, and give the sender time.
    let other = try echoServer()
    defer { other.stop() }
    repeat {
      _ = try await run(HTTPRequest(url: other.url), transport)
    } while .now - paused < .milliseconds(5_500)
    #expect(delegate.record.chunks == 1)
    #expect(sent.withLock { $0 } < total)
    task.resume()
    #expect(code(try await delegate.end()) == "success")
    #expect(delegate.record.body.count == total)
  }

  @Test("After a shutdown running and new requests complete as cancelled")
  func shutdown() async throws {
    let server = try LoopbackServer { $0.stall() }
    defer { server.stop() }
    let transport = CurlTransport()
    let delegates = (0..<20).map { _ in RecordingDelegate() }
    for delegate in delegates {
      _ = transport.start(try HTTPRequest(url: server.url), delegate: delegate)
    }
    transport.shutdown()
    for delegate in delegates { #expect(code(try await delegate.end()) == "cancelled") }
    let (result, _) = try await run(HTTPRequest(url: server.url), transport)
    #expect(code(result) == "cancelled")
    transport.prepare()
    transport.shutdown()
  }

  @Test(
    "A shutdown with a limit returns after all delegates have been called and the thread has ended")
  func joined() throws {
    let server = try LoopbackServer { $0.stall() }
    defer { server.stop() }
    for _ in 0..<20 {
      let transport = CurlTransport()
      let delegates = (0..<20).map { _ in RecordingDelegate() }
      for delegate in delegates {
        _ = transport.start(try HTTPRequest(url: server.url), delegate: delegate)
      }
      #expect(transport.shutdown(within: .seconds(20)))
      for delegate in delegates { #expect(delegate.record.completions == 1) }
      #expect(transport.shutdown(within: .zero), "Nothing is left to wait for")
    }
    #expect(CurlTransport().shutdown(within: .zero), "The transport was never used")
  }

  @Test("A blocking delegate delays a shutdown only up to its limit")
  func joinedInTime() throws {
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
    }
    defer { server.stop() }
    let transport = CurlTransport()
    let (isInside, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let fromInside = Locked<Bool?>(nil)
    let delegate = RecordingDelegate(onHead: { _ in
      fromInside.withLock { $0 = transport.shutdown(within: .seconds(20)) }
      isInside.signal()
      _ = mayLeave.wait(timeout: .now() + 20)
      return .proceed
    })
    _ = transport.start(try HTTPRequest(url: server.url), delegate: delegate)
    #expect(isInside.wait(timeout: .now() + 20) == .success)
    #expect(fromInside.withLock { $0 } == false, "The thread does not wait for itself")
    #expect(!transport.shutdown(within: .milliseconds(20)))
    #expect(delegate.record.completions == 0)
    mayLeave.signal()
    #expect(transport.shutdown(within: .seconds(20)))
    #expect(delegate.record.completions == 1)
  }

  @Test("A released transport cancels its transfers")
  func dropped() async throws {
    let server = try LoopbackServer { $0.stall() }
    defer { server.stop() }
    let delegate = RecordingDelegate()
    do {
      let transport = CurlTransport()
      _ = transport.start(try HTTPRequest(url: server.url), delegate: delegate)
    }
    #expect(code(try await delegate.end()) == "cancelled")
  }

  @Test("Invalid requests and headers are rejected before anything is sent")
  func validation() async throws {
    var request = try HTTPRequest(method: "HEAD", url: "http://127.0.0.1:1/")
    request.body = [1]
    let (result, _) = try await run(request)
    #expect(code(result) == "bad-request")
  }
}

/// Releases server threads in groups of a fixed size, and counts the concurrent ones.
private final class Gate: Sendable {
  private struct State {
    var arrived = 0
    var left = 0
    var most = 0
    var timeouts = 0
  }

  private let size: Int
  private let state = Locked(State())
  private let semaphore = DispatchSemaphore(value: 0)

  init(size: Int) { self.size = size }

  var most: Int { state.withLock { $0.most } }
  var timeouts: Int { state.withLock { $0.timeouts } }

  /// Waits for the others of the group; the last one releases all.
  func pass() {
    let isLast = state.withLock { state in
      state.arrived += 1
      state.most = max(state.most, state.arrived - state.left)
      return state.arrived.isMultiple(of: size)
    }
    if isLast { for _ in 0..<size { semaphore.signal() } }
    let result = semaphore.wait(timeout: .now() + 60)
    state.withLock { state in
      state.left += 1
      if result == .timedOut { state.timeouts += 1 }
    }
  }
}
