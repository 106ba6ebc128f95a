import Foundation

/// What the head of a request says of whom it is for and where it ends.
///
/// A web page may have its own name resolve to 127.0.0.1 and then read, as its own, what a server
/// there answers (DNS rebinding). The browser still sends the page's name as `Host`, so a server
/// that answers to no other name than its own is safe. One that speaks TLS is safe anyway: the
/// browser asks it for a certificate of the page's name.
struct RequestHead {
  /// The version, such as `HTTP/1.1`.
  let version: String
  /// The target as it was sent.
  let target: [UInt8]
  private var hosts: [String] = []
  private var lengths: [String] = []
  private var codings: [String] = []
  private var hasCodings = false
  private var hasInvalidName = false

  /// Creates a head without fields.
  ///
  /// - Parameters:
  ///   - version: The version.
  ///   - target: The target as it was sent.
  init(version: String, target: [UInt8]) {
    self.version = version
    self.target = target
  }

  /// Takes note of a field.
  ///
  /// - Parameters:
  ///   - name: Its name, in any case.
  ///   - value: Its value.
  mutating func add(_ name: String, _ value: String) {
    if !name.utf8.allSatisfy(Self.isOfToken) { hasInvalidName = true }
    switch name.lowercased() {
    case "host": hosts.append(value)
    case "content-length": lengths.append(value)
    case "transfer-encoding":
      hasCodings = true
      codings += value.lowercased().split(separator: ",").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
    default: break
    }
  }

  /// Returns the answer to a request that must not be looked at any further.
  ///
  /// By RFC 9112, 3.2, 5.1, 6.1 and 6.3, and RFC 9110, 7.4.
  ///
  /// - Parameter isTLS: Whether the server speaks TLS, and so goes by the names in its certificate.
  /// - Returns: The answer; nil if the request is to be answered as usual.
  func refusal(isTLS: Bool) -> PracticeAnswer? {
    // `Content-Length : 5` is a length for some readers, and none for others.
    if hasInvalidName { return .text(status: 400, "the name of a header field is not valid\n") }
    if hosts.count > 1 { return .text(status: 400, "the request has more than one Host\n") }
    if hosts.isEmpty, version != "HTTP/1.0" {
      return .text(status: 400, "the request has no Host\n")
    }
    if lengths.count > 1 || (hasCodings && !lengths.isEmpty) {
      return .text(status: 400, "the request says more than once how long its body is\n")
    }
    // HTTP/1.0 has none, so that what follows may be anything.
    if hasCodings, codings != ["chunked"] || version == "HTTP/1.0" { return refusalOfCodings }
    guard !isTLS, let host = authority ?? hosts.first, !Self.isOwn(host) else { return nil }
    return .text(
      status: 421, "only requests to localhost and 127.0.0.1 are answered, by whatever port\n")
  }

  /// The answer to a body in other codings than `chunked` alone, whose end the library does not find.
  private var refusalOfCodings: PracticeAnswer {
    let isDelimited =
      version != "HTTP/1.0" && codings.last == "chunked" && !codings.dropLast().contains("chunked")
    return isDelimited
      ? .text(status: 501, "'chunked' is the only Transfer-Encoding that is understood\n")
      : .text(
        status: 400, "the Transfer-Encoding does not say where the body of the request ends\n")
  }

  /// The host and port of a target that is a whole URL, which counts instead of `Host`.
  private var authority: String? {
    for scheme in ["http://", "https://"] where target.starts(with: scheme.utf8) {
      let rest = target.dropFirst(scheme.utf8.count)
      return String(decoding: rest.prefix { !"/?#".utf8.contains($0) }, as: UTF8.self)
    }
    return nil
  }

  /// Whether a byte may be in a token (RFC 9110, 5.6.2).
  private static func isOfToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  private static func isOwn(_ host: String) -> Bool {
    let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
    return ["localhost", "127.0.0.1", "[::1]"].contains(name.lowercased())
  }
}
