import Foundation
import Locking

/// A server on loopback that answers each request with 200 and an empty body, and keeps what came.
final class RequestRecorder {
  struct Request: Sendable, Equatable {
    var line: String
    var headers: [String]
    var body: String
  }

  private let listener: Int32
  private let received = Locked<[Request]>([])
  let url: String

  init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 8) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    guard isListening else { throw POSIXError(.EADDRINUSE) }
    self.listener = listener
    url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
    Thread { [received] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else {
          // Closed here and not at shutdown: this thread may be busy at that time, and must not
          // accept from another socket that has reused the number.
          close(listener)
          return
        }
        if let request = Self.read(connection) { received.withLock { $0.append(request) } }
        let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
        _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
        shutdown(connection, Int32(SHUT_WR))
        close(connection)
      }
    }.start()
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  /// The requests since the last call.
  func take() -> [Request] {
    received.withLock { received in
      defer { received = [] }
      return received
    }
  }

  private static func read(_ connection: Int32) -> Request? {
    var patience = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(
      connection, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var text = ""
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
      if let end = text.range(of: "\r\n\r\n") {
        let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
        let length =
          lines.first { $0.lowercased().hasPrefix("content-length: ") }
          .flatMap { Int($0.dropFirst(16)) } ?? 0
        let body = text[end.upperBound...]
        if body.utf8.count >= length {
          return Request(line: lines[0], headers: Array(lines.dropFirst()), body: String(body))
        }
      }
      let count = recv(connection, &part, part.count, 0)
      guard count > 0 else { return nil }
      text += String(decoding: part[..<count], as: UTF8.self)
    }
  }
}

@available(*, unavailable)
extension RequestRecorder: Sendable {}
