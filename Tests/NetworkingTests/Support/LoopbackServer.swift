import Foundation
import Locking

/// Serves raw bytes on a free port of this machine, one thread for each connection, so that a test
/// can break HTTP in every way.
final class LoopbackServer: Sendable {
  struct Failure: Error {
    var what: String
    var number: Int32 = errno
  }

  private struct State {
    var isStopped = false
    var isListening = true
    var connections: [Int32] = []
    var accepted = 0
  }

  let port: UInt16
  private let listener: Int32
  private let state = Locked(State())
  private let handler: @Sendable (RawConnection) -> Void

  /// Starts a server whose handler runs once for each connection and closes it by returning.
  init(_ handler: @escaping @Sendable (RawConnection) -> Void) throws {
    self.handler = handler
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw Failure(what: "socket") }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        guard bind(descriptor, raw, size) == 0, listen(descriptor, 512) == 0 else {
          return Int32(-1)
        }
        return getsockname(descriptor, raw, &size)
      }
    }
    guard status == 0 else { throw Failure(what: "bind") }
    listener = descriptor
    port = UInt16(bigEndian: address.sin_port)
    let thread = Thread { [self] in acceptAll() }
    thread.stackSize = 512 << 10
    thread.start()
  }

  var url: String { "http://127.0.0.1:\(port)" }

  /// The number of accepted connections.
  var accepted: Int { state.withLock { $0.accepted } }

  /// Closes all connections, also those of handlers that stall.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      // Under the lock that also guards closing: after that, the same number may be a socket of
      // another test's server.
      for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
      state.connections = []
      if state.isListening { shutdown(listener, Int32(SHUT_RDWR)) }
    }
  }

  private func acceptAll() {
    defer {
      state.withLock { state in
        state.isListening = false
        close(listener)
      }
    }
    while true {
      let descriptor = accept(listener, nil, nil)
      guard descriptor >= 0 else { return }
      let mayServe = state.withLock { state in
        guard !state.isStopped else { return false }
        state.accepted += 1
        state.connections.append(descriptor)
        return true
      }
      guard mayServe else {
        close(descriptor)
        return
      }
      let thread = Thread { [self] in
        let connection = RawConnection(descriptor)
        handler(connection)
        // Removed from the list before closing: the number may be reused for another connection.
        state.withLock { $0.connections.removeAll { $0 == descriptor } }
        connection.close()
      }
      thread.stackSize = 512 << 10
      thread.start()
    }
  }
}

/// A received request.
struct ReceivedRequest: Sendable {
  var line: String
  var headers: [(name: String, value: String)]
  var body: [UInt8]

  var method: String { String(line.prefix { $0 != " " }) }
  var target: String { line.split(separator: " ").dropFirst().first.map(String.init) ?? "" }

  func values(_ name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }
}

/// The server's end of a connection, used on its own thread only.
final class RawConnection {
  private let descriptor: Int32
  private var isOpen = true
  private var buffer: [UInt8] = []

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    var patience = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Reads one request with its body; nil after the client has disconnected.
  func readRequest() -> ReceivedRequest? {
    while true {
      if let end = endOfHead() {
        let lines = String(decoding: buffer[..<end], as: UTF8.self)
          .components(separatedBy: "\r\n").filter { !$0.isEmpty }
        buffer.removeFirst(end)
        guard let first = lines.first else { return nil }
        let headers = lines.dropFirst().map { line in
          let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
          return (
            name: String(parts[0]),
            value: parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
          )
        }
        var request = ReceivedRequest(line: first, headers: headers, body: [])
        let length = request.values("Content-Length").first.flatMap { Int($0) } ?? 0
        while buffer.count < length { guard fill() else { return nil } }
        request.body = Array(buffer.prefix(length))
        buffer.removeFirst(length)
        return request
      }
      guard fill() else { return nil }
    }
  }

  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Sends everything; false after the client has disconnected.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard sent > 0 else { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }

  /// Sends a whole response with the right length.
  func respond(_ status: String = "200 OK", _ headers: [String] = [], body: [UInt8] = []) {
    let head = (["HTTP/1.1 \(status)", "Content-Length: \(body.count)"] + headers)
      .joined(separator: "\r\n")
    send(Array((head + "\r\n\r\n").utf8) + body)
  }

  /// Waits for the first bytes, whatever they are.
  func readSome() { _ = fill() }

  /// Reads nothing until the client disconnects, which the system notes without reading.
  func wait(seconds: Int) {
    // POLLRDHUP, which Swift does not see.
    var event = pollfd(fd: descriptor, events: 0x2000, revents: 0)
    poll(&event, 1, Int32(seconds * 1_000))
  }

  /// Waits until the client disconnects or the server stops.
  func stall() {
    while fill() {}
  }

  /// Ends the connection with RST.
  func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  func close() {
    guard isOpen else { return }
    isOpen = false
    Foundation.close(descriptor)
  }

  private func endOfHead() -> Int? {
    guard buffer.count >= 4 else { return nil }
    for index in 0...(buffer.count - 4) where buffer[index] == 0x0D {
      if buffer[index..<(index + 4)].elementsEqual([0x0D, 0x0A, 0x0D, 0x0A]) { return index + 4 }
    }
    return nil
  }

  private func fill() -> Bool {
    guard isOpen else { return false }
    var part = [UInt8](repeating: 0, count: 16 << 10)
    let count = recv(descriptor, &part, part.count, 0)
    guard count > 0 else { return false }
    buffer += part.prefix(count)
    return true
  }
}
