import Foundation

/// Sockets on 127.0.0.1, which no started program inherits.
package enum Loopback {
  /// A socket that listens on a free port.
  ///
  /// - Parameter backlog: How many connections wait to be accepted.
  /// - Returns: The socket and its port.
  /// - Throws: ``TestSupportError`` if there is none.
  package static func listen(backlog: Int32 = 512) throws -> (descriptor: Int32, port: UInt16) {
    let descriptor = makeSocket()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    var address = Self.address("127.0.0.1", port: 0)
    let port: UInt16? = withUnsafeMutablePointer(to: &address) { pointer in
      let isBound = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.bind(descriptor, $0, size) == 0 && Glibc.listen(descriptor, backlog) == 0
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
  package static func freePort() throws -> UInt16 {
    let (descriptor, port) = try listen()
    close(descriptor)
    return port
  }

  /// A connection; nil if no process listens.
  package static func connect(to port: UInt16) -> Int32? {
    let descriptor = makeSocket()
    if connect(descriptor, to: port) { return descriptor }
    close(descriptor)
    return nil
  }

  /// Connects a socket.
  ///
  /// - Returns: Whether the connection has been set up.
  package static func connect(
    _ descriptor: Int32, at host: String = "127.0.0.1", to port: UInt16
  ) -> Bool {
    withAddress(host, port) { Glibc.connect(descriptor, $0, $1) == 0 }
  }

  /// Gives a socket an address of its own, before it connects.
  package static func bind(_ descriptor: Int32, at host: String) {
    _ = withAddress(host, 0) { Glibc.bind(descriptor, $0, $1) }
  }

  /// A socket that is not connected yet.
  package static func makeSocket(isBlocking: Bool = true) -> Int32 {
    let flags = isBlocking ? 0 : Int32(SOCK_NONBLOCK.rawValue)
    return socket(
      AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | flags, 0)
  }

  /// Limits each wait for the other side.
  package static func setTimeout(_ seconds: Int, of descriptor: Int32) {
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(
        descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  /// Sends everything.
  ///
  /// - Returns: False after the other side has disconnected.
  package static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func withAddress<Result>(
    _ host: String, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    withUnsafePointer(to: address(host, port: port)) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  private static func address(_ host: String, port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    inet_pton(AF_INET, host, &address.sin_addr)
    return address
  }
}
