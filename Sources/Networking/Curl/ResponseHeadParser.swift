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
  private var headers = HTTPHeaders()
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
      headers = HTTPHeaders()
      headers.reserveCapacity(12)
      return .more
    }
    if Self.isBlank(line[0]) {
      headers.continueReceived(Self.trimmed(line, from: 0, to: end))
      return .more
    }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
      throw .badResponse("a header line has no colon")
    }
    headers.appendReceived(
      Self.trimmed(line, from: 0, to: colon), Self.trimmed(line, from: colon + 1, to: end))
    return .more
  }

  private mutating func takeEnd() throws(NetworkError) -> Step {
    guard let status else { throw .badResponse("it begins without a status line") }
    guard status < 200 else { return .complete(status: status, headers: headers) }
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

  private static func trimmed(
    _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int
  ) -> String {
    var start = start
    var end = end
    while start < end, isBlank(bytes[start]) { start += 1 }
    while start < end, isBlank(bytes[end - 1]) { end -= 1 }
    return String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
