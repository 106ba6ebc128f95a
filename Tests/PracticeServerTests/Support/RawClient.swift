import Compression
import Foundation

/// A client on a bare socket, for requests that no library would send.
///
/// Every wait is bounded by ten seconds.
final class RawClient {
  /// What came back.
  struct Reply {
    var status: Int
    var headers: [String: String]
    /// The body as it was sent.
    var body: [UInt8]

    /// The body, expanded if it says that it is compressed.
    func text() throws -> String {
      guard headers["content-encoding"] == "gzip" else {
        return String(decoding: body, as: UTF8.self)
      }
      return String(decoding: try Gzip.decompress(body), as: UTF8.self)
    }

    func json() throws -> OrderedJSON { try OrderedJSON(parsing: try text()) }
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private var descriptor: Int32
  private var received: [UInt8] = []
  /// Whether the end of the stream was a reset.
  private(set) var wasReset = false

  /// Connects.
  ///
  /// - Parameters:
  ///   - port: The server's port; nil fails.
  ///   - source: The client's own address, if it matters.
  /// - Throws: `Failure` if no server listens there.
  init(port: UInt16?, from source: UInt32? = nil) throws {
    guard let port else { throw Failure(description: "the server is not running") }
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    if let source { Self.bind(descriptor, to: source) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else {
      // The `deinit` closes it, now that all there is of the client has a value.
      throw Failure(description: "connect: \(String(cString: strerror(errno)))")
    }
  }

  private static func bind(_ descriptor: Int32, to source: UInt32) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = source.bigEndian
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  deinit {
    close()
  }

  /// Leaves.
  func close() {
    if descriptor >= 0 { Foundation.close(descriptor) }
    descriptor = -1
  }

  /// Sends bytes; a server that has gone away is not an error.
  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  func sendRequest(
    _ target: String, method: String = "GET", headers: [String] = [], body: String? = nil
  ) {
    var lines = ["\(method) \(target) HTTP/1.1", "Host: 127.0.0.1"] + headers
    if let body { lines.append("Content-Length: \(body.utf8.count)") }
    send(lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
  }

  /// Reads what is left until the server closes.
  func readToEnd() throws -> [UInt8] {
    while try readMore() {}
    return received
  }

  /// Reads until there is so much, or the end.
  func read(atLeast count: Int) throws -> [UInt8] {
    while received.count < count, try readMore() {}
    return received
  }

  /// Reads one reply, and leaves what follows it for the next.
  func readReply(hasBody: Bool = true) throws -> Reply {
    let blank = Array("\r\n\r\n".utf8)
    while true {
      if let end = received.firstRange(of: blank) {
        let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
        received.removeSubrange(..<end.upperBound)
        return try readBody(ofHead: head, hasBody: hasBody)
      }
      guard try readMore() else {
        throw Failure(description: "closed inside the headers, after \(received.count) bytes")
      }
    }
  }

  private func readBody(ofHead head: String, hasBody: Bool) throws -> Reply {
    let lines = head.components(separatedBy: "\r\n")
    let status = Int(lines.first?.split(separator: " ").dropFirst().first ?? "") ?? 0
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      headers[parts[0].lowercased()] = parts.last?.trimmingCharacters(in: .whitespaces)
    }
    guard hasBody, status != 304, let length = headers["content-length"].flatMap({ Int($0) }) else {
      return Reply(status: status, headers: headers, body: [])
    }
    while received.count < length {
      guard try readMore() else {
        throw Failure(description: "closed inside the body, \(received.count) of \(length) bytes")
      }
    }
    let body = Array(received.prefix(length))
    received.removeFirst(length)
    return Reply(status: status, headers: headers, body: body)
  }

  /// Reads something; false at the end of the stream, which a reset counts as.
  private func readMore() throws -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
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
    throw Failure(description: "recv: \(String(cString: strerror(errno)))")
  }
}

extension RawClient.Reply {
  /// Asks once, on a connection of its own.
  static func get(
    _ target: String, from port: UInt16?, method: String = "GET", headers: [String] = [],
    body: String? = nil
  ) throws -> RawClient.Reply {
    let client = try RawClient(port: port)
    client.sendRequest(target, method: method, headers: headers, body: body)
    return try client.readReply(hasBody: method != "HEAD")
  }
}
