import Foundation
import OpshHTTPServing

/// Answers requests as the three services do, with the faults that are set.
final class PracticeService: HTTPService {
  let state: ServerState
  /// Whether it is asked over TLS, and so goes by the names in its certificate.
  private let isTLS: Bool
  private let port: UInt16
  private var api = PracticeAPI()

  /// Creates a service.
  init(state: ServerState, port: UInt16, isTLS: Bool) {
    self.state = state
    self.port = port
    self.isTLS = isTLS
  }

  func opened(_ connection: HTTPConnection) { state.countConnection() }

  func refusal(of head: RequestHead, on connection: HTTPConnection) -> RequestHead.Refusal? {
    if let refusal = head.refusalOfForm { return refusal }
    guard !isTLS, let host = head.host, !Self.isOwn(host) else { return nil }
    return RequestHead.Refusal(
      421, "only requests to localhost and 127.0.0.1 are answered, by whatever port")
  }

  private static func isOwn(_ host: String) -> Bool {
    let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
    return ["localhost", "127.0.0.1", "[::1]"].contains(name.lowercased())
  }

  func proceed(with connection: HTTPConnection) -> Bool {
    let exchange = connection.exchange
    switch exchange.phase {
    case .receiving:
      exchange.arrival = state.monotonic()
      let request = makeRequest(on: connection)
      let admission = state.admit(request)
      guard admission.decision.delay > 0 else {
        exchange.phase = .answering
        return answer(request, admission: admission, on: connection)
      }
      exchange.phase = .delayed(.init(request: request, admission: admission))
      state.countWaiting(1)
      connection.hold(until: exchange.arrival + admission.decision.delay)
      return true
    case .delayed(let pending):
      state.countWaiting(-1)
      exchange.phase = .answering
      guard !connection.isAbandoned else {
        begin(
          pending.request, faults: pending.admission.decision.names, status: nil, bytes: 0,
          on: connection)
        return false
      }
      return answer(pending.request, admission: pending.admission, on: connection)
    case .sending(let player):
      return !connection.isAbandoned && advance(player, on: connection)
    case .answering:
      return false
    }
  }

  /// Answers a request whose head is refused, and closes the connection: where the next request on
  /// it would begin is not known.
  func refuse(_ connection: HTTPConnection, with refusal: RequestHead.Refusal) -> Bool {
    connection.exchange.arrival = state.monotonic()
    connection.exchange.phase = .answering
    let request = PracticeRequest(method: connection.method, target: connection.target)
    var answer = PracticeAnswer.text(status: refusal.status, refusal.text)
    answer.setHeader("Connection", "close")
    begin(request, faults: [], status: answer.status, bytes: answer.body.count, on: connection)
    state.countSent(bytes: answer.body.count)
    return queue(answer, on: connection)
  }

  func ended(on connection: HTTPConnection) {
    let exchange = connection.exchange
    if case .delayed(let pending) = exchange.phase {
      // The client, or the server, has ended the connection before the answer was due.
      state.countWaiting(-1)
      begin(
        pending.request, faults: pending.admission.decision.names, status: nil, bytes: 0,
        on: connection)
    }
    if let number = exchange.openRecord {
      state.endLog(number, arrival: exchange.arrival, bytes: exchange.sentBytes)
    }
    exchange.begin()
  }

  private func makeRequest(on connection: HTTPConnection) -> PracticeRequest {
    var request = PracticeRequest(method: connection.method, target: connection.target)
    request.body = connection.body
    request.bodyIsTooLong = connection.bodyIsTooLong
    connection.body = []
    request.connection.isReused = connection.isReused
    request.connection.isSecure = connection.isSecure
    request.header = { connection.header($0) }
    return request
  }

  private func answer(
    _ request: PracticeRequest, admission: Admission, on connection: HTTPConnection
  ) -> Bool {
    let decision = admission.decision
    var answer = plainAnswer(request, admission: admission, on: connection)
    decision.rewrite(&answer, to: request)
    // The library has no words for this status.
    if decision.needsScript || (answer.status == 420 && !request.connection.isSecure) {
      answer.headers.insert(state.dateHeader, at: 0)
      let script = FaultScript(answer, method: request.method, decision: decision)
      begin(request, faults: decision.names, status: script.status, bytes: nil, on: connection)
      connection.sendAtOnce()
      let player = SocketPlayer(script, descriptor: connection.socket)
      connection.exchange.phase = .sending(player)
      return advance(player, on: connection)
    }
    let hasBody = request.method != "HEAD" && answer.status != 204 && answer.status != 304
    let bytes = hasBody ? answer.body.count : 0
    begin(request, faults: decision.names, status: answer.status, bytes: bytes, on: connection)
    state.countSent(bytes: bytes)
    return queue(answer, on: connection)
  }

  /// What is answered, before anything is done to it.
  private func plainAnswer(
    _ request: PracticeRequest, admission: Admission, on connection: HTTPConnection
  ) -> PracticeAnswer {
    let replaced = admission.decision.replacementAnswer(to: request, port: port) { mistake in
      openPort(showing: mistake, on: connection)
    }
    if let replaced { return replaced }
    let rules = admission.decision.rules
    let isWatched = rules.throttle != nil || rules.punishesBackoff
    let client = isWatched ? connection.clientNumber : 0
    return api.answer(request, admission: admission, client: client, state: state)
  }

  /// Writes a request into the log, as `ServerState` does.
  private func begin(
    _ request: PracticeRequest, faults: [String], status: Int?, bytes: Int?,
    on connection: HTTPConnection
  ) {
    let number = state.log(
      request, arrival: connection.exchange.arrival, faults: faults, status: status, bytes: bytes)
    if bytes == nil { connection.exchange.openRecord = number }
  }

  private func advance(_ player: SocketPlayer, on connection: HTTPConnection) -> Bool {
    let before = player.written
    let outcome = player.advance(now: state.monotonic())
    connection.exchange.sentBytes += player.written - before
    state.countSent(bytes: player.written - before)
    guard case .wait(let deadline) = outcome else { return false }
    connection.hold(until: deadline)
    return true
  }

  private func queue(_ answer: PracticeAnswer, on connection: HTTPConnection) -> Bool {
    connection.answer(status: answer.status, body: answer.body) { add in
      for header in answer.headers { add(header.name, header.value) }
    }
  }

  /// Opens the port on which a certificate with a mistake is shown, unless it is open already.
  private func openPort(
    showing mistake: CertificateMistake, on connection: HTTPConnection
  ) -> UInt16? {
    if let port = state.securePort(of: mistake) { return port }
    guard let port = connection.openPort(showing: mistake.identity.shown) else { return nil }
    state.noteSecurePort(port, of: mistake)
    return port
  }
}

@available(*, unavailable)
extension PracticeService: Sendable {}

extension TLSIdentity {
  /// The form in which a server takes it.
  var shown: HTTPLimits.Certificate { HTTPLimits.Certificate(certificate, privateKey: privateKey) }
}
