import Foundation
import OpshLocking
import TestSupport

/// A proxy on loopback that tunnels every request to one server.
final class TunnelProxy: Sendable {
  let url: String
  private let listener: Int32
  private let received = Locked<[String]>([])

  /// The requests that clients sent to open a tunnel.
  var requests: [String] { received.withLock { $0 } }

  init(to port: UInt16) throws {
    let (descriptor, ownPort) = try Loopback.listen()
    listener = descriptor
    url = "http://127.0.0.1:\(ownPort)"
    let received = received
    Thread {
      while true {
        let client = accept(descriptor, nil, nil)
        guard client >= 0 else {
          close(descriptor)
          return
        }
        Thread { Self.serve(client, to: port, received) }.start()
      }
    }.start()
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  private static func serve(_ client: Int32, to port: UInt16, _ received: Locked<[String]>) {
    defer { close(client) }
    var request: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 16 << 10)
    while !request.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      let count = read(client, &part, part.count)
      guard count > 0 else { return }
      request += part[..<count]
    }
    received.withLock { $0.append(String(decoding: request, as: UTF8.self)) }
    guard let server = Loopback.connect(to: port) else { return }
    defer { close(server) }
    let answer = Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8)
    guard send(client, answer, answer.count, Int32(MSG_NOSIGNAL)) == answer.count else { return }
    var ends = [
      pollfd(fd: client, events: Int16(POLLIN), revents: 0),
      pollfd(fd: server, events: Int16(POLLIN), revents: 0),
    ]
    while poll(&ends, 2, 60_000) > 0 {
      for (from, to) in [(0, 1), (1, 0)] where ends[from].revents != 0 {
        let count = read(ends[from].fd, &part, part.count)
        guard count > 0, send(ends[to].fd, part, count, Int32(MSG_NOSIGNAL)) == count else {
          return
        }
      }
    }
  }
}
