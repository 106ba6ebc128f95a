import Foundation

/// A client on a bare socket, which can send what no library would.
///
/// Every wait for the server is bounded by twenty seconds.
package final class RawClient {
  /// What came back.
  package struct Reply {
    package var status: Int
    package var headers: [String: String]
    /// The body as it was sent.
    package var body: [UInt8]
  }

  /// Why there is no reply.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
  }

  private var descriptor: Int32
  private var buffer = [UInt8](repeating: 0, count: 65_536)
  /// What was received and not taken yet.
  package private(set) var received: [UInt8] = []
  /// Whether the end of the stream was a reset.
  package private(set) var wasReset = false

  /// Connects.
  ///
  /// - Parameters:
  ///   - port: The server's port; nil fails.
  ///   - address: The server's address.
  ///   - source: The client's own address, if it matters.
  /// - Throws: `Failure` if no server listens there.
  package init(
    port: UInt16?, at address: String = "127.0.0.1", from source: String? = nil
  ) throws {
    guard let port else { throw Failure("the server is not running") }
    descriptor = Loopback.makeSocket()
    Loopback.setTimeout(20, of: descriptor)
    if let source { Loopback.bind(descriptor, at: source) }
    guard Loopback.connect(descriptor, at: address, to: port) else {
      // The `deinit` closes it, now that all there is of the client has a value.
      throw Failure("connect: \(String(cString: strerror(errno)))")
    }
  }

  deinit {
    close()
  }

  /// Leaves.
  package func close() {
    if descriptor >= 0 { Foundation.close(descriptor) }
    descriptor = -1
  }

  /// Whether the server has not closed the connection; it must have sent nothing that is not taken.
  package var isOpen: Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) == 0
  }

  /// Sends bytes; a server that has gone away is not an error.
  package func send(_ bytes: [UInt8]) { _ = Loopback.send(bytes, to: descriptor) }

  package func send(_ text: String) { send(Array(text.utf8)) }

  package func sendRequest(
    _ target: String, method: String = "GET", host: String = "127.0.0.1", headers: [String] = [],
    body: String? = nil
  ) {
    var lines = ["\(method) \(target) HTTP/1.1", "Host: \(host)"] + headers
    if let body { lines.append("Content-Length: \(body.utf8.count)") }
    send(lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
  }

  /// Reads what is left until the server closes.
  package func readToEnd() throws -> [UInt8] {
    while try readMore() {}
    return received
  }

  /// Reads until there is so much, or the end.
  package func read(atLeast count: Int) throws -> [UInt8] {
    while received.count < count, try readMore() {}
    return received
  }

  /// Reads one reply, and leaves what follows it for the next.
  package func readReply(hasBody: Bool = true) throws -> Reply {
    let (status, headers) = try readHead()
    var reply = Reply(status: status, headers: headers, body: [])
    guard hasBody, status != 304, let length = headers["content-length"].flatMap({ Int($0) }) else {
      return reply
    }
    guard try read(atLeast: length).count >= length else {
      throw Failure("closed inside the body, \(received.count) of \(length) bytes")
    }
    reply.body = Array(received.prefix(length))
    received.removeFirst(length)
    return reply
  }

  /// Reads the head of a reply.
  package func readHead() throws -> (status: Int, headers: [String: String]) {
    let lines = try readBlock(endingWith: "\r\n\r\n").components(separatedBy: "\r\n")
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      headers[parts[0].lowercased()] = parts.last?.trimmingCharacters(in: .whitespaces)
    }
    return (Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0, headers)
  }

  /// Reads a text to its end, which is not part of it.
  package func readBlock(endingWith end: String) throws -> String {
    let end = Array(end.utf8)
    while true {
      if let place = place(of: end) {
        defer { received.removeSubrange(..<(place + end.count)) }
        return String(decoding: received[..<place], as: UTF8.self)
      }
      guard try readMore() else {
        throw Failure("closed before the end of a text, after \(received.count) bytes")
      }
    }
  }

  /// Where a text begins in what was received; a debug build would take minutes to compare
  /// collections.
  private func place(of text: [UInt8]) -> Int? {
    received.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return nil }
      var start = 0
      while let found = memchr(base + start, Int32(text[0]), bytes.count - start) {
        let place = UnsafeRawPointer(found) - base
        guard place + text.count <= bytes.count else { return nil }
        if memcmp(found, text, text.count) == 0 { return place }
        start = place + 1
      }
      return nil
    }
  }

  /// Reads something; false at the end of the stream, which a reset counts as.
  private func readMore() throws -> Bool {
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count > 0 {
      received += buffer[..<count]
      return true
    }
    if count == 0 { return false }
    if errno == ECONNRESET {
      wasReset = true
      return false
    }
    throw Failure("recv: \(String(cString: strerror(errno)))")
  }
}

@available(*, unavailable)
extension RawClient: Sendable {}

extension RawClient.Reply {
  /// Asks once, on a connection of its own.
  package static func get(
    _ target: String, from port: UInt16?, method: String = "GET", headers: [String] = [],
    body: String? = nil
  ) throws -> RawClient.Reply {
    let client = try RawClient(port: port)
    client.sendRequest(target, method: method, headers: headers, body: body)
    return try client.readReply(hasBody: method != "HEAD")
  }
}
