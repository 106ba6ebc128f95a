import COpshMicroHTTPD
import Foundation

/// What a server remembers of one connection while it is open.
///
/// It belongs to the server's thread.
package final class HTTPConnection {
  /// The number of the connection in its server.
  package let identifier: UInt64
  /// The port that the client has connected to.
  package let listener: HTTPListener
  /// libmicrohttpd's own connection, valid until the connection is closed.
  let handle: OpaquePointer
  private unowned let loop: HTTPLoop
  private var library: MicroHTTPDLibrary { loop.library }

  /// What the service keeps with the connection.
  package var attachment: AnyObject?
  /// The method of the request.
  package var method: String = ""
  /// The request line's target as it was sent.
  package internal(set) var target: [UInt8] = []
  /// What was sent with the request.
  package var body: [UInt8] = []
  /// Whether more was sent than is kept.
  package private(set) var bodyIsTooLong: Bool = false
  /// Whether libmicrohttpd leaves the connection alone until it is resumed.
  package internal(set) var isSuspended: Bool = false
  /// When the present hold, or the last one, ends; nil for never.
  var deadline: UInt64?
  /// Whether the client has left before its answer.
  package internal(set) var isAbandoned: Bool = false

  /// How many requests have ended on it.
  private var requestCount = 0
  /// When the server began to wait for the request.
  private(set) var receivingSince: UInt64
  /// The head of the request, once it has arrived.
  var head: RequestHead?
  /// Whether the request has arrived completely.
  var isComplete = false

  init(
    identifier: UInt64, listener: HTTPListener, handle: OpaquePointer, loop: HTTPLoop, now: UInt64
  ) {
    self.identifier = identifier
    self.listener = listener
    self.handle = handle
    self.loop = loop
    receivingSince = now
  }

  /// Whether another request has ended on it.
  package var isReused: Bool { requestCount > 0 }

  /// Whether the server waits for the request, or for the rest of it.
  var isWaiting: Bool { !isComplete && !isSuspended }

  /// A rank among connections that wait: the least is the first that can be spared.
  var usefulness: (Int, UInt64) {
    (target.isEmpty ? (isReused ? 1 : 0) : 2, receivingSince)
  }

  /// Whether the client has sent something that libmicrohttpd has not read.
  var hasUnreadBytes: Bool {
    var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0
  }

  /// Makes the connection ready for its next request.
  func beginRequest(now: UInt64) {
    requestCount += 1
    receivingSince = now
    target = []
    head = nil
    isComplete = false
    body = []
    bodyIsTooLong = false
  }

  /// Keeps a part of the request's body.
  ///
  /// - Parameters:
  ///   - bytes: The part.
  ///   - limit: How long the body may become; more is dropped.
  func receive(_ bytes: UnsafeRawBufferPointer, limit: Int) {
    let room = max(0, limit - body.count)
    body.append(contentsOf: bytes.prefix(room))
    if bytes.count > room { bodyIsTooLong = true }
  }

  // MARK: The request and its client

  /// The first value of a header, whatever the case of its name.
  package func header(_ name: String) -> String? {
    let name = name.lowercased()
    return head?.fields.first { $0.name == name }?.value
  }

  /// All values of a header, in order.
  package func headers(_ name: String) -> [String] { head?.values(of: name) ?? [] }

  /// Whether the connection is encrypted.
  package var isSecure: Bool { opsh_mhd_connection_is_secure(library.table, handle) }

  /// The IPv4 address of the client as a number; 0 if it has none.
  package var clientNumber: UInt32 { opsh_mhd_client_address(library.table, handle) }

  /// The address of the client in digits; empty if the connection is lost.
  package var clientAddress: String {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard opsh_mhd_client_text(library.table, handle, &buffer, UInt32(buffer.count)) else {
      return ""
    }
    return buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
  }

  /// The socket, for what is sent past libmicrohttpd while the connection is suspended; -1 if it is
  /// lost.
  package var socket: Int32 { opsh_mhd_connection_socket(library.table, handle) }

  /// Sends small pieces at once from now on.
  package func sendAtOnce() {
    if socket >= 0 { opsh_mhd_send_at_once(socket) }
  }

  // MARK: The answer

  /// Hands an answer to libmicrohttpd, which sends it; returns whether it was accepted.
  package func answer(
    status: Int, body: [UInt8], addHeaders: (_ add: (String, String) -> Void) -> Void
  ) -> Bool {
    let response = body.withUnsafeBytes { bytes in
      // The library only copies from the pointer; its header merely lacks the `const`.
      library.functions.create_response_from_buffer(
        bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), opsh_mhd_must_copy)
    }
    guard let response else { return false }
    addHeaders { _ = library.functions.add_response_header(response, $0, $1) }
    let queued = library.functions.queue_response(handle, UInt32(status), response)
    library.functions.destroy_response(response)
    return queued == opsh_mhd_yes
  }

  /// Makes libmicrohttpd leave the connection alone until a point in time, or until `resume()`, or
  /// until the client has left.
  ///
  /// - Parameter deadline: When to go on; nil for never.
  package func hold(until deadline: UInt64?) { loop.hold(self, until: deadline) }

  /// Goes on with a suspended connection.
  package func resume() { loop.resume(self) }

  /// Opens another port of the server that speaks TLS.
  ///
  /// - Parameter certificate: What it shows its clients.
  /// - Returns: The port; nil if the library can't speak TLS, or the system has no socket left.
  package func openPort(showing certificate: HTTPLimits.Certificate) -> UInt16? {
    loop.openPort(showing: certificate)
  }
}

@available(*, unavailable)
extension HTTPConnection: Sendable {}

/// Resets a TCP connection: the peer gets a RST at once, and what was not read or sent is lost.
package func resetSocket(_ descriptor: Int32) { opsh_mhd_reset_socket(descriptor) }
