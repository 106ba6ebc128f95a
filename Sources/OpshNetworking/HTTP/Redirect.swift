/// Evaluates redirects.
///
/// This replaces libcurl's implementation, which forwards every header but two to foreign hosts,
/// including API keys, and repeats a DELETE if 303 requires GET.
enum Redirect {
  /// The maximum number of redirects for one request.
  static let limit = 20

  /// Returns the request that a redirect leads to, or nil if the response is not a redirect to
  /// follow.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - head: The head of its response.
  ///   - count: How many redirects were followed before this one.
  /// - Returns: The next request, or nil if this response is the last.
  /// - Throws: `NetworkError` if the redirect is invalid or there were too many.
  static func next(
    after request: HTTPRequest, head: HTTPResponseHead, count: Int
  ) throws(NetworkError) -> HTTPRequest? {
    guard request.transfer.followsRedirects, [301, 302, 303, 307, 308].contains(head.status),
      let location = head.headers.location, !location.isEmpty
    else { return nil }
    guard count < limit else { throw .tooManyRedirects }
    let address: WebAddress
    do {
      address = try request.address.resolving(location)
    } catch .unsupportedProtocol(let scheme) {
      throw .redirectToProtocol(scheme)
    } catch .userInURL {
      throw .redirectToUser
    } catch {
      throw .badResponse("it redirects to an invalid address: \(error.message)")
    }

    var method = request.method
    switch head.status {
    case 303 where method != "HEAD": method = "GET"
    // The usual behaviour, although the RFC would keep the method.
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

  /// Whether a header may be sent to another origin.
  ///
  /// Every header that is not known to be harmless may be a credential.
  private static func isHarmless(_ name: String) -> Bool {
    [
      "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control",
      "content-encoding", "content-language", "content-type", "if-range", "pragma", "range",
      "user-agent",
    ].contains(name.lowercased())
  }
}
