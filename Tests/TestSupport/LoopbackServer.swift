import Foundation
import OpshLocking

/// Serves raw bytes on a free port of this machine, one thread for each connection, so that a test
/// can break HTTP in every way.
package final class LoopbackServer: Sendable {
  private struct State {
    var isStopped = false
    var isListening = true
    var connections: [Int32] = []
    var accepted = 0
  }

  package let port: UInt16
  private let listener: Int32
  private let state = Locked(State())
  private let handler: @Sendable (RawConnection) -> Void

  /// Starts a server whose handler runs once for each connection and closes it by returning.
  package init(_ handler: @escaping @Sendable (RawConnection) -> Void) throws {
    self.handler = handler
    (listener, port) = try Loopback.listen()
    let thread = Thread { [self] in acceptAll() }
    thread.stackSize = 512 << 10
    thread.start()
  }

  package var url: String { "http://127.0.0.1:\(port)" }

  /// The number of accepted connections.
  package var accepted: Int { state.withLock { $0.accepted } }

  /// Closes all connections, also those of handlers that stall.
  package func stop() {
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
package struct ReceivedRequest: Sendable {
  package var line: String
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]

  package var method: String { String(line.prefix { $0 != " " }) }
  package var target: String { line.split(separator: " ").dropFirst().first.map(String.init) ?? "" }

  package func values(_ name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }
}

/// The server's end of a connection, used on its own thread only.
package final class RawConnection {
  private let descriptor: Int32
  private var isOpen = true
  private var buffer: [UInt8] = []

  package init(_ descriptor: Int32) {
    self.descriptor = descriptor
    Loopback.setTimeout(20, of: descriptor)
  }

  /// Reads one request with its body; nil after the client has disconnected.
  package func readRequest() -> ReceivedRequest? {
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
  package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Sends everything; false after the client has disconnected.
  @discardableResult
  package func send(_ bytes: [UInt8]) -> Bool { Loopback.send(bytes, to: descriptor) }

  /// Sends a whole response with the right length.
  package func respond(_ status: String = "200 OK", _ headers: [String] = [], body: [UInt8] = []) {
    let head = (["HTTP/1.1 \(status)", "Content-Length: \(body.count)"] + headers)
      .joined(separator: "\r\n")
    send(Array((head + "\r\n\r\n").utf8) + body)
  }

  /// Waits for the first bytes, whatever they are.
  package func readSome() { _ = fill() }

  /// Reads nothing until the client disconnects, which the system notes without reading.
  package func wait(seconds: Int) {
    // POLLRDHUP, which Swift does not see.
    var event = pollfd(fd: descriptor, events: 0x2000, revents: 0)
    poll(&event, 1, Int32(seconds * 1_000))
  }

  /// Waits until the client disconnects or the server stops.
  package func stall() {
    while fill() {}
  }

  /// Ends the connection with RST.
  package func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  package func close() {
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
