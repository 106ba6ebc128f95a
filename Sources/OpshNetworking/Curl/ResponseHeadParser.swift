/// Parses a response head from the lines that libcurl delivers.
///
/// It works on bytes, because it runs several times for each request: characters would cost more
/// than everything else.
struct ResponseHeadParser {
  /// The kind of a line.
  enum Step {
    /// More lines follow.
    case more
    /// It was the last line of the final response.
    case complete(ResponseHeadParser.Head)
  }

  /// A complete head.
  struct Head {
    let status: Int
    /// The text after the status, such as `Not Found`; cut if it is long, empty with HTTP/2.
    let reasonPhrase: String
    let headers: HTTPHeaders
  }

  /// The longest text after a status that is kept, in bytes.
  private static let longestPhrase = 200

  private var status: Int?
  private var reasonPhrase = ""
  /// The fields so far, in the form of ``ReceivedHeaderBlock``.
  private var lines: [UInt8] = []
  private var size = 0

  /// Processes one line including its line end.
  ///
  /// - Parameter bytes: The received line.
  /// - Returns: Whether the head is complete.
  /// - Throws: `NetworkError` for an invalid or too large head.
  mutating func take(_ bytes: UnsafeBufferPointer<UInt8>) throws(NetworkError) -> Step {
    size += bytes.count
    // Below libcurl's own limit, which results in another error.
    let limit = HTTPResponseHead.maximumSize
    guard size <= limit else { throw .tooLarge(.headers, limit: limit) }
    var end = bytes.count
    while end > 0, bytes[end - 1] == 0x0A || bytes[end - 1] == 0x0D { end -= 1 }
    if end == 0 { return try takeEnd() }
    let line = UnsafeBufferPointer(rebasing: bytes[..<end])
    if status == nil || Self.beginsStatusLine(line) {
      let (number, end) = try Self.status(in: line)
      status = number
      reasonPhrase = Self.phrase(in: line[end...])
      lines.removeAll(keepingCapacity: true)
      // Most heads fit into it.
      lines.reserveCapacity(480)
      return .more
    }
    if ReceivedHeaderBlock.isBlank(line[0]) {
      continueField(with: line)
      return .more
    }
    guard ReceivedHeaderBlock.index(of: UInt8(ascii: ":"), in: line) != nil else {
      throw .badResponse("a header line has no colon")
    }
    lines.append(contentsOf: line)
    lines.append(UInt8(ascii: "\n"))
    return .more
  }

  /// Appends a continuation line (RFC 9112, 5.2) to the last value.
  private mutating func continueField(with line: UnsafeBufferPointer<UInt8>) {
    guard lines.popLast() != nil else { return }
    while let last = lines.last, ReceivedHeaderBlock.isBlank(last) { lines.removeLast() }
    lines.append(UInt8(ascii: " "))
    lines.append(contentsOf: ReceivedHeaderBlock.trimmed(line))
    lines.append(UInt8(ascii: "\n"))
  }

  private mutating func takeEnd() throws(NetworkError) -> Step {
    guard let status else { throw .badResponse("it begins without a status line") }
    guard status < 200 else {
      return .complete(
        Head(
          status: status, reasonPhrase: reasonPhrase,
          headers: HTTPHeaders(ReceivedHeaderBlock(lines: lines))))
    }
    // An interim response precedes the real one. 101 would switch protocols without a request to do
    // so.
    guard status != 101 else {
      throw .badResponse("it changes to another protocol unasked")
    }
    self.status = nil
    return .more
  }

  private static func beginsStatusLine(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    line.count >= 5 && line[0] == UInt8(ascii: "H") && line[1] == UInt8(ascii: "T")
      && line[2] == UInt8(ascii: "T") && line[3] == UInt8(ascii: "P")
      && line[4] == UInt8(ascii: "/")
  }

  /// The status of a line such as `HTTP/1.1 200 OK`, a version and a number of three digits; and where
  /// it ends.
  private static func status(
    in line: UnsafeBufferPointer<UInt8>
  ) throws(NetworkError) -> (status: Int, end: Int) {
    let fault = NetworkError.badResponse("its first line is not a status line")
    guard beginsStatusLine(line), var start = line.firstIndex(of: UInt8(ascii: " ")) else {
      throw fault
    }
    while start < line.count, line[start] == UInt8(ascii: " ") { start += 1 }
    var status = 0
    var end = start
    while end < line.count, line[end] != UInt8(ascii: " ") {
      guard end - start < 3, (0x30...0x39).contains(line[end]) else { throw fault }
      status = status * 10 + Int(line[end] - 0x30)
      end += 1
    }
    guard status >= 100 else { throw fault }
    return (status, end)
  }

  private static func phrase(in rest: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    String(decoding: rest.dropFirst().prefix(longestPhrase), as: UTF8.self)
  }
}
