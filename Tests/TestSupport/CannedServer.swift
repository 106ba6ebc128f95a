import Foundation

/// A server on loopback that answers each connection with the same bytes, valid HTTP or not, and
/// closes it.
public final class CannedServer {
  /// The address of the server, without a slash at its end.
  public let url: String
  private let listener: Int32

  /// Starts a server that answers with a text.
  public convenience init(_ answer: String) throws {
    try self.init(Array(answer.utf8))
  }

  /// Starts a server that answers with bytes.
  public init(_ bytes: [UInt8]) throws {
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
          // Closed here and not at shutdown: this thread may be busy at that time, and must not
          // accept from another socket that has reused the number.
          close(listener)
          return
        }
        // The request is read first: closing with unread bytes would reset the connection.
        var request = [UInt8](repeating: 0, count: 65_536)
        _ = read(connection, &request, request.count)
        var start = 0
        while start < bytes.count {
          let count = bytes.withUnsafeBytes {
            send(
              connection, $0.baseAddress?.advanced(by: start), bytes.count - start,
              Int32(MSG_NOSIGNAL))
          }
          guard count > 0 else { break }
          start += count
        }
        shutdown(connection, Int32(SHUT_RDWR))
        close(connection)
      }
    }.start()
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }
}

@available(*, unavailable)
extension CannedServer: Sendable {}
