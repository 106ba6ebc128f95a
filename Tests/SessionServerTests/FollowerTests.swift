import Foundation
import OpshLocking
import TestSupport
import Testing

@testable import SessionServer

@Suite("Followers of a live server", .timeLimit(.minutes(5)))
struct FollowerTests {
  private static func lines(_ range: Range<Int>, length: Int = 0) -> [String] {
    range.map { "{\"n\":\($0)}" + String(repeating: " ", count: length) }
  }

  @Test("A follower without a cookie, or from another page, is refused")
  func refused() throws {
    let live = try LiveFixture()
    let cookie = try live.cookie(for: live.secret)
    for headers in [
      [], ["Cookie: \(cookie)0"], ["Cookie: \(cookie)", "Origin: http://evil.example"],
      ["Cookie: \(cookie)", "Sec-Fetch-Site: same-site"],
      ["Cookie: \(cookie)", "Sec-Fetch-Site: cross-site"],
    ] {
      let reply = try live.ask("GET", "/events", headers: headers)
      #expect(reply.status == 403, "\(headers)")
    }
    #expect(live.server.followers == 0)
  }

  @Test(
    "A follower gets all lines, then new ones as they come; one that comes back the missing ones")
  func follows() throws {
    let live = try LiveFixture()
    let cookie = try live.cookie(for: live.secret)
    live.lines.append(Self.lines(0..<3))
    let first = try live.follow(cookie: cookie)
    let head = try first.readHead()
    #expect(head.status == 200)
    #expect(head.headers["content-type"] == "text/event-stream; charset=utf-8")
    var events = try first.readEvents(4)
    #expect(events[0] == ServerEvent(name: "snapshot", id: "", data: ""))
    #expect(events.dropFirst().map(\.id) == ["0", "1", "2"])
    #expect(events.dropFirst().map(\.data) == Self.lines(0..<3))
    live.lines.append(Self.lines(3..<4))
    #expect(try first.readEvents(1) == [.init(id: "3", data: "{\"n\":3}")])
    #expect(live.server.followers == 1)
    first.close()
    #expect(eventually { live.server.followers == 0 })
    live.lines.append(Self.lines(4..<6))
    let again = try live.follow(cookie: cookie, lastEventID: "3")
    _ = try again.readHead()
    events = try again.readEvents(2)
    #expect(events.map(\.id) == ["4", "5"])
  }

  @Test("A follower gets a snapshot of the session that takes the place of another")
  func succession() throws {
    let live = try LiveFixture()
    live.lines.append(Self.lines(0..<3))
    let follower = try live.follow(cookie: try live.cookie(for: live.secret))
    _ = try follower.readHead()
    _ = try follower.readEvents(4)
    live.lines.succeed(by: Self.lines(0..<2))
    let events = try follower.readEvents(3)
    #expect(events[0] == ServerEvent(name: "snapshot", id: "", data: ""))
    #expect(events.dropFirst().map(\.data) == Self.lines(0..<2))
  }

  @Test("A hundred may follow; the next one is refused until another leaves")
  func hundred() throws {
    let live = try LiveFixture()
    let cookie = try live.cookie(for: live.secret)
    live.lines.append(Self.lines(0..<2))
    var clients = try (0..<100).map { _ in try live.follow(cookie: cookie) }
    for client in clients {
      #expect(try client.readHead().status == 200)
      #expect(try client.readEvents(3).count == 3)
    }
    #expect(live.server.followers == 100)
    let refused = try live.ask("GET", "/events", headers: ["Cookie: \(cookie)"])
    #expect(refused.status == 503)
    #expect(refused.text.contains("100 followers"))
    // Other requests are answered all the same.
    #expect(try live.act(#"{"action":"cancel","operation":1}"#, cookie: cookie).status == 200)
    live.lines.append(Self.lines(2..<3))
    for client in clients { #expect(try client.readEvents(1).first?.id == "2") }
    clients.removeLast().close()
    #expect(
      try eventually {
        let client = try live.follow(cookie: cookie)
        defer { clients.append(client) }
        return try client.readHead().status == 200
      })
  }

  @Test("Readers may take all their places, and a page that steers still follows")
  func roomToSteer() throws {
    var limits = LiveServer.Limits()
    limits.followers = 20
    let live = try LiveFixture(address: "127.0.0.1", limits: limits)
    let reader = try live.cookie(for: live.readersSecret)
    let readers = try (0..<20).map { _ in try live.follow(cookie: reader) }
    for client in readers { #expect(try client.readHead().status == 200) }
    #expect(try live.ask("GET", "/events", headers: ["Cookie: \(reader)"]).status == 503)
    let steering = try live.follow(cookie: try live.cookie(for: live.secret))
    #expect(try steering.readHead().status == 200)
    #expect(live.server.followers == 21)
    withExtendedLifetime(readers) {}
  }

  @Test("A slow follower holds nothing up, and gets a snapshot with every line exactly once")
  func slow() throws {
    var limits = LiveServer.Limits()
    limits.storeBytes = 1 << 20
    let live = try LiveFixture(limits: limits)
    let cookie = try live.cookie(for: live.secret)
    // The system keeps less than a megabyte of what is not read.
    let slow = try live.follow(cookie: cookie)
    let quick = try live.follow(cookie: cookie)
    _ = try quick.readHead()
    #expect(try quick.readEvents(1).first?.name == "snapshot")
    // Sixteen times what is kept; the source gives all of it anew each time.
    let count = 1600
    var next = 0
    var received: [Int] = []
    while next < count {
      live.lines.append(Self.lines(next..<next + 100, length: 10_000))
      next += 100
      while received.last != next - 1 {
        let event = try #require(try quick.readEvents(1).first, "the stream has ended")
        if event.name == "snapshot" {
          received = []
        } else {
          received.append(try Self.number(event))
        }
      }
      #expect(received == Array(0..<next))
    }
    #expect(live.lines.beginnings.withLock { $0 } > 2)
    // Now the slow one reads: what it has since its last snapshot is everything, once.
    _ = try slow.readHead()
    var ofSlow: [Int] = []
    var snapshots = 0
    while ofSlow.last != count - 1 {
      let event = try #require(try slow.readEvents(1).first, "the stream has ended")
      if event.name == "snapshot" {
        snapshots += 1
        ofSlow = []
      } else {
        ofSlow.append(try Self.number(event))
      }
    }
    #expect(snapshots > 1)
    #expect(ofSlow == Array(0..<count))
  }

  private static func number(_ event: ServerEvent) throws -> Int {
    try #require(Int(event.data.drop { !$0.isNumber }.prefix { $0.isNumber }))
  }

  @Test("The end does not wait for a follower that does not read")
  func endWithSlow() throws {
    let live = try LiveFixture()
    let cookie = try live.cookie(for: live.secret)
    live.lines.append(Self.lines(0..<20_000, length: 1000))
    let slow = try live.follow(cookie: cookie)
    defer { slow.close() }
    #expect(eventually { live.server.followers == 1 })
    let start = ContinuousClock.now
    live.server.end(status: 0)
    #expect(ContinuousClock.now - start < .seconds(20))
  }
}
