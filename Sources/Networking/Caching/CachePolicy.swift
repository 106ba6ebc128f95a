/// Decides what of a response is kept, and by which rules it is updated.
public enum CachePolicy: Sendable {
  /// Why a response is not kept.
  public enum Refusal: String, Sendable, CaseIterable {
    /// Only GET and HEAD without a body are kept.
    case method
    /// The request asks for a part, or only for news about what it knows itself.
    case conditionalRequest = "conditional-request"
    /// The request names a person: see ``RequestIdentity``.
    case credentials
    /// The request or the response says `no-store`.
    case noStore = "no-store"
    /// Responses with this status are not kept.
    case status
    /// It came from another address, by a redirect.
    case redirected
    /// It says that no other request will ever get the same: `Vary: *`.
    case varies
    /// The response repeats the secret of the request.
    case secretInBody = "secret-in-body"
    /// It would take more than a quarter of the cache.
    case tooLarge = "too-large"
  }

  /// Says why the response to a request would not be kept, whatever it is.
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

  /// Says why a response is not kept.
  ///
  /// - Parameters:
  ///   - response: The response.
  ///   - request: What was asked.
  /// - Returns: The reason, or nil.
  public static func refusal(of response: HTTPResponse, to request: HTTPRequest) -> Refusal? {
    if let refusal = refusal(of: request) { return refusal }
    let headers = response.head.headers
    guard !CacheControl(headers).isNoStore else { return .noStore }
    // Those that RFC 9110, 15.1 lets a cache keep and that say something about the resource.
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

  /// Returns the headers of a response that are kept.
  ///
  /// - Parameters:
  ///   - headers: The headers of the response.
  ///   - request: What was asked; a field that repeats a secret of it is left out.
  /// - Returns: The headers without those of one connection, cookies and secrets.
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

  /// Returns the headers of a kept response after the server said that it is still right.
  ///
  /// - Parameters:
  ///   - headers: The kept ones.
  ///   - update: Those of the response with status 304.
  ///   - request: What was asked.
  /// - Returns: The kept ones with the new values (RFC 9111, 3.2); nil where the validator shows
  ///   that the server means another response.
  public static func updatedHeaders(
    _ headers: HTTPHeaders, by update: HTTPHeaders, request: HTTPRequest
  ) -> HTTPHeaders? {
    if let new = update["ETag"], let old = headers["ETag"], weak(new) != weak(old) { return nil }
    var result = headers
    let news = keptHeaders(update, request: request).fields.filter {
      !describingBody.contains($0.name.lowercased())
    }
    for field in news { result.remove(field.name) }
    // `Age` speaks of one response only; the old one would make the new one look old.
    result.remove("Age")
    for field in news { result.appendReceived(field.name, field.value) }
    return result
  }

  /// What concerns one connection, or one person.
  private static let unkept: Set<String> = [
    "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding",
    "upgrade", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    "authentication-info", "set-cookie", "set-cookie2", "www-authenticate",
  ]

  /// What a response without a body cannot know better than the one that had it.
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
