import Foundation
import OpshHTTPServing
import OpshLocking
import TestSupport
import Testing

@testable import SessionServer

@Suite("A live server", .timeLimit(.minutes(5)))
struct LiveServerTests {
  private static let pause = #"{"action":"pause","queue":"network"}"#

  @Test("It serves the page to everyone, with headers that keep other pages out")
  func page() throws {
    let live = try LiveFixture()
    let reply = try live.ask("GET", "/")
    #expect(reply.status == 200)
    #expect(reply.text == "<!DOCTYPE html><title>page</title>")
    #expect(reply.headers["content-type"] == "text/html; charset=utf-8")
    #expect(
      reply.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'")
    #expect(reply.headers["x-content-type-options"] == "nosniff")
    #expect(reply.headers["referrer-policy"] == "no-referrer")
    #expect(reply.headers["cache-control"] == "no-store")
    #expect(reply.headers["cross-origin-resource-policy"] == "same-origin")
    #expect(!reply.headers.keys.contains { $0.hasPrefix("access-control") })
    #expect(try live.ask("GET", "/?a=b").status == 200)
  }

  @Test(
    "Other paths and methods are refused",
    arguments: [
      ("GET", "/x", 404), ("GET", "//", 404), ("GET", "/events/", 404), ("GET", "/../", 404),
      ("POST", "/", 405), ("HEAD", "/", 405), ("GET", "/session", 405), ("GET", "/actions", 405),
      ("PUT", "/actions", 405), ("OPTIONS", "/actions", 405), ("POST", "/events", 405),
      ("TRACE", "/", 405),
    ])
  func paths(method: String, path: String, status: Int) throws {
    let live = try LiveFixture()
    let client = try RawClient(port: live.port)
    client.sendRequest(path, method: method, host: live.host)
    #expect(try client.readHead().status == status)
  }

  @Test("Every request must name the server's own host")
  func hosts() throws {
    let live = try LiveFixture()
    let cookie = try live.cookie(for: live.secret)
    for host in [
      "127.0.0.1:\(live.port)", "localhost:\(live.port)", "LocalHost:\(live.port)",
      "[::1]:\(live.port)",
    ] {
      #expect(try live.ask("GET", "/", host: host).status == 200, "\(host)")
    }
    let wrong = [
      "evil.example", "evil.example:\(live.port)", "127.0.0.1", "127.0.0.1:1", "localhost",
      "localhost.:\(live.port)", "127.0.0.2:\(live.port)", "127.0.0.1:\(live.port).evil.example",
      "",
    ]
    for host in wrong {
      for path in ["/", "/events", "/x"] {
        #expect(try live.ask("GET", path, headers: ["Cookie: \(cookie)"], host: host).status == 421)
      }
      #expect(try live.act(Self.pause, cookie: cookie, host: host).status == 421)
      let reply = try live.ask(
        "POST", "/session", headers: ["Content-Type: application/json"],
        body: #"{"secret":"\#(live.secret)"}"#, host: host)
      #expect(reply.status == 421)
      #expect(reply.headers["set-cookie"] == nil)
    }
    let client = try RawClient(port: live.port)
    client.send("GET http://\(live.host)/?a=b HTTP/1.1\r\nHost: \(live.host)\r\n\r\n")
    #expect(try client.readReply().status == 200)
    client.send("GET http://evil.example/ HTTP/1.1\r\nHost: \(live.host)\r\n\r\n")
    #expect(try client.readReply().status == 421)
    #expect(live.actions.withLock { $0 }.isEmpty)
  }

  @Test("The secret is exchanged for a cookie that scripts and other sites don't get")
  func session() throws {
    let live = try LiveFixture()
    let reply = try live.ask(
      "POST", "/session", headers: ["Content-Type: application/json", "Origin: \(live.origin)"],
      body: #"{"secret":"\#(live.secret)"}"#)
    #expect(reply.status == 200)
    #expect(reply.text == #"{"canSteer":true}"#)
    let cookie = try #require(reply.headers["set-cookie"])
    #expect(cookie.hasSuffix("; HttpOnly; SameSite=Strict; Path=/"))
    #expect(!cookie.contains(live.secret))
    // The page is loaded again, without the secret in its address.
    let again = try live.ask(
      "POST", "/session",
      headers: ["Content-Type: application/json", "Cookie: \(cookie.prefix { $0 != ";" })"],
      body: #"{"secret":""}"#)
    #expect(again.text == #"{"canSteer":true}"#)
  }

  @Test(
    "An exchange without the secret gives no cookie",
    arguments: [
      ("application/json", #"{"secret":"0123456789abcdef0123456789abcdef"}"#, 403),
      ("application/json", #"{"secret":""}"#, 403), ("application/json", #"{"secret":1}"#, 400),
      ("application/json", "{}", 400), ("application/json", "", 400),
      ("application/json", #"{"secret":null}"#, 400), ("text/plain", #"{"secret":"a"}"#, 403),
    ])
  func wrongSecret(type: String, body: String, status: Int) throws {
    let live = try LiveFixture()
    let reply = try live.ask("POST", "/session", headers: ["Content-Type: \(type)"], body: body)
    #expect(reply.status == status)
    #expect(reply.headers["set-cookie"] == nil)
    #expect(reply.text.hasPrefix(#"{"error":"#))
  }

  @Test(
    "The right secret gives no cookie to a form, nor to another page",
    arguments: [
      ([], true), (["Content-Type: text/plain"], false),
      (["Content-Type: application/json", "Content-Type: text/plain"], false),
      (["Content-Type: application/json", "Origin: http://evil.example"], false),
      (["Content-Type: application/json", "Sec-Fetch-Site: cross-site"], false),
      (["Content-Type: application/json", "Sec-Fetch-Site: same-origin"], true),
    ])
  func rightSecret(headers: [String], isTaken: Bool) throws {
    let live = try LiveFixture()
    let reply = try live.ask(
      "POST", "/session", headers: headers.isEmpty ? ["Content-Type: application/json"] : headers,
      body: #"{"secret":"\#(live.secret)"}"#)
    #expect(reply.status == (isTaken ? 200 : 403))
    #expect((reply.headers["set-cookie"] != nil) == isTaken)
  }

  @Test("Many wrong secrets are slowed down")
  func manySecrets() throws {
    let live = try LiveFixture()
    // Only so many within one second are too many, so a slow machine needs more of them.
    let isSlowedDown = try (0..<500).contains { _ in
      try live.ask(
        "POST", "/session", headers: ["Content-Type: application/json"], body: #"{"secret":"x"}"#
      ).status == 429
    }
    #expect(isSlowedDown)
    #expect(eventually { (try? live.cookie(for: live.secret)) != nil })
  }

  @Test("An action with everything in place is performed and answered")
  func actions() throws {
    let live = try LiveFixture()
    let cookie = try live.cookie(for: live.secret)
    let reply = try live.act(Self.pause, cookie: cookie)
    #expect(reply.status == 200)
    #expect(reply.text == #"{"command":"done","ok":true,"message":null}"#)
    let failed = try live.act(
      #"{"action":"step","queue":"a"}"#, cookie: "other=1; \(cookie)",
      type: "application/json; charset=utf-8")
    #expect(
      failed.text == #"{"command":"queue step network","ok":false,"message":"not paused"}"#)
    #expect(live.actions.withLock { $0 } == [.pause(queue: "network"), .step(queue: "a")])
  }

  @Test("An action that lacks one of its proofs is refused, and nothing happens")
  func refusedActions() throws {
    let live = try LiveFixture(address: "127.0.0.1")
    let cookie = try live.cookie(for: live.secret)
    let reader = try live.cookie(for: live.readersSecret)
    let name = cookie.prefix { $0 != "=" }
    let other = "localhost:\(live.port)"
    let replies: [(String, RawClient.Reply)] = [
      ("no cookie", try live.act(Self.pause, cookie: "")),
      ("another cookie", try live.act(Self.pause, cookie: "\(name)=0123")),
      ("the secret as cookie", try live.act(Self.pause, cookie: "\(name)=\(live.secret)")),
      ("a reader", try live.act(Self.pause, cookie: reader)),
      ("two cookies", try live.act(Self.pause, cookie: "\(reader); \(cookie)")),
      ("two cookies, reversed", try live.act(Self.pause, cookie: "\(cookie); \(reader)")),
      ("another origin", try live.act(Self.pause, cookie: cookie, origin: "http://evil.example")),
      ("no origin of a page", try live.act(Self.pause, cookie: cookie, origin: "null")),
      ("another port", try live.act(Self.pause, cookie: cookie, origin: "http://127.0.0.1:1")),
      ("another scheme", try live.act(Self.pause, cookie: cookie, origin: "https://\(live.host)")),
      ("another name", try live.act(Self.pause, cookie: cookie, host: other)),
      (
        "two origins",
        try live.act(Self.pause, cookie: cookie, more: ["Origin: http://evil.example"])
      ),
      (
        "another site",
        try live.act(Self.pause, cookie: cookie, more: ["Sec-Fetch-Site: same-site"])
      ),
      ("a form", try live.act(Self.pause, cookie: cookie, type: "text/plain")),
      (
        "no origin",
        try live.ask(
          "POST", "/actions", headers: ["Content-Type: application/json", "Cookie: \(cookie)"],
          body: Self.pause)
      ),
    ]
    for (name, reply) in replies {
      #expect(reply.status == 403, "\(name)")
      #expect(reply.text.hasPrefix(#"{"error":"#), "\(name)")
    }
    #expect(try live.act(#"{"action":"quit"}"#, cookie: cookie).status == 400)
    let long = #"{"action":"pause","queue":"\#(String(repeating: "a", count: 5000))"}"#
    #expect(try live.act(long, cookie: cookie).status == 413)
    #expect(live.actions.withLock { $0 }.isEmpty)
    #expect(try live.act(Self.pause, cookie: cookie).status == 200)
  }

  #if os(Linux)
    @Test("Readers have a port at their own address, at which nothing can be steered")
    func readersAddress() throws {
      let live = try LiveFixture(address: "127.0.0.2")
      #expect(live.server.readersURL?.hasPrefix("http://127.0.0.2:\(live.port)/#") == true)
      #expect(try live.ask("GET", "/", at: "127.0.0.2").status == 200)
      #expect(try live.ask("GET", "/", host: live.host, at: "127.0.0.2").status == 421)
      #expect(try live.ask("GET", "/", host: "127.0.0.2:\(live.port)").status == 421)
      let reader = try live.cookie(for: live.readersSecret, at: "127.0.0.2")
      let reply = try live.act(
        Self.pause, cookie: reader, origin: "http://127.0.0.2:\(live.port)",
        host: "127.0.0.2:\(live.port)", at: "127.0.0.2")
      #expect(reply.status == 403)
      #expect(live.actions.withLock { $0 }.isEmpty)
    }
  #endif

  @Test(
    "An address that means all, or is not of this machine, is an error",
    arguments: [
      "0.0.0.0", "::", "192.0.2.1", "example.org", "",
    ])
  func wrongAddress(address: String) {
    let error = #expect(throws: (any Error).self) { try LiveFixture(address: address) }
    #expect((error as? HTTPServingError)?.code == "address-unavailable")
  }

  @Test("Idle connections of one address leave room for others, and the newest of them stay")
  func idleConnections() throws {
    var limits = LiveServer.Limits()
    limits.followers = 5
    let live = try LiveFixture(limits: limits)
    // One that sends its request slowly is not idle, and one whose request has come is not counted.
    let slow = try RawClient(port: live.port)
    slow.send("GET / HTTP/1.1\r\nHost: ")
    let follower = try live.follow(cookie: try live.cookie(for: live.secret))
    let idle = try (0..<150).map { _ in try RawClient(port: live.port) }
    #expect(try live.ask("GET", "/").status == 200)
    #expect(eventually { idle.filter { $0.isOpen }.count <= 19 })
    #expect(idle.suffix(18).allSatisfy { $0.isOpen })
    slow.send("\(live.host)\r\n\r\n")
    #expect(try slow.readReply().status == 200)
    #expect(try follower.readHead().status == 200)
  }

  @Test("Many clients of one address that send their requests at once are all answered")
  func manyAtOnce() throws {
    let live = try LiveFixture()
    let clients = try (0..<100).map { _ in try RawClient(port: live.port) }
    for client in clients { client.sendRequest("/", method: "GET", host: live.host) }
    for client in clients { #expect(try client.readReply().status == 200) }
  }

  @Test("An action that waits too long is given up, and does not happen later")
  func busy() throws {
    var limits = LiveServer.Limits()
    limits.actionNanoseconds = 50_000_000
    let live = try LiveFixture(limits: limits, answers: false)
    let cookie = try live.cookie(for: live.secret)
    #expect(try live.act(Self.pause, cookie: cookie).status == 503)
    let ticket = ActionTicket { _ in }
    #expect(ticket.giveUp())
    #expect(!ticket.claim())
    let claimed = ActionTicket { _ in }
    #expect(claimed.claim())
    #expect(!claimed.giveUp())
  }

  @Test("An action of a page that has left is given up")
  func abandoned() throws {
    var limits = LiveServer.Limits()
    limits.actions = 1
    let live = try LiveFixture(limits: limits, answers: false)
    let cookie = try live.cookie(for: live.secret)
    let first = try RawClient(port: live.port)
    live.send(Self.pause, cookie: cookie, on: first)
    #expect(eventually { live.tickets.withLock { $0.count == 1 } })
    first.close()
    // Another action is accepted once the first one is over.
    var others: [RawClient] = []
    #expect(
      try eventually {
        others.append(try RawClient(port: live.port))
        live.send(Self.pause, cookie: cookie, on: others[others.count - 1])
        return live.tickets.withLock { $0.count == 2 }
      })
    #expect(live.tickets.withLock { $0 }.first?.claim() == false)
  }

  @Test("A page whose action failed does not steer")
  func failedAction() throws {
    let live = try LiveFixture()
    let cookie = try live.cookie(for: live.secret)
    let follower = try live.follow(cookie: cookie)
    #expect(try follower.readHead().status == 200)
    let reply = try live.act(#"{"action":"step","queue":"a"}"#, cookie: cookie)
    #expect(reply.text.contains(#""ok":false"#))
    #expect(!live.server.isSteered)
    #expect(try live.act(Self.pause, cookie: cookie).status == 200)
    #expect(live.server.isSteered)
    withExtendedLifetime(follower) {}
  }

  @Test("A page steers as soon as its action was done, and while it loads again")
  func steers() throws {
    let live = try LiveFixture(answers: false)
    let cookie = try live.cookie(for: live.secret)
    let follower = try RawClient(port: live.port)
    follower.sendRequest("/events", host: live.host, headers: ["Cookie: \(cookie)"])
    #expect(try follower.readHead().status == 200)
    let client = try RawClient(port: live.port)
    live.send(Self.pause, cookie: cookie, on: client)
    #expect(eventually { live.tickets.withLock { $0.count == 1 } })
    let ticket = try #require(live.tickets.withLock { $0 }.first)
    #expect(ticket.claim() && !live.server.isSteered)
    ticket.answer(ActionReply(command: "queue pause network"))
    #expect(live.server.isSteered)
    let closing = ContinuousClock.now
    follower.close()
    #expect(eventually { live.server.followers == 0 })
    // The page has 5 s to load again, which may be over before a slow machine looks.
    let isSteered = live.server.isSteered
    #expect(isSteered || ContinuousClock.now - closing >= .seconds(5))
    #expect(eventually { !live.server.isSteered })
  }

  @Test("The time limit of an action does not end what follows on its connection")
  func reused() throws {
    var limits = LiveServer.Limits()
    limits.actionNanoseconds = 1_000_000_000
    let live = try LiveFixture(limits: limits)
    let cookie = try live.cookie(for: live.secret)
    let client = try RawClient(port: live.port)
    live.send(Self.pause, cookie: cookie, on: client)
    _ = try client.readReply()
    let end = ContinuousClock.now + .nanoseconds(limits.actionNanoseconds)
    client.sendRequest("/events", host: live.host, headers: ["Cookie: \(cookie)"])
    #expect(try client.readHead().status == 200)
    #expect(eventually { ContinuousClock.now > end })
    live.lines.append(["a"])
    #expect(try client.readEvents(2).map(\.data) == ["", "a"])
  }

  @Test("The end answers actions that wait, and says to followers that nothing follows")
  func end() throws {
    let live = try LiveFixture(answers: false)
    let cookie = try live.cookie(for: live.secret)
    let acting = try RawClient(port: live.port)
    live.send(Self.pause, cookie: cookie, on: acting)
    live.lines.append(["a"])
    let follower = try live.follow(cookie: cookie)
    #expect(try follower.readHead().status == 200)
    #expect(try follower.readEvents(2).map(\.data) == ["", "a"])
    live.lines.append(["b"])
    live.server.end(status: 3)
    let rest = try follower.readEventsToEnd()
    #expect(rest.map(\.data) == ["b", #"{"type":"summary","status":3}"#, ""])
    #expect(rest.last?.name == "end")
    #expect(try acting.readReply().status == 503)
    #expect(throws: RawClient.Failure.self) { try RawClient(port: live.port) }
    live.server.end(status: 3)
  }
}
