import Foundation
import OpshLocking
import OpshNetworking
import Operations
import PracticeServer
import TestSupport
import Testing
import OpshWebAPIs

@Suite("Searching for tweets", .timeLimit(.minutes(15)))
struct SearchDataManagerTests {
  private let server = PracticeServer()
  private let workplace = Workplace()

  private func manager(pacer: RequestPacer = RequestPacer()) throws -> SearchDataManager {
    try server.start()
    return SearchDataManager(
      queue: workplace.queue, transport: workplace.transport,
      endpoint: try Endpoint(url: try #require(server.baseURL), key: "SECRET"), pacer: pacer)
  }

  @Test("Each tag has an operation of its own and is sent unchanged")
  func tags() async throws {
    let manager = try manager()
    let tags = ["c++", "R&D", "日本語", "a b=c", "50%", "🎈", "#sky", "x;y"]
    let told = Locked<Set<String>>([])
    var query = TweetsQuery(text: "")
    query[Tweets.perPage] = 3
    let operations = try tags.map { tag in
      query[Tweets.text] = tag
      return try manager.fetch(query: query) { result in
        if case .success(let page) = result, page.tweets.count == 3 {
          told.withLock { _ = $0.insert(tag) }
        }
      }
    }
    #expect(operations.map { $0.query[Tweets.text] } == tags)
    for operation in operations { try await workplace.finish(operation) }
    #expect(operations.map(outcomeCode) == tags.map { _ in "succeeded" })
    #expect(told.withLock { $0 } == Set(tags))
    for (operation, tag) in zip(operations, tags) {
      let page = try #require(operation.resultValue as? TweetsPage)
      guard case .string(let echoed)? = page.raw["query"] else { throw NetworkError.missingData }
      #expect(echoed.replacing("+", with: " ").removingPercentEncoding == tag)
      #expect(page.tweets.allSatisfy { $0.id > 1 << 53 && $0.createdAt != nil })
      #expect(operation.kind == "fetch tweets" && operation.itemCount == 3)
      #expect(!operation.requestURL.contains("key="), "the key is of another service")
      let reason = try #require(workplace.entries(of: operation).last?.reason)
      #expect(reason.hasPrefix("3 tweets about '\(tag)', "))
    }
  }

  @Test("The query contains kind, number, page and language")
  func parameters() async throws {
    let manager = try manager()
    var query = TweetsQuery(text: "kites")
    query[Tweets.perPage] = 4
    query[Tweets.resultType] = .recent
    query[Tweets.page] = 2
    query[Tweets.language] = "en"
    let first = try manager.fetch(query: query)
    query[Tweets.sinceID] = 1
    query[Tweets.maxID] = .max
    query[Tweets.includesEntities] = false
    #expect(
      query.pathAndQuery
        == "/search.json?q=kites&rpp=4&page=2&result_type=recent&since_id=1"
        + "&max_id=9223372036854775807&lang=en")
    try await workplace.finish(first)
    let page = try #require(first.resultValue as? TweetsPage)
    #expect(page.raw["page"] == .integer(2))
    #expect(page.tweets.map(\.id) == page.tweets.map(\.id).sorted(by: >))
    #expect(page.tweets.allSatisfy { $0.languageCode == "en" })
    #expect(page.raw["results"]?[0]?["entities"] != nil)
  }

  @Test("Errors of the service are reported in both formats")
  func errors() async throws {
    let manager = try manager()
    let empty = try manager.fetch(query: TweetsQuery(text: " "))
    try await workplace.finish(empty)
    #expect(outcomeCode(empty) == "api(403, forbidden, You must enter a query.)")
    server.update { faults in
      faults.failPercent = 100
      faults.failStatus = 503
    }
    let failing = try manager.fetch(query: TweetsQuery(text: "swift"))
    try await workplace.finish(failing)
    #expect(outcomeCode(failing).contains("503"))
  }

  @Test("A 420 is honoured: the retry and other requests wait as long as the service asks")
  func rateLimit() async throws {
    let count = Locked(0)
    let answered = Locked<[ContinuousClock.Instant]>([])
    let loopback = try LoopbackServer { connection in
      while connection.readRequest() != nil {
        answered.withLock { $0.append(.now) }
        let number = count.withLock { count in
          count += 1
          return count
        }
        if number == 1 {
          connection.respond(
            "420 Enhance Your Calm", ["Retry-After: 1"],
            body: Array(#"{"error":"You have been rate limited. Enhance your calm."}"#.utf8))
        } else {
          connection.respond("200 OK", [], body: Array(#"{"results":[]}"#.utf8))
        }
      }
    }
    defer { loopback.stop() }
    let manager = SearchDataManager(
      queue: workplace.queue, transport: workplace.transport,
      endpoint: try Endpoint(url: loopback.url), pacer: RequestPacer())
    var options = RequestOptions()
    options.retryPolicy = RetryPolicy(limit: 1)
    let first = try manager.fetch(query: TweetsQuery(text: "a"), options: options)
    #expect(
      eventually { first.attempts == 1 && first.attemptPause != nil || first.isFinished })
    let second = try manager.fetch(query: TweetsQuery(text: "b"))
    try await workplace.finish(first)
    try await workplace.finish(second)
    #expect(outcomeCode(first) == "succeeded" && outcomeCode(second) == "succeeded")
    let times = answered.withLock { $0 }
    #expect(times.count == 3)
    #expect(times[1] - times[0] >= .milliseconds(990), "both wait for the second to pass")
    #expect(
      workplace.entries(of: first).contains {
        $0.reason.contains("api(420, rate_limited, You have been rate limited. Enhance your calm.)")
      })
  }

  @Test("Without retries a 420 fails with the message of the service")
  func refused() async throws {
    let loopback = try LoopbackServer { connection in
      while connection.readRequest() != nil {
        // A long time, to show that other requests are not delayed by it.
        connection.respond(
          "420 Enhance Your Calm", ["Retry-After: 4000"],
          body: Array(#"{"errors":[{"message":"Calm","code":88}]}"#.utf8))
      }
    }
    defer { loopback.stop() }
    let manager = SearchDataManager(
      queue: workplace.queue, transport: workplace.transport,
      endpoint: try Endpoint(url: loopback.url), pacer: RequestPacer())
    for operation in try ["a", "b"].map({ try manager.fetch(query: TweetsQuery(text: $0)) }) {
      try await workplace.finish(operation)
      #expect(outcomeCode(operation) == "api(88, rate_limited, Calm)")
    }
  }
}
