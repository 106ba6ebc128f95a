public import Foundation

/// Keeps responses, so that they can be used again or be asked about.
///
/// It never makes a request itself. Whoever does, goes by what ``lookup(_:now:)`` says:
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
/// A cache that fails is no reason for a request to fail: where a call throws, go on as if nothing
/// were kept.
///
/// Secrets are never kept: see ``RequestIdentity``. All calls block for the time of a small file
/// access, so they do not belong into a callback of the transport.
public protocol ResponseCache: Sendable {
  /// Finds what is kept for a request, and counts that as a hit or a miss.
  ///
  /// - Parameters:
  ///   - request: What is to be asked.
  ///   - now: The time.
  /// - Returns: The response, if there is one, and what may be done with it.
  /// - Throws: `StoreError`.
  func lookup(_ request: HTTPRequest, now: Date) throws(StoreError) -> CacheLookup

  /// Keeps a response, in the place of the one before, and drops the longest unused where there
  /// is no room.
  ///
  /// - Parameters:
  ///   - response: The response.
  ///   - request: What was asked, without the conditions of `conditional(_:)`.
  ///   - requestedAt: When it was asked.
  ///   - receivedAt: When the response came.
  /// - Returns: Nil where it is kept, or why not. One that replaces a kept one but must not be
  ///   kept itself removes it.
  /// - Throws: `StoreError`; then nothing has changed.
  @discardableResult
  func store(
    _ response: HTTPResponse, for request: HTTPRequest, requestedAt: Date, receivedAt: Date
  ) throws(StoreError) -> CachePolicy.Refusal?

  /// Notes that the server answered 304: the kept response is still right, its headers change.
  ///
  /// - Parameters:
  ///   - response: What a lookup gave.
  ///   - head: The head with status 304.
  ///   - request: What was asked, without the conditions.
  ///   - requestedAt: When it was asked.
  ///   - receivedAt: When the answer came.
  /// - Returns: The response with its new headers, also where it has been removed meanwhile; nil
  ///   where the server meant another one, which has to be fetched without conditions then.
  /// - Throws: `StoreError`; then nothing has changed.
  func revalidated(
    _ response: CachedResponse, by head: HTTPResponseHead, for request: HTTPRequest,
    requestedAt: Date, receivedAt: Date
  ) throws(StoreError) -> CachedResponse?

  /// Forgets all that is kept for the address of a request, because it has changed something.
  ///
  /// - Parameter request: A request other than GET and HEAD that succeeded.
  /// - Returns: How many responses that were.
  /// - Throws: `StoreError`.
  @discardableResult
  func invalidate(_ request: HTTPRequest) throws(StoreError) -> Int

  /// Returns what is kept, the last used first.
  ///
  /// - Parameter limit: How many at most; nil for all.
  /// - Returns: The entries.
  /// - Throws: `StoreError`.
  func entries(limit: Int?) throws(StoreError) -> [CacheEntry]

  /// Returns one kept response, without counting that as a use.
  ///
  /// - Parameter id: Its number.
  /// - Returns: The response.
  /// - Throws: `StoreError`, of the kind `unknownResponse` where there is none.
  func response(id: Int) throws(StoreError) -> CachedResponse

  /// Forgets one response.
  ///
  /// - Parameter id: Its number.
  /// - Throws: `StoreError`, of the kind `unknownResponse` where there is none.
  func remove(id: Int) throws(StoreError)

  /// Forgets all responses; the counts stay.
  ///
  /// - Returns: How many there were.
  /// - Throws: `StoreError`.
  func removeAll() throws(StoreError) -> Int

  /// Returns sizes and counts.
  ///
  /// - Returns: The counts since the store was made, of all sessions together.
  /// - Throws: `StoreError`.
  func statistics() throws(StoreError) -> CacheStatistics

  /// Sets how much the cache may take, and drops the longest unused where it takes more.
  ///
  /// - Parameter bytes: The limit, kept for later sessions; 0 keeps nothing.
  /// - Throws: `StoreError`; then nothing has changed.
  func setSizeLimit(_ bytes: Int) throws(StoreError)
}

/// What the cache has for a request.
public struct CacheLookup: Sendable, Equatable {
  /// The response, or nil.
  public let response: CachedResponse?
  /// What may be done with it.
  public let freshness: CacheFreshness

  /// Creates the result of a lookup.
  public init(response: CachedResponse?, freshness: CacheFreshness) {
    self.response = response
    self.freshness = freshness
  }

  /// Returns the request with the questions whether the response is still right.
  ///
  /// - Parameter request: What is asked.
  /// - Returns: The request itself where there is no response.
  public func conditional(_ request: HTTPRequest) -> HTTPRequest {
    response?.entry.conditional(request) ?? request
  }
}

/// Sizes and counts of a cache.
public struct CacheStatistics: Sendable, Equatable {
  /// How many responses are kept.
  public var entryCount: Int
  /// What they take in the store.
  public var storedSize: Int
  /// The length of their bodies without compression.
  public var bodySize: Int
  /// How much they may take in the store.
  public var sizeLimit: Int
  /// How many lookups were answered without asking first.
  public var hitCount: Int
  /// How many were not: nothing was kept, or the server had to be asked.
  public var missCount: Int
  /// How often the server said that a kept response is still right.
  public var revalidationCount: Int
  /// How many responses had to make room.
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
