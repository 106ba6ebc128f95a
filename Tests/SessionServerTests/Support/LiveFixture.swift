import Foundation
import OpshLocking
import TestSupport

@testable import SessionServer

/// Lines that a test adds.
final class TestLines: Sendable {
  private let lines = Locked<[String]>([])
  /// How often the lines were asked for from the first one on.
  let beginnings = Locked(0)

  func append(_ new: [String]) { lines.withLock { $0 += new } }

  /// Has another session with other lines take the place of the present one.
  func succeed(by new: [String]) {
    lines.withLock { $0 = new }
    generation.withLock { $0 += 1 }
  }

  private let generation = Locked(0)

  func lines(from start: Int) -> [String] { lines.withLock { Array($0[start...]) } }

  /// A source that begins with the first line.
  func makeSource() -> any LineSource {
    beginnings.withLock { $0 += 1 }
    return Source(self)
  }

  private final class Source: LineSource {
    let hasMore = false
    private let lines: TestLines
    private let generation: Int
    private var count = 0

    init(_ lines: TestLines) {
      self.lines = lines
      generation = lines.generation.withLock { $0 }
    }

    var isOutOfDate: Bool { lines.generation.withLock { $0 } != generation }

    func next() -> [String] {
      let new = lines.lines(from: count)
      count += new.count
      return new
    }

    func end(status: Int32) -> [String] { next() + ["{\"type\":\"summary\",\"status\":\(status)}"] }
  }
}

/// A live server whose actions a test answers.
final class LiveFixture: Sendable {
  let lines = TestLines()
  let server: LiveServer
  let actions = Locked<[LiveAction]>([])
  /// The tickets of all actions, also of those that are not answered.
  let tickets = Locked<[ActionTicket]>([])

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - address: The address for readers.
  ///   - limits: What clients may ask for.
  ///   - answers: Whether actions are answered at once; otherwise they never are.
  /// - Throws: An error of the server.
  init(
    address: String? = nil, limits: LiveServer.Limits = LiveServer.Limits(), answers: Bool = true
  ) throws {
    let (actions, tickets) = (actions, tickets)
    server = try LiveServer(
      page: LivePage("<!DOCTYPE html><title>page</title>", policy: "default-src 'none'"), port: 0,
      address: address, limits: limits, makeLines: { [lines] in lines.makeSource() },
      perform: { action, ticket in
        tickets.withLock { $0.append(ticket) }
        guard answers, ticket.claim() else { return }
        actions.withLock { $0.append(action) }
        if case .step = action {
          return ticket.answer(ActionReply(command: "queue step network", error: "not paused"))
        }
        ticket.answer(ActionReply(command: "done"))
      })
  }

  deinit { server.end(status: nil) }

  var port: UInt16 { UInt16(server.url.split(separator: ":")[2].prefix { $0 != "/" }) ?? 0 }
  var host: String { "127.0.0.1:\(port)" }
  var origin: String { "http://\(host)" }
  var secret: String { String(server.url.split(separator: "#")[1]) }
  var readersSecret: String { server.readersURL.map { String($0.split(separator: "#")[1]) } ?? "" }

  /// Sends a request and reads the answer.
  func ask(
    _ method: String, _ path: String, headers: [String] = [], body: String? = nil,
    host: String? = nil, at address: String = "127.0.0.1"
  ) throws -> RawClient.Reply {
    let client = try RawClient(port: port, at: address)
    client.sendRequest(
      path, method: method, host: host ?? "\(address):\(port)", headers: headers, body: body)
    return try client.readReply()
  }

  /// Exchanges a secret for the text of a cookie.
  func cookie(for secret: String, at address: String = "127.0.0.1") throws -> String {
    let reply = try ask(
      "POST", "/session", headers: ["Content-Type: application/json"],
      body: "{\"secret\":\"\(secret)\"}", at: address)
    guard reply.status == 200, let cookie = reply.headers["set-cookie"] else {
      throw RawClient.Failure("no cookie: \(reply)")
    }
    return String(cookie.prefix { $0 != ";" })
  }

  /// Sends an action as the page does, with some of its headers replaced.
  func act(
    _ body: String, cookie: String, origin: String? = nil, type: String = "application/json",
    host: String? = nil, more: [String] = [], at address: String = "127.0.0.1"
  ) throws -> RawClient.Reply {
    try ask(
      "POST", "/actions",
      headers: [
        "Content-Type: \(type)", "Origin: \(origin ?? self.origin)", "Cookie: \(cookie)",
      ] + more, body: body, host: host, at: address)
  }

  /// Sends an action as the page does, without waiting for the answer.
  func send(_ body: String, cookie: String, on client: RawClient) {
    client.sendRequest(
      "/actions", method: "POST", host: host,
      headers: ["Content-Type: application/json", "Origin: \(origin)", "Cookie: \(cookie)"],
      body: body)
  }

  /// Begins to follow.
  func follow(cookie: String, lastEventID: String? = nil) throws -> RawClient {
    let client = try RawClient(port: port)
    client.sendRequest(
      "/events", host: host,
      headers: ["Cookie: \(cookie)"] + (lastEventID.map { ["Last-Event-ID: \($0)"] } ?? []))
    return client
  }
}
