import Foundation
import OpshLocking
import Operations
import OpshSupport
import TestSupport
import Testing

@testable import OpshNetworking

@Suite("Coalescing of equal requests", .timeLimit(.minutes(15)))
struct RequestCoalescerTests {
  /// A queue whose requests share transfers, and a transport that the test plays.
  private struct Place {
    let engine = OperationEngine()
    let queue: InspectableQueue
    let transport = ManualTransport()
    let coalescer = RequestCoalescer()

    init(coalesces: Bool = true) {
      queue = InspectableQueue(name: "network", maxConcurrentOperationCount: 8, engine: engine)
      queue.coalescesRequests = coalesces
    }

    /// Starts a request, and returns when it executes and has been sent or has joined.
    func start<Operation: ObservableOperation>(
      _ make: (HTTPRequest, RequestOptions) -> Operation, method: String = "GET",
      headers: [(String, String)] = [], options change: (inout RequestOptions) -> Void = { _ in }
    ) throws -> Operation {
      var request = try HTTPRequest(method: method, url: "http://a.example/x")
      request.headers = try HTTPHeaders(headers)
      var options = RequestOptions()
      options.coalescer = coalescer
      change(&options)
      let operation = make(request, options)
      let sent = transport.running.count
      try queue.addOperation(operation)
      #expect(
        eventually {
          transport.running.count > sent || operation.networkMetrics?.joinedOperation != nil
        })
      return operation
    }

    func get(
      _ name: String, method: String = "GET", headers: [(String, String)] = [],
      options: (inout RequestOptions) -> Void = { _ in }
    ) throws -> HTTPOperation {
      try start(
        { request, options in
          HTTPOperation(
            name: name, engine: engine, request: request, transport: transport, options: options,
            pacing: RequestPacing(pacer: RequestPacer(), request: request))
        }, method: method, headers: headers, options: options)
    }

    func reasons(of operation: ObservableOperation) -> [String] {
      engine.log.entries(from: 0, limit: 10_000).entries
        .filter { $0.operation.id == operation.id && $0.from == $0.to }.map(\.reason)
    }

    func body(of operation: HTTPOperation) throws -> String {
      #expect(eventually { operation.isFinished })
      return String(decoding: try #require(operation.result).get().body, as: UTF8.self)
    }
  }

  @Test("An equal request joins the one in flight, and its bytes count once")
  func joins() throws {
    let place = Place()
    let (first, second) = (try place.get("a"), try place.get("b"))
    #expect(place.transport.running.count == 1)
    #expect(place.reasons(of: second) == ["joins a: the same request is under way"])
    #expect(second.joinedOperation?.id == first.id && first.joinedOperation == nil)
    #expect(second.requestPhase == .joined(first.identity))
    let sent = place.transport.running[0]
    sent.sendHead()
    sent.send("hello ")
    // A late one gets what has come before.
    let third = try place.get("c")
    sent.send("world")
    sent.end(bytes: 11)
    for operation in [first, second, third] {
      #expect(try place.body(of: operation) == "hello world")
    }
    #expect([first, second, third].map(\.bytesReceived) == [11, 0, 0])
    #expect(second.outcomeSummary?.hasPrefix("status 200, joined a, ") == true)
    // After the end each is sent again.
    let next = try place.get("d")
    #expect(place.transport.running.count == 2 && next.joinedOperation == nil)
    place.transport.running[1].fail(.connectionLost)
    #expect(place.coalescer.repetition == nil)
  }

  @Test("Requests that differ in anything that is sent, or are not to be coalesced, are sent")
  func different() throws {
    let place = Place()
    _ = try place.get("a")
    _ = try place.get("header", headers: [("X-A", "1")])
    _ = try place.get("head", method: "HEAD")
    _ = try place.get("post", method: "POST")
    _ = try place.get("post2", method: "POST")
    _ = try place.get("agent") { $0.userAgent = "other" }
    _ = try place.get("trust") { $0.transfer.tls.verifiesServer = false }
    #expect(place.transport.running.count == 7)
    // Time limits are each operation's own.
    _ = try place.get("limit") { $0.timeout = .seconds(60) }
    #expect(place.transport.running.count == 7)
    place.queue.cancelAllOperations()
    place.transport.running.forEach { $0.cancel() }

    let apart = Place(coalesces: false)
    let first = try apart.get("a")
    let second = try apart.get("b")
    #expect(apart.transport.running.count == 2)
    #expect(apart.coalescer.repetition?.first == first.identity)
    #expect(apart.coalescer.repetition?.second == second.identity)
    // The option of one request is enough, until the response begins.
    let third = try apart.get("c") { $0.isCoalesced = true }
    #expect(third.joinedOperation?.name == "a")
    let late = Place(coalesces: false)
    _ = try late.get("a")
    late.transport.running[0].sendHead()
    _ = try late.get("b") { $0.isCoalesced = true }
    #expect(late.transport.running.count == 2)
    late.queue.cancelAllOperations()
    late.transport.running.forEach { $0.cancel() }
    apart.queue.cancelAllOperations()
    apart.transport.running.forEach { $0.cancel() }
  }

  @Test("A request of a group joins by the queue of the group")
  func groups() throws {
    let place = Place()
    _ = try place.get("a")
    let group = GroupOperation(name: "g", engine: place.engine)
    var options = RequestOptions()
    options.coalescer = place.coalescer
    let member = HTTPOperation(
      name: "m", engine: place.engine, request: try HTTPRequest(url: "http://a.example/x"),
      transport: place.transport, options: options)
    try group.addOperation(member)
    try place.queue.addOperation(group)
    #expect(eventually { member.joinedOperation?.name == "a" })
    place.transport.running[0].sendHead()
    place.transport.running[0].end(bytes: 0)
    #expect(eventually { group.isFinished })
  }

  @Test("A follower takes over the request of a cancelled leader, and all together cut it")
  func takesOver() throws {
    let place = Place()
    let (first, second, third) = (try place.get("a"), try place.get("b"), try place.get("c"))
    let sent = place.transport.running[0]
    sent.sendHead()
    sent.send("12345")
    #expect(eventually { first.bytesReceived == 5 })
    first.cancel()
    #expect(eventually { place.reasons(of: second).contains("takes over the request of a") })
    #expect(!sent.isCancelled && first.isFinished)
    sent.send("678")
    third.cancel()
    sent.end(bytes: 8)
    #expect(try place.body(of: second) == "12345678")
    #expect([first, second, third].map(\.bytesReceived) == [5, 3, 0])
    #expect(place.transport.running.count == 1 && third.isCancelled && third.isFinished)

    let others = [try place.get("d"), try place.get("e")]
    let cut = place.transport.running[1]
    others[0].cancel()
    #expect(eventually { others[0].isFinished })
    #expect(!cut.isCancelled)
    others[1].cancel()
    #expect(eventually { cut.isCancelled && !others[1].isTransferring })
    // What was cut is not joined.
    _ = try place.get("f")
    #expect(place.transport.running.count == 3)
    place.transport.running[2].fail(.connectionLost)
  }

  @Test("A failure is that of all, and each is retried by its own policy and may join again")
  func failures() throws {
    let place = Place()
    let none = try place.get("a")
    let retried = try (1...2).map { number in
      try place.get("b\(number)") {
        $0.retryPolicy = RetryPolicy(limit: 1, backoff: .milliseconds(1))
      }
    }
    place.transport.running[0].fail(.connectionLost)
    #expect(eventually { place.transport.running.count == 2 && none.isFinished })
    #expect(outcomeCode(none) == "connection-lost" && none.attempts == 1)
    // One of them sends it again, and the other joins that one.
    #expect(
      eventually {
        Set(retried.compactMap { $0.joinedOperation?.name }).contains { $0.hasPrefix("b") }
      })
    let again = place.transport.running[1]
    again.sendHead()
    again.send("x")
    again.end(bytes: 1)
    for operation in retried { #expect(try place.body(of: operation) == "x") }
    #expect(retried.map(\.attempts) == [2, 2] && place.transport.running.count == 2)
    #expect(retried.map(\.bytesReceived).reduce(0, +) == 1)
  }

  @Test("A time limit ends the operation that has it, and no other")
  func timeLimits() throws {
    let place = Place()
    // All have joined before the first limit is over, also on a busy machine.
    let first = try place.get("a") { $0.timeout = .seconds(2) }
    let third = try place.get("c")
    let second = try place.get("b") { $0.timeout = .milliseconds(500) }
    #expect(eventually { first.isFinished && second.isFinished })
    #expect(outcomeCode(first) == "timed-out" && outcomeCode(second) == "timed-out")
    let sent = place.transport.running[0]
    #expect(eventually { place.reasons(of: third).contains("takes over the request of a") })
    sent.sendHead()
    sent.send("y")
    sent.end(bytes: 1)
    #expect(try place.body(of: third) == "y" && !sent.isCancelled)
  }

  @Test("A member that pauses or stops holds up no other; alone it pauses the transfer")
  func pauses() throws {
    let place = Place()
    let picky: PickyOperation = try place.start({ request, options in
      PickyOperation(
        name: "p", kind: "picky", engine: place.engine, request: request,
        transport: place.transport, options: options)
    })
    let sent = place.transport.running[0]
    sent.sendHead()
    #expect(sent.send("a") == .pause)
    let other = try place.get("b")
    #expect(eventually { sent.resumed == 1 }, "resumed for the one that joined")
    #expect(sent.send("b") == .proceed)
    #expect(eventually { other.progress == nil } && picky.pieces == ["a"])
    picky.resumeReceiving()
    #expect(eventually { picky.pieces == ["a", "b"] })
    picky.resumeReceiving()
    // The third piece is one too many for it.
    #expect(sent.send("c") == .proceed)
    #expect(eventually { picky.isFinished })
    sent.send("d")
    sent.end(bytes: 4)
    #expect(try place.body(of: other) == "abcd")
    #expect(picky.pieces == ["a", "b", "c"])
  }

  @Test("Members that are cancelled at random end once, and the others have the whole response")
  func races() throws {
    let body = [UInt8](repeating: 0x61, count: 60_000)
    let requests = Locked(0)
    let server = try LoopbackServer { connection in
      while connection.readRequest() != nil {
        requests.withLock { $0 += 1 }
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
        for start in stride(from: 0, to: body.count, by: 20_000) {
          connection.send(Array(body[start..<start + 20_000]))
        }
      }
    }
    defer { server.stop() }
    let transport = CurlTransport()
    var random = RandomSource(seed: 45, stream: 2)
    for round in 0..<TestScale.count(150) {
      let engine = OperationEngine()
      let queue = InspectableQueue(name: "q", maxConcurrentOperationCount: 8, engine: engine)
      queue.coalescesRequests = true
      let coalescer = RequestCoalescer()
      requests.withLock { $0 = 0 }
      var options = RequestOptions()
      options.coalescer = coalescer
      let request = try HTTPRequest(url: server.url)
      let ends = Locked<[Int: Int]>([:])
      let operations = (0..<6).map { number in
        HTTPOperation(
          engine: engine, request: request, transport: transport, options: options,
          completionHandler: { _ in ends.withLock { $0[number, default: 0] += 1 } })
      }
      try queue.addOperations(operations, waitUntilFinished: false)
      let victims = operations.filter { _ in random.below(3) == 0 }
      let pauses = victims.map { _ in UInt32(random.below(2_500)) }
      DispatchQueue.concurrentPerform(iterations: victims.count) { index in
        usleep(pauses[index])
        victims[index].cancel()
      }
      #expect(eventually { operations.allSatisfy(\.isFinished) }, "round \(round)")
      for operation in operations where operation.outcome == .succeeded {
        #expect(try operation.result?.get().body == body, "round \(round)")
      }
      let failed = operations.filter { ![.succeeded, .cancelled].contains($0.outcome) }
      #expect(failed.isEmpty, "round \(round)")
      #expect(ends.withLock { $0.values.allSatisfy { $0 == 1 } })
      let sent = requests.withLock { $0 }
      #expect(operations.map(\.bytesReceived).reduce(0, +) <= sent * body.count)
      #expect(eventually { !operations.contains { $0.isTransferring } })
    }
  }
}

/// Takes two pieces, pausing after each, and stops at the third.
private final class PickyOperation: NetworkOperation<Int>, @unchecked Sendable {
  // @unchecked because what it adds is behind a lock.
  private let received = Locked<[String]>([])

  var pieces: [String] { received.withLock { $0 } }

  override func receive(_ piece: [UInt8]) -> TransferDisposition {
    let count = received.withLock { received in
      received.append(String(decoding: piece, as: UTF8.self))
      return received.count
    }
    return count < 3 ? .pause : .stop
  }

  override func decode(_ response: HTTPResponse) -> Int { response.body.count }
}
