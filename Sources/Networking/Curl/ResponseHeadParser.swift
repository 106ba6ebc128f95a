/// Makes a response head of the lines that libcurl delivers one by one.
///
/// It works on bytes, for it does so several times for each request: characters would cost more
/// than all the rest.
struct ResponseHeadParser {
  /// What a line was.
  enum Step {
    /// More lines follow.
    case more
    /// It was the last one of the final response.
    case complete(status: Int, headers: HTTPHeaders)
  }

  /// All header lines together; libcurl's own limit reports itself as something else.
  private static let maximumSize = 256 << 10

  private var status: Int?
  /// The fields so far, as ``ReceivedHeaderBlock`` takes them.
  private var lines: [UInt8] = []
  private var size = 0

  /// Takes one line with its end.
  ///
  /// - Parameter bytes: The line as it came.
  /// - Returns: Whether the head is complete with it.
  /// - Throws: `NetworkError` for what is no head, or a too large one.
  mutating func take(_ bytes: UnsafeBufferPointer<UInt8>) throws(NetworkError) -> Step {
    size += bytes.count
    guard size <= Self.maximumSize else { throw .tooLarge }
    var end = bytes.count
    while end > 0, bytes[end - 1] == 0x0A || bytes[end - 1] == 0x0D { end -= 1 }
    if end == 0 { return try takeEnd() }
    let line = UnsafeBufferPointer(rebasing: bytes[..<end])
    if status == nil || Self.beginsStatusLine(line) {
      status = try Self.status(in: line)
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
      return .complete(status: status, headers: HTTPHeaders(ReceivedHeaderBlock(lines: lines)))
    }
    // An interim response: the real one follows. 101 would end HTTP, which nobody asked for.
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

  /// The status in such as `HTTP/1.1 200 OK`: a version, and a number of three digits.
  private static func status(
    in line: UnsafeBufferPointer<UInt8>
  ) throws(NetworkError) -> Int {
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
    return status
  }
}
