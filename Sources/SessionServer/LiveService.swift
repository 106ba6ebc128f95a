import Foundation
import OpshHTTPServing

/// Answers the requests to a live server, on the server's thread.
final class LiveService: HTTPService {
  private var rules: LiveRules
  private var store: LineStore
  private let makeLines: @Sendable () -> any LineSource
  private var lines: (any LineSource)?
  private let perform: @Sendable (LiveAction, ActionTicket) -> Void
  private let board: LiveBoard
  private let limits: LiveServer.Limits

  private var followers: [UInt64: Follower] = [:]
  /// Connections that wait for the reply to an action, until a point in time.
  private var acting:
    [UInt64: (connection: HTTPConnection, ticket: ActionTicket, deadline: UInt64)] =
      [:]
  /// Whether the source gives the lines from the first one on, and has not come to the present.
  private var isCatchingUp = true
  /// Whether the last lines are in the store, or no client wants them.
  private var hasLastLines = false
  private var nextLook: UInt64 = 0
  /// When to send to clients that do not read fast enough, or have had their turn.
  private var nextTry: UInt64?
  /// Until when the last lines are sent; nil before the end.
  private var end: UInt64?

  private static let lookInterval: UInt64 = 50_000_000
  /// How often lines are collected while no client follows.
  private static let idleInterval: UInt64 = 500_000_000
  private static let tryInterval: UInt64 = 20_000_000
  /// How long a client may take to read the last lines.
  private static let endInterval: UInt64 = 300_000_000

  init(
    rules: LiveRules, limits: LiveServer.Limits, board: LiveBoard,
    makeLines: @escaping @Sendable () -> any LineSource,
    perform: @escaping @Sendable (LiveAction, ActionTicket) -> Void
  ) {
    self.rules = rules
    self.limits = limits
    self.board = board
    self.makeLines = makeLines
    self.perform = perform
    store = LineStore(limit: limits.storeBytes)
  }

  // MARK: Time

  var nextAttention: UInt64? {
    // One that is blocked is tried again anyway.
    let quietEnd = followers.values.filter { !$0.isBlocked }.map(\.quietEnd).min() ?? .max
    return min(nextLook, nextTry ?? .max, quietEnd)
  }

  func attend(now: UInt64) {
    for action in acting.values where action.ticket.reply != nil { action.connection.resume() }
    let ending = board.ending
    if ending != nil, end == nil {
      for action in acting.values { action.connection.resume() }
      end = now + Self.endInterval
      // Once more after this time, so that answers to actions are sent.
      (nextLook, nextTry) = (now, now)
      return
    }
    if now >= nextLook {
      let isBehind = collectLines(ending: ending)
      let interval = followers.isEmpty ? Self.idleInterval : Self.lookInterval
      nextLook = isBehind ? now : now + interval
    }
    let isAllSent = sendLines(now: now) && hasLastLines
    if let end, isAllSent && acting.isEmpty || now >= end { board.noteEnd() }
  }

  /// Reads a piece of the lines, none while no client follows; returns whether there are more
  /// already.
  private func collectLines(ending: LiveBoard.Ending?) -> Bool {
    guard !followers.isEmpty, !hasLastLines else {
      hasLastLines = ending != nil
      return false
    }
    if lines?.isOutOfDate == true { startAfresh() }
    let source = lines ?? makeLines()
    lines = source
    store.append(source.next(), isFresh: isCatchingUp)
    if source.hasMore { return true }
    isCatchingUp = false
    if let ending {
      if let status = ending.status { store.append(source.end(status: status)) }
      for follower in followers.values { follower.endsAfterLines = true }
      hasLastLines = true
    } else if store.isFull {
      startAfresh()
      return true
    }
    return false
  }

  /// Has the source give the lines anew.
  private func startAfresh() {
    lines = nil
    isCatchingUp = true
    store.startAfresh()
  }

  /// - Returns: Whether every follower has all lines.
  private func sendLines(now: UInt64) -> Bool {
    nextTry = nil
    var isAllSent = true
    for follower in followers.values {
      switch follower.send(from: store, now: now) {
      case .idle: break
      case .lost: follower.connection.resume()
      case .more:
        nextTry = now
        isAllSent = false
      case .blocked:
        nextTry = nextTry ?? now + Self.tryInterval
        isAllSent = false
      }
    }
    return isAllSent
  }

  // MARK: Requests

  func opened(_ connection: HTTPConnection) {}

  func refusal(of head: RequestHead, on connection: HTTPConnection) -> RequestHead.Refusal? {
    if let refusal = head.refusalOfForm { return refusal }
    guard let index = connection.listener.index, rules.isOwn(host: head.host, at: index) else {
      return RequestHead.Refusal(421, "this is not the address that 'serve' has shown")
    }
    return nil
  }

  func refuse(_ connection: HTTPConnection, with refusal: RequestHead.Refusal) -> Bool {
    let answer = LiveAnswer.text(refusal.status, String(refusal.text.dropLast()))
    return send(answer.with("Connection", "close"), on: connection)
  }

  func proceed(with connection: HTTPConnection) -> Bool {
    if let action = acting[connection.identifier] {
      return goOn(connection, action.ticket, deadline: action.deadline)
    }
    // One that follows has ended, or the client has left.
    return followers[connection.identifier] == nil && begin(connection)
  }

  private func begin(_ connection: HTTPConnection) -> Bool {
    let now = monotonicNanoseconds()
    switch rules.decide(LiveRequest(connection), now: now) {
    case .answer(let answer): return send(answer, on: connection)
    case .follow(let lastEventID, let role):
      guard hasRoom(for: role) else {
        return send(
          .text(503, "there are \(limits.followers) followers already, and no more are possible")
            .with("Retry-After", "10"), on: connection)
      }
      let follower = Follower(connection, lastEventID: lastEventID, role: role, now: now)
      followers[connection.identifier] = follower
      noteFollowers()
      connection.hold(until: nil)
      nextLook = now
      return true
    case .perform(let action):
      guard acting.count < limits.actions, board.ending == nil else { return busy(connection) }
      let ticket = ActionTicket { [board] reply in
        if reply.error == nil { board.noteAction() }
        board.wake()
      }
      let deadline = now + limits.actionNanoseconds
      acting[connection.identifier] = (connection, ticket, deadline)
      connection.hold(until: deadline)
      perform(action, ticket)
      return true
    }
  }

  /// Whether one more may follow; readers take no place of a page that steers.
  private func hasRoom(for role: AccessControl.Role) -> Bool {
    followers.values.count { $0.role == role } < limits.followers
  }

  private func noteFollowers() {
    board.noteFollowers(
      followers.count, steering: followers.values.count { $0.role == .steering })
  }

  private func goOn(
    _ connection: HTTPConnection, _ ticket: ActionTicket, deadline: UInt64
  ) -> Bool {
    let now = monotonicNanoseconds()
    if let reply = ticket.reply {
      acting[connection.identifier] = nil
      return send(.reply(reply), on: connection)
    }
    if connection.isAbandoned { return false }
    if now >= deadline || board.ending != nil, ticket.giveUp() {
      acting[connection.identifier] = nil
      return busy(connection)
    }
    // It runs right now.
    connection.hold(until: now + Self.tryInterval)
    return true
  }

  private func busy(_ connection: HTTPConnection) -> Bool {
    send(
      .error(503, "the session is busy or has ended; nothing was done"), on: connection)
  }

  private func send(_ answer: LiveAnswer, on connection: HTTPConnection) -> Bool {
    connection.answer(status: answer.status, body: answer.body) { add in
      for header in answer.headers { add(header.name, header.value) }
    }
  }

  func ended(on connection: HTTPConnection) {
    // What a page asked for that has left must not happen later.
    _ = acting.removeValue(forKey: connection.identifier)?.ticket.giveUp()
    if followers.removeValue(forKey: connection.identifier) != nil { noteFollowers() }
  }
}

@available(*, unavailable)
extension LiveService: Sendable {}

extension LiveRequest {
  fileprivate init(_ connection: HTTPConnection) {
    let target = String(decoding: connection.target, as: UTF8.self)
    var host = connection.header("host") ?? ""
    var path = target[...]
    if target.hasPrefix("http://"), let start = target.dropFirst(7).firstIndex(of: "/") {
      host = String(target.dropFirst(7)[..<start])
      path = target[start...]
    }
    self.init(
      method: connection.method, path: String(path.prefix { $0 != "?" }), host: host,
      client: connection.clientAddress)
    origins = connection.headers("origin")
    cookies = connection.headers("cookie")
    contentTypes = connection.headers("content-type")
    fetchSites = connection.headers("sec-fetch-site")
    lastEventID = connection.header("last-event-id")
    body = connection.body
    bodyIsTooLong = connection.bodyIsTooLong
  }
}
