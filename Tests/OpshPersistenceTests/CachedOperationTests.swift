import Foundation
import OpshNetworking
import Operations
import Testing

@testable import OpshPersistence

/// Cached operations with a scripted transport and without a shell.
@Suite("Operations and the cache", .timeLimit(.minutes(15)))
struct CachedOperationTests {
  private let engine = OperationEngine()
  private let queue: InspectableQueue
  private let transport = ScriptedTransport()
  private let store = SQLiteStore.inMemory()

  init() {
    queue = InspectableQueue(name: "network", maxConcurrentOperationCount: 1, engine: engine)
  }

  /// Performs a request and waits for its end.
  private func ask(
    _ url: String = "http://a/x", _ headers: (String, String)...,
    options: RequestOptions = RequestOptions(), cached: Bool = true
  ) async throws -> HTTPOperation {
    let request = try CacheTesting.request(url, headers: headers)
    let operation = HTTPOperation(
      engine: engine, request: request, transport: transport, options: options)
    if cached { operation.responseCache = store.responses }
    try queue.addOperation(operation)
    _ = try? await operation.value
    return operation
  }

  private func text(_ operation: HTTPOperation) async throws -> String {
    String(decoding: try await operation.value.body, as: UTF8.self)
  }

  @Test("A fresh response is the operation's value, and no request is sent")
  func fresh() async throws {
    transport.willAnswer(.page("one", ("Cache-Control", "max-age=600")))
    let first = try await ask()
    let second = try await ask()
    #expect(first.cacheUse == .miss(nil))
    guard case .hit? = second.cacheUse else {
      Issue.record("no hit: \(String(describing: second.cacheUse))")
      return
    }
    #expect(try await text(second) == "one" && second.statusCode == 200)
    #expect(transport.requests.count == 1)
    // Without the cache the request is sent.
    transport.willAnswer(.page("two"))
    let third = try await ask(cached: false)
    #expect(try await text(third) == "two" && third.cacheUse == nil)
  }

  @Test(
    "A store locked by another process fails no request and does not exceed the deadline")
  func busy() async throws {
    let folder = try StoreFolder()
    let file = folder.store(busyTimeout: .seconds(120))
    _ = try file.responses.statistics()
    let other = try Connection(path: folder.file, library: SQLiteLibrary.shared.get())
    defer { other.close() }
    try other.run("BEGIN IMMEDIATE")
    transport.willAnswer(.page("one"), .page("two"))
    for text in ["one", "two"] {
      var options = RequestOptions()
      options.timeout = .seconds(30)
      let operation = HTTPOperation(
        engine: engine, request: try CacheTesting.request("http://a/x"), transport: transport,
        options: options)
      operation.responseCache = file.responses
      try queue.addOperation(operation)
      #expect(try await self.text(operation) == text)
      #expect(operation.cacheUse == .unavailable("store-busy"))
    }
    try other.run("ROLLBACK")
  }

  @Test("A stale response is revalidated by its entity tag, and confirmed without a body")
  func conditional() async throws {
    transport.willAnswer(
      .page(
        "one", ("ETag", "\"v1\""), ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("Cache-Control", "max-age=0")),
      .notModified(("ETag", "\"v1\""), ("Cache-Control", "max-age=600")))
    _ = try await ask()
    let second = try await ask()
    #expect(second.cacheUse == .revalidated && second.statusCode == 304)
    #expect(try await text(second) == "one")
    let conditions = try #require(transport.requests.last).headers
    #expect(conditions["If-None-Match"] == "\"v1\"")
    #expect(conditions["If-Modified-Since"] == "Sun, 06 Nov 1994 08:49:37 GMT")
    // The headers of the confirmation apply from now on.
    _ = try await ask()
    #expect(transport.requests.count == 2)
  }

  @Test("A changed response replaces the cached one")
  func changed() async throws {
    transport.willAnswer(.page("one", ("ETag", "\"v1\"")), .page("two", ("ETag", "\"v2\"")))
    _ = try await ask()
    let second = try await ask()
    #expect(try await text(second) == "two" && second.cacheUse == .miss(nil))
    transport.willAnswer(.notModified(("ETag", "\"v2\"")))
    #expect(try await text(try await ask()) == "two")
  }

  @Test("A 304 for another response is rejected, and the request is repeated without conditions")
  func confused() async throws {
    transport.willAnswer(
      .page("one", ("ETag", "\"v1\"")), .notModified(("ETag", "\"v9\"")), .page("nine"))
    _ = try await ask()
    let second = try await ask()
    #expect(try await text(second) == "nine")
    #expect(transport.requests.map { $0.headers["If-None-Match"] } == [nil, "\"v1\"", nil])
  }

  @Test("The failure of a request that is repeated after a 304 is that of the attempt")
  func confusedTwice() async throws {
    let failure = NetworkError.badResponse("x")
    for number in 0..<50 {
      transport.willAnswer(
        .page("one", ("ETag", "\"v1\"")), .notModified(("ETag", "\"v9\"")), .failing(failure))
      _ = try await ask("http://a/\(number)")
      let second = try await ask("http://a/\(number)")
      #expect(second.requestAttempts.map { $0.error?.code } == [failure.code])
    }
  }

  @Test("A stale response is available during revalidation, and replaces a failed revalidation")
  func staleWhileRevalidate() async throws {
    transport.willAnswer(
      .page("one", ("Cache-Control", "max-age=0, stale-while-revalidate=600")),
      .failing(.connectionLost))
    _ = try await ask()
    let second = try await ask()
    guard case .stale(_, because: "connection-lost")? = second.cacheUse else {
      Issue.record("not stale: \(String(describing: second.cacheUse))")
      return
    }
    #expect(try await text(second) == "one")
    let stored = try #require(second.storedValue as? HTTPResponse)
    #expect(stored.body == Array("one".utf8))
    let reasons = engine.log.entries(from: 0, limit: 1_000).entries
      .filter { $0.operation.id == second.id }.map(\.reason)
    #expect(reasons.contains { $0.hasPrefix("stale, ") && $0.hasSuffix("at hand, asking again") })
  }

  @Test(
    "A stale response replaces neither a permanent error nor a response that forbids it",
    arguments: [
      ("max-age=0", NetworkError.connectionLost),
      ("max-age=0, stale-while-revalidate=600", .badResponse("x")),
      ("max-age=0, stale-while-revalidate=600, must-revalidate", .connectionLost),
    ])
  func mayNotStandIn(control: String, failure: NetworkError) async throws {
    transport.willAnswer(.page("one", ("Cache-Control", control)), .failing(failure))
    _ = try await ask()
    let second = try await ask()
    #expect(second.outcome?.failure?.code == failure.code)
  }

  @Test(
    "A response that must not be stored is not stored",
    arguments: [
      ("no-store", "", CachePolicy.Refusal.noStore), ("max-age=600", "*", .varies),
    ])
  func refused(control: String, vary: String, why: CachePolicy.Refusal) async throws {
    let answer = ScriptedTransport.Answer.page("one", ("Cache-Control", control), ("Vary", vary))
    transport.willAnswer(answer, answer)
    let first = try await ask()
    _ = try await ask()
    #expect(first.cacheUse == .miss(why))
    #expect(transport.requests.count == 2)
    #expect(try store.responses.statistics().entryCount == 0)
  }

  @Test("A request with personal data neither reads nor writes the cache")
  func credentials() async throws {
    transport.willAnswer(
      .page("one", ("Cache-Control", "max-age=600")), .page("two", ("Cache-Control", "max-age=600"))
    )
    let first = try await ask("http://a/x", ("Authorization", "Bearer secret"))
    #expect(first.cacheUse == .miss(.credentials))
    #expect(try await text(try await ask()) == "two", "it is not answered with another's page")
  }

  @Test("Responses with Vary are stored for each value of the header")
  func vary() async throws {
    let headers = [("Cache-Control", "max-age=600"), ("Vary", "Accept-Language")]
    transport.willAnswer(
      .init(headers: headers, body: "hello"), .init(headers: headers, body: "hallo"))
    _ = try await ask("http://a/x", ("Accept-Language", "en"))
    let german = try await ask("http://a/x", ("Accept-Language", "de"))
    #expect(try await text(german) == "hallo")
    let again = try await ask("http://a/x", ("Accept-Language", "de"))
    #expect(try await text(again) == "hallo" && transport.requests.count == 2)
  }

  @Test("An error with a lifetime is stored, and fails again without a request until it has ended")
  func errorWithLifetime() async throws {
    transport.willAnswer(
      .init(status: 404, headers: [("Cache-Control", "max-age=600")], body: "gone"),
      .init(status: 404, headers: [("Cache-Control", "max-age=0")], body: "again"), .page("one"))
    let first = try await ask()
    let second = try await ask()
    #expect(first.cacheUse == .miss(nil))
    #expect(second.outcome?.failure?.code == first.outcome?.failure?.code)
    #expect(second.outcome?.failure != nil && second.statusCode == 404)
    guard case .hit? = second.cacheUse else {
      Issue.record("no hit: \(String(describing: second.cacheUse))")
      return
    }
    #expect(transport.requests.count == 1)
    // The server is asked when the user wants that, and a stale error never stands in.
    let third = try await ask("http://a/x", ("Cache-Control", "no-cache"))
    #expect(third.cacheUse == .miss(nil) && third.statusCode == 404)
    let fourth = try await ask()
    #expect(try await text(fourth) == "one")
  }

  @Test("An error page whose end is missing is not stored")
  func truncatedError() async throws {
    // What is not gzip ends where that is found.
    transport.willAnswer(
      .init(
        status: 404, headers: [("Cache-Control", "max-age=600"), ("Content-Encoding", "gzip")],
        body: "not gzip"), .page("one"))
    let first = try await ask()
    #expect(first.outcome?.failure?.code == "invalid-status-code(404)")
    #expect(first.refusal?.isTruncated == true)
    #expect(try store.responses.entries(limit: nil).isEmpty)
    #expect(try await text(try await ask()) == "one")
  }

  @Test("What is fresh and asked for again is called fresh, what is stale is called stale")
  func askedAgain() async throws {
    let ages = [("max-age=600", "fresh, "), ("max-age=0", "stale, ")]
    for (index, (control, word)) in ages.enumerated() {
      let url = "http://a/\(index)"
      transport.willAnswer(.page("one", ("Cache-Control", control)), .page("two"))
      _ = try await ask(url)
      let second = try await ask(url, ("Cache-Control", "max-age=0"))
      let reasons = engine.log.entries(from: 0, limit: 1_000).entries
        .filter { $0.operation.id == second.id }.map(\.reason)
      #expect(reasons.contains { $0.hasPrefix(word) && $0.hasSuffix("asking again") }, "\(control)")
    }
  }

  @Test("A retry is a request, and is not answered with the stored error")
  func retriedError() async throws {
    transport.willAnswer(
      .init(status: 503, headers: [("Cache-Control", "max-age=600")], body: "busy"), .page("one"))
    var options = RequestOptions()
    options.retryPolicy = RetryPolicy(limit: 1, backoff: .milliseconds(1))
    let operation = try await ask(options: options)
    #expect(try await text(operation) == "one" && operation.attempts == 2)
  }

  @Test("An error without a lifetime is not stored, and a retry sends the conditions again")
  func errors() async throws {
    transport.willAnswer(
      .page("one", ("ETag", "\"v1\"")), .init(status: 503, body: "busy"),
      .notModified(("ETag", "\"v1\"")))
    _ = try await ask()
    var options = RequestOptions()
    options.retryPolicy = RetryPolicy(limit: 1, backoff: .milliseconds(1))
    let second = try await ask(options: options)
    #expect(second.cacheUse == .revalidated && second.attempts == 2)
    #expect(transport.requests.dropFirst().allSatisfy { $0.headers["If-None-Match"] == "\"v1\"" })
    #expect(try store.responses.statistics().entryCount == 1)
  }

  @Test("An operation with an unusable cache runs as if it had no cache")
  func broken() async throws {
    transport.willAnswer(.page("one", ("Cache-Control", "max-age=600")))
    let request = try CacheTesting.request()
    let operation = HTTPOperation(engine: engine, request: request, transport: transport)
    operation.responseCache = SQLiteStore(directory: nil).responses
    try queue.addOperation(operation)
    #expect(try await operation.value.body == Array("one".utf8))
    guard case .unavailable? = operation.cacheUse else {
      Issue.record("it was used")
      return
    }
  }
}
