import Foundation
import OpshLocking
import Operations
import OpshSupport

/// The queue for cache access, one call at a time: a store may block for the time of a file access.
private let cacheQueue = DispatchQueue(label: "opsh.network.cache")

extension NetworkOperation {
  /// The cache for responses; nil, the default, for none.
  ///
  /// Set it before the operation is added to a queue. With a cache,
  ///
  /// * a fresh cached response is the value, or the error if its status is one, and no request is
  ///   sent;
  /// * a stale one is available as ``storedValue`` during revalidation;
  /// * if revalidation fails, the stale one is used if its headers permit that.
  ///
  /// A cache that fails is ignored.
  public final var responseCache: (any ResponseCache)? {
    get { requestState.withLock { $0.caching?.cache } }
    set { requestState.withLock { $0.caching = newValue.map { RequestCaching(cache: $0) } } }
  }

  /// How the cache was used so far; nil without a cache.
  public final var cacheUse: CacheUse? { requestState.withLock { $0.caching?.use } }

  /// The cached value, available during revalidation.
  public final var storedValue: (any Sendable)? {
    requestState.withLock { $0.caching?.storedValue }
  }

  /// Looks up the cache, and sends the first attempt if that has no fresh value.
  func beginWithCache() {
    guard let cache = responseCache else { return beginAttempt() }
    engine.perform(on: cacheQueue) { [self] in
      do {
        let request = try preparedRequest()
        let now = engine.date
        let found = try callCache { try cache.lookup(request, now: now) }
        guard let stored = found.response else { return beginAttempt() }
        let age = stored.entry.age(at: now)
        guard acceptableStatus.contains(stored.entry.status) else {
          guard found.freshness == .fresh else { return beginAttempt() }
          return fail(as: stored.response(to: request), age: age)
        }
        guard let value = try? decode(stored.response(to: request)) else { return beginAttempt() }
        if found.freshness == .fresh {
          succeed(with: value, of: stored, .hit(age: age))
        } else {
          requestState.withLock { requestState in
            requestState.caching?.stored = stored
            requestState.caching?.storedValue = value
            requestState.caching?.isUsableMeanwhile = found.freshness == .usableWhileRevalidating
            requestState.caching?.use = .updating(age: age)
          }
          let words = describe(value) ?? "a response"
          // What is fresh is revalidated if the request asks for that.
          let state = age < stored.entry.freshnessLifetime ? "fresh" : "stale"
          noteProgress(
            reason: "\(state), \(DurationText(age: age)) old: \(words) at hand, asking again")
          beginAttempt()
        }
      } catch let error as StoreError {
        requestState.withLock { $0.caching?.use = .unavailable(error.code) }
        beginAttempt()
      } catch {
        // The attempt reports any error of the request.
        beginAttempt()
      }
    }
  }

  /// Adds the conditions for revalidation, and records when the request is sent.
  func conditional(_ request: HTTPRequest) -> HTTPRequest {
    let stored = requestState.withLock { requestState in
      requestState.caching?.requestedAt = engine.date
      return requestState.caching?.stored
    }
    return stored?.entry.conditional(request) ?? request
  }

  /// Handles the server's confirmation of the cached response.
  ///
  /// - Parameter head: A head with status 304.
  /// - Returns: Whether the confirmation is valid; false if the request had no conditions.
  func revalidate(by head: HTTPResponseHead) -> Bool {
    guard let caching = requestState.withLock({ $0.caching }), let stored = caching.stored else {
      return false
    }
    // Before the cache is asked: the next transfer may begin at any time from then on.
    reportAttempt(end: .succeeded)
    endAttempt()
    engine.perform(on: cacheQueue) { [self] in
      let now = engine.date
      do {
        let request = try preparedRequest()
        let updated = try callCache {
          try caching.cache.revalidated(
            stored, by: head, for: request, requestedAt: caching.requestedAt ?? now,
            receivedAt: now)
        }
        guard let updated else {
          // The server confirmed another response than the cached one.
          requestState.withLock { $0.caching?.stored = nil }
          return beginAttempt()
        }
        let value = try decode(updated.response(to: request))
        succeed(with: value, of: nil, .revalidated)
      } catch let error as StoreError {
        // The cached response is valid nevertheless.
        guard let value = caching.storedValue as? Value else { return fail(error) }
        succeed(with: value, of: nil, .revalidated)
      } catch {
        fail(error)
      }
    }
    return true
  }

  /// Calls the cache; a wait for another process ends when the operation is cancelled.
  private func callCache<Found>(_ body: () throws -> Found) throws -> Found {
    try StoreWait.endsEarly(when: { [weak self] in self?.isUnwanted ?? true }, body)
  }

  private var isUnwanted: Bool { requestState.withLock { $0.hasEnded } }

  private func fail(_ error: any Error) {
    conclude(.failure(error))
  }

  /// Fails with a fresh cached response whose status is not acceptable.
  private func fail(as response: HTTPResponse, age: Double) {
    requestState.withLock { requestState in
      requestState.head = response.head
      requestState.caching?.use = .hit(age: age)
    }
    fail(refusal(response))
  }

  /// Stores a response whose value has been decoded, or whose status is the final error, and then
  /// finishes.
  ///
  /// - Returns: Whether it will; false without a cache, and for a body that was cut off.
  func keep(_ response: HTTPResponse, then result: Result<Value, any Error>) -> Bool {
    guard let caching = requestState.withLock({ $0.caching }), !response.isTruncated else {
      return false
    }
    let save: @Sendable () -> Void = { [self] in
      engine.perform(on: cacheQueue) { [self] in store(response, in: caching, then: result) }
    }
    let size = ByteCount(response.bytesReceived)
    if enter(PhaseProgress(.saving), note: size.description, then: save) { save() }
    return true
  }

  private func store(
    _ response: HTTPResponse, in caching: RequestCaching, then result: Result<Value, any Error>
  ) {
    let now = engine.date
    let use: CacheUse
    do {
      let request = try preparedRequest()
      use = .miss(
        try callCache {
          try caching.cache.store(
            response, for: request, requestedAt: caching.requestedAt ?? now, receivedAt: now)
        })
    } catch let error as StoreError {
      use = .unavailable(error.code)
    } catch {
      // The time limit has just passed, but the value is available.
      use = .miss(nil)
    }
    requestState.withLock { requestState in
      requestState.caching?.use = use
      requestState.summary = [requestState.summary, use.name].compactMap(\.self).joined(
        separator: ", ")
    }
    conclude(result)
  }

  /// The stale response, if it may be used after a failed revalidation.
  func staleValue(for error: NetworkError, head: HTTPResponseHead?) -> Value? {
    guard let caching = requestState.withLock({ $0.caching }), let stored = caching.stored,
      let value = caching.storedValue as? Value, RetryAdvice.isTransient(error, head: head),
      caching.isUsableMeanwhile || stored.entry.isUsableAfterError(at: engine.date)
    else { return nil }
    let age = stored.entry.age(at: engine.date)
    note(value, .stale(age: age, because: error.code))
    return value
  }

  private func succeed(with value: Value, of stored: CachedResponse?, _ use: CacheUse) {
    if let stored {
      requestState.withLock { requestState in
        requestState.head = stored.response(to: request).head
      }
    }
    note(value, use)
    conclude(.success(value))
  }

  private func note(_ value: Value, _ use: CacheUse) {
    let words = describe(value)
    let count = countItems(in: value)
    requestState.withLock { requestState in
      requestState.itemCount = count
      requestState.caching?.use = use
      let time = requestState.timings.map { DurationText($0.total).description }
      let parts = [words, use.text, use == .revalidated ? time : nil]
      requestState.summary = parts.compactMap(\.self).joined(separator: ", ")
    }
  }
}
