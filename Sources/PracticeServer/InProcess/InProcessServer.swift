import Foundation
import OpshHTTPServing
import OpshLocking

/// Answers requests with the server's own handlers, on the calling thread.
final class InProcessServer: Sendable {
  let state: ServerState
  private let api: Locked<PracticeAPI>
  /// How many connections its client keeps open for further requests.
  private let idleConnections = Locked(0)

  init(state: ServerState) {
    self.state = state
    api = Locked(PracticeAPI())
  }

  /// Returns the answer before faults of delivery change it.
  func answer(
    _ request: PracticeRequest, admission: Admission, port: UInt16
  ) -> PracticeAnswer {
    let replaced = admission.decision.replacementAnswer(to: request, port: port) {
      port &+ $0.inProcessOffset
    }
    if let replaced { return replaced }
    // 127.0.0.1, where all clients are.
    return api.withLock {
      $0.answer(request, admission: admission, client: 0x7F00_0001, state: state)
    }
  }
}

extension InProcessServer {
  /// Takes a connection that is open already, if there is one.
  func takeConnection() -> Bool {
    idleConnections.withLock { count in
      guard count > 0 else { return false }
      count -= 1
      return true
    }
  }

  /// Keeps a connection open.
  func keepConnection() { idleConnections.withLock { $0 += 1 } }
}

/// Answering without sockets.
extension PracticeServer {
  /// The port in its address while it answers in the process, unless it was started with one.
  public static let inProcessPort: UInt16 = 49_152

  /// How many bytes of a request's body are looked at; a longer one is too large for all services.
  public static let keptBodySize: Int = HTTPLimits().bodyBytes

  /// Receives a request that does not come through a socket.
  ///
  /// ```swift
  /// let exchange = server.exchange(method: "GET", target: "/2.3/info?site=stackoverflow")
  /// ```
  ///
  /// - Parameters:
  ///   - method: The method, in capitals.
  ///   - target: The path and the query, as they stand in a request line.
  ///   - headers: The header fields.
  ///   - body: What is sent with it.
  ///   - isSecure: Whether it is sent to a port on which the server speaks TLS.
  /// - Returns: What comes of it; nil unless the server answers in the process.
  public func exchange(
    method: String, target: String, headers: [(name: String, value: String)] = [],
    body: [UInt8] = [], isSecure: Bool = false
  ) -> InProcessExchange? {
    guard let server = inProcess, let port else { return nil }
    var request = PracticeRequest(method: method, target: Array(target.utf8))
    request.connection.isSecure = isSecure
    request.body = Array(body.prefix(Self.keptBodySize))
    request.bodyIsTooLong = body.count > Self.keptBodySize
    let fields = headers.map { ($0.name.lowercased(), $0.value) }
    request.header = { name in
      let name = name.lowercased()
      return fields.first { $0.0 == name }?.1
    }
    // The client of this process sends nothing that has side effects on a connection that may be
    // closed by now.
    let isSafe = ["GET", "HEAD", "OPTIONS"].contains(method)
    request.connection.isReused = isSafe && !isSecure && server.takeConnection()
    return InProcessExchange(request, server: server, port: port)
  }
}
