import Foundation

/// The head of a request, for the checks of its host and of the length of its body.
///
/// A web page may have its own name resolve to 127.0.0.1 and then read, as its own, what a server
/// there answers (DNS rebinding). The browser still sends the page's name as `Host`, so a server
/// that answers to no other name than its own is safe. One that speaks TLS is safe anyway: the
/// browser asks it for a certificate of the page's name.
package struct RequestHead {
  /// An answer to a request that must not be looked at any further.
  package struct Refusal: Sendable {
    package let status: Int
    /// A line of plain text.
    package let text: String

    /// Creates an answer; the text is without its line feed.
    package init(_ status: Int, _ text: String) {
      self.status = status
      self.text = text + "\n"
    }
  }

  /// The version, such as `HTTP/1.1`.
  let version: String
  /// The target as it was sent.
  let target: [UInt8]
  /// The fields in order; their names are in lower case.
  private(set) var fields: [(name: String, value: String)] = []
  private var hasInvalidName = false
  /// Whether the text of its fields is not all that was sent.
  var isCut = false

  /// Creates a head without fields.
  init(version: String, target: [UInt8]) {
    self.version = version
    self.target = target
  }

  /// Takes note of a field.
  mutating func add(_ name: String, _ value: String) {
    if !name.utf8.allSatisfy(Self.isOfToken) { hasInvalidName = true }
    fields.append((name.lowercased(), value))
  }

  /// The values of a field in order, whatever the case of its name.
  func values(of name: String) -> [String] {
    let name = name.lowercased()
    return fields.filter { $0.name == name }.map(\.value)
  }

  /// The answer to a request whose form forbids to look at it any further; nil for others.
  ///
  /// By RFC 9112, 3.2, 5.1, 5.2, 6.1 and 6.3, and RFC 9110, 5.5 and 7.4.
  package var refusalOfForm: Refusal? {
    // `Content-Length : 5` is a length for some readers, and none for others.
    if hasInvalidName { return Refusal(400, "the name of a header field is not valid") }
    if isCut { return Refusal(400, "the value of a header field is not valid") }
    let (hosts, lengths) = (values(of: "host"), values(of: "content-length"))
    let codings = values(of: "transfer-encoding")
    if hosts.count > 1 { return Refusal(400, "the request has more than one Host") }
    if hosts.isEmpty, version != "HTTP/1.0" {
      return Refusal(400, "the request has no Host")
    }
    if lengths.count > 1 || !codings.isEmpty && !lengths.isEmpty {
      return Refusal(400, "the request says more than once how long its body is")
    }
    // HTTP/1.0 has none, so that what follows may be anything.
    return codings.isEmpty ? nil : refusal(of: codings)
  }

  /// The host that the request is for, with the port if it has one; nil if it names none.
  package var host: String? { authority ?? values(of: "host").first }

  /// The answer to a body in other codings than `chunked` alone, whose end the library does not find;
  /// nil for others.
  private func refusal(of fields: [String]) -> Refusal? {
    let codings = fields.flatMap { $0.lowercased().split(separator: ",") }
      .map { $0.trimmingCharacters(in: .whitespaces) }
    let mayBeCoded = version != "HTTP/1.0"
    if mayBeCoded, codings == ["chunked"] { return nil }
    return mayBeCoded && codings.last == "chunked" && !codings.dropLast().contains("chunked")
      ? Refusal(501, "'chunked' is the only Transfer-Encoding that is understood")
      : Refusal(400, "the Transfer-Encoding does not say where the body of the request ends")
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
}
