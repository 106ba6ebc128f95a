import Dispatch
import Foundation
import OpshLocking
import OpshNetworking
import OpshSupport
import TestSupport
import Testing

/// Deadlines, idle timeouts and cancellation.
@Suite("Transport time", .timeLimit(.minutes(15)))
struct TransportTimeTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// How many bytes of the body are sent.
    var received = 0
    var limit = Duration.milliseconds(50)
    var answer: @Sendable (RawConnection) -> Void
  }

  static let stalls: [Case] = [
    Case(testDescription: "before any byte") { $0.stall() },
    Case(testDescription: "inside the headers") { connection in
      connection.send("HTTP/1.1 200 OK\r\nA: ")
      connection.stall()
    },
    // The three bytes have to arrive within the limit.
    Case(testDescription: "inside the body", received: 3, limit: .seconds(5)) {
      connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhel")
      connection.stall()
    },
  ]

  @Test("A stalling server exceeds the deadline", arguments: stalls)
  func deadline(testCase: Case) async throws {
    try await expectTimeout(testCase, .total) { $0.timeout = testCase.limit }
  }

  @Test("A stalling server exceeds the idle timeout", arguments: stalls)
  func idle(testCase: Case) async throws {
    try await expectTimeout(testCase, .idle) { $0.transfer.idleTimeout = testCase.limit }
  }

  @Test("On a slow clock limits and timings are the clock's, also after the speed has changed")
  func slowClock() async throws {
    let server = try LoopbackServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.stall()
    }
    defer { server.stop() }
    let clock = PacedClock()
    let transport = CurlTransport(clock: clock)
    defer { transport.shutdown() }
    clock.setSpeed(0.2)
    var request = try HTTPRequest(url: server.url)
    request.transfer.idleTimeout = .milliseconds(40)
    for speed in [0.2, 0.001] {
      clock.setSpeed(speed)
      let delegate = RecordingDelegate()
      let started = ContinuousClock.now
      let paced = clock.now
      _ = transport.start(request, delegate: delegate)
      // At the last speed the limit would be 40 s.
      if speed < 0.1 { clock.setSpeed(1) }
      guard case .failure(.timedOut(let timeout)) = try await delegate.end() else {
        Issue.record("it did not time out")
        continue
      }
      #expect(timeout.phase == .idle)
      #expect(clock.now - paced >= .milliseconds(40))
      #expect(ContinuousClock.now - started >= .milliseconds(speed < 0.1 ? 40 : 200))
      let exchange = try #require(delegate.record.exchanges.last)
      #expect(exchange.timings.total <= clock.now - paced)
    }
  }

  private func expectTimeout(
    _ testCase: Case, _ phase: RequestTimeout.Phase, change: (inout HTTPRequest) -> Void
  ) async throws {
    let server = try LoopbackServer { connection in
      guard connection.readRequest() != nil else { return }
      testCase.answer(connection)
    }
    defer { server.stop() }
    let transport = CurlTransport()
    defer { transport.shutdown() }
    var request = try HTTPRequest(url: server.url)
    change(&request)
    let delegate = RecordingDelegate()
    let started = ContinuousClock.now
    _ = transport.start(request, delegate: delegate)
    let expected = RequestTimeout(
      phase, limit: testCase.limit, bytesReceived: testCase.received)
    guard case .failure(let error) = try await delegate.end() else {
      Issue.record("it did not time out")
      return
    }
    #expect(error == .timedOut(expected))
    #expect(ContinuousClock.now - started >= testCase.limit)
  }

  @Test(
    "A server that stops reading an upload exceeds the idle timeout, which says how much was sent")
  func stalledUpload() async throws {
    let server = try LoopbackServer { connection in
      connection.readSome()
      connection.wait(seconds: 20)
    }
    defer { server.stop() }
    let transport = CurlTransport()
    defer { transport.shutdown() }
    var request = try HTTPRequest(method: "POST", url: server.url)
    // More than the buffers of both ends hold.
    let size = 64 << 20
    request.body = .bytes([UInt8](repeating: 65, count: size))
    request.transfer.idleTimeout = .seconds(2)
    let delegate = RecordingDelegate()
    _ = transport.start(request, delegate: delegate)
    guard case .failure(.timedOut(let timeout)) = try await delegate.end() else {
      Issue.record("it did not time out")
      return
    }
    #expect(timeout.phase == .idle)
    let sent = try #require(timeout.bytesSent)
    #expect(sent.total == size)
    #expect(sent.bytes > 0 && sent.bytes < size)
  }

  @Test("A server that does not accept connections exceeds the connect timeout")
  func connecting() async throws {
    let listener = try FullListener()
    let transport = CurlTransport()
    defer { transport.shutdown() }
    var request = try HTTPRequest(url: "http://127.0.0.1:\(listener.port)/")
    request.transfer.connectTimeout = .milliseconds(150)
    let delegate = RecordingDelegate()
    let started = ContinuousClock.now
    _ = transport.start(request, delegate: delegate)
    guard case .failure(let error) = try await delegate.end() else {
      Issue.record("it did not time out")
      return
    }
    #expect(error == .timedOut(RequestTimeout(.connect, limit: .milliseconds(150))))
    #expect(ContinuousClock.now - started >= .milliseconds(150))
  }

  @Test("A slow server that keeps sending exceeds the deadline, not the idle timeout")
  func drip() async throws {
    let goOn = Locked(true)
    let server = try LoopbackServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\n\r\n")
      while goOn.withLock({ $0 }), connection.send("x") { Thread.sleep(forTimeInterval: 0.01) }
    }
    defer {
      goOn.withLock { $0 = false }
      server.stop()
    }
    let transport = CurlTransport()
    defer { transport.shutdown() }
    var request = try HTTPRequest(url: server.url)
    request.transfer.idleTimeout = .seconds(5)
    request.timeout = .seconds(6)
    let delegate = RecordingDelegate()
    let started = ContinuousClock.now
    _ = transport.start(request, delegate: delegate)
    #expect(code(try await delegate.end()) == "timed-out")
    #expect(ContinuousClock.now - started >= .seconds(6))
  }

  @Test("The idle timeout restarts when a pause ends, not when buffered data is delivered")
  func idleAfterPause() async throws {
    let (isPaused, isResumed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let server = try LoopbackServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na")
      _ = isPaused.wait(timeout: .now() + 60)
      // It is buffered until the pause ends.
      connection.send("b")
      _ = isResumed.wait(timeout: .now() + 60)
      Thread.sleep(forTimeInterval: 0.3)
      connection.send("c")
    }
    defer { server.stop() }
    let silent = try LoopbackServer { $0.stall() }
    defer { silent.stop() }
    let transport = CurlTransport()
    defer { transport.shutdown() }
    // The end of this request makes the loop check all idle timeouts, shortly after the pause.
    var other = try HTTPRequest(url: silent.url)
    other.transfer.idleTimeout = .milliseconds(5_700)
    _ = transport.start(other, delegate: RecordingDelegate())
    let delegate = RecordingDelegate(onChunk: { $0 == 1 ? .pause : .proceed })
    var request = try HTTPRequest(url: server.url)
    request.transfer.idleTimeout = .seconds(5)
    let task = transport.start(request, delegate: delegate)
    _ = try await delegate.firstChunk.value()
    isPaused.signal()
    // The pause has to be longer than the idle timeout.
    try await Task.sleep(for: .milliseconds(5_500))
    task.resume()
    isResumed.signal()
    #expect(code(try await delegate.end()) == "success")
    #expect(delegate.record.body == Array("abc".utf8))
  }

  @Test("The deadline includes the time that a request waits for a slot")
  func waiting() async throws {
    let server = try LoopbackServer { $0.stall() }
    defer { server.stop() }
    let transport = CurlTransport(configuration: .init(maximumConcurrentTransfers: 1))
    defer { transport.shutdown() }
    let first = RecordingDelegate()
    var endless = try HTTPRequest(url: server.url)
    endless.transfer.connectTimeout = nil
    endless.transfer.idleTimeout = nil
    let task = transport.start(endless, delegate: first)
    var request = try HTTPRequest(url: server.url)
    request.timeout = .milliseconds(50)
    let second = RecordingDelegate()
    _ = transport.start(request, delegate: second)
    #expect(code(try await second.end()) == "timed-out")
    #expect(first.record.completions == 0)
    task.cancel()
    #expect(code(try await first.end()) == "cancelled")
  }

  @Test("The time of waiting for another transfer is in front of the phases of the exchange")
  func waitedTime() async throws {
    let isReleased = DispatchSemaphore(value: 0)
    let server = try LoopbackServer { connection in
      while let request = connection.readRequest() {
        if request.target == "/slow" { _ = isReleased.wait(timeout: .now() + 20) }
        connection.respond(body: [65])
      }
    }
    defer { server.stop() }
    let transport = CurlTransport(configuration: .init(maximumConcurrentTransfers: 1))
    defer { transport.shutdown() }
    let slow = RecordingDelegate()
    let first = transport.start(try HTTPRequest(url: server.url + "/slow"), delegate: slow)
    let quick = RecordingDelegate()
    let second = transport.start(try HTTPRequest(url: server.url + "/quick"), delegate: quick)
    for _ in 0..<10_000 where !second.isWaiting { try await Task.sleep(for: .milliseconds(1)) }
    #expect(second.isWaiting && !first.isWaiting)
    isReleased.signal()
    #expect(code(try await slow.end()) == "success")
    let summary = try await quick.end().get()
    #expect(!first.isWaiting && !second.isWaiting)
    #expect(slow.record.exchanges.map(\.timings.waited) == [.zero])
    let waited = try #require(quick.record.exchanges.first).timings.waited
    #expect(waited > .zero && summary.timings.waited == waited)
    #expect(summary.timings.total >= waited)
  }

  @Test("Cancelling at any moment gives exactly one completion and nothing after it")
  func cancelRaces() async throws {
    let server = try LoopbackServer { connection in
      while connection.readRequest() != nil {
        connection.respond(body: [UInt8](repeating: 65, count: 40_000))
      }
    }
    defer { server.stop() }
    let transport = CurlTransport(configuration: .init(maximumConcurrentTransfers: 8))
    defer { transport.shutdown() }
    let request = try HTTPRequest(url: server.url)
    let delegates = (0..<500).map { _ in RecordingDelegate() }
    await withTaskGroup(of: Void.self) { group in
      for (index, delegate) in delegates.enumerated() {
        group.addTask {
          let task = transport.start(request, delegate: delegate)
          let delay = Double.random(in: 0...0.02)
          if index % 4 == 0 {
            task.cancel()
          } else {
            DispatchQueue.global().asyncAfter(deadline: .now() + delay) {
              task.cancel()
              task.cancel()
            }
          }
        }
      }
    }
    var codes: Set<String> = []
    for delegate in delegates { codes.insert(code(try await delegate.end())) }
    #expect(codes.isSubset(of: ["success", "cancelled"]))
    #expect(codes.contains("cancelled"))
    // One more request in order: when it ends, all earlier events have been delivered.
    let last = RecordingDelegate()
    _ = transport.start(request, delegate: last)
    #expect(code(try await last.end()) == "success")
    for delegate in delegates {
      #expect(delegate.record.completions == 1)
      #expect(!delegate.record.isLate)
    }
  }

  @Test("A delegate may cancel from inside its callbacks")
  func cancelInside() async throws {
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\n\r\n")
      while connection.send([UInt8](repeating: 65, count: 10_000)) {}
    }
    defer { server.stop() }
    let transport = CurlTransport()
    defer { transport.shutdown() }
    let task = Locked<(any TransportTask)?>(nil)
    let delegate = RecordingDelegate(onChunk: { _ in
      task.withLock { $0 }?.cancel()
      return .proceed
    })
    let started = transport.start(try HTTPRequest(url: server.url), delegate: delegate)
    task.withLock { $0 = started }
    #expect(code(try await delegate.end()) == "cancelled")
  }
}
