import Foundation
import OpshSupport
import TestSupport
import Testing

@testable import PracticeServer

@Suite("The log of requests", .timeLimit(.minutes(15)))
struct RequestLogTests {
  @Test("A request is in the log when its client has the response")
  func written() throws {
    let server = PracticeServer()
    try server.start()
    let before = Date()
    for (number, target) in ["/2.3/sites?pagesize=2", "/nowhere", "/search.json?q=a%20b"]
      .enumerated()
    {
      let reply = try RawClient.Reply.get(target, from: server.port)
      let batch = server.records(after: number)
      #expect(batch.records.count == 1 && batch.cursor == number + 1 && batch.missed == 0)
      let record = try #require(batch.records.first)
      #expect(record.number == number + 1 && record.method == "GET")
      #expect(record.path + (record.query.map { "?" + $0 } ?? "") == target)
      #expect(record.status == reply.status && record.bytes == reply.body.count)
      #expect(record.isFinished && record.faults.isEmpty)
      #expect(record.time >= before.addingTimeInterval(-1) && record.time <= Date())
      #expect((0..<10_000).contains(record.milliseconds))
    }
    #expect(server.lastRecord == 3)
    // A cursor into it stays good, whatever happens to the rest.
    server.reset()
    server.stop()
    try server.start()
    _ = try RawClient.Reply.get("/", from: server.port, method: "HEAD")
    let record = try #require(server.records(after: 3).records.first)
    #expect(record.number == 4 && record.method == "HEAD" && record.bytes == 0)
    server.stop()
  }

  @Test("On a slow clock a held answer is due at its time, also after a change of the speed")
  func slowClock() throws {
    let clock = PacedClock()
    let server = PracticeServer(clock: clock)
    try server.start()
    let latency = try Fault("latency", duration: .milliseconds(40))
    server.update { $0.set(latency) }
    clock.setSpeed(0.2)
    let start = ContinuousClock.now
    _ = try RawClient.Reply.get("/2.3/sites", from: server.port)
    #expect(ContinuousClock.now - start >= .milliseconds(200))
    let milliseconds = try #require(server.records().records.last).milliseconds
    #expect(milliseconds >= 40 && milliseconds < (ContinuousClock.now - start) / .milliseconds(5))
    // A hundred seconds, unless the change takes effect.
    let longer = try Fault("latency", duration: .milliseconds(100))
    server.update { $0.set(longer) }
    clock.setSpeed(0.001)
    let waiting = try RawClient(port: server.port)
    waiting.sendRequest("/2.3/sites?pagesize=1")
    #expect(eventually { server.statistics.waiting == 1 })
    clock.setSpeed(1)
    #expect(eventually { server.records(after: 1).records.last?.status == 200 })
    #expect(try #require(server.records().records.last).milliseconds >= 100)
    waiting.close()
    server.stop()
  }

  @Test("Delayed and truncated responses are logged with their faults")
  func faults() throws {
    let server = PracticeServer()
    try server.start()
    let slow = try Fault("latency", duration: .milliseconds(60))
    server.update { $0.set(slow) }
    _ = try RawClient.Reply.get("/2.3/sites", from: server.port)
    #expect(server.records().records.last?.faults == ["latency"])
    #expect((server.records().records.last?.milliseconds ?? 0) >= 60)

    let endless = try Fault("latency", duration: .seconds(3_600))
    server.update { $0.set(endless) }
    let waiting = try RawClient(port: server.port)
    waiting.sendRequest("/2.3/sites?pagesize=1")
    #expect(eventually { server.statistics.waiting == 1 })
    let held = try #require(server.records(after: 1).records.first)
    guard case .held("latency", let rest?) = held.progress else {
      Issue.record("not held: \(held)")
      return
    }
    #expect(rest > .seconds(3_500) && rest < .seconds(3_600) && !held.isFinished)
    #expect(held.status == nil && held.faults == ["latency"])
    waiting.close()
    server.noticeClosedConnections()
    let left = try #require(server.records(after: 1).records.first)
    #expect(left.status == nil && left.bytes == 0 && left.progress == .cut)
    #expect(server.lastRecord == 2)
    #expect(server.statistics.waiting == 0)

    server.setFaults(Faults())
    let drop = try Fault("drop-before-headers")
    server.update { $0.set(drop) }
    #expect(throws: RawClient.Failure.self) {
      try RawClient.Reply.get("/2.3/sites", from: server.port)
    }
    #expect(server.records().records.last?.status == nil)
    let part = try Fault("truncated-body")
    server.update { faults in
      faults.remove(named: "drop-before-headers")
      faults.set(part)
    }
    #expect(throws: RawClient.Failure.self) {
      try RawClient.Reply.get("/2.3/sites", from: server.port)
    }
    #expect(eventually { server.records().records.last?.isFinished == true })
    let cut = try #require(server.records().records.last)
    #expect(cut.status == 200 && cut.bytes > 0 && cut.faults == ["truncated-body"])
    #expect(cut.progress == .ended, "the server has closed the connection")
    server.stop()
  }

  @Test(
    "A connection that the client closes inside the body is cut, with the bytes sent until then")
  func cutInBody() throws {
    let server = PracticeServer()
    try server.start()
    server.update { $0.bandwidth = 5_000 }
    let client = try RawClient(port: server.port)
    client.sendRequest("/2.3/questions?site=stackoverflow&pagesize=100")
    _ = try client.read(atLeast: 500)
    #expect(eventually { (server.records().records.first?.bytes ?? 0) > 0 })
    let sending = try #require(server.records().records.first)
    #expect(sending.status == 200 && sending.progress == .answering)
    client.close()
    server.noticeClosedConnections()
    let cut = try #require(server.records().records.first)
    #expect(cut.progress == .cut && cut.bytes >= sending.bytes && cut.status == 200)
    server.stop()
  }

  @Test("A stalled request is held without an end, and has no status when its client leaves")
  func stalled() throws {
    let server = PracticeServer()
    try server.start()
    let stall = try Fault("stall")
    server.update { $0.set(stall) }
    let client = try RawClient(port: server.port)
    client.sendRequest("/2.3/sites?pagesize=1")
    #expect(eventually { server.lastRecord == 1 })
    #expect(server.records().records.first?.progress == .held(by: "stall", left: nil))
    // When the server ends, the client has not cut the request.
    server.stop()
    let ended = try #require(server.records().records.first)
    #expect(ended.progress == .ended && ended.status == nil)
  }

  @Test(
    "Secrets are masked before anything is stored",
    arguments: [
      ("/a?key=s3cret&site=x", "key=***&site=x"),
      ("/a?site=x&access_token=s3cret", "site=x&access_token=***"),
      ("/a?ACCESS-TOKEN=s3cret", "ACCESS-TOKEN=***"), ("/a?%6Bey=s3cret", "%6Bey=***"),
      ("/a?api%5Fkey=s3cret", "api%5Fkey=***"),
      ("/a?apiKey=s3cret&apikey=s3cret", "apiKey=***&apikey=***"),
      ("/a?client_secret=s3cret&password=s3cret", "client_secret=***&password=***"),
      ("/a?key=s3cret=s3cret", "key=***"), ("/a?key&x=1", "key&x=1"), ("/a?monkey=1", "monkey=1"),
      ("/a?", ""), ("http://me:s3cret@host/a?token=s3cret", "token=***"),
      ("/a?oauth_signature=s3cret&q=%C3%A9", "oauth_signature=***&q=%C3%A9"),
    ])
  func masking(target: String, query: String) {
    let text = MaskedTarget(Array(target.utf8)).text
    #expect(text.path == "/a" && text.query == query)
  }

  @Test("Logged texts are short and printable")
  func shape() {
    let long = MaskedTarget(Array(("/a?x=" + String(repeating: "é", count: 3_000)).utf8)).text
    #expect(long.query?.hasSuffix("…") == true)
    #expect(long.query?.hasPrefix("x=%C3%A9%C3%A9") == true)
    let hidden = MaskedTarget(
      Array(("/a?x=" + String(repeating: "y", count: 990) + "&key=s3cret").utf8))
    #expect(hidden.text.query?.contains("s3") == false)
    for (target, path, query) in [
      ("/a;v=1;token=x/b;key=y", "/a;v=1;token=***/b;key=***", nil),
      ("/a;?next=%2Fx%3Ftoken%3Dx&b=/?key=y&c=1", "/a;", "next=***&b=***&c=1"),
    ] as [(String, String, String?)] {
      #expect(MaskedTarget(Array(target.utf8)).text == (path, query))
    }
    #expect(MaskedTarget([0x2F, 0x1B, 0x07, 0xFF]).text.path == "/%1B%07%FF")
  }

  @Test("Headers and bodies are never logged")
  func headers() throws {
    let server = PracticeServer()
    try server.start()
    _ = try RawClient.Reply.get(
      "/1/classes/A?sessionToken=s3cret", from: server.port, method: "POST",
      headers: ["Authorization: Basic s3cret", "X-Parse-Application-Id: s3cret"],
      body: #"{"_MasterKey":"s3cret"}"#)
    #expect(server.records().records.count == 1)
    #expect(!"\(server.records())".contains("s3cret"))
    server.stop()
  }

  @Test("The log keeps the latest records and tells a reader how many it missed")
  func bounds() {
    var log = RequestLog()
    let entry = RequestLog.Entry(time: 0, method: "GET", target: MaskedTarget([0x2F]))
    #expect(log.entries(after: 0, limit: 10).entries.isEmpty)
    for number in 1...RequestLog.capacity + 500 {
      #expect(log.append(entry) == number)
      log.update(number) { $0.status = number }
    }
    func numbers(_ cursor: Int, _ limit: Int) -> [Int] {
      log.entries(after: cursor, limit: limit).entries.compactMap(\.status)
    }
    #expect(numbers(0, .max) == Array(501...RequestLog.capacity + 500))
    #expect(log.entries(after: 0, limit: 5).missed == 500)
    #expect(log.entries(after: 0, limit: 5).first == 501)
    #expect(numbers(1_000, 3) == [1_001, 1_002, 1_003])
    #expect(log.entries(after: 1_000, limit: 3).missed == 0)
    #expect(numbers(RequestLog.capacity + 500, 3).isEmpty)
    #expect(numbers(.max, 3).isEmpty && numbers(.min, 1) == [501])
    // What is gone is not changed, and nothing else instead of it.
    log.update(3) { $0.status = -1 }
    log.update(RequestLog.capacity + 501) { $0.status = -1 }
    #expect(!numbers(0, .max).contains(-1))
  }
}
