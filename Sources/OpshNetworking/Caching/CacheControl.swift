import Foundation

/// The directives of `Cache-Control` that matter to a private cache (RFC 9111, 5.2; RFC 5861).
///
/// ```swift
/// let control = CacheControl(response.head.headers)
/// if control.isNoStore { … }
/// ```
///
/// Invalid directives are read in the stricter way: a `max-age` that is not a number is 0, the
/// smallest of several values counts, and `no-cache` for some fields counts for all. Those for caches
/// that several people share (`s-maxage`, `private`, `proxy-revalidate`) mean nothing here.
public struct CacheControl: Sendable, Equatable {
  /// `max-age`: for how many seconds the response is fresh.
  public var maxAge: Int?
  /// `stale-while-revalidate`: for how many seconds a stale response may be used during revalidation.
  public var staleWhileRevalidate: Int?
  /// `stale-if-error`: for how many seconds a stale response may be used if revalidation fails.
  public var staleIfError: Int?
  /// `no-store`: it must not be stored.
  public var isNoStore = false
  /// `no-cache`: it must not be used without revalidation.
  public var isNoCache = false
  /// `must-revalidate`: it must not be used once it is stale.
  public var mustRevalidate = false
  /// `public`: it may be stored, and used for a time that the cache chooses, whatever its status.
  public var isPublic = false

  /// Creates a value without directives.
  public init() {}

  /// Parses the fields of a response or request.
  ///
  /// - Parameter headers: Its headers; `Pragma: no-cache` applies only without `Cache-Control`.
  public init(_ headers: HTTPHeaders) {
    let values = headers.values(of: "Cache-Control")
    for (name, argument) in values.flatMap(Self.directives) {
      switch name {
      case "max-age": maxAge = min(maxAge ?? .max, Self.seconds(argument))
      case "stale-while-revalidate":
        staleWhileRevalidate = min(staleWhileRevalidate ?? .max, Self.seconds(argument))
      case "stale-if-error": staleIfError = min(staleIfError ?? .max, Self.seconds(argument))
      case "no-store": isNoStore = true
      case "no-cache": isNoCache = true
      case "must-revalidate": mustRevalidate = true
      case "public": isPublic = true
      default: break
      }
    }
    if values.isEmpty {
      isNoCache = headers.values(of: "Pragma").flatMap(Self.directives).contains {
        $0.name == "no-cache"
      }
    }
  }

  /// Larger values mean for ever (RFC 9111, 1.2.2), and sums of this one do not overflow.
  private static let greatestSeconds = 1 << 31

  private static func seconds(_ text: String) -> Int {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
    return min(Int(text) ?? greatestSeconds, greatestSeconds)
  }

  /// Splits a list at its commas, but not at those inside quotation marks.
  private static func directives(_ value: String) -> [(name: String, argument: String)] {
    var result: [(name: String, argument: String)] = []
    var name = ""
    var argument = ""
    var isInArgument = false
    var isQuoted = false
    var isEscaped = false
    func trimmed(_ text: String) -> String { text.trimmingCharacters(in: .whitespaces) }
    for scalar in value.unicodeScalars {
      if isQuoted {
        if isEscaped {
          argument.unicodeScalars.append(scalar)
          isEscaped = false
        } else if scalar == "\\" {
          isEscaped = true
        } else if scalar == "\"" {
          isQuoted = false
        } else {
          argument.unicodeScalars.append(scalar)
        }
      } else if scalar == "," {
        result.append((trimmed(name).lowercased(), trimmed(argument)))
        (name, argument, isInArgument) = ("", "", false)
      } else if scalar == "=", !isInArgument {
        isInArgument = true
      } else if scalar == "\"", isInArgument {
        isQuoted = true
      } else if isInArgument {
        argument.unicodeScalars.append(scalar)
      } else {
        name.unicodeScalars.append(scalar)
      }
    }
    result.append((trimmed(name).lowercased(), trimmed(argument)))
    return result
  }
}
