/// Tags that tell whether an answer is the one that a client has already.
enum EntityTag {
  /// Makes a weak tag: parts of the answer, such as the quota, may change without it.
  static func weak(of bytes: [UInt8]) -> String { "W/" + strong(of: bytes) }

  /// Makes a strong tag, for an answer whose body is these bytes.
  static func strong(of bytes: [UInt8]) -> String {
    let hash = bytes.reduce(fnvBasis, fnv)
    return "\"\(String(hash, radix: 16))-\(String(bytes.count, radix: 16))\""
  }

  /// Whether an `If-None-Match` header names a tag, by the weak comparison that it asks for.
  static func matches(_ header: String?, _ tag: String) -> Bool {
    guard let header else { return false }
    let plain = opaque(tag)
    return header.split(separator: ",").contains { part in
      let part = part.trimmingPrefix { $0 == " " || $0 == "\t" }
      return part == "*" || opaque(part) == plain
    }
  }

  private static func opaque(_ tag: some StringProtocol) -> String {
    var text = tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : String(tag)
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text
  }
}

extension PracticeAnswer {
  /// Adds a tag, and leaves out what a client has already.
  mutating func revalidate(_ tag: String, for request: PracticeRequest) {
    setHeader("ETag", tag)
    guard status == 200, request.isRead, EntityTag.matches(request.header("If-None-Match"), tag)
    else { return }
    // The body stays, for the length of it is told; that it is not sent the status says.
    status = 304
    removeHeader("Content-Encoding")
    removeHeader("Content-Type")
  }
}
