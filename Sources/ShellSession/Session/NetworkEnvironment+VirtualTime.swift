package import OpshNetworking
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
    let mistake = certificateMistake(at: request.origin)
    if let mistake, request.tls.verifiesServer {
      let failure = Self.failure(of: mistake, request)
      return InProcessAnswer(failing: .tls(failure), after: .milliseconds(1))
    }
    guard mistake != nil || isAt(request.origin),
      let exchange = exchange(
        method: request.method, target: request.target, headers: request.headers,
        body: request.body, isSecure: mistake != nil)
    else { return nil }
    return InProcessAnswer(steps: exchange.steps) {
      exchange.end(bytes: $0.bytes, isCut: $0.isCut)
    }
  }

  /// What a client finds that verifies a certificate.
  private static func failure(
    of mistake: CertificateMistake, _ request: InProcessRequest
  ) -> TLSFailure {
    // The issuer is looked for first, and a file of the request comes in place of the server's own.
    guard request.tls.trustedCertificatesFile == nil else { return .unknownIssuer }
    switch mistake {
    case .expired: return .expired
    case .wrongHost: return .wrongHost("localhost")
    }
  }
}
