import OpshLocking
import TestSupport

/// A server on loopback that answers each request with 200 and an empty body, and keeps what came.
final class RequestRecorder: Sendable {
  struct Request: Sendable, Equatable {
    var line: String
    var headers: [String]
    var body: String
  }

  private let server: LoopbackServer
  private let received = Locked<[Request]>([])
  var url: String { server.url }

  init() throws {
    server = try LoopbackServer { [received] connection in
      guard let request = connection.readRequest() else { return }
      received.withLock {
        $0.append(
          Request(
            line: request.line, headers: request.headers.map { "\($0.name): \($0.value)" },
            body: String(decoding: request.body, as: UTF8.self)))
      }
      connection.respond("200 OK", ["Connection: close"])
    }
  }

  deinit { server.stop() }

  /// The requests since the last call.
  func take() -> [Request] {
    received.withLock { received in
      defer { received = [] }
      return received
    }
  }
}
