import Foundation

/// Says what the cache had to do with the value of an operation.
public enum CacheUse: Sendable, Equatable {
  /// What was kept is fresh, and the server was not asked.
  case hit(age: Double)
  /// What was kept is at hand, and the server is asked whether it is still right.
  case updating(age: Double)
  /// The server said that what was kept is still right.
  case revalidated
  /// The server could not be asked, and what was kept may stand in for its answer.
  case stale(age: Double, because: String)
  /// Nothing was kept, or something else; the answer is kept now, or not for a reason.
  case miss(CachePolicy.Refusal?)
  /// The cache failed; the text is the code of its error.
  case unavailable(String)

  /// The use in one word: `hit`, `revalidated`, `stale`, `miss` or `unavailable`.
  public var name: String {
    switch self {
    case .hit: "hit"
    case .updating, .stale: "stale"
    case .revalidated: "revalidated"
    case .miss: "miss"
    case .unavailable: "unavailable"
    }
  }

  /// The use in a few words, such as `hit, 12 s old`.
  public var text: String {
    switch self {
    case .hit(let age): "hit, \(Self.span(age)) old"
    case .updating(let age): "stale, \(Self.span(age)) old, being updated"
    case .revalidated: "revalidated"
    case .stale(let age, let reason): "stale, \(Self.span(age)) old, because of \(reason)"
    case .miss(nil): "miss, kept"
    case .miss(let refusal?): "miss, not kept: \(refusal.rawValue)"
    case .unavailable(let code): "unavailable: \(code)"
    }
  }

  static func span(_ seconds: Double) -> String {
    let whole = Int(min(max(0, seconds), 1e9))
    return whole < 60 ? "\(whole) s" : DurationText(.seconds(whole)).description
  }
}

/// Tells how an operation uses the cache, without knowing its value.
public protocol CachingRequest: AnyObject {
  /// What the cache has had to do with it so far; nil where it does not use one.
  var cacheUse: CacheUse? { get }
  /// What was kept, at hand while the server is asked whether it is still right.
  var storedValue: (any Sendable)? { get }
}

/// Holds what an operation has to do with the cache.
struct RequestCaching: Sendable {
  let cache: any ResponseCache
  /// What was found, as long as nothing better has come.
  var stored: CachedResponse?
  var storedValue: (any Sendable)?
  /// Whether it may be used while it is updated, and so also if that fails.
  var isUsableMeanwhile = false
  var requestedAt: Date?
  var use: CacheUse?
}
