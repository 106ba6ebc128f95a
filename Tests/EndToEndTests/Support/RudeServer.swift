import Foundation
import TestSupport

/// A server on loopback that answers each connection with the same bytes and hangs up.
final class RudeServer {
  let url: String
  private let listener: Int32

  convenience init(answer: String) throws {
    try self.init(bytes: Array(answer.utf8))
  }

  init(bytes: [UInt8]) throws {
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
    guard isListening else {
      close(listener)
      throw TestSupportError("no socket to listen on")
    }
    self.listener = listener
    url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
    Thread {
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else {
          // Here and not where it is shut down: this thread may have been busy then, and must not
          // accept from whoever has the number by now.
          close(listener)
          return
        }
        // What was asked is read first: a reset would throw the answer away.
        var request = [UInt8](repeating: 0, count: 8192)
        _ = read(connection, &request, request.count)
        _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        shutdown(connection, Int32(SHUT_RDWR))
        close(connection)
      }
    }.start()
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
  }
}

@available(*, unavailable)
extension RudeServer: Sendable {}
