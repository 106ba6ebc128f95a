public import Foundation
import Support

/// How a cached response may be used for a request.
public enum CacheFreshness: String, Sendable, CaseIterable {
  /// It may be used without revalidation.
  case fresh
  /// It may be used during revalidation in the background.
  case usableWhileRevalidating = "stale-while-revalidate"
  /// It must be revalidated first.
  case mustRevalidate = "must-revalidate"
  /// There is no cached response.
  case notStored = "not-stored"
}

extension CacheFreshness {
  /// Decides how a cached response may be used, by RFC 9111, 4.2 and RFC 5861.
  ///
  /// A pure function: the only time it uses is `now`. There is no heuristic freshness: a response
  /// with neither `max-age` nor `Expires` must be revalidated every time.
  ///
  /// - Parameters:
  ///   - entry: The cached response; nil for none.
  ///   - request: The request, whose `Cache-Control` counts too.
  ///   - now: The time.
  /// - Returns: The permitted use.
  public static func of(
    _ entry: CacheEntry?, for request: HTTPRequest, at now: Date
  ) -> CacheFreshness {
    guard let entry else { return .notStored }
    let control = entry.cacheControl
    let wishes = CacheControl(request.headers)
    guard !control.isNoCache, !control.isNoStore, !wishes.isNoCache, !wishes.isNoStore,
      !entry.isFromTheFuture(at: now)
    else { return .mustRevalidate }
    let age = entry.age(at: now)
    let lifetime = entry.freshnessLifetime
    if let maxAge = wishes.maxAge, age >= Double(maxAge) { return .mustRevalidate }
    if age < lifetime { return .fresh }
    guard !control.mustRevalidate, let extra = control.staleWhileRevalidate,
      age < lifetime + Double(extra)
    else { return .mustRevalidate }
    return .usableWhileRevalidating
  }
}

extension CacheEntry {
  /// Returns the response's age in seconds since the server created or confirmed it, by RFC 9111,
  /// 4.2.3.
  ///
  /// - Parameter now: The time.
  /// - Returns: The age in seconds, at least 0.
  public func age(at now: Date) -> Double {
    let apparent =
      headers["Date"].flatMap(HTTPDate.parse).map { receivedAt.timeIntervalSince($0) } ?? 0
    let reported = Self.seconds(headers["Age"]) + max(0, receivedAt.timeIntervalSince(requestedAt))
    return max(0, apparent, reported) + max(0, now.timeIntervalSince(receivedAt))
  }

  /// The freshness lifetime in seconds; 0 if the server does not specify it.
  public var freshnessLifetime: Double {
    if let maxAge = cacheControl.maxAge { return Double(maxAge) }
    // An invalid date, such as the common `0`, means that the response has expired.
    guard let expires = headers["Expires"].flatMap(HTTPDate.parse) else { return 0 }
    let date = headers["Date"].flatMap(HTTPDate.parse) ?? receivedAt
    return max(0, expires.timeIntervalSince(date))
  }

  /// Returns whether `stale-if-error` permits its use after a failed revalidation.
  ///
  /// - Parameter now: The time.
  /// - Returns: Whether it may be used.
  public func isUsableAfterError(at now: Date) -> Bool {
    let control = cacheControl
    guard !control.isNoCache, !control.mustRevalidate, !isFromTheFuture(at: now) else {
      return false
    }
    return age(at: now) < freshnessLifetime + Double(control.staleIfError ?? 0)
  }

  /// Returns the request with conditions for revalidation.
  ///
  /// - Parameter request: The request.
  /// - Returns: The request with `If-None-Match` and `If-Modified-Since`, as far as there are
  ///   validators that can be sent.
  public func conditional(_ request: HTTPRequest) -> HTTPRequest {
    var request = request
    // A validator with a character that must not be sent is ignored.
    if let entityTag { try? request.headers.set("If-None-Match", entityTag) }
    if let lastModified { try? request.headers.set("If-Modified-Since", lastModified) }
    return request
  }

  /// Whether the clock was set back since the response was stored, so that its age is unknown.
  func isFromTheFuture(at now: Date) -> Bool {
    receivedAt.timeIntervalSince(now) > 60
  }

  private static func seconds(_ text: String?) -> Double {
    guard let text, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return 0
    }
    return Double(min(Int(text) ?? .max, 1 << 31))
  }
}
