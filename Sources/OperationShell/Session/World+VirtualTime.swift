import Networking
import PracticeServer

extension World {
  /// Whether something answers a request: on the virtual clock, only the practice server does.
  func canReach(_ request: HTTPRequest) -> Bool {
    guard isLocal else { return true }
    // Its address is known from its start on.
    try? server.start()
    return server.isAt(request.origin)
  }
}

extension PracticeServer {
  /// Whether requests for an origin are the server's, under either of its names.
  func isAt(_ origin: String) -> Bool {
    guard let port else { return false }
    return origin == "http://127.0.0.1:\(port)" || origin == "http://localhost:\(port)"
  }

  /// Receives a request that does not come through a socket.
  func answer(to request: InProcessRequest) -> InProcessAnswer? {
    guard isAt(request.origin),
      let exchange = exchange(
        method: request.method, target: request.target, headers: request.headers,
        body: request.body)
    else { return nil }
    return InProcessAnswer(steps: exchange.steps.map(Self.step)) { exchange.end(bytes: $0) }
  }

  private static func step(_ step: InProcessExchange.Step) -> InProcessAnswer.Step {
    switch step {
    case .wait(let duration): .wait(duration)
    case .head(let status, let headers): .head(status: status, headers: headers)
    case .body(let bytes): .body(bytes)
    case .failure(.connectionLost): .failure(.connectionLost)
    case .failure(.badResponse(let why)): .failure(.badResponse(why))
    case .failure(.hugeHeader): .failure(.tooLarge)
    case .then(let more): .then { more().map(self.step) }
    }
  }
}
