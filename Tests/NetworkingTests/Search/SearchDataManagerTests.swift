import Foundation
import Locking
import Networking
import Operations
import PracticeServer
import TestSupport
import Testing

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

  @Test("Each tag has an operation of its own, and arrives as it is")
  func tags() async throws {
    let manager = try manager()
    let tags = ["c++", "R&D", "日本語", "a b=c", "50%", "🎈", "#sky", "x;y"]
    let told = Locked<Set<String>>([])
    var query = TweetsQuery(text: "")
    query.perPage = 3
    let operations = try manager.fetch(tags: tags, query: query) { tag, result in
      if case .success(let page) = result, page.tweets.count == 3 {
        told.withLock { _ = $0.insert(tag) }
      }
    }
    #expect(operations.map(\.query.text) == tags)
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

  @Test("Kind, number, page and language are asked for")
  func parameters() async throws {
    let manager = try manager()
    var query = TweetsQuery(text: "kites")
    query.perPage = 4
    query.resultType = .recent
    query.page = 2
    query.language = "en"
    let first = try manager.fetch(query: query)
    query.sinceID = 1
    query.maxID = .max
    query.includesEntities = false
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

  @Test("The service's own errors are told, in both forms")
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

  @Test("A 420 is honoured: the next attempt comes when the service said, and others wait too")
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
    options.retryCount = 1
    let first = try manager.fetch(query: TweetsQuery(text: "a"), options: options)
    #expect(
      eventually { first.attempts == 1 && first.pauseReason != nil || first.isFinished })
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

  @Test("Without further attempts a 420 fails with what the service says")
  func refused() async throws {
    let loopback = try LoopbackServer { connection in
      while connection.readRequest() != nil {
        // Longer than anybody should have to wait: others are not held up by it.
        connection.respond(
          "420 Enhance Your Calm", ["Retry-After: 4000"],
          body: Array(#"{"errors":[{"message":"Calm","code":88}]}"#.utf8))
      }
    }
    defer { loopback.stop() }
    let manager = SearchDataManager(
      queue: workplace.queue, transport: workplace.transport,
      endpoint: try Endpoint(url: loopback.url), pacer: RequestPacer())
    for operation in try manager.fetch(tags: ["a", "b"]) {
      try await workplace.finish(operation)
      #expect(outcomeCode(operation) == "api(88, rate_limited, Calm)")
    }
  }
}
