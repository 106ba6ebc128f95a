/// Reads one HTTP response from the bytes of a connection (RFC 9112).
struct ResponseReader {
  /// A part of the response.
  enum Part {
    case head(ResponseHeadParser.Head)
    case body([UInt8])
    case end
  }

  /// What the next bytes are.
  private enum Phase {
    case head
    /// So many bytes of the body.
    case body(Int)
    case bodyUntilClose
    case chunkSize
    case chunk(Int)
    case chunkEnd
    case trailer
    case end
  }

  private let method: String
  private var head = ResponseHeadParser()
  private var phase = Phase.head
  private var bytes: [UInt8] = []
  private var position = 0

  init(method: String) { self.method = method }

  /// Adds bytes that have arrived.
  mutating func append(_ new: [UInt8]) {
    if position == bytes.count { (bytes, position) = (new, 0) } else { bytes += new }
  }

  /// Ends the connection.
  ///
  /// - Throws: `NetworkError.connectionLost` if the response is not complete.
  mutating func close() throws(NetworkError) {
    switch phase {
    case .end, .bodyUntilClose: phase = .end
    default: throw .connectionLost
    }
  }

  /// The next part, or nil if more bytes are needed.
  ///
  /// - Throws: `NetworkError` for bytes that are not HTTP.
  mutating func next() throws(NetworkError) -> Part? {
    while true {
      switch phase {
      case .head:
        guard let line = try line() else { return nil }
        let step = try line.withUnsafeBufferPointer { buffer throws(NetworkError) in
          try head.take(buffer)
        }
        if case .complete(let head) = step {
          phase = bodyPhase(head.status, head.headers)
          return .head(head)
        }
      case .body(let count):
        guard count > 0 else {
          phase = .end
          continue
        }
        guard let part = take(count) else { return nil }
        phase = .body(count - part.count)
        return .body(part)
      case .bodyUntilClose: return take(.max).map(Part.body)
      case .chunkSize:
        guard let line = try line() else { return nil }
        let size = try Self.chunkSize(line)
        phase = size == 0 ? .trailer : .chunk(size)
      case .chunk(let count):
        guard let part = take(count) else { return nil }
        phase = part.count == count ? .chunkEnd : .chunk(count - part.count)
        return .body(part)
      case .chunkEnd:
        guard try line() != nil else { return nil }
        phase = .chunkSize
      case .trailer:
        guard let line = try line() else { return nil }
        if line.allSatisfy({ $0 == 0x0D || $0 == 0x0A }) { phase = .end }
      case .end: return .end
      }
    }
  }

  private func bodyPhase(_ status: Int, _ headers: HTTPHeaders) -> Phase {
    if method == "HEAD" || status == 204 || status == 304 { return .end }
    if headers["Transfer-Encoding"]?.lowercased() == "chunked" { return .chunkSize }
    return headers["Content-Length"].flatMap { Int($0) }.map(Phase.body) ?? .bodyUntilClose
  }

  private static func chunkSize(_ line: [UInt8]) throws(NetworkError) -> Int {
    let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 > 0x20 }
    guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16), size >= 0 else {
      throw .badResponse("the length of a chunk of its body is not a number")
    }
    return size
  }

  /// Takes a line with its end, or nil if it is not complete.
  private mutating func line() throws(NetworkError) -> [UInt8]? {
    let end = bytes[position...].firstIndex(of: 0x0A)
    guard (end ?? bytes.count) - position <= HTTPResponseHead.longestLine else {
      throw .tooLarge(.headerLine, limit: HTTPResponseHead.longestLine)
    }
    guard let end else { return nil }
    defer { position = end + 1 }
    return Array(bytes[position...end])
  }

  /// Takes so many bytes, or as many as there are; nil if there are none.
  private mutating func take(_ count: Int) -> [UInt8]? {
    guard position < bytes.count else { return nil }
    let part = bytes[position...].prefix(count)
    position += part.count
    return Array(part)
  }
}
