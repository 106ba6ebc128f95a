import Foundation

/// A client on a bare socket, which can send what no browser would.
///
/// Its waits are bounded.
final class LiveClient {
  struct Reply {
    var status: Int
    var headers: [String: String]
    var body: String
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// A server-sent event.
  struct Event: Equatable {
    var name = "message"
    var id: String?
    var data = ""
  }

  private var descriptor: Int32
  private var received: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  init(port: UInt16, address: String = "127.0.0.1", seconds: Int = 20) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_port = port.bigEndian
    inet_pton(AF_INET, address, &place.sin_addr)
    let status = withUnsafePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else {
      throw Failure(description: "connect: \(String(cString: strerror(errno)))")
    }
  }

  deinit { close() }

  func close() {
    if descriptor >= 0 { Foundation.close(descriptor) }
    descriptor = -1
  }

  func send(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  func send(
    _ method: String, _ path: String, host: String, headers: [String] = [], body: String? = nil
  ) {
    var lines = ["\(method) \(path) HTTP/1.1", "Host: \(host)"] + headers
    if let body { lines.append("Content-Length: \(body.utf8.count)") }
    send(lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
  }

  /// Reads one reply with its length.
  func readReply() throws -> Reply {
    let (status, headers) = try readHead()
    let length = headers["content-length"].flatMap { Int($0) } ?? 0
    while received.count < length {
      guard try readMore() else { throw Failure(description: "closed inside the body") }
    }
    defer { received.removeFirst(length) }
    return Reply(
      status: status, headers: headers, body: String(decoding: received[..<length], as: UTF8.self))
  }

  func readHead() throws -> (status: Int, headers: [String: String]) {
    let head = try readBlock(endingWith: "\r\n\r\n")
    let lines = head.components(separatedBy: "\r\n")
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      headers[parts[0].lowercased()] = parts.last?.trimmingCharacters(in: .whitespaces)
    }
    return (Int(lines[0].split(separator: " ")[1]) ?? 0, headers)
  }

  /// Reads events until there are so many, comments left out; fewer at the end of the stream.
  func readEvents(_ count: Int) throws -> [Event] {
    var events: [Event] = []
    while events.count < count {
      guard let block = try? readBlock(endingWith: "\n\n") else { break }
      if let event = Self.event(block) { events.append(event) }
    }
    return events
  }

  /// Reads all events to the end of the stream.
  func readEventsToEnd() throws -> [Event] {
    while try readMore() {}
    return String(decoding: received, as: UTF8.self).components(separatedBy: "\n\n").dropLast()
      .compactMap(Self.event)
  }

  private static func event(_ block: String) -> Event? {
    var event = Event()
    var hasData = false
    for line in block.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let value = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
      switch parts[0] {
      case "id": event.id = String(value)
      case "event": event.name = String(value)
      case "data":
        event.data = String(value)
        hasData = true
      default: break
      }
    }
    return hasData ? event : nil
  }

  private func readBlock(endingWith end: String) throws -> String {
    let end = Array(end.utf8)
    while true {
      if let place = place(of: end) {
        defer { received.removeSubrange(..<(place + end.count)) }
        return String(decoding: received[..<place], as: UTF8.self)
      }
      guard try readMore() else { throw Failure(description: "closed") }
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

  /// Reads something; false at the end of the stream.
  private func readMore() throws -> Bool {
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count > 0 {
      received += buffer[..<count]
      return true
    }
    if count == 0 || errno == ECONNRESET { return false }
    throw Failure(description: "recv: \(String(cString: strerror(errno)))")
  }
}

@available(*, unavailable)
extension LiveClient: Sendable {}
