/// What `Cache-Control` says, as far as a private cache is concerned (RFC 9111, 5.2; RFC 5861).
///
/// ```swift
/// let control = CacheControl(response.head.headers)
/// if control.isNoStore { … }
/// ```
///
/// What cannot be understood is read as the more careful of what it could mean: a `max-age` that
/// is no number is 0, of several the least counts, and `no-cache` for some fields is one for all.
public struct CacheControl: Sendable, Equatable {
  /// `max-age`: for how many seconds the response is fresh.
  public var maxAge: Int?
  /// `stale-while-revalidate`: for how many seconds after that it may be used while it is updated.
  public var staleWhileRevalidate: Int?
  /// `stale-if-error`: for how many seconds after that it may be used if updating it fails.
  public var staleIfError: Int?
  /// `no-store`: it must not be kept.
  public var isNoStore = false
  /// `no-cache`: it must not be used without asking.
  public var isNoCache = false
  /// `must-revalidate`: it must not be used once it is stale.
  public var mustRevalidate = false

  /// Creates one that says nothing.
  public init() {}

  /// Reads the fields of a response or request.
  ///
  /// - Parameter headers: Its headers; `Pragma: no-cache` counts where there is no
  ///   `Cache-Control`.
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
      default: break
      }
    }
    if values.isEmpty {
      isNoCache = headers.values(of: "Pragma").flatMap(Self.directives).contains {
        $0.name == "no-cache"
      }
    }
  }

  /// More than this means for ever (RFC 9111, 1.2.2), and sums of it still fit.
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
        result.append((name.lowercased(), argument))
        (name, argument, isInArgument) = ("", "", false)
      } else if scalar == "=", !isInArgument {
        isInArgument = true
      } else if scalar == "\"", isInArgument {
        isQuoted = true
      } else if scalar != " ", scalar != "\t" {
        if isInArgument {
          argument.unicodeScalars.append(scalar)
        } else {
          name.unicodeScalars.append(scalar)
        }
      }
    }
    result.append((name.lowercased(), argument))
    return result
  }
}
