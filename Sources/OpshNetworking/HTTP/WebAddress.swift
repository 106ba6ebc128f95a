import Foundation
import OpshSecrets

/// A validated HTTP address in normal form.
///
/// The parser is our own because libcurl's and Foundation's accept malformed addresses (`http:/a`,
/// `http:///a`), and because the address has to be checked before libcurl is loaded.
///
/// A class, because it never changes, and each copy of a request would count six references.
final class WebAddress: Sendable, Equatable {
  /// `http` or `https`.
  let scheme: String
  /// In lower case; an IPv6 address includes its brackets.
  let host: String
  /// Nil for the default port of the scheme.
  let port: Int?
  /// Begins with a slash; percent-encoded, without dot segments.
  let path: String
  /// Percent-encoded, without the question mark.
  let query: String?
  /// The whole address, created once because every request needs it several times.
  let text: String
  /// Whether the host is this machine, for which no proxy is used.
  let isLoopback: Bool

  init(scheme: String, host: String, port: Int?, path: String, query: String?) {
    self.scheme = scheme
    self.host = host
    self.port = port
    self.path = path
    self.query = query
    text = Self.joined([
      scheme, "://", host, port.map { ":\($0)" } ?? "", path, query == nil ? "" : "?", query ?? "",
    ])
    isLoopback = Self.isLoopback(host)
  }

  static func == (first: WebAddress, second: WebAddress) -> Bool {
    // The parts follow from the text.
    first === second || first.text == second.text
  }

  /// How many bytes of the text come before the path.
  var lengthBeforePath: Int {
    text.utf8.count - path.utf8.count - (query.map { $0.utf8.count + 1 } ?? 0)
  }

  /// The path and the query, as in a request line.
  var target: String { String(Substring(text.utf8.dropFirst(lengthBeforePath))) }

  /// The address of the root of the same origin.
  var root: String { String(Substring(text.utf8.prefix(lengthBeforePath))) + "/" }

  /// Concatenates all parts without intermediate strings.
  private static func joined(_ parts: [String]) -> String {
    let count = parts.reduce(0) { $0 + $1.utf8.count }
    return String(unsafeUninitializedCapacity: count) { buffer in
      var end = 0
      for var part in parts {
        part.withUTF8 { bytes in
          _ = buffer[end...].update(fromContentsOf: bytes)
          end += bytes.count
        }
      }
      return end
    }
  }

  /// The address of a path below this one; the parts are encoded already.
  func appending(path: String, query: String?) -> WebAddress {
    var base = self.path[...]
    while base.hasSuffix("/") { base.removeLast() }
    return WebAddress(scheme: scheme, host: host, port: port, path: base + path, query: query)
  }

  /// The same address without trailing slashes of its path except the first.
  var withoutTrailingSlashes: WebAddress {
    appending(path: path.allSatisfy { $0 == "/" } ? "/" : "", query: query)
  }

  /// The base address of the real service.
  static let stackExchange = WebAddress(
    scheme: "https", host: "api.stackexchange.com", port: nil, path: "/", query: nil)

  /// Scheme, host and port; addresses of the same origin may share secrets.
  var origin: String { "\(scheme)://\(place)" }

  /// Host and port, also the default one.
  var place: String { "\(host):\(port ?? (scheme == "https" ? 443 : 80))" }

  /// Whether both have the same scheme, host and port.
  func isSamePlace(as other: WebAddress) -> Bool {
    port == other.port && host == other.host && scheme == other.scheme
  }

  private static func isLoopback(_ host: String) -> Bool {
    if let address = IPAddress(host: host) { return address.isLoopback }
    let name = host.hasSuffix(".") ? host.dropLast() : host[...]
    return name == "localhost" || name.hasSuffix(".localhost")
  }

  /// The whole address with secrets replaced: the values of secret fields, and of those that hold an
  /// address with one.
  var maskedText: String {
    guard mayHoldSecret else { return text }
    // `/list;token=X`: what comes before the first semicolon of a segment is no parameter.
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
      let parts = segment.split(separator: ";", omittingEmptySubsequences: false)
      return (parts.prefix(1).map(String.init) + parts.dropFirst().map(Self.masked))
        .joined(separator: ";")
    }
    let fields = query.map { query in
      query.split(separator: "&", omittingEmptySubsequences: false).map(Self.masked)
    }
    return Self.prefix(scheme, host, port) + segments.joined(separator: "/")
      + (fields.map { "?" + $0.joined(separator: "&") } ?? "")
  }

  /// The values of secret fields as they are written, and the secrets in addresses that a field holds.
  var secrets: [String] {
    guard mayHoldSecret else { return [] }
    return fields.flatMap { name, value in
      Self.isSecretField(name) ? [value] : Self.secrets(nestedIn: value)
    }
  }

  /// The parameters of the path, and the fields of the query.
  private var fields: [(name: String, value: String)] { parameters + queryFields }

  private var parameters: [(name: String, value: String)] {
    path.split(separator: "/")
      .flatMap { $0.split(separator: ";", omittingEmptySubsequences: false).dropFirst() }
      .map(Self.field)
  }

  private var mayHoldSecret: Bool { query != nil || path.utf8.contains(UInt8(ascii: ";")) }

  private static func masked(_ field: Substring) -> String {
    let (name, value) = Self.field(field)
    guard isSecretField(name) || !secrets(nestedIn: value).isEmpty else { return String(field) }
    return "\(field.prefix { $0 != "=" })=***"
  }

  /// The secrets in an address that is a value; most values are none with fields.
  private static func secrets(nestedIn value: String) -> [String] {
    guard value.utf8.contains(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "%") }) else {
      return []
    }
    return SecretText.credentials(in: "?in=" + value)
  }

  /// Names, decoded, and values, as they are written, of the query fields.
  var queryFields: [(name: String, value: String)] {
    (query ?? "").split(separator: "&").map(Self.field)
  }

  /// Whether it holds a secret that is not simply the value of a query field: in a parameter of the
  /// path, or in an address that is a value.
  var hasOtherSecret: Bool {
    guard mayHoldSecret else { return false }
    return parameters.contains { Self.isSecretField($0.name) }
      || fields.contains { name, value in
        !Self.isSecretField(name) && !Self.secrets(nestedIn: value).isEmpty
      }
  }

  private static func field(_ text: Substring) -> (name: String, value: String) {
    let name = text.prefix { $0 != "=" }
    return (decoded(name), String(text[name.endIndex...].dropFirst()))
  }

  /// Whether a query field of that name, decoded, holds a secret.
  private static func isSecretField(_ name: String) -> Bool {
    SecretName.isSecret(name, in: .address)
  }

  /// The server decodes names too, so that `%6Bey` is one way to write `key`.
  private static func decoded(_ name: Substring) -> String {
    name.removingPercentEncoding ?? String(name)
  }

  private static func prefix(_ scheme: String, _ host: String, _ port: Int?) -> String {
    let start = scheme + "://" + host
    guard let port else { return start }
    return start + ":" + String(port)
  }
}
