import COpshMicroHTTPD
import Foundation

/// A TCP socket that listens on an address of this machine.
///
/// A server makes it itself, because libmicrohttpd does not say why it could not bind.
package struct ListeningSocket {
  let descriptor: Int32
  /// The address that it listens on, in the usual form.
  package let address: String
  /// The port that it listens on.
  package let port: UInt16

  /// Binds and listens.
  ///
  /// - Parameters:
  ///   - address: The address, an IPv4 or IPv6 address in digits.
  ///   - port: The port, or 0 for any that is free.
  /// - Throws: `address-in-use`, `address-unavailable`, `permission-denied` or `socket-failed`.
  package init(address: String = "127.0.0.1", port: UInt16) throws(HTTPServingError) {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    hints.ai_socktype = streamSocket
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(address, String(port), &hints, &found) == 0, let found else {
      throw HTTPServingError(
        code: "address-unavailable",
        message: "'\(address)' is not an address in digits, such as 192.168.1.5")
    }
    defer { freeaddrinfo(found) }
    let descriptor = socket(found.pointee.ai_family, streamSocket, 0)
    guard descriptor >= 0 else { throw .socketFailed("open a socket", errno) }
    do throws(HTTPServingError) {
      self.port = try Self.listen(descriptor, found.pointee, address: address, port: port)
    } catch {
      Foundation.close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    var buffer = [CChar](repeating: 0, count: 64)
    let status = getnameinfo(
      found.pointee.ai_addr, found.pointee.ai_addrlen, &buffer, socklen_t(buffer.count), nil, 0,
      NI_NUMERICHOST)
    let usual = buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
    self.address = (status == 0 ? usual : nil) ?? address
  }

  private static func listen(
    _ descriptor: Int32, _ place: addrinfo, address: String, port: UInt16
  ) throws(HTTPServingError) -> UInt16 {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    // Lets a server start again on the port on which an earlier one has just closed connections.
    var on: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
    guard bind(descriptor, place.ai_addr, place.ai_addrlen) == 0,
      Foundation.listen(descriptor, backlog) == 0
    else { throw .cannotListen(on: address, port: port, errno) }

    // Large enough for both families, whose ports are at the same place.
    var bound = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let named = withUnsafeMutablePointer(to: &bound) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(descriptor, $0, &length)
      }
    }
    guard named == 0 else { throw .socketFailed("ask for the port", errno) }
    return UInt16(bigEndian: bound.sin6_port)
  }

  /// Closes a socket that no server was started on.
  package func close() { _ = Foundation.close(descriptor) }

  /// Room for a burst of clients; the system lowers it to its own maximum.
  private static let backlog: Int32 = 4096
}

#if canImport(Glibc)
  private let streamSocket = Int32(SOCK_STREAM.rawValue)
#else
  private let streamSocket = SOCK_STREAM
#endif
