/// The part of an answer that a client asks for, to go on with what broke off (RFC 9110, 14).
extension PracticeAnswer {
  /// Leaves out what a request with `Range` does not ask for.
  ///
  /// Only a whole answer without compression has parts. A range with several parts, or in another
  /// unit, is ignored, as the RFC allows, and so is one whose `If-Range` names another version.
  ///
  /// - Parameter request: The request.
  mutating func selectRange(for request: PracticeRequest) {
    guard status == 200, request.isRead, self["Content-Encoding"] == nil, self["ETag"] != nil
    else { return }
    setHeader("Accept-Ranges", "bytes")
    guard request.method == "GET", let text = request.header("Range"),
      let range = ByteRange(text), isVersion(request.header("If-Range"))
    else { return }
    guard let part = range.part(of: body.count) else {
      setHeader("Content-Range", "bytes */\(body.count)")
      (status, body) = (416, [])
      return
    }
    setHeader("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(body.count)")
    (status, body) = (206, Array(body[part]))
  }

  /// Whether the answer is the version that `If-Range` names, by the strong comparison.
  private func isVersion(_ text: String?) -> Bool {
    guard let text else { return true }
    return !text.hasPrefix("W/") && text == self["ETag"]
  }
}

/// A range of bytes as a request names it: `bytes=5-9`, `bytes=5-` or `bytes=-5`.
struct ByteRange: Equatable {
  /// The position of the first byte; nil for the last bytes.
  let first: Int?
  /// The position of the last byte, or how many of the last bytes; nil for all the rest.
  let last: Int?

  /// Reads the value of `Range`; nil if it is not one range of bytes.
  init?(_ text: String) {
    let sides = text.split(separator: "=", omittingEmptySubsequences: false)
    guard sides.count == 2, sides[0].lowercased() == "bytes" else { return nil }
    let ends = sides[1].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2 else { return nil }
    var numbers: [Int?] = []
    for end in ends {
      guard end.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      guard end.isEmpty || Int(end) != nil else { return nil }
      numbers.append(Int(end))
    }
    (first, last) = (numbers[0], numbers[1])
    guard let first else {
      if last == nil { return nil }
      return
    }
    if let last, last < first { return nil }
  }

  /// The positions in a body; nil if it has none of them.
  func part(of count: Int) -> Range<Int>? {
    guard let first else {
      let size = min(last ?? 0, count)
      return size > 0 ? count - size..<count : nil
    }
    guard first < count else { return nil }
    return first..<min(count, last.map { $0 == .max ? .max : $0 + 1 } ?? count)
  }
}
