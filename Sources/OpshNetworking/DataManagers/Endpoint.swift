import OpshSupport
import OpshWebAPIs

/// The base address of a service, without the version in its path.
///
/// ```swift
/// let practice = try Endpoint(url: "http://127.0.0.1:8080")
/// let live = Endpoint.live(key: "…")
/// ```
public struct Endpoint: Sendable, Equatable {
  /// The base address without a slash at its end.
  public var baseURL: String {
    let text = address.text
    return text.hasSuffix("/") ? String(text.dropLast()) : text
  }
  /// The API key, to which the service attributes requests; never shown.
  public var key: String?

  private let address: WebAddress

  /// Creates an endpoint.
  ///
  /// - Parameters:
  ///   - url: A complete address without query; slashes at its end and a fragment are dropped.
  ///   - key: The key to send, if any.
  /// - Throws: `NetworkError.badURL` or `unsupportedProtocol`.
  public init(url: String, key: String? = nil) throws(NetworkError) {
    let address = try WebAddress(parsing: url)
    guard address.query == nil else {
      throw .badURL("the address of an endpoint has no query")
    }
    let base = address.withoutTrailingSlashes
    if let last = base.path.split(separator: "/").last, Self.isVersion(last) {
      throw .badURL(
        "the address of an endpoint has no version in its path: each request adds '/\(last)' itself"
      )
    }
    self.address = base
    self.key = key
  }

  /// Whether a part of a path is a version such as `2.3`.
  private static func isVersion(_ text: Substring) -> Bool {
    let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 2
      && numbers.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
  }

  private init(address: WebAddress, key: String?) {
    self.address = address
    self.key = key
  }

  /// Returns the real Stack Exchange service.
  ///
  /// - Parameter key: The key to send; without one 300 requests a day are allowed.
  /// - Returns: The endpoint.
  public static func live(key: String? = nil) -> Endpoint {
    Endpoint(address: .stackExchange, key: key)
  }

  /// The same service without the key, for an API that does not use it.
  var withoutKey: Endpoint { Endpoint(address: address, key: nil) }

  /// The address of a path of the service.
  func address(path: String, query: String? = nil) -> WebAddress {
    address.appending(path: path, query: query)
  }

  /// Returns the request for a query of the API, with the key if there is one.
  func request(_ query: APIQuery<some APIEndpoint>) -> HTTPRequest {
    let key = key.map { "key=" + PercentEncoding.encode($0) }
    let fields = [query.encoded, key].compactMap { $0 }.joined(separator: "&")
    var request = HTTPRequest(
      get: address(path: query.path, query: fields.isEmpty ? nil : fields))
    request.isOfEndpoint = true
    return request
  }
}

extension Endpoint: CustomStringConvertible {
  /// The base address without the key.
  public var description: String { baseURL }
}
