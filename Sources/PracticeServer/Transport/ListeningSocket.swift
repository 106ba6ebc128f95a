import Foundation

/// A TCP socket that listens on 127.0.0.1.
///
/// The server makes it itself, because libmicrohttpd does not say why it could not bind.
struct ListeningSocket {
  let descriptor: Int32
  let port: UInt16

  /// Binds and listens.
  ///
  /// - Parameter port: The port, or 0 for any that is free.
  /// - Throws: `address-in-use`, `permission-denied` or `socket-failed`.
  init(port: UInt16) throws(PracticeServerError) {
    let descriptor = socket(AF_INET, streamSocket, 0)
    guard descriptor >= 0 else { throw .socketFailed("open a socket", errno) }
    do throws(PracticeServerError) {
      self.port = try Self.listen(descriptor, port: port)
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  private static func listen(
    _ descriptor: Int32, port: UInt16
  ) throws(PracticeServerError) -> UInt16 {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    // Lets a server start again on the port on which an earlier one has just closed connections.
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))

    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    guard bound == 0, Foundation.listen(descriptor, backlog) == 0 else {
      throw .cannotListen(port: port, errno)
    }
    let named = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(descriptor, $0, &length)
      }
    }
    guard named == 0 else { throw .socketFailed("ask for the port", errno) }
    return UInt16(bigEndian: address.sin_port)
  }

  /// Room for a burst of clients; the system lowers it to its own maximum.
  private static let backlog: Int32 = 4096
}

#if canImport(Glibc)
  private let streamSocket = Int32(SOCK_STREAM.rawValue)
#else
  private let streamSocket = SOCK_STREAM
#endif

extension PracticeServerError {
  static func cannotListen(port: UInt16, _ code: Int32) -> PracticeServerError {
    switch code {
    case EADDRINUSE:
      PracticeServerError(
        code: "address-in-use", message: "port \(port) is already in use on 127.0.0.1")
    case EACCES, EPERM:
      PracticeServerError(
        code: "permission-denied", message: "port \(port) may not be used without more rights")
    default:
      socketFailed("listen on port \(port)", code)
    }
  }

  static func socketFailed(_ action: String, _ code: Int32) -> PracticeServerError {
    PracticeServerError(
      code: "socket-failed",
      message: "the practice server could not \(action): \(String(cString: strerror(code)))")
  }
}
