import Testing

@testable import SessionServer

@Suite("Access to a live server", .timeLimit(.minutes(1)))
struct AccessControlTests {
  @Test("Secrets have 128 bits and differ")
  func secrets() throws {
    let first = AccessControl(hasReaders: true)
    let second = AccessControl(hasReaders: false)
    let reading = try #require(first.readingSecret)
    for secret in [first.steeringSecret, reading, second.steeringSecret] {
      #expect(secret.count == 32)
      #expect(secret.allSatisfy { $0.isHexDigit })
    }
    #expect(Set([first.steeringSecret, reading, second.steeringSecret]).count == 3)
    #expect(second.readingSecret == nil)
  }

  @Test("Each secret gives its role, and each exchange a token of its own")
  func roles() throws {
    var access = AccessControl(hasReaders: true)
    var tokens: Set<String> = []
    for (secret, role) in [
      (access.steeringSecret, AccessControl.Role.steering),
      (try #require(access.readingSecret), .reading), (access.steeringSecret, .steering),
    ] {
      guard case .granted(let token, role) = access.exchange(secret, from: "127.0.0.1", now: 0)
      else {
        Issue.record("not granted")
        continue
      }
      #expect(access.role(of: token) == role)
      #expect(token != secret)
      tokens.insert(token)
    }
    #expect(tokens.count == 3)
    #expect(access.role(of: access.steeringSecret) == nil)
  }

  @Test(
    "The secret for steering is refused to another machine",
    arguments: ["192.168.1.7", "::ffff:192.168.1.7", "fe80::1", "128.0.0.1", "", "1.127.0.0"])
  func elsewhere(client: String) throws {
    var access = AccessControl(hasReaders: true)
    let reading = try #require(access.readingSecret)
    #expect(access.exchange(access.steeringSecret, from: client, now: 0) == .refused)
    guard case .granted(_, .reading) = access.exchange(reading, from: client, now: 0) else {
      Issue.record("a reader may be anywhere")
      return
    }
  }

  @Test(
    "The secret for steering is taken from every address of this machine",
    arguments: ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
  func here(client: String) {
    var access = AccessControl(hasReaders: false)
    guard case .granted(_, .steering) = access.exchange(access.steeringSecret, from: client, now: 0)
    else {
      Issue.record("not granted")
      return
    }
  }

  @Test(
    "A steering cookie does not steer from another machine", arguments: ["127.0.0.1", "10.0.0.1"])
  func cookieElsewhere(client: String) throws {
    let host = "localhost:80"
    var rules = LiveRules(
      page: LivePage("", policy: ""), hosts: [[host]], port: 80, hasReaders: false)
    func request(_ path: String, from client: String, _ body: String) -> LiveRequest {
      var request = LiveRequest(method: "POST", path: path, host: host, client: client)
      request.origins = ["http://" + host]
      request.contentTypes = ["application/json"]
      request.body = Array(body.utf8)
      return request
    }
    let secret = #"{"secret":"\#(rules.access.steeringSecret)"}"#
    let session = rules.decide(request("/session", from: "127.0.0.1", secret), now: 0)
    guard case .answer(let answer) = session,
      let cookie = answer.headers.first(where: { $0.name == "Set-Cookie" })?.value
    else {
      Issue.record("no cookie")
      return
    }
    var action = request("/actions", from: client, #"{"action":"pause","queue":"a"}"#)
    action.cookies = [String(cookie.prefix { $0 != ";" })]
    switch rules.decide(action, now: 0) {
    case .perform(let performed):
      #expect(performed == .pause(queue: "a"))
      #expect(client == "127.0.0.1")
    case .answer(let answer):
      #expect(answer.status == 403)
      #expect(client == "10.0.0.1")
    case .follow: Issue.record("not followed")
    }
  }

  @Test("After five wrong secrets an address waits for the next second; others do not")
  func attempts() {
    var access = AccessControl(hasReaders: false)
    for _ in 0..<5 { #expect(access.exchange("x", from: "127.0.0.1", now: 5) == .refused) }
    #expect(access.exchange(access.steeringSecret, from: "127.0.0.1", now: 5) == .tooMany)
    #expect(access.exchange("x", from: "10.0.0.1", now: 5) == .refused)
    guard
      case .granted = access.exchange(access.steeringSecret, from: "127.0.0.1", now: 1_000_000_005)
    else {
      Issue.record("not granted in the next second")
      return
    }
  }

  @Test("Only the latest thousand tokens are kept")
  func tokens() throws {
    var access = AccessControl(hasReaders: false)
    var tokens: [String] = []
    for _ in 0..<1001 {
      if case .granted(let token, _) = access.exchange(
        access.steeringSecret, from: "::1", now: 0)
      {
        tokens.append(token)
      }
    }
    #expect(tokens.count == 1001)
    #expect(access.role(of: tokens[0]) == nil)
    #expect(access.role(of: tokens[1]) == .steering)
    #expect(access.role(of: tokens[1000]) == .steering)
  }

  @Test("Readers cannot displace the token of a page that steers")
  func displacement() throws {
    var access = AccessControl(hasReaders: true)
    let secret = try #require(access.readingSecret)
    guard
      case .granted(let steering, .steering) = access.exchange(
        access.steeringSecret, from: "::1", now: 0)
    else {
      Issue.record("not granted")
      return
    }
    for _ in 0..<1500 { _ = access.exchange(secret, from: "192.0.2.1", now: 0) }
    #expect(access.role(of: steering) == .steering)
  }
}
