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
      let request = makeRequest(on: connection)
      let admission = state.admit(request)
      guard admission.decision.delay > 0 else {
        exchange.phase = .answering
        return answer(request, admission: admission, on: connection)
      }
      exchange.phase = .delayed(.init(request: request, admission: admission))
      state.countWaiting(1)
      let end = admission.arrival + admission.decision.delay
      log(
        request, admission, status: nil, .held(by: Fault.Kind.latency.name, until: end), connection)
      connection.hold(until: end)
      return true
    case .delayed(let pending):
      state.countWaiting(-1)
      exchange.phase = .answering
      exchange.isCut = connection.isAbandoned
      return !exchange.isCut
        && answer(pending.request, admission: pending.admission, on: connection)
    case .sending(let player):
      exchange.isCut = connection.isAbandoned
      return !exchange.isCut && advance(player, on: connection)
    case .answering:
      return false
    }
  }

  /// Answers a request whose head is refused, and closes the connection: where the next request on
  /// it would begin is not known.
  func refuse(_ connection: HTTPConnection, with refusal: RequestHead.Refusal) -> Bool {
    connection.exchange.phase = .answering
    let request = PracticeRequest(method: connection.method, target: connection.target)
    var answer = PracticeAnswer.text(status: refusal.status, refusal.text)
    answer.setHeader("Connection", "close")
    let admission = Admission(seed: 0, generation: 0, arrival: state.monotonic())
    log(
      request, admission, status: answer.status, bytes: answer.body.count, .ended, connection)
    state.countSent(bytes: answer.body.count)
    return queue(answer, on: connection)
  }

  func ended(on connection: HTTPConnection) {
    let exchange = connection.exchange
    // The server has ended the connection before the answer was due.
    if case .delayed = exchange.phase { state.countWaiting(-1) }
    if let number = exchange.openRecord {
      state.endLog(number, bytes: exchange.sentBytes, isCut: exchange.isCut)
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
      log(
        request, admission, status: script.status, decision.stage(at: state.monotonic()), connection
      )
      connection.sendAtOnce()
      let player = SocketPlayer(script, descriptor: connection.socket)
      connection.exchange.phase = .sending(player)
      return advance(player, on: connection)
    }
    let hasBody = request.method != "HEAD" && answer.status != 204 && answer.status != 304
    let bytes = hasBody ? answer.body.count : 0
    log(request, admission, status: answer.status, bytes: bytes, .ended, connection)
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
  private func log(
    _ request: PracticeRequest, _ admission: Admission, status: Int?, bytes: Int = 0,
    _ stage: RequestLog.Stage, _ connection: HTTPConnection
  ) {
    let exchange = connection.exchange
    let number = state.log(
      request, as: exchange.openRecord, admission, status: status, bytes: bytes, stage)
    if case .ended = stage { exchange.openRecord = nil } else { exchange.openRecord = number }
  }

  private func advance(_ player: SocketPlayer, on connection: HTTPConnection) -> Bool {
    let before = player.written
    let outcome = player.advance(now: state.monotonic())
    let exchange = connection.exchange
    exchange.sentBytes += player.written - before
    state.countSent(bytes: player.written - before)
    exchange.isCut = outcome == .lost
    guard case .wait(let deadline) = outcome else { return false }
    if let number = exchange.openRecord { state.noteInLog(number, sent: exchange.sentBytes) }
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
