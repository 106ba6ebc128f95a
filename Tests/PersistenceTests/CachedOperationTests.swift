import Foundation
import Networking
import Operations
import Testing

@testable import Persistence

/// Operations that use the cache, with a transport that answers from a list and no shell.
@Suite("Operations and the cache", .timeLimit(.minutes(15)))
struct CachedOperationTests {
  private let log = EventLog()
  private let queue: InspectableQueue
  private let transport = ScriptedTransport()
  private let store = SQLiteStore.inMemory()

  init() {
    queue = InspectableQueue(name: "network", maxConcurrentOperationCount: 1, log: log)
  }

  /// Asks, and waits for the end.
  private func ask(
    _ url: String = "http://a/x", _ headers: (String, String)...,
    options: RequestOptions = RequestOptions(), cached: Bool = true
  ) async throws -> HTTPOperation {
    let request = try CacheTesting.request(url, headers: headers)
    let operation = HTTPOperation(
      log: log, request: request, transport: transport, options: options)
    if cached { operation.responseCache = store.responses }
    try queue.addOperation(operation)
    _ = try? await operation.value
    return operation
  }

  private func text(_ operation: HTTPOperation) async throws -> String {
    String(decoding: try await operation.value.body, as: UTF8.self)
  }

  @Test("What is fresh is the value, and nobody is asked")
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
    // Without the cache it is asked all the same.
    transport.willAnswer(.page("two"))
    let third = try await ask(cached: false)
    #expect(try await text(third) == "two" && third.cacheUse == nil)
  }

  @Test(
    "A store that another process is writing fails no request, and does not outlast its deadline")
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
        log: log, request: try CacheTesting.request("http://a/x"), transport: transport,
        options: options)
      operation.responseCache = file.responses
      try queue.addOperation(operation)
      #expect(try await self.text(operation) == text)
      #expect(operation.cacheUse == .unavailable("store-busy"))
    }
    try other.run("ROLLBACK")
  }

  @Test("What is stale is asked about by its entity tag, and confirmed without a body")
  func conditional() async throws {
    transport.willAnswer(
      .page("one", ("ETag", "\"v1\""), ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")),
      .notModified(("ETag", "\"v1\""), ("Cache-Control", "max-age=600")))
    _ = try await ask()
    let second = try await ask()
    #expect(second.cacheUse == .revalidated && second.statusCode == 304)
    #expect(try await text(second) == "one")
    let conditions = try #require(transport.requests.last).headers
    #expect(conditions["If-None-Match"] == "\"v1\"")
    #expect(conditions["If-Modified-Since"] == "Sun, 06 Nov 1994 08:49:37 GMT")
    // What the confirmation said counts from now on.
    _ = try await ask()
    #expect(transport.requests.count == 2)
  }

  @Test("A changed answer takes the place of the kept one")
  func changed() async throws {
    transport.willAnswer(.page("one", ("ETag", "\"v1\"")), .page("two", ("ETag", "\"v2\"")))
    _ = try await ask()
    let second = try await ask()
    #expect(try await text(second) == "two" && second.cacheUse == .miss(nil))
    transport.willAnswer(.notModified(("ETag", "\"v2\"")))
    #expect(try await text(try await ask()) == "two")
  }

  @Test("A confirmation of another response is not believed: it is asked again, without conditions")
  func confused() async throws {
    transport.willAnswer(
      .page("one", ("ETag", "\"v1\"")), .notModified(("ETag", "\"v9\"")), .page("nine"))
    _ = try await ask()
    let second = try await ask()
    #expect(try await text(second) == "nine")
    #expect(transport.requests.map { $0.headers["If-None-Match"] } == [nil, "\"v1\"", nil])
  }

  @Test("While it is updated what is kept is at hand, and it stands in if the update fails")
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
    let reasons = log.entries(from: 0, limit: 1_000).entries
      .filter { $0.operation.id == second.id }.map(\.reason)
    #expect(reasons.contains { $0.hasPrefix("stale, ") && $0.hasSuffix("at hand, asking again") })
  }

  @Test(
    "It does not stand in where it may not, nor for an error that will not pass",
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
    "What must not be kept is not",
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

  @Test("What names a person is neither kept nor looked for")
  func credentials() async throws {
    transport.willAnswer(
      .page("one", ("Cache-Control", "max-age=600")), .page("two", ("Cache-Control", "max-age=600"))
    )
    let first = try await ask("http://a/x", ("Authorization", "Bearer secret"))
    #expect(first.cacheUse == .miss(.credentials))
    #expect(try await text(try await ask()) == "two", "it is not answered with another's page")
  }

  @Test("What depends on a header of the request is kept for each of its values")
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

  @Test("An error is not kept, and a further attempt is made with the conditions")
  func errors() async throws {
    transport.willAnswer(
      .page("one", ("ETag", "\"v1\"")), .init(status: 503, body: "busy"),
      .notModified(("ETag", "\"v1\"")))
    _ = try await ask()
    var options = RequestOptions()
    options.retryCount = 1
    options.backoff = .milliseconds(1)
    let second = try await ask(options: options)
    #expect(second.cacheUse == .revalidated && second.attempts == 2)
    #expect(transport.requests.dropFirst().allSatisfy { $0.headers["If-None-Match"] == "\"v1\"" })
    #expect(try store.responses.statistics().entryCount == 1)
  }

  @Test("A cache that can't be used is as good as none")
  func broken() async throws {
    transport.willAnswer(.page("one", ("Cache-Control", "max-age=600")))
    let request = try CacheTesting.request()
    let operation = HTTPOperation(log: log, request: request, transport: transport)
    operation.responseCache = SQLiteStore(directory: nil).responses
    try queue.addOperation(operation)
    #expect(try await operation.value.body == Array("one".utf8))
    guard case .unavailable? = operation.cacheUse else {
      Issue.record("it was used")
      return
    }
  }
}
