import Foundation
import OpshSupport

/// How the cache was used for the value of an operation.
public enum CacheUse: Sendable, Equatable {
  /// The cached response is fresh, and no request was sent.
  case hit(age: Double)
  /// The cached response is available during revalidation.
  case updating(age: Double)
  /// The server confirmed the cached response.
  case revalidated
  /// Revalidation failed, and the stale response may be used.
  case stale(age: Double, because: String)
  /// There was no usable response; the new one was stored, or not for a reason.
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
    case .hit(let age): "hit, \(DurationText(age: age)) old"
    case .updating(let age): "stale, \(DurationText(age: age)) old, being updated"
    case .revalidated: "revalidated"
    case .stale(let age, let reason): "stale, \(DurationText(age: age)) old, because of \(reason)"
    case .miss(nil): "miss, kept"
    case .miss(let refusal?): "miss, not kept: \(refusal.rawValue)"
    case .unavailable(let code): "unavailable: \(code)"
    }
  }
}

/// The cache state of an operation.
struct RequestCaching: Sendable {
  let cache: any ResponseCache
  /// The cached response, until a newer one arrives.
  var stored: CachedResponse?
  var storedValue: (any Sendable)?
  /// Whether it may be used during revalidation, and also if that fails.
  var isUsableMeanwhile = false
  var requestedAt: Date?
  var use: CacheUse?
}
