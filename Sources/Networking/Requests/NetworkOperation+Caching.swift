import Foundation
import Locking
import Operations

/// Where the cache is asked, one after the other: a store may block for the time of a file access.
private let cacheQueue = DispatchQueue(label: "opsh.network.cache")

extension NetworkOperation: CachingRequest {
  /// Where responses are kept and looked for first; nil, as at the beginning, for nowhere.
  ///
  /// To be set before the operation is added to a queue. With one,
  ///
  /// * a kept response that is fresh is the value, and the server is not asked;
  /// * any other is at hand as ``storedValue`` while the server is asked whether it is still right;
  /// * if the server can't be asked, it stands in for the answer where its headers allow that.
  ///
  /// A cache that fails is as good as none.
  public final var responseCache: (any ResponseCache)? {
    get { flight.withLock { $0.caching?.cache } }
    set { flight.withLock { $0.caching = newValue.map { RequestCaching(cache: $0) } } }
  }

  /// What the cache has had to do with it so far; nil where it does not use one.
  public final var cacheUse: CacheUse? { flight.withLock { $0.caching?.use } }

  /// What was kept, at hand while the server is asked whether it is still right.
  public final var storedValue: (any Sendable)? { flight.withLock { $0.caching?.storedValue } }

  /// Looks into the cache, and sends the first attempt if that does not give the value.
  func beginWithCache() {
    guard let cache = responseCache else { return beginAttempt(1) }
    log.perform(on: cacheQueue) { [self] in
      do {
        let request = try preparedRequest()
        let now = log.date
        let found = try whileWanted { try cache.lookup(request, now: now) }
        guard let stored = found.response,
          let value = try? decode(stored.response(to: request))
        else { return beginAttempt(1) }
        let age = stored.entry.age(at: now)
        if found.freshness == .fresh {
          succeed(with: value, of: stored, .hit(age: age))
        } else {
          flight.withLock { flight in
            flight.caching?.stored = stored
            flight.caching?.storedValue = value
            flight.caching?.isUsableMeanwhile = found.freshness == .usableWhileRevalidating
            flight.caching?.use = .updating(age: age)
          }
          let words = describe(value) ?? "a response"
          tellProgress(reason: "stale, \(CacheUse.span(age)) old: \(words) at hand, asking again")
          beginAttempt(1)
        }
      } catch let error as StoreError {
        flight.withLock { $0.caching?.use = .unavailable(error.code) }
        beginAttempt(1)
      } catch {
        // Whatever is wrong with the request, the attempt says so.
        beginAttempt(1)
      }
    }
  }

  /// Adds the questions whether what was kept is still right, and notes when they are asked.
  func conditional(_ request: HTTPRequest) -> HTTPRequest {
    let stored = flight.withLock { flight in
      flight.caching?.requestedAt = log.date
      return flight.caching?.stored
    }
    return stored?.entry.conditional(request) ?? request
  }

  /// Takes the server's word that what was kept is still right.
  ///
  /// - Parameter head: A head with status 304.
  /// - Returns: Whether that answers the question; false where nothing had been asked about.
  func revalidate(by head: HTTPResponseHead) -> Bool {
    guard let caching = flight.withLock({ $0.caching }), let stored = caching.stored else {
      return false
    }
    log.perform(on: cacheQueue) { [self] in
      let now = log.date
      do {
        let request = try preparedRequest()
        let updated = try whileWanted {
          try caching.cache.revalidated(
            stored, by: head, for: request, requestedAt: caching.requestedAt ?? now,
            receivedAt: now)
        }
        guard let updated else {
          // The server meant another response than the one that is kept.
          let attempt = flight.withLock { flight in
            flight.caching?.stored = nil
            return flight.attempt
          }
          return beginAttempt(attempt)
        }
        let value = try decode(updated.response(to: request))
        succeed(with: value, of: nil, .revalidated)
      } catch let error as StoreError {
        // What is kept is right all the same.
        guard let value = caching.storedValue as? Value else { return fail(error) }
        succeed(with: value, of: nil, .revalidated)
      } catch {
        fail(error)
      }
    }
    return true
  }

  /// Asks the cache, which then waits for another process only as long as somebody waits for this.
  private func whileWanted<Found>(_ body: () throws -> Found) throws -> Found {
    try StoreWait.endsEarly(when: { [weak self] in self?.isUnwanted ?? true }, body)
  }

  private var isUnwanted: Bool {
    let (hasEnded, deadline) = flight.withLock { ($0.hasEnded, $0.deadline) }
    return hasEnded || deadline.map { $0 <= log.now } ?? false
  }

  private func fail(_ error: any Error) {
    conclude(.failure(error))
  }

  /// Keeps a response whose value has been decoded, and then finishes.
  ///
  /// - Returns: Whether it will; false where there is no cache.
  func keep(_ response: HTTPResponse, then result: Result<Value, any Error>) -> Bool {
    guard let caching = flight.withLock({ $0.caching }), case .success = result else {
      return false
    }
    log.perform(on: cacheQueue) { [self] in
      let now = log.date
      let use: CacheUse
      do {
        let request = try preparedRequest()
        use = .miss(
          try whileWanted {
            try caching.cache.store(
              response, for: request, requestedAt: caching.requestedAt ?? now, receivedAt: now)
          })
      } catch let error as StoreError {
        use = .unavailable(error.code)
      } catch {
        // The deadline has just passed; the value is there all the same.
        use = .miss(nil)
      }
      flight.withLock { flight in
        flight.caching?.use = use
        flight.summary = [flight.summary, use.name].compactMap(\.self).joined(separator: ", ")
      }
      conclude(result)
    }
    return true
  }

  /// What was kept, where it may stand in for the answer of a server that could not be asked.
  func standIn(for error: NetworkError, head: HTTPResponseHead?) -> Value? {
    guard let caching = flight.withLock({ $0.caching }), let stored = caching.stored,
      let value = caching.storedValue as? Value, RetryAdvice.mayPass(error, head: head),
      caching.isUsableMeanwhile || stored.entry.isUsableAfterError(at: log.date)
    else { return nil }
    let age = stored.entry.age(at: log.date)
    note(value, .stale(age: age, because: error.code))
    return value
  }

  private func succeed(with value: Value, of stored: CachedResponse?, _ use: CacheUse) {
    if let stored {
      flight.withLock { flight in
        flight.head = stored.response(to: request).head
      }
    }
    note(value, use)
    conclude(.success(value))
  }

  private func note(_ value: Value, _ use: CacheUse) {
    let words = describe(value)
    let count = countItems(in: value)
    flight.withLock { flight in
      flight.itemCount = count
      flight.caching?.use = use
      let time = flight.timings.map { DurationText($0.total).description }
      let parts = [words, use.text, use == .revalidated ? time : nil]
      flight.summary = parts.compactMap(\.self).joined(separator: ", ")
    }
  }
}
