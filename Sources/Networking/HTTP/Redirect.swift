/// Decides what a redirect asks for.
///
/// It is our own because libcurl forwards every header but two to foreign hosts, API keys too,
/// and repeats a DELETE where 303 says GET.
enum Redirect {
  /// How many are followed for one request.
  static let limit = 20

  /// Returns the request that a response sends us to, or nil when it is none to follow.
  ///
  /// - Parameters:
  ///   - request: What was asked.
  ///   - head: What was answered.
  ///   - count: How many redirects were followed before this one.
  /// - Returns: The next request, or nil when this answer is the last.
  /// - Throws: `NetworkError` when the redirect leads nowhere or there were too many.
  static func next(
    after request: HTTPRequest, head: HTTPResponseHead, count: Int
  ) throws(NetworkError) -> HTTPRequest? {
    guard request.followsRedirects, [301, 302, 303, 307, 308].contains(head.status),
      let location = head.headers["Location"], !location.isEmpty
    else { return nil }
    guard count < limit else { throw .tooManyRedirects }
    let address: WebAddress
    do {
      address = try request.address.resolving(location)
    } catch .unsupportedProtocol(let scheme) {
      throw .unsupportedProtocol(scheme)
    } catch {
      throw .badResponse("it redirects to something that is no address")
    }

    var method = request.method
    switch head.status {
    case 303 where method != "HEAD": method = "GET"
    // By custom, though the RFC would have it kept.
    case 301 where method == "POST", 302 where method == "POST": method = "GET"
    default: break
    }
    var next = try request.redirected(
      to: address, method: method, keepsBody: method == request.method)
    if method != request.method {
      for name in ["Content-Type", "Content-Encoding", "Content-Language", "Content-Location"] {
        next.headers.remove(name)
      }
    }
    if address.origin != request.address.origin {
      for field in next.headers.fields where !isHarmless(field.name) {
        next.headers.remove(field.name)
      }
    }
    return next
  }

  /// Whether a header may go to an origin that it was not meant for.
  ///
  /// Everything that is not known to be harmless may be a credential.
  private static func isHarmless(_ name: String) -> Bool {
    [
      "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control",
      "content-encoding", "content-language", "content-type", "pragma", "user-agent",
    ].contains(name.lowercased())
  }
}
