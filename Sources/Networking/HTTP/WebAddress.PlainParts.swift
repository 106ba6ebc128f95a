extension WebAddress {
  /// The parts of an address in normal form, as nearly all addresses in programs are.
  ///
  /// A fast parser that reads each byte once and accepts only addresses that are certainly valid;
  /// the full parser decides about all others.
  struct PlainParts {
    let isSecure: Bool
    let host: String
    let port: Int?
    let path: String
    let query: String?

    /// Parses a text; nil if it needs the full parser.
    init?(_ text: String) {
      var text = text
      let parts = text.withUTF8 { Self.find(in: $0) }
      guard let parts else { return nil }
      self = parts
    }

    private init(
      isSecure: Bool, host: String, port: Int?, path: String, query: String?
    ) {
      self.isSecure = isSecure
      self.host = host
      self.port = port
      self.path = path
      self.query = query
    }

    private static func find(in bytes: UnsafeBufferPointer<UInt8>) -> PlainParts? {
      let isSecure = bytes.starts(with: "https://".utf8)
      guard isSecure || bytes.starts(with: "http://".utf8) else { return nil }
      let start = isSecure ? 8 : 7
      guard let endOfHost = endOfHost(in: bytes, from: start),
        let (port, slash) = port(in: bytes, from: endOfHost, isSecure: isSecure)
      else { return nil }

      var mark: Int?
      var last: UInt8 = 0
      for index in slash..<bytes.count {
        let byte = bytes[index]
        guard isPlain(byte) else { return nil }
        if mark == nil {
          // It may be the start of a dot segment.
          if byte == UInt8(ascii: "."), last == UInt8(ascii: "/") { return nil }
          if byte == UInt8(ascii: "?") { mark = index }
        }
        last = byte
      }
      func string(_ range: Range<Int>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
      }
      return PlainParts(
        isSecure: isSecure, host: string(start..<endOfHost), port: port,
        path: string(slash..<(mark ?? bytes.count)),
        query: mark.map { string(($0 + 1)..<bytes.count) })
    }

    /// The end of a host of lower-case letters, digits, hyphens and single dots.
    private static func endOfHost(
      in bytes: UnsafeBufferPointer<UInt8>, from start: Int
    ) -> Int? {
      var last = UInt8(ascii: ".")
      for index in start..<bytes.count {
        let byte = bytes[index]
        switch byte {
        case 0x61...0x7A, 0x30...0x39, UInt8(ascii: "-"): break
        case UInt8(ascii: "."): if last == byte { return nil }
        case UInt8(ascii: ":"), UInt8(ascii: "/"):
          // Then no label can be too long.
          return last != UInt8(ascii: ".") && index - start <= 63 ? index : nil
        default: return nil
        }
        last = byte
      }
      return nil
    }

    /// The port, if there is one, and the start of the path.
    private static func port(
      in bytes: UnsafeBufferPointer<UInt8>, from start: Int, isSecure: Bool
    ) -> (port: Int?, slash: Int)? {
      guard bytes[start] == UInt8(ascii: ":") else { return (nil, start) }
      var port = 0
      for index in (start + 1)..<bytes.count {
        switch bytes[index] {
        case 0x30...0x39:
          port = port * 10 + Int(bytes[index] - 0x30)
          // A leading zero is not in normal form.
          guard (1...65535).contains(port) else { return nil }
        case UInt8(ascii: "/"):
          guard port > 0, port != (isSecure ? 443 : 80) else { return nil }
          return (port, index)
        default: return nil
        }
      }
      return nil
    }

    /// Whether a byte is valid unencoded in a path or a query.
    private static func isPlain(_ byte: UInt8) -> Bool {
      byte != UInt8(ascii: "#") && !needsEncoding(byte)
    }
  }
}
