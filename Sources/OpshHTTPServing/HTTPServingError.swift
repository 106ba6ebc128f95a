import Foundation

/// A failure to start a server.
package struct HTTPServingError: Error, Sendable, Equatable {
  /// A stable name for the kind of failure, such as `address-in-use`.
  package let code: String
  /// One sentence for people, without a final full stop.
  package let message: String

  /// Creates an error.
  package init(code: String, message: String) {
    (self.code, self.message) = (code, message)
  }
}

extension HTTPServingError {
  static func cannotListen(on address: String, port: UInt16, _ code: Int32) -> HTTPServingError {
    switch code {
    case EADDRINUSE:
      HTTPServingError(
        code: "address-in-use", message: "port \(port) is already in use on \(address)")
    case EACCES, EPERM:
      HTTPServingError(
        code: "permission-denied", message: "port \(port) may not be used without more rights")
    case EADDRNOTAVAIL:
      HTTPServingError(
        code: "address-unavailable", message: "this machine does not have the address \(address)")
    default:
      socketFailed("listen on port \(port)", code)
    }
  }

  static func socketFailed(_ action: String, _ code: Int32) -> HTTPServingError {
    HTTPServingError(
      code: "socket-failed",
      message: "the server could not \(action): \(String(cString: strerror(code)))")
  }

  static func libraryMissing(_ name: String) -> HTTPServingError {
    HTTPServingError(
      code: "library-missing",
      message: "the server needs \(name): install the package libmicrohttpd12")
  }

  static func functionMissing(_ name: String) -> HTTPServingError {
    HTTPServingError(
      code: "library-unusable",
      message: "the installed libmicrohttpd has no function \(name): "
        + "install the package libmicrohttpd12")
  }
}
