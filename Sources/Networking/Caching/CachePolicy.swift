/// The rules for storing and updating responses.
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

  /// Returns why a response is not stored.
  ///
  /// - Parameters:
  ///   - response: The response.
  ///   - request: The request.
  /// - Returns: The reason, or nil.
  public static func refusal(of response: HTTPResponse, to request: HTTPRequest) -> Refusal? {
    if let refusal = refusal(of: request) { return refusal }
    let headers = response.head.headers
    guard !CacheControl(headers).isNoStore else { return .noStore }
    // The statuses that RFC 9110, 15.1 permits to cache and that describe the resource.
    guard [200, 203, 204, 300, 301, 308, 404, 410].contains(response.head.status) else {
      return .status
    }
    guard response.head.url == request.url else { return .redirected }
    guard !varyingNames(headers).contains("*") else { return .varies }
    let secrets = RequestSecrets(request).values
    guard !secrets.contains(where: { contains(Array($0.utf8), in: response.body) }) else {
      return .secretInBody
    }
    return nil
  }

  /// Returns the names of the request's headers that a response depends on.
  ///
  /// - Parameter headers: Those of the response.
  /// - Returns: The names in lower case, sorted, each once.
  public static func varyingNames(_ headers: HTTPHeaders) -> [String] {
    let names = headers.values(of: "Vary").flatMap { $0.split(separator: ",") }
      .map { $0.lowercased().filter { $0 != " " && $0 != "\t" } }
      .filter { !$0.isEmpty }
    return Set(names).sorted()
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
