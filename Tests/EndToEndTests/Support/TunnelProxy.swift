import Foundation
import Locking
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

/// Sockets on 127.0.0.1.
enum Loopback {
  /// A socket that listens on a free port.
  static func listen() throws -> (descriptor: Int32, port: UInt16) {
    let descriptor = makeSocket()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    var address = Self.address(port: 0)
    let port: UInt16? = withUnsafeMutablePointer(to: &address) { pointer in
      let isBound = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && Glibc.listen(descriptor, 16) == 0
          && getsockname(descriptor, $0, &size) == 0
      }
      return isBound ? UInt16(bigEndian: pointer.pointee.sin_port) : nil
    }
    guard let port else {
      close(descriptor)
      throw TestSupportError("no socket to listen on")
    }
    return (descriptor, port)
  }

  /// A free port, which another process may take before it is used.
  static func freePort() throws -> UInt16 {
    let (descriptor, port) = try listen()
    close(descriptor)
    return port
  }

  /// A connection; nil if no process listens.
  static func connect(to port: UInt16) -> Int32? {
    let descriptor = makeSocket()
    var address = Self.address(port: port)
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if status == 0 { return descriptor }
    close(descriptor)
    return nil
  }

  private static func makeSocket() -> Int32 {
    socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  }

  private static func address(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    return address
  }
}
