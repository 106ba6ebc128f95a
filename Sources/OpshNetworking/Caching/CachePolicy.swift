import Foundation

/// The rules for storing and updating responses, by RFC 9111 for a private cache.
///
/// Left out on purpose, where the RFC leaves the choice to the cache:
///
/// * partial content (3.3, 3.4): a request with `Range` is not cached, nor is its response;
/// * `Age` in what comes from the cache (5.1): it is shown as ``CacheUse/hit(age:)`` instead;
/// * a HEAD request is not answered with a stored GET (4), and does not update it (4.3.5);
/// * the directives `max-stale`, `min-fresh` and `only-if-cached` of a request (5.2.1);
/// * responses to requests with credentials of a person (3.5), and `must-understand` (5.2.2.3);
/// * no request is made that no operation stands for: a response that
///   `stale-while-revalidate` permits to use (RFC 5861, 3) is at hand at once as the operation's
///   ``NetworkOperation/storedValue``, and is its value if the revalidation fails.
public enum CachePolicy: Sendable {
  /// Why a response is not stored.
  public enum Refusal: String, Sendable, CaseIterable {
    /// Only GET and HEAD requests without a body are cached.
    case method
    /// The request has a range or conditions of its own.
    case conditionalRequest = "conditional-request"
    /// The request contains personal data: see ``RequestIdentity``.
    case credentials
    /// The request or the response has `no-store`.
    case noStore = "no-store"
    /// Responses with this status are not stored.
    case status
    /// The response came from another address after a redirect.
    case redirected
    /// The response varies with every request: `Vary: *`.
    case varies
    /// The response contains a secret of the request.
    case secretInBody = "secret-in-body"
    /// The response would take more than a quarter of the cache.
    case tooLarge = "too-large"
  }

  /// Returns why responses to a request are never stored.
  ///
  /// Such a request is not answered from the cache either.
  ///
  /// - Parameter request: The request.
  /// - Returns: The reason, or nil.
  public static func refusal(of request: HTTPRequest) -> Refusal? {
    guard ["GET", "HEAD"].contains(request.method), request.body == nil else { return .method }
    let conditions = [
      "Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range",
    ]
    guard !conditions.contains(where: { request.headers[$0] != nil }) else {
      return .conditionalRequest
    }
    guard !RequestSecrets(request).namesPerson else { return .credentials }
    guard !CacheControl(request.headers).isNoStore else { return .noStore }
    return nil
  }

  /// Returns why a response is not stored; nil if it is.
  public static func refusal(of response: HTTPResponse, to request: HTTPRequest) -> Refusal? {
    if let refusal = refusal(of: request) { return refusal }
    let headers = response.head.headers
    guard !CacheControl(headers).isNoStore else { return .noStore }
    guard isCacheable(response.head.status, headers) else { return .status }
    guard response.head.url == request.url else { return .redirected }
    guard !varyingNames(headers).contains("*") else { return .varies }
    let secrets = RequestSecrets(request).values
    guard !secrets.contains(where: { contains(Array($0.utf8), in: response.body) }) else {
      return .secretInBody
    }
    return nil
  }

  /// Whether a response with any status but those of partial content and revalidation is stored:
  /// every final one for which the server says how long it is fresh (RFC 9111, 3).
  private static func isCacheable(_ status: Int, _ headers: HTTPHeaders) -> Bool {
    if isCacheableByDefault(status) { return true }
    guard status >= 200, ![206, 304].contains(status) else { return false }
    let control = CacheControl(headers)
    return control.maxAge != nil || control.isPublic || headers["Expires"] != nil
  }

  /// Whether a status may be cached, and its freshness estimated, when the server says nothing of
  /// it (RFC 9110, 15.1); 206 may be as well, but partial content is not stored.
  static func isCacheableByDefault(_ status: Int) -> Bool {
    [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
  }

  /// Returns the names of the request's headers that a response depends on.
  ///
  /// - Parameter headers: Those of the response.
  /// - Returns: The names in lower case, sorted, each once; `*` alone if one is invalid, for then
  ///   it is unknown what the response depends on.
  public static func varyingNames(_ headers: HTTPHeaders) -> [String] {
    let names = headers.values(of: "Vary").flatMap { $0.split(separator: ",") }
      .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
      .filter { !$0.isEmpty }
    return names.allSatisfy(HTTPHeaders.isToken) ? Set(names).sorted() : ["*"]
  }

  /// Returns the headers of a response that are stored.
  ///
  /// - Parameters:
  ///   - headers: The headers of the response.
  ///   - request: The request; a field that contains a secret of it is omitted.
  /// - Returns: The headers without hop-by-hop headers, cookies and secrets.
  public static func keptHeaders(_ headers: HTTPHeaders, request: HTTPRequest) -> HTTPHeaders {
    let secrets = RequestSecrets(request).values
    let named = headers.values(of: "Connection").flatMap { $0.split(separator: ",") }
      .map { $0.lowercased().filter { $0 != " " && $0 != "\t" } }
    var kept = headers
    for field in headers.fields {
      let name = field.name.lowercased()
      if unkept.contains(name) || named.contains(name)
        || secrets.contains(where: { field.value.contains($0) })
      {
        kept.remove(field.name)
      }
    }
    return kept
  }

  /// Returns the headers of a stored response after the server has confirmed it.
  ///
  /// - Parameters:
  ///   - headers: The stored ones.
  ///   - update: Those of the response with status 304.
  ///   - request: The request.
  /// - Returns: The stored ones with the new values (RFC 9111, 3.2); nil if the validator belongs
  ///   to another response.
  public static func updatedHeaders(
    _ headers: HTTPHeaders, by update: HTTPHeaders, request: HTTPRequest
  ) -> HTTPHeaders? {
    if let new = update["ETag"], let old = headers["ETag"], weak(new) != weak(old) { return nil }
    var result = headers
    let news = keptHeaders(update, request: request).fields.filter {
      !describingBody.contains($0.name.lowercased())
    }
    for field in news { result.remove(field.name) }
    // `Age` belongs to one response only; the old one would make the new one look old.
    result.remove("Age")
    for field in news { result.appendReceived(field.name, field.value) }
    return result
  }

  /// Headers of a single connection or person.
  private static let unkept: Set<String> = [
    "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding",
    "upgrade", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    "authentication-info", "set-cookie", "set-cookie2", "www-authenticate",
  ]

  /// Headers that describe the body and that a response without a body must not replace.
  private static let describingBody: Set<String> = [
    "content-encoding", "content-length", "content-range", "content-type", "vary",
  ]

  private static func weak(_ tag: String) -> Substring {
    tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
  }

  private static func contains(_ needle: [UInt8], in bytes: [UInt8]) -> Bool {
    guard let first = needle.first, needle.count <= bytes.count else { return false }
    return bytes.withUnsafeBufferPointer { bytes in
      var start = 0
      let last = bytes.count - needle.count
      while start <= last, let index = bytes[start...last].firstIndex(of: first) {
        if bytes[index..<(index + needle.count)].elementsEqual(needle) { return true }
        start = index + 1
      }
      return false
    }
  }
}
