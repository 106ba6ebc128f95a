public import Foundation

/// Storage of responses for reuse and revalidation.
///
/// The cache never makes a request itself. The caller acts on the result of ``lookup(_:now:)``:
///
/// ```swift
/// let found = try cache.lookup(request, now: Date())
/// switch found.freshness {
/// case .fresh: use(found.response)
/// case .usableWhileRevalidating: use(found.response); ask(found.conditional(request))
/// case .mustRevalidate, .notStored: ask(found.conditional(request))
/// }
/// // and with the answer:
/// if answer.head.status == 304, let old = found.response {
///   current = try cache.revalidated(
///     old, by: answer.head, for: request, requestedAt: start, receivedAt: Date())
/// } else {
///   try cache.store(answer, for: request, requestedAt: start, receivedAt: Date())
/// }
/// ```
///
/// A failing cache must not fail a request: if a call throws, continue as if nothing were stored.
///
/// Secrets are never stored: see ``RequestIdentity``. All calls block for the time of a small file
/// access, so don't call them in a callback of the transport.
public protocol ResponseCache: Sendable {
  /// Looks up the response for a request, and counts a hit or a miss; returns the response, if
  /// there is one, and how it may be used.
  func lookup(_ request: HTTPRequest, now: Date) throws(StoreError) -> CacheLookup

  /// Stores a response, replaces the previous one, and evicts the least recently used ones if there
  /// is no room.
  ///
  /// - Parameters:
  ///   - response: The response.
  ///   - request: The request, without the conditions of `conditional(_:)`.
  ///   - requestedAt: When the request was sent.
  ///   - receivedAt: When the response arrived.
  /// - Returns: Nil if it was stored, or why not. A response that must not be stored removes the
  ///   stored one.
  /// - Throws: `StoreError`; then nothing has changed.
  @discardableResult
  func store(
    _ response: HTTPResponse, for request: HTTPRequest, requestedAt: Date, receivedAt: Date
  ) throws(StoreError) -> CachePolicy.Refusal?

  /// Updates the headers of a stored response that the server confirmed with 304.
  ///
  /// - Parameters:
  ///   - response: The result of a lookup.
  ///   - head: The head with status 304.
  ///   - request: The request, without the conditions.
  ///   - requestedAt: When the request was sent.
  ///   - receivedAt: When the response arrived.
  /// - Returns: The response with its new headers, even if it was removed meanwhile; nil if the
  ///   server confirmed another one; then repeat the request without conditions.
  /// - Throws: `StoreError`; then nothing has changed.
  func revalidated(
    _ response: CachedResponse, by head: HTTPResponseHead, for request: HTTPRequest,
    requestedAt: Date, receivedAt: Date
  ) throws(StoreError) -> CachedResponse?

  /// Removes all responses of a request's address, because the request has changed the resource;
  /// returns how many.
  @discardableResult
  func invalidate(_ request: HTTPRequest) throws(StoreError) -> Int

  /// Returns the stored entries, at most `limit` of them, most recently used first.
  func entries(limit: Int?) throws(StoreError) -> [CacheEntry]

  /// Returns one stored response, without counting a use.
  ///
  /// - Parameter id: Its number.
  /// - Returns: The response.
  /// - Throws: `StoreError`, of the kind `unknownResponse` if there is none.
  func response(id: Int) throws(StoreError) -> CachedResponse

  /// Removes one response.
  ///
  /// - Parameter id: Its number.
  /// - Throws: `StoreError`, of the kind `unknownResponse` if there is none.
  func remove(id: Int) throws(StoreError)

  /// Removes all responses, and keeps the counts; returns how many there were.
  func removeAll() throws(StoreError) -> Int

  /// Returns sizes, and counts since the store was made, those of all sessions together.
  func statistics() throws(StoreError) -> CacheStatistics

  /// Sets the size limit of the cache, and evicts the least recently used responses beyond it.
  ///
  /// - Parameter bytes: The persistent limit; 0 stores nothing.
  /// - Throws: `StoreError`; then nothing has changed.
  func setSizeLimit(_ bytes: Int) throws(StoreError)
}

/// The result of a lookup.
public struct CacheLookup: Sendable, Equatable {
  /// The response, or nil.
  public let response: CachedResponse?
  /// Whether the response is fresh, usable during revalidation, to be revalidated, or not stored.
  public let freshness: CacheFreshness

  /// Creates the result of a lookup.
  public init(response: CachedResponse?, freshness: CacheFreshness) {
    self.response = response
    self.freshness = freshness
  }

  /// Returns the request with conditions for revalidation.
  ///
  /// - Parameter request: The request.
  /// - Returns: The request itself if there is no response.
  public func conditional(_ request: HTTPRequest) -> HTTPRequest {
    response?.entry.conditional(request) ?? request
  }
}

/// Sizes and counts of a cache.
public struct CacheStatistics: Sendable, Equatable {
  /// The number of stored responses.
  public var entryCount: Int
  /// Their size in the store.
  public var storedSize: Int
  /// The length of their bodies without compression.
  public var bodySize: Int
  /// Their size limit in the store.
  public var sizeLimit: Int
  /// How many lookups were hits.
  public var hitCount: Int
  /// How many lookups were misses: nothing was stored, or revalidation was required.
  public var missCount: Int
  /// How often the server confirmed a stored response.
  public var revalidationCount: Int
  /// How many responses were evicted.
  public var evictionCount: Int

  /// Creates statistics.
  public init(
    entryCount: Int = 0, storedSize: Int = 0, bodySize: Int = 0, sizeLimit: Int = 0,
    hitCount: Int = 0, missCount: Int = 0, revalidationCount: Int = 0, evictionCount: Int = 0
  ) {
    self.entryCount = entryCount
    self.storedSize = storedSize
    self.bodySize = bodySize
    self.sizeLimit = sizeLimit
    self.hitCount = hitCount
    self.missCount = missCount
    self.revalidationCount = revalidationCount
    self.evictionCount = evictionCount
  }
}
