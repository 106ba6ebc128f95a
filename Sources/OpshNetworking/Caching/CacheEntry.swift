public import Foundation

/// A response in the cache, without its body.
public struct CacheEntry: Sendable, Equatable, Identifiable {
  /// The number by which it can be inspected and removed; never reused.
  public let id: Int
  /// The method of the request.
  public let method: String
  /// The requested address, every secret replaced by `***`.
  public let url: String
  /// The status.
  public let status: Int
  /// The headers of the response, without hop-by-hop headers and secrets.
  public var headers: HTTPHeaders
  /// When the request, or the latest revalidation, was sent.
  public var requestedAt: Date
  /// When the response, or that of the latest revalidation, arrived.
  public var receivedAt: Date
  /// The length of the body.
  public let bodySize: Int
  /// Its size in the store with headers, compressed if that is smaller.
  public let storedSize: Int
  /// How often it was used without a request.
  public let hitCount: Int
  /// How often the server confirmed it.
  public let revalidationCount: Int

  /// Creates an entry.
  public init(
    id: Int, method: String, url: String, status: Int, headers: HTTPHeaders, requestedAt: Date,
    receivedAt: Date, bodySize: Int, storedSize: Int, hitCount: Int = 0, revalidationCount: Int = 0
  ) {
    self.id = id
    self.method = method
    self.url = url
    self.status = status
    self.headers = headers
    self.requestedAt = requestedAt
    self.receivedAt = receivedAt
    self.bodySize = bodySize
    self.storedSize = storedSize
    self.hitCount = hitCount
    self.revalidationCount = revalidationCount
  }

  /// The `ETag` of the response.
  public var entityTag: String? { headers["ETag"] }
  /// The `Last-Modified` date of the response.
  public var lastModified: String? { headers["Last-Modified"] }
  /// The `Cache-Control` of the response.
  public var cacheControl: CacheControl { CacheControl(headers) }
}

/// A response in the cache with its body.
public struct CachedResponse: Sendable, Equatable {
  /// Everything but the body.
  public var entry: CacheEntry
  /// The body without its content encoding.
  public let body: [UInt8]

  /// Creates a response.
  public init(entry: CacheEntry, body: [UInt8]) {
    self.entry = entry
    self.body = body
  }

  /// Returns the response as the transport would have delivered it.
  ///
  /// - Parameter request: The request; its address becomes that of the response.
  /// - Returns: The response, with no timings and no bytes received.
  public func response(to request: HTTPRequest) -> HTTPResponse {
    HTTPResponse(
      head: HTTPResponseHead(status: entry.status, headers: entry.headers, url: request.url),
      body: body, bytesReceived: 0)
  }
}
