public import Foundation

/// A cookie (RFC 6265).
public struct Cookie: Sendable, Equatable {
  /// The name.
  public let name: String
  /// The value, which may be as good as a password.
  public let value: String
  /// The host, or the domain, in lower case without a dot in front.
  public let domain: String
  /// Whether only that host gets it, and none whose name ends with it.
  public let isHostOnly: Bool
  /// The path that the path of a request begins with.
  public let path: String
  /// Whether it is sent only over TLS, or to this machine.
  public let isSecure: Bool
  /// Whether scripts of a page must not see it; kept for other programs that read the file.
  public let isHTTPOnly: Bool
  /// When it expires; nil for the end of the session, which a file outlives.
  public let expires: Date?

  /// Whether it replaces another one.
  func hasKey(of other: Cookie) -> Bool {
    name == other.name && domain == other.domain && path == other.path
      && isHostOnly == other.isHostOnly
  }

  /// Whether it must not be replaced or hidden by one that was set without TLS (RFC 6265bis, 5.7).
  func isProtected(from other: Cookie) -> Bool {
    isSecure && name == other.name
      && (domain == other.domain || domain.hasSuffix("." + other.domain)
        || other.domain.hasSuffix("." + domain))
      && Self.path(other.path, isBelow: path)
  }

  func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

  /// Whether a request to an address gets it (RFC 6265, 5.4).
  func belongs(to address: WebAddress) -> Bool {
    let isHost = address.host == domain
    guard isHost || !isHostOnly && address.host.hasSuffix("." + domain) else { return false }
    return Self.path(address.path, isBelow: path) && (!isSecure || Self.isTrustworthy(address))
  }

  /// As in browsers and curl: what is sent to this machine crosses no network.
  static func isTrustworthy(_ address: WebAddress) -> Bool {
    address.scheme == "https" || address.isLoopback
  }

  /// Whether one path is another, or below it (RFC 6265, 5.1.4).
  private static func path(_ path: String, isBelow base: String) -> Bool {
    guard path.hasPrefix(base) else { return false }
    return path.utf8.count == base.utf8.count || base.hasSuffix("/")
      || path.utf8.dropFirst(base.utf8.count).first == UInt8(ascii: "/")
  }
}

// MARK: Set-Cookie

extension Cookie {
  /// The longest name and value together, in bytes.
  private static let longest = 4_096
  /// The longest time to keep a cookie: 400 days, as in the successor of RFC 6265.
  private static let longestLife: Double = 400 * 86_400

  /// Reads the value of a `Set-Cookie` header (RFC 6265, 5.2 and 5.3).
  ///
  /// There is no list of public suffixes: a domain without a dot, such as `com`, is refused, one such
  /// as `co.uk` is not. The result is nil for a cookie that must be ignored; one that has expired
  /// deletes another.
  ///
  /// - Parameters:
  ///   - field: The value of the header.
  ///   - address: The address that sent it.
  ///   - now: The present date.
  init?(setting field: String, from address: WebAddress, now: Date) {
    // No control character can be written to the file, and none belongs here.
    guard !field.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else {
      return nil
    }
    var parts = field.split(separator: ";", omittingEmptySubsequences: false).map(Self.trimmed)
    let pair = parts.removeFirst()
    guard let sign = pair.firstIndex(of: "="), sign != pair.startIndex else { return nil }
    name = Self.trimmed(pair[..<sign])
    value = Self.trimmed(pair[pair.index(after: sign)...])
    guard !name.isEmpty, name.utf8.count + value.utf8.count <= Self.longest,
      !name.contains("\t"), !value.contains("\t")
    else { return nil }
    let attributes = Attributes(parts, now: now)
    guard let place = Self.place(attributes.domain, of: address) else { return nil }
    (domain, isHostOnly) = place
    path = attributes.path ?? Self.defaultPath(of: address)
    isSecure = attributes.isSecure
    isHTTPOnly = attributes.isHTTPOnly
    expires = attributes.expires.map { min($0, now + Self.longestLife) }
    guard !isSecure || Self.isTrustworthy(address) else { return nil }
    // Names that promise what the other attributes are.
    let lowercased = name.lowercased()
    if lowercased.hasPrefix("__secure-"), !isSecure { return nil }
    if lowercased.hasPrefix("__host-") {
      guard isSecure, isHostOnly, path == "/" else { return nil }
    }
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return String(text)
  }

  /// The domain, and whether it is meant for the host alone; nil if the host may not set it.
  private static func place(
    _ domain: String?, of address: WebAddress
  ) -> (domain: String, isHostOnly: Bool)? {
    let host = address.host
    guard let domain, !domain.isEmpty else { return (host, true) }
    let isAddress = host.hasPrefix("[") || host.allSatisfy { $0.isNumber || $0 == "." }
    if domain == host { return (host, isAddress || !host.contains(".")) }
    guard !isAddress, domain.contains("."), host.hasSuffix("." + domain) else { return nil }
    return (domain, false)
  }

  /// The folder of the path (RFC 6265, 5.1.4).
  private static func defaultPath(of address: WebAddress) -> String {
    let folder = address.path.lastIndex(of: "/").map { address.path[..<$0] } ?? ""
    return folder.isEmpty ? "/" : String(folder)
  }

  private struct Attributes {
    var domain: String?
    var path: String?
    var isSecure = false
    var isHTTPOnly = false
    private var maximumAge: Date?
    private var expiry: Date?
    /// `Max-Age` comes first, whatever the order.
    var expires: Date? { maximumAge ?? expiry }

    init(_ parts: [String], now: Date) {
      // Of an attribute that is there twice the last counts.
      for part in parts {
        let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let text = sides.count == 2 ? Cookie.trimmed(sides[1]) : ""
        switch sides.first.map({ Cookie.trimmed($0).lowercased() }) {
        case "domain": domain = String(text.drop { $0 == "." }).lowercased()
        case "path": path = text.hasPrefix("/") ? text : nil
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        case "max-age":
          guard text.wholeMatch(of: /-?[0-9]+/) != nil else { continue }
          let seconds = Double(text) ?? 0
          maximumAge = seconds > 0 ? now + min(seconds, Cookie.longestLife) : .distantPast
        case "expires": expiry = CookieDate.parse(text) ?? expiry
        default: continue
        }
      }
    }
  }
}
