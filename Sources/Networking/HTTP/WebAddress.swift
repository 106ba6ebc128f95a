import Foundation

/// Holds a checked HTTP address in its normal form.
///
/// The parser is our own because both libcurl's and Foundation's accept what nobody means
/// (`http:/a`, `http:///a`), and because the address has to be checked before libcurl is opened.
struct WebAddress: Sendable, Equatable {
  /// `http` or `https`.
  let scheme: String
  /// In lower case; an IPv6 address stands in its brackets.
  let host: String
  /// Nil when it is the one of the scheme.
  let port: Int?
  /// Begins with a slash; percent-encoded, without dot segments.
  let path: String
  /// Percent-encoded, without the question mark.
  let query: String?

  /// Parses a complete address, as people give it.
  init(parsing text: String) throws(NetworkError) {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(text[..<colon])
    else {
      throw .badURL("'\(printable(text))' is not a complete address, such as http://host/path")
    }
    let scheme = text[..<colon].lowercased()
    let rest = text[text.utf8.index(after: colon)...]
    guard scheme == "http" || scheme == "https" else {
      // `localhost:8080/x` reads like a scheme, but a port is what it holds.
      if let first = rest.first, first.isNumber {
        throw .badURL("'\(printable(text))' does not begin with http:// or https://")
      }
      throw .unsupportedProtocol(printable(scheme))
    }
    guard rest.hasPrefix("//") else {
      throw .badURL("'\(printable(text))' has no // before its host")
    }
    try self.init(scheme: scheme, afterSlashes: rest.dropFirst(2))
  }

  private init(scheme: String, afterSlashes rest: Substring) throws(NetworkError) {
    // By bytes, as all that can stand in a host is ASCII: characters cost many times as much.
    let end =
      rest.utf8.firstIndex {
        $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
      } ?? rest.endIndex
    let (host, port) = try Self.parseAuthority(rest[..<end], scheme: scheme)
    let (path, query) = try Self.parsePathAndQuery(rest[end...])
    self.init(
      scheme: scheme, host: host, port: port, path: Self.removingDotSegments(path), query: query)
  }

  private init(scheme: String, host: String, port: Int?, path: String, query: String?) {
    self.scheme = scheme
    self.host = host
    self.port = port
    self.path = path
    self.query = query
  }

  /// Resolves a reference as RFC 3986, 5.2 says; for the `Location` of a redirect.
  func resolving(_ reference: String) throws(NetworkError) -> WebAddress {
    // Servers send white space and other characters there that an address does not have;
    // spaces are encoded as browsers do it.
    let reference = reference.replacing(" ", with: "%20")
    if let colon = reference.firstIndex(of: ":"), Self.isScheme(reference[..<colon]) {
      return try WebAddress(parsing: reference)
    }
    if reference.hasPrefix("//") {
      return try WebAddress(scheme: scheme, afterSlashes: reference.dropFirst(2))
    }
    var (path, query) = try Self.parsePathAndQuery(reference[...], isReference: true)
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

  /// The address of something below this one; the parts are encoded already.
  func appending(path: String, query: String?) -> WebAddress {
    var base = self.path[...]
    while base.hasSuffix("/") { base.removeLast() }
    return WebAddress(scheme: scheme, host: host, port: port, path: base + path, query: query)
  }

  /// The same address with all slashes taken from the end of its path but the first.
  var withoutTrailingSlashes: WebAddress {
    appending(path: path.allSatisfy { $0 == "/" } ? "/" : "", query: query)
  }

  /// The base address of the real service.
  static let stackExchange = WebAddress(
    scheme: "https", host: "api.stackexchange.com", port: nil, path: "/", query: nil)

  /// The whole address.
  var text: String { prefix + path + (query.map { "?" + $0 } ?? "") }

  /// Scheme, host and port; two addresses with the same one may share secrets.
  var origin: String { "\(scheme)://\(host):\(port ?? (scheme == "https" ? 443 : 80))" }

  /// Whether the host is this machine, which no proxy must be asked for.
  var isLoopback: Bool {
    host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]"
      || (host.hasPrefix("127.") && host.allSatisfy { $0 == "." || $0.isNumber })
  }

  /// The whole address with the values of secret query fields replaced.
  var maskedText: String {
    guard let query else { return text }
    let fields = query.split(separator: "&", omittingEmptySubsequences: false).map { field in
      let name = field.prefix { $0 != "=" }
      return Self.isSecretField(Self.decoded(name)) ? "\(name)=***" : String(field)
    }
    return prefix + path + "?" + fields.joined(separator: "&")
  }

  /// Names, decoded and in lower case, and values, as they are written, of the query fields.
  var queryFields: [(name: String, value: String)] {
    (query ?? "").split(separator: "&").map { field in
      let name = field.prefix { $0 != "=" }
      return (Self.decoded(name), String(field[name.endIndex...].dropFirst()))
    }
  }

  /// Whether a query field of that name, decoded and in lower case, holds a secret.
  static func isSecretField(_ name: String) -> Bool { secretFields.contains(name) }

  /// The server decodes names too, so that `%6Bey` is one way to write `key`.
  private static func decoded(_ name: Substring) -> String {
    (name.removingPercentEncoding ?? String(name)).lowercased()
  }

  private var prefix: String { "\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")" }

  private static let secretFields: Set<String> = [
    "key", "access_token", "api_key", "apikey", "token", "password", "secret", "client_secret",
  ]

  private static func isScheme(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, isLetter(first) else { return false }
    return text.utf8.allSatisfy { byte in
      isLetter(byte) || isDigit(byte) || [0x2B, 0x2D, 0x2E].contains(byte)
    }
  }

  private static func parseAuthority(
    _ text: Substring, scheme: String
  ) throws(NetworkError) -> (host: String, port: Int?) {
    guard !text.contains("@") else {
      // The address is not shown: it holds a password.
      throw .badURL("an address must not hold a user name or password")
    }
    var host = text
    var port: Int?
    if let colon = text.lastIndex(of: ":"), !text[colon...].contains("]") {
      host = text[..<colon]
      let digits = text[text.index(after: colon)...]
      if !digits.isEmpty {
        guard digits.utf8.allSatisfy(isDigit), let number = Int(digits), (1...65535) ~= number
        else { throw .badURL("'\(printable(String(digits)))' is not a port from 1 to 65535") }
        port = number == (scheme == "https" ? 443 : 80) ? nil : number
      }
    }
    guard !host.isEmpty else { throw .badURL("the address has no host") }
    guard isHost(host) else {
      throw .badURL(
        "'\(printable(String(host)))' is not a host (names outside ASCII need their xn-- form)")
    }
    return (host.lowercased(), port)
  }

  private static func isHost(_ host: Substring) -> Bool {
    if host.hasPrefix("["), host.hasSuffix("]") {
      var address = in6_addr()
      return inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1
    }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    // A single empty label at the end is the root: `example.com.`.
    let named = labels.last?.isEmpty == true ? labels.dropLast() : labels[...]
    return host.utf8.count <= 254 && !named.isEmpty
      && named.allSatisfy { label in
        (1...63).contains(label.utf8.count)
          && label.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == 0x2D || $0 == 0x5F }
      }
  }

  private static func parsePathAndQuery(
    _ text: Substring, isReference: Bool = false
  ) throws(NetworkError) -> (path: String, query: String?) {
    for scalar in text.unicodeScalars where scalar.value <= 0x20 || scalar.value == 0x7F {
      throw .badURL(
        scalar == " "
          ? "the address holds a space, which is written %20"
          : "the address holds a control character")
    }
    // By bytes: a combining mark after `#` or `?` makes one character with it.
    let withoutFragment = text.utf8.prefix { $0 != UInt8(ascii: "#") }
    let path = withoutFragment.prefix { $0 != UInt8(ascii: "?") }
    let query = withoutFragment[path.endIndex...]
    let encodedPath = encode(Substring(path))
    return (
      path: encodedPath.isEmpty && !isReference ? "/" : encodedPath,
      query: query.isEmpty ? nil : encode(Substring(query.dropFirst()))
    )
  }

  /// Encodes what must not stand in an address and leaves the rest as it was written.
  private static func encode(_ text: Substring) -> String {
    guard text.utf8.contains(where: needsEncoding) else { return String(text) }
    return String(
      decoding: text.utf8.flatMap { needsEncoding($0) ? percentEncoded($0) : [$0] },
      as: UTF8.self)
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
    guard path.contains(".") else { return path }
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

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

/// The three bytes `%XX` for one.
func percentEncoded(_ byte: UInt8) -> [UInt8] {
  let digits = Array("0123456789ABCDEF".utf8)
  return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
}
