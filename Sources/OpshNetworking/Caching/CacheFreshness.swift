public import Foundation
import OpshSupport

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
  /// A pure function: the only time it uses is `now`. Of the request's directives `max-age`,
  /// `no-cache` and `no-store` count.
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
  public func age(at now: Date) -> Double {
    let apparent = date(of: "Date").map { receivedAt.timeIntervalSince($0) } ?? 0
    let reported = reportedAge + max(0, receivedAt.timeIntervalSince(requestedAt))
    return max(0, apparent, reported) + max(0, now.timeIntervalSince(receivedAt))
  }

  /// The freshness lifetime in seconds, by RFC 9111, 4.2.1; if the server does not specify it, a
  /// tenth of the time since the last modification, and at most a day (4.2.2).
  public var freshnessLifetime: Double {
    let control = cacheControl
    if let maxAge = control.maxAge { return Double(maxAge) }
    let creation = date(of: "Date") ?? receivedAt
    let expirations = Set(headers.values(of: "Expires"))
    guard expirations.isEmpty else {
      // An invalid date, such as the common `0`, and a second one that differs mean that the
      // response has expired.
      guard expirations.count == 1, let end = date(of: "Expires") else { return 0 }
      return max(0, end.timeIntervalSince(creation))
    }
    guard control.isPublic || CachePolicy.isCacheableByDefault(status),
      let modification = date(of: "Last-Modified")
    else { return 0 }
    return min(max(0, creation.timeIntervalSince(modification)) / 10, Self.longestGuess)
  }

  private static let longestGuess = 86_400.0

  private func date(of name: String) -> Date? {
    headers[name].flatMap { HTTPDate.parse($0, now: receivedAt) }
  }

  /// Returns whether `stale-if-error` permits its use after a failed revalidation.
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

  /// The `Age` in seconds, of several the first; one that is not a whole number is invalid, and
  /// ignored (RFC 9111, 5.1).
  private var reportedAge: Double {
    let first = (headers["Age"] ?? "").prefix { $0 != "," }.trimmingCharacters(in: .whitespaces)
    guard !first.isEmpty, first.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
    return Double(min(Int(first) ?? .max, 1 << 31))
  }
}
