public import Foundation

/// Says what may be done with what the cache has for a request.
public enum CacheFreshness: String, Sendable, CaseIterable {
  /// It may be used as it is.
  case fresh
  /// It may be used while it is updated in the background.
  case usableWhileRevalidating = "stale-while-revalidate"
  /// The server must be asked first.
  case mustRevalidate = "must-revalidate"
  /// There is nothing.
  case notStored = "not-stored"
}

extension CacheFreshness {
  /// Decides what may be done, by RFC 9111, 4.2 and RFC 5861.
  ///
  /// A pure function: all time it knows is `now`. Nothing is fresh by guessing: a response that
  /// says neither `max-age` nor `Expires` must be asked about every time.
  ///
  /// - Parameters:
  ///   - entry: What the cache has; nil for nothing.
  ///   - request: What is asked; its own `Cache-Control` counts too.
  ///   - now: The time.
  /// - Returns: What may be done.
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
  /// Returns how many seconds ago the server made or confirmed it, by RFC 9111, 4.2.3.
  ///
  /// - Parameter now: The time.
  /// - Returns: The age in seconds, at least 0.
  public func age(at now: Date) -> Double {
    let apparent =
      headers["Date"].flatMap(HTTPDate.parse).map { receivedAt.timeIntervalSince($0) } ?? 0
    let reported = Self.seconds(headers["Age"]) + max(0, receivedAt.timeIntervalSince(requestedAt))
    return max(0, apparent, reported) + max(0, now.timeIntervalSince(receivedAt))
  }

  /// For how many seconds after its making it is fresh; 0 where the server does not say.
  public var freshnessLifetime: Double {
    if let maxAge = cacheControl.maxAge { return Double(maxAge) }
    // A date that cannot be read, such as the common `0`, means that it has expired.
    guard let expires = headers["Expires"].flatMap(HTTPDate.parse) else { return 0 }
    let date = headers["Date"].flatMap(HTTPDate.parse) ?? receivedAt
    return max(0, expires.timeIntervalSince(date))
  }

  /// Returns whether it may be used because the server could not be asked: `stale-if-error`.
  ///
  /// - Parameter now: The time.
  /// - Returns: Whether it may.
  public func isUsableAfterError(at now: Date) -> Bool {
    let control = cacheControl
    guard !control.isNoCache, !control.mustRevalidate, !isFromTheFuture(at: now) else {
      return false
    }
    return age(at: now) < freshnessLifetime + Double(control.staleIfError ?? 0)
  }

  /// Returns the request with the questions whether this is still right.
  ///
  /// - Parameter request: What is asked.
  /// - Returns: The request with `If-None-Match` and `If-Modified-Since`, as far as there are
  ///   validators that can be sent.
  public func conditional(_ request: HTTPRequest) -> HTTPRequest {
    var request = request
    // A validator with a character that must not be sent is as good as none.
    if let entityTag { try? request.headers.set("If-None-Match", entityTag) }
    if let lastModified { try? request.headers.set("If-Modified-Since", lastModified) }
    return request
  }

  /// Whether the clock was set back since it was stored: nobody knows its age then.
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
