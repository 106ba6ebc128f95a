public import Foundation

/// A response in the cache, without its body.
public struct CacheEntry: Sendable, Equatable, Identifiable {
  /// The number by which it can be looked at and removed; never used again for another.
  public let id: Int
  /// The method of the request.
  public let method: String
  /// The address that was asked, every secret replaced by `***`.
  public let url: String
  /// The status.
  public let status: Int
  /// The headers of the response, without those that concern one connection or hold secrets.
  public var headers: HTTPHeaders
  /// When the request was made, or made again to update it.
  public var requestedAt: Date
  /// When the response came, or the one that updated it.
  public var receivedAt: Date
  /// The length of the body.
  public let bodySize: Int
  /// What it takes in the store, compressed if that is smaller, its headers included.
  public let storedSize: Int
  /// How often it was used without asking.
  public let hitCount: Int
  /// How often the server said that it is still right.
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

  /// The validator that the server gave it.
  public var entityTag: String? { headers["ETag"] }
  /// When the server says that it last changed.
  public var lastModified: String? { headers["Last-Modified"] }
  /// What the server says about keeping it.
  public var cacheControl: CacheControl { CacheControl(headers) }
  /// Whether the server can be asked if it is still right, instead of for all of it.
  public var canBeRevalidated: Bool { entityTag != nil || lastModified != nil }
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
  /// - Parameter request: What was asked; its address is the response's.
  /// - Returns: The response, with no timings and no bytes received.
  public func response(to request: HTTPRequest) -> HTTPResponse {
    HTTPResponse(
      head: HTTPResponseHead(status: entry.status, headers: entry.headers, url: request.url),
      body: body, bytesReceived: 0)
  }
}
