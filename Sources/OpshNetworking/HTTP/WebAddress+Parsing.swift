import Foundation
import OpshSupport

extension WebAddress {
  /// Parses a complete address.
  ///
  /// By bytes, because an address may only contain ASCII: this runs for each request, and
  /// characters would cost more than the rest of it.
  convenience init(parsing text: String) throws(NetworkError) {
    let bytes = Array(text.utf8)
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(bytes[..<colon])
    else {
      throw .badURL("'\(printable(text))' is not a complete address, such as http://host/path")
    }
    let scheme = Self.string(bytes[..<colon]).lowercased()
    let rest = bytes[(colon + 1)...]
    guard scheme == "http" || scheme == "https" else {
      // `localhost:8080/x` looks like a scheme, but contains a port.
      if let first = rest.first, Self.isDigit(first) {
        throw .badURL("'\(printable(text))' does not begin with http:// or https://")
      }
      throw .unsupportedProtocol(printable(scheme))
    }
    guard rest.starts(with: [UInt8(ascii: "/"), UInt8(ascii: "/")]) else {
      throw .badURL("'\(printable(text))' has no // before its host")
    }
    try self.init(scheme: scheme, afterSlashes: rest.dropFirst(2))
  }

  private convenience init(scheme: String, afterSlashes rest: ArraySlice<UInt8>)
    throws(NetworkError)
  {
    let end =
      rest.firstIndex {
        $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
      } ?? rest.endIndex
    let (host, port) = try Self.parseAuthority(rest[..<end], scheme: scheme)
    let (path, query) = try Self.parsePathAndQuery(rest[end...])
    self.init(
      scheme: scheme, host: host, port: port, path: Self.removingDotSegments(path), query: query)
  }

  /// Resolves a reference by RFC 3986, 5.2; for the `Location` of a redirect.
  func resolving(_ reference: String) throws(NetworkError) -> WebAddress {
    // Servers send white space and other characters that are invalid in an address; spaces are
    // encoded as browsers do it.
    let reference = reference.replacing(" ", with: "%20")
    let bytes = Array(reference.utf8)
    if let colon = bytes.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(bytes[..<colon]) {
      return try WebAddress(parsing: reference)
    }
    if bytes.starts(with: [UInt8(ascii: "/"), UInt8(ascii: "/")]) {
      return try WebAddress(scheme: scheme, afterSlashes: bytes.dropFirst(2))
    }
    var (path, query) = try Self.parsePathAndQuery(bytes[...], isReference: true)
    if path.isEmpty {
      path = self.path
      // A reference of only a fragment means the same document.
      if query == nil { query = self.query }
    } else if !path.hasPrefix("/") {
      let directory = self.path.lastIndex(of: "/").map { self.path[...$0] } ?? "/"
      path = directory + path
    }
    return WebAddress(
      scheme: scheme, host: host, port: port, path: Self.removingDotSegments(path), query: query)
  }

  private static func isScheme(_ text: ArraySlice<UInt8>) -> Bool {
    guard let first = text.first, isLetter(first) else { return false }
    return text.allSatisfy { byte in
      isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: ".")
    }
  }

  private static func parseAuthority(
    _ text: ArraySlice<UInt8>, scheme: String
  ) throws(NetworkError) -> (host: String, port: Int?) {
    guard !text.contains(UInt8(ascii: "@")) else { throw .userInURL }
    var host = text
    var port: Int?
    if let colon = text.lastIndex(of: UInt8(ascii: ":")),
      !text[colon...].contains(UInt8(ascii: "]"))
    {
      host = text[..<colon]
      let digits = text[(colon + 1)...]
      if !digits.isEmpty {
        guard digits.allSatisfy(isDigit), let number = Int(string(digits)), (1...65535) ~= number
        else { throw .badURL("'\(printable(string(digits)))' is not a port from 1 to 65535") }
        port = number == (scheme == "https" ? 443 : 80) ? nil : number
      }
    }
    guard !host.isEmpty else { throw .badURL("the address has no host") }
    guard isHost(host) else {
      throw .badURL(
        "'\(printable(string(host)))' is not a host (names outside ASCII need their xn-- form)")
    }
    return (string(host).lowercased(), port)
  }

  private static func isHost(_ host: ArraySlice<UInt8>) -> Bool {
    if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") {
      var address = in6_addr()
      return inet_pton(AF_INET6, string(host.dropFirst().dropLast()), &address) == 1
    }
    guard host.count <= 254 else { return false }
    var lengthOfLabel = 0
    // A single empty label at the end is the root: `example.com.`.
    for byte in host.last == UInt8(ascii: ".") ? host.dropLast() : host {
      if byte == UInt8(ascii: ".") {
        guard lengthOfLabel > 0 else { return false }
        lengthOfLabel = 0
      } else {
        lengthOfLabel += 1
        guard
          lengthOfLabel <= 63,
          isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        else { return false }
      }
    }
    return lengthOfLabel > 0
  }

  private static func parsePathAndQuery(
    _ text: ArraySlice<UInt8>, isReference: Bool = false
  ) throws(NetworkError) -> (path: String, query: String?) {
    for byte in text where byte <= 0x20 || byte == 0x7F {
      throw .badURL(
        byte == UInt8(ascii: " ")
          ? "the address holds a space, which is written %20"
          : "the address holds a control character")
    }
    let end = text.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
    let withoutFragment = text[..<end]
    let mark = withoutFragment.firstIndex(of: UInt8(ascii: "?")) ?? end
    let path = encode(withoutFragment[..<mark])
    return (
      path: path.isEmpty && !isReference ? "/" : path,
      query: mark == end ? nil : encode(withoutFragment[(mark + 1)...])
    )
  }

  /// Encodes characters that are invalid in an address and leaves the rest unchanged.
  private static func encode(_ text: ArraySlice<UInt8>) -> String {
    guard text.contains(where: needsEncoding) else { return string(text) }
    return String(
      decoding: text.flatMap { needsEncoding($0) ? PercentEncoding.escape($0) : [$0] },
      as: UTF8.self)
  }

  private static func string(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  private static func needsEncoding(_ byte: UInt8) -> Bool {
    switch byte {
    case ...0x20, 0x7F...: true
    case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"),
      UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"),
      UInt8(ascii: "}"):
      true
    default: false
    }
  }

  /// RFC 3986, 5.2.4, on the segments of an absolute path.
  private static func removingDotSegments(_ path: String) -> String {
    // Nearly every path has a dot somewhere, but few begin a segment with one.
    guard hasDotSegment(path) else { return path }
    var output: [Substring] = []
    let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch segment {
      case ".":
        if isLast { output.append("") }
      case "..":
        _ = output.popLast()
        if isLast { output.append("") }
      default: output.append(segment)
      }
    }
    return "/" + output.joined(separator: "/")
  }

  private static func hasDotSegment(_ path: String) -> Bool {
    var previous: UInt8 = 0
    for byte in path.utf8 {
      if byte == UInt8(ascii: "."), previous == UInt8(ascii: "/") { return true }
      previous = byte
    }
    return false
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
