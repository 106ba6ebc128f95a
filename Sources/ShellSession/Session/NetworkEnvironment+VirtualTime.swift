package import Networking
import PracticeServer

extension NetworkEnvironment {
  /// Whether a request can be answered: on the virtual clock, only the practice server answers.
  package func canReach(_ request: HTTPRequest) -> Bool {
    guard isLocal else { return true }
    // The server has an address only after it has started.
    try? server.start()
    return server.isAt(request.origin)
  }
}

extension PracticeServer {
  /// Whether the origin is the server's, under either of its names.
  func isAt(_ origin: String) -> Bool {
    guard let port else { return false }
    return origin == "http://127.0.0.1:\(port)" || origin == "http://localhost:\(port)"
  }

  /// Answers a request that does not come through a socket.
  func answer(to request: InProcessRequest) -> InProcessAnswer? {
    guard isAt(request.origin),
      let exchange = exchange(
        method: request.method, target: request.target, headers: request.headers,
        body: request.body)
    else { return nil }
    return InProcessAnswer(steps: exchange.steps) { exchange.end(bytes: $0) }
  }
}
