import Foundation
import TestSupport
import Testing

@testable import PracticeServer

@Suite("Faults on demand", .timeLimit(.minutes(15)))
final class FaultTests {
  private static let target = "/2.3/questions?site=stackoverflow&pagesize=10"
  private let server = PracticeServer()

  init() throws {
    try server.start()
  }

  deinit {
    server.stop()
  }

  private func get() throws -> RawClient.Reply {
    try RawClient.Reply.get(Self.target, from: server.port)
  }

  @Test(
    "An injected failure returns its status and HTML",
    arguments: [503, 500, 429, 404, 204, 99, 700])
  func failing(status: Int) throws {
    server.update {
      $0.failPercent = 100
      $0.failStatus = status
      $0.retryAfter = 2
    }
    let reply = try get()
    #expect(reply.status == ((200...599).contains(status) ? status : 503))
    #expect(reply.headers["retry-after"] == "2")
    #expect(reply.headers["content-type"] == "text/html; charset=utf-8")
    #expect(server.statistics.failuresInjected == 1)
    #expect(server.statistics.faults == ["fail": 1])
    server.setFaults(Faults())
    #expect(try get().status == 200)
    #expect(server.faults.isClean)
  }

  @Test("A fault for the next requests of a route strikes those, and is then cleared")
  func next() throws {
    let fault = try Fault(
      "status-503", route: RoutePattern("/2.3/questions*"), next: 2)
    #expect(fault.description == "status-503 for the next 2 requests of /2.3/questions*")
    server.update { $0.set(fault) }
    #expect(try RawClient.Reply.get("/2.3/sites", from: server.port).status == 200)
    #expect(try get().status == 503)
    #expect(server.faults.named.first?.description.contains("the next request of") == true)
    #expect(try get().status == 503)
    #expect(server.faults.isClean)
    #expect(try get().status == 200)
    #expect(throws: PracticeServerError.self) { try Fault("stall", next: 0) }
  }

  @Test("Faults affect only the API")
  func onlyTheAPI() throws {
    server.update { $0.dropPercent = 100 }
    #expect(try RawClient.Reply.get("/", from: server.port).status == 200)
  }

  @Test("A dropped request never gets a complete response")
  func dropping() throws {
    server.update { $0.dropPercent = 100 }
    var lengths: Set<Int> = []
    for _ in 0..<40 {
      let client = try RawClient(port: server.port)
      client.sendRequest(Self.target)
      lengths.insert(try client.readToEnd().count)
      // Reading on after the end must fail: nothing whole has come.
      #expect(throws: RawClient.Failure.self) { try client.readReply() }
    }
    #expect(lengths.contains(0))
    #expect(lengths.count > 2)
    #expect(server.statistics.dropsInjected == 40)
  }

  @Test("A response takes at least the latency")
  func latency() throws {
    server.update {
      $0.latency = .milliseconds(120)
      $0.jitter = .milliseconds(20)
    }
    var reply: RawClient.Reply?
    let took = try ContinuousClock().measure { reply = try get() }
    #expect(reply?.status == 200)
    #expect(took >= .milliseconds(120))
  }

  @Test("A hundred delayed requests wait concurrently on one thread")
  func manyDelayed() throws {
    server.update { $0.latency = .milliseconds(400) }
    let clients = try (0..<100).map { _ in try RawClient(port: server.port) }
    for client in clients { client.sendRequest(Self.target) }
    for client in clients { #expect(try client.readReply().status == 200) }
    #expect(server.statistics.requests == 100)
    #expect(server.statistics.waiting == 0)
  }

  @Test("A delayed request does not hold up other requests")
  func overtaking() throws {
    server.update { $0.latency = .seconds(3_600) }
    let slow = try RawClient(port: server.port)
    slow.sendRequest(Self.target)
    #expect(eventually { server.statistics.waiting == 1 })
    server.setFaults(Faults())
    #expect(try get().status == 200)
  }

  @Test("A body with limited bandwidth takes the expected time and arrives complete")
  func bandwidth() throws {
    let whole = try get()
    server.reset()
    server.update { $0.bandwidth = whole.body.count * 5 }
    var slow: RawClient.Reply?
    let took = try ContinuousClock().measure { slow = try get() }
    #expect(slow?.body == whole.body)
    #expect(took >= .milliseconds(190))
    // The server counts what it has sent, and the client may be faster.
    #expect(eventually { server.statistics.bytesSent >= whole.body.count })
    #expect(server.statistics.bytesSent == whole.body.count)
  }

  @Test("The same seed makes the same fault decisions, over the network too")
  func sequence() throws {
    func statuses() throws -> [Int] { try (0..<40).map { _ in try get().status } }
    server.setSeed(5)
    server.update { $0.failPercent = 50 }
    let first = try statuses()
    server.setSeed(5)
    #expect(try statuses() == first)
    server.setSeed(6)
    #expect(try statuses() != first)
    #expect((8...32).contains(first.count { $0 == 503 }))
  }

  @Test("The same seed makes the same fault decisions in any order of requests")
  func order() throws {
    let targets = (1...20).map { "\(Self.target)&page=\($0)" }
    func statuses(_ targets: [String]) throws -> [String: Int] {
      var statuses: [String: Int] = [:]
      for target in targets {
        statuses[target] = try RawClient.Reply.get(target, from: server.port).status
      }
      return statuses
    }
    server.setSeed(5)
    server.update { $0.failPercent = 50 }
    let first = try statuses(targets)
    server.setSeed(5)
    #expect(try statuses(targets.reversed()) == first)
    #expect(Set(first.values) == [200, 503])
  }

  private let request = PracticeRequest(method: "GET", target: Array(FaultTests.target.utf8))

  @Test("Faults strike with their configured shares, independently of each other")
  func shares() throws {
    var faults = Faults()
    faults.failPercent = 20
    func failed(_ faults: Faults) -> [UInt64] {
      (0..<5_000 as Range<UInt64>).filter {
        FaultDecision(faults: faults, seed: 3, number: $0, request: request)
          .names.contains("fail")
      }
    }
    let alone = failed(faults)
    #expect((900...1_100).contains(alone.count))
    faults.set(try Fault("reset", percent: 50))
    #expect(failed(faults) == alone)
    faults.dropPercent = 10
    let withDrops = failed(faults)
    #expect(Set(withDrops).isSubset(of: alone))
    #expect((800...1_000).contains(withDrops.count))
  }

  @Test("Fault values out of range are clamped")
  func senseless() {
    var faults = Faults()
    faults.latency = .seconds(-5)
    faults.jitter = .seconds(Int64.max)
    faults.failPercent = .nan
    faults.dropPercent = -.infinity
    faults.bandwidth = -1
    let decision = FaultDecision(faults: faults, seed: 0, number: .max, request: request)
    #expect(decision.replacement == nil && decision.delivery == nil)
    #expect(decision.delay <= 86_400_000_000_000)
    #expect(decision.bandwidth == 1)
  }

  @Test("Short forms are listed as faults and do not change faults that were set by name")
  func shortForms() throws {
    var faults = Faults()
    faults.set(try Fault("latency", duration: .seconds(1)))
    faults.failStatus = 404
    faults.failPercent = 10
    faults.dropPercent = 3
    faults.bandwidth = 5
    faults.jitter = .milliseconds(100)
    faults.latency = .milliseconds(150)
    #expect(faults.named.map(\.description) == ["latency 1 s"])
    #expect(
      faults.rows.map(\.description) == [
        "latency 200 ms ± 50 ms", "bandwidth 5", "drop for 3%", "fail 404 for 10%", "latency 1 s",
      ])
    #expect(faults.latency == .milliseconds(150) && faults.jitter == .milliseconds(100))
    #expect(faults.failStatus == 404 && faults.failPercent == 10 && faults.retryAfter == nil)
    // The short form has the same name.
    #expect(faults.remove(named: "latency") == 2)
    #expect(faults.named.isEmpty && faults.latency == .zero && faults.jitter == .zero)
    (faults.failPercent, faults.failStatus, faults.dropPercent) = (0, 503, 0)
    faults.bandwidth = nil
    #expect(faults.isClean)
  }

  @Test("A request that the short form drops is not failed as well; one failed by name is")
  func dropAndFail() throws {
    let request = PracticeRequest(method: "GET", target: Array(Self.target.utf8))
    var faults = Faults()
    (faults.dropPercent, faults.failPercent) = (100, 100)
    let both = FaultDecision(faults: faults, seed: 1, number: 1, request: request)
    #expect(both.names == ["drop"])
    #expect(both.replacement == nil)
    faults.failPercent = 0
    faults.set(try Fault("fail", size: 404))
    let byName = FaultDecision(faults: faults, seed: 1, number: 1, request: request)
    #expect(byName.names == ["drop", "fail"])
    #expect(byName.replacement == .status(404, retryAfter: nil))
  }

  @Test("A fault that needs the bare socket does not apply to an encrypted connection")
  func encrypted() throws {
    var request = PracticeRequest(method: "GET", target: Array(Self.target.utf8))
    var faults = Faults()
    for name in ["bandwidth", "drop", "huge-body", "reset", "empty-body"] {
      faults.set(try Fault(name))
    }
    let plain = FaultDecision(faults: faults, seed: 1, number: 1, request: request)
    #expect(plain.names == ["bandwidth", "drop", "huge-body", "empty-body"])
    request.connection.isSecure = true
    let secure = FaultDecision(faults: faults, seed: 1, number: 1, request: request)
    #expect(secure.names == ["empty-body"])
  }

  @Test("Faults of the short forms can also be set by name, with a share and a route")
  func byName() throws {
    let route = try RoutePattern("/2.3/questions")
    let fail = try Fault("fail", route: route, duration: .seconds(7), size: 404)
    server.update { $0.set(fail) }
    let failed = try get()
    #expect(failed.status == 404 && failed.headers["retry-after"] == "7")
    #expect(try RawClient.Reply.get("/2.3/errors", from: server.port).status == 200)
    server.setFaults(Faults())
    let drop = try Fault("drop")
    server.update { $0.set(drop) }
    #expect(throws: RawClient.Failure.self) { try get() }
    #expect(server.statistics.faults == ["fail": 1, "drop": 1])
  }

  @Test("Concurrent changes of the faults are all kept")
  func updates() async {
    server.update { $0.failStatus = 0 }
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask { [server] in
          for _ in 0..<500 { server.update { $0.failStatus += 1 } }
        }
      }
    }
    #expect(server.faults.failStatus == 4_000)
  }
}
