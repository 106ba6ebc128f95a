import Foundation
import OpshNetworking
import Testing

@testable import OpshPersistence

/// Requests and responses for tests of the cache.
struct CacheTesting {
  static let start = Date(timeIntervalSince1970: 1_900_000_000)

  static func request(
    _ url: String = "http://a/x", method: String = "GET", headers: [(String, String)] = []
  ) throws -> HTTPRequest {
    var request = try HTTPRequest(method: method, url: url)
    for (name, value) in headers { try request.headers.append(name, value) }
    return request
  }

  static func response(
    _ status: Int = 200, headers: [(String, String)] = [("Cache-Control", "max-age=60")],
    body: [UInt8] = Array("body".utf8), to request: HTTPRequest
  ) -> HTTPResponse {
    HTTPResponse(
      head: HTTPResponseHead(
        status: status, headers: HTTPHeaders(received: headers), url: request.url),
      body: body)
  }

  /// Bytes that compression does not make smaller.
  static func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var state = seed
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
  }
}

extension ResponseCache {
  /// Stores a response at a time.
  @discardableResult
  func store(
    _ response: HTTPResponse, for request: HTTPRequest, at time: Date = CacheTesting.start
  ) throws -> CachePolicy.Refusal? {
    try store(response, for: request, requestedAt: time, receivedAt: time)
  }

  /// Stores a response whose size compression does not change.
  @discardableResult
  func store(_ url: String, size: Int, seed: UInt64 = 1) throws -> CachePolicy.Refusal? {
    let request = try CacheTesting.request(url)
    return try store(
      CacheTesting.response(body: CacheTesting.noise(size, seed: seed), to: request), for: request)
  }

  func lookup(_ url: String) throws -> CacheLookup {
    try lookup(CacheTesting.request(url), now: CacheTesting.start)
  }
}

@Suite("Responses in the store", .timeLimit(.minutes(15)))
struct ResponseCacheTests {
  private let cache = SQLiteStore.inMemory().responses
  private let start = CacheTesting.start

  @Test("A stored response is returned unchanged, with its freshness")
  func lookup() throws {
    let request = try CacheTesting.request("http://a/x?q=%E6%97%A5&b=1")
    #expect(
      try cache.lookup(request, now: start)
        == CacheLookup(response: nil, freshness: .notStored))
    let response = CacheTesting.response(
      headers: [
        ("Cache-Control", "max-age=60, stale-while-revalidate=30"), ("X-Many", "1"),
        ("x-many", "2\u{0}\u{7F}\"\\é"), ("", ""), ("ETag", "\"v1\""),
      ],
      body: Array("日本語\u{0}".utf8), to: request)
    #expect(try cache.store(response, for: request) == nil)
    let found = try cache.lookup(request, now: start + 1)
    #expect(found.freshness == .fresh)
    let kept = try #require(found.response)
    #expect(kept.body == response.body)
    #expect(kept.entry.headers == response.head.headers)
    #expect(kept.entry.method == "GET")
    #expect(kept.entry.url == request.url)
    #expect(kept.entry.entityTag == "\"v1\"")
    #expect(kept.entry.receivedAt == start)
    #expect(kept.response(to: request).head == response.head)
    #expect(try cache.lookup(request, now: start + 70).freshness == .usableWhileRevalidating)
    #expect(try cache.lookup(request, now: start + 90).freshness == .mustRevalidate)
    #expect(
      try cache.lookup(request, now: start + 90).conditional(request).headers["If-None-Match"]
        == "\"v1\"")
  }

  @Test("The method and the address form the key")
  func keys() throws {
    try cache.store("http://a/x?page=1", size: 10)
    for other in ["http://a/x?page=2", "http://a/x", "http://b/x?page=1", "https://a/x?page=1"] {
      #expect(try cache.lookup(other).response == nil)
    }
    let head = try CacheTesting.request("http://a/x?page=1", method: "HEAD")
    #expect(try cache.lookup(head, now: start).response == nil)
    // The same address in another spelling.
    #expect(try cache.lookup("HTTP://A:80/y/../x?page=1#part").response != nil)
  }

  @Test("A newer response replaces the old one")
  func replacing() throws {
    let request = try CacheTesting.request()
    for text in ["one", "two"] {
      try cache.store(CacheTesting.response(body: Array(text.utf8), to: request), for: request)
    }
    #expect(try cache.entries(limit: nil).count == 1)
    #expect(try cache.lookup(request, now: start).response?.body == Array("two".utf8))
    #expect(try cache.statistics().entryCount == 1)
  }

  @Test(
    "A response that must not be stored replaces the stored one, except a failure",
    arguments: [
      (200, [("Cache-Control", "no-store")], CachePolicy.Refusal.noStore, false),
      (200, [("Vary", "*")], .varies, false), (500, [], .status, true),
      (200, [("X-Huge", String(repeating: "x", count: 20_000))], .tooLarge, false),
    ])
  func refusals(
    status: Int, headers: [(String, String)], refusal: CachePolicy.Refusal, keepsOld: Bool
  ) throws {
    try cache.setSizeLimit(50_000)
    let request = try CacheTesting.request()
    try cache.store(CacheTesting.response(to: request), for: request)
    #expect(
      try cache.store(CacheTesting.response(status, headers: headers, to: request), for: request)
        == refusal)
    #expect((try cache.lookup(request, now: start).response != nil) == keepsOld)
  }

  @Test("Responses with Vary are selected by the headers that Vary names")
  func varying() throws {
    let request = { (language: String) in
      try CacheTesting.request(headers: [("Accept-Language", language), ("X-Other", language)])
    }
    for language in ["en", "de"] {
      try cache.store(
        CacheTesting.response(
          headers: [("Vary", "Accept-Language"), ("Cache-Control", "max-age=60")],
          body: Array(language.utf8), to: request(language)), for: request(language))
    }
    #expect(try cache.lookup(request("en"), now: start).response?.body == Array("en".utf8))
    #expect(try cache.lookup(request("de"), now: start).response?.body == Array("de".utf8))
    #expect(try cache.lookup(request("fr"), now: start).response == nil)
    #expect(try cache.lookup(CacheTesting.request(), now: start).response == nil)
    #expect(try cache.entries(limit: nil).count == 2)
    // The next response has no Vary header, so it applies to all requests.
    try cache.store(
      CacheTesting.response(body: Array("all".utf8), to: request("fr")), for: request("fr"))
    #expect(
      try cache.lookup(CacheTesting.request(), now: start).response?.body == Array("all".utf8))
  }

  @Test("A body is stored compressed if that makes it smaller")
  func compression() throws {
    let text = Array(String(repeating: "all work and no play ", count: 1_000).utf8)
    let request = try CacheTesting.request("http://a/text")
    try cache.store(CacheTesting.response(body: text, to: request), for: request)
    try cache.store("http://a/noise", size: 20_000)
    try cache.store("http://a/empty", size: 0)
    let entries = try cache.entries(limit: nil)
    #expect(entries.map(\.bodySize) == [0, 20_000, text.count])
    #expect(entries[2].storedSize < 1_000)
    #expect(entries[1].storedSize > 20_000)
    #expect(try cache.lookup(request, now: start).response?.body == text)
    #expect(try cache.lookup("http://a/noise").response?.body == CacheTesting.noise(20_000))
    #expect(try cache.lookup("http://a/empty").response?.body == [])
  }

  // MARK: 304

  @Test("A 304 makes the stored response fresh again")
  func revalidated() throws {
    let request = try CacheTesting.request()
    try cache.store(
      CacheTesting.response(
        headers: [("ETag", "\"1\""), ("Cache-Control", "max-age=10"), ("X-Old", "1")], to: request),
      for: request)
    let stale = try cache.lookup(request, now: start + 20)
    #expect(stale.freshness == .mustRevalidate)
    let head = HTTPResponseHead(
      status: 304,
      headers: HTTPHeaders(received: [("ETag", "\"1\""), ("Cache-Control", "max-age=100")]),
      url: request.url)
    let old = try #require(stale.response)
    let updated = try cache.revalidated(
      old, by: head, for: request, requestedAt: start + 20, receivedAt: start + 21)
    #expect(updated?.body == Array("body".utf8))
    let again = try cache.lookup(request, now: start + 100)
    #expect(again.freshness == .fresh)
    #expect(again.response?.entry.headers["X-Old"] == "1")
    #expect(again.response?.entry.receivedAt == start + 21)
    #expect(again.response?.entry.revalidationCount == 1)
    #expect(try cache.statistics().revalidationCount == 1)
    #expect(try cache.statistics().missCount == 1)
    #expect(try cache.statistics().hitCount == 1)
  }

  @Test("A 304 for another response, or one that must not be stored, is detected")
  func wrongRevalidation() throws {
    let request = try CacheTesting.request()
    try cache.store(CacheTesting.response(headers: [("ETag", "\"1\"")], to: request), for: request)
    let old = try #require(try cache.lookup(request, now: start).response)
    let revalidated = { (headers: [(String, String)]) in
      try cache.revalidated(
        old,
        by: HTTPResponseHead(
          status: 304, headers: HTTPHeaders(received: headers), url: request.url), for: request,
        requestedAt: start, receivedAt: start)
    }
    #expect(try revalidated([("ETag", "\"2\"")]) == nil)
    #expect(try cache.statistics().revalidationCount == 0)
    #expect(try revalidated([("Cache-Control", "no-store")])?.body == old.body)
    #expect(try cache.entries(limit: nil).isEmpty)
    // The entry was removed meanwhile: the caller still has its response.
    #expect(try revalidated([])?.body == old.body)
    #expect(try cache.entries(limit: nil).isEmpty)
  }

  @Test("The size of an entry includes the headers of a 304")
  func revalidatedSize() throws {
    let request = try CacheTesting.request()
    try cache.store(CacheTesting.response(headers: [("X-Text", "é")], to: request), for: request)
    let old = try #require(try cache.lookup(request, now: start).response)
    _ = try cache.revalidated(
      old,
      by: HTTPResponseHead(
        status: 304, headers: HTTPHeaders(received: [("X-Text", "éé")]), url: request.url),
      for: request, requestedAt: start, receivedAt: start)
    #expect(try cache.entries(limit: nil).first?.storedSize == old.entry.storedSize + 2)
  }

  // MARK: Room

  @Test("The least recently used response is evicted first")
  func eviction() throws {
    try cache.setSizeLimit(5_000)
    for name in ["a", "b", "c", "d"] { try cache.store("http://\(name)/", size: 900) }
    #expect(try cache.lookup("http://a/").response != nil)
    try cache.store("http://e/", size: 900)
    #expect(
      try cache.entries(limit: nil).map(\.url).map { $0.dropFirst(7).prefix(1) } == [
        "e", "a", "d", "c",
      ])
    let statistics = try cache.statistics()
    #expect(statistics.evictionCount == 1)
    #expect(statistics.storedSize <= 5_000)
    #expect(statistics.sizeLimit == 5_000)
    #expect(statistics.bodySize == 4 * 900)
    // Inspecting an entry does not count as a use.
    let oldest = try #require(try cache.entries(limit: nil).last)
    _ = try cache.response(id: oldest.id)
    try cache.store("http://f/", size: 900)
    #expect(code { _ = try cache.response(id: oldest.id) } == "cache-unknown")
  }

  @Test("A response larger than a quarter of the limit is not stored; a limit of 0 stores nothing")
  func limits() throws {
    try cache.setSizeLimit(8_000)
    #expect(try cache.store("http://a/", size: 2_000) == .tooLarge)
    #expect(try cache.store("http://a/", size: 1_500) == nil)
    try cache.store("http://b/", size: 1_500)
    try cache.setSizeLimit(2_000)
    #expect(try cache.entries(limit: nil).map(\.url) == ["http://b/"])
    try cache.setSizeLimit(-1)
    #expect(try cache.entries(limit: nil).isEmpty)
    #expect(try cache.store("http://a/", size: 0) == .tooLarge)
    #expect(try cache.statistics().sizeLimit == 0)
  }

  @Test("Responses that fill the cache exactly stay")
  func fullCache() throws {
    for name in ["a", "b"] { try cache.store("http://\(name)/", size: 900) }
    let size = try cache.statistics().storedSize
    try cache.setSizeLimit(size)
    #expect(try cache.statistics().entryCount == 2)
    try cache.setSizeLimit(size - 1)
    #expect(try cache.entries(limit: nil).map(\.url) == ["http://b/"])
  }

  @Test("A confirmation by the server is the latest use of a response")
  func revalidatedUse() throws {
    let request = try CacheTesting.request("http://a/")
    try cache.store("http://a/", size: 10)
    let stale = try #require(try cache.lookup("http://a/").response)
    try cache.store("http://b/", size: 10)
    let head = HTTPResponseHead(status: 304, headers: HTTPHeaders(), url: request.url)
    _ = try cache.revalidated(
      stale, by: head, for: request, requestedAt: start, receivedAt: start)
    #expect(try cache.entries(limit: nil).map(\.url) == ["http://a/", "http://b/"])
  }

  // MARK: Looking and forgetting

  @Test("Entries are listed, inspected and removed by number")
  func entries() throws {
    for index in 1...5 { try cache.store("http://a/\(index)", size: 100, seed: UInt64(index)) }
    let entries = try cache.entries(limit: 2)
    #expect(entries.map(\.url) == ["http://a/5", "http://a/4"])
    #expect(try cache.entries(limit: 0).isEmpty)
    #expect(try cache.response(id: entries[1].id).body == CacheTesting.noise(100, seed: 4))
    try cache.remove(id: entries[0].id)
    #expect(code { try cache.remove(id: entries[0].id) } == "cache-unknown")
    #expect(code { _ = try cache.response(id: entries[0].id) } == "cache-unknown")
    // The number is not reused.
    try cache.store("http://a/6", size: 100)
    #expect(try cache.entries(limit: 1).first?.id == entries[0].id + 1)
    #expect(try cache.removeAll() == 5)
    #expect(try cache.entries(limit: nil).isEmpty)
  }

  @Test("A request that changes a resource removes all cached responses of its address")
  func invalidate() throws {
    let key = "http://a/x?key=one"
    for url in ["http://a/x", "http://a/y", key] { try cache.store(url, size: 10) }
    #expect(try cache.invalidate(CacheTesting.request("http://a/x", method: "PUT")) == 1)
    #expect(try cache.invalidate(CacheTesting.request("http://a/x?key=two", method: "DELETE")) == 1)
    #expect(try cache.entries(limit: nil).map(\.url) == ["http://a/y"])
    let head = try CacheTesting.request("http://a/y", method: "HEAD")
    try cache.store(CacheTesting.response(body: [], to: head), for: head)
    #expect(try cache.invalidate(CacheTesting.request("http://a/y", method: "POST")) == 2)
    #expect(try cache.entries(limit: nil).isEmpty)
  }

  @Test("Hits and misses are counted, except for requests that bypass the cache")
  func statistics() throws {
    let request = try CacheTesting.request()
    _ = try cache.lookup(request, now: start)
    try cache.store(CacheTesting.response(to: request), for: request)
    for seconds in [1.0, 2, 100] { _ = try cache.lookup(request, now: start + seconds) }
    _ = try cache.lookup(CacheTesting.request(method: "POST"), now: start)
    let statistics = try cache.statistics()
    #expect(statistics.hitCount == 2)
    #expect(statistics.missCount == 2)
    #expect(try cache.entries(limit: 1).first?.hitCount == 2)
    // A stale one that may be used during revalidation counts as a hit.
    try cache.store(
      CacheTesting.response(
        headers: [("Cache-Control", "max-age=0, stale-while-revalidate=60")], to: request),
      for: request)
    _ = try cache.lookup(request, now: start + 1)
    #expect(try cache.statistics().hitCount == 3)
  }

  @Test("Counts that could not be written are added to later ones, the oldest uses given up first")
  func pendingUses() {
    var (earlier, later, all) = (CacheUses(), CacheUses(), CacheUses())
    for (index, id) in ([1, nil, 2, nil, 1, 3, nil] as [Int?]).enumerated() {
      all.note(id, isHit: id != nil)
      if index < 3 { earlier.note(id, isHit: id != nil) } else { later.note(id, isHit: id != nil) }
    }
    later.merge(earlier)
    #expect(later == all && all.hitCount == 4 && all.missCount == 3)
    var (many, latest) = (CacheUses(), CacheUses())
    for id in 0...256 { many.note(id, isHit: true) }
    latest.note(nil, isHit: true)
    for id in 1...256 { latest.note(id, isHit: true) }
    #expect(many == latest)
  }

  @Test("Responses, counts and the limit persist across sessions")
  func nextSession() throws {
    let folder = try StoreFolder()
    let first = folder.store()
    try first.responses.setSizeLimit(123_456)
    try first.responses.store("http://a/", size: 100)
    _ = try first.responses.lookup("http://a/")
    first.close()
    let second = folder.store()
    #expect(try second.responses.lookup("http://a/").freshness == .fresh)
    let statistics = try second.responses.statistics()
    #expect(statistics.hitCount == 2)
    #expect(statistics.sizeLimit == 123_456)
  }

  @Test("Clearing the cache makes the file smaller")
  func clearing() throws {
    let folder = try StoreFolder()
    let store = folder.store()
    for index in 0..<40 { try store.responses.store("http://a/\(index)", size: 50_000) }
    let before = try folder.contents().count
    #expect(try store.responses.removeAll() == 40)
    #expect(before > 2_000_000)
    #expect(try folder.contents().count < 200_000)
    #expect(try store.findDamage().isEmpty)
  }

  @Test("A response with a damaged body is a miss")
  func damagedBody() throws {
    let folder = try StoreFolder()
    let store = folder.store()
    let request = try CacheTesting.request()
    let text = Array(String(repeating: "text ", count: 100).utf8)
    for (text, change) in [
      (text, "zeroblob(20)"), (text, "substr(bytes, 1, 20)"), (text, "x''"),
      // This one is not compressed.
      (CacheTesting.noise(500), "substr(bytes, 1, 20)"),
    ] {
      try store.responses.store(CacheTesting.response(body: text, to: request), for: request)
      try folder.execute("UPDATE bodies SET bytes = \(change)")
      #expect(try store.responses.lookup(request, now: start).freshness == .notStored)
      #expect(try store.responses.entries(limit: nil).isEmpty)
    }
    try store.responses.store(CacheTesting.response(body: text, to: request), for: request)
    try folder.execute("UPDATE responses SET headers = '[[1,2],\"x\"'")
    #expect(try store.responses.lookup(request, now: start).freshness == .mustRevalidate)
  }

  // MARK: Secrets

  @Test("The file contains no secret, and requests with different secrets have separate entries")
  func secrets() throws {
    let folder = try StoreFolder()
    let store = folder.store()
    let secret = "hunter2-hunter2"
    let withKey = try CacheTesting.request("http://a/x?key=\(secret)&page=1")
    let link = [("Cache-Control", "max-age=60"), ("Link", "<\(withKey.url)>; rel=next")]
    try store.responses.store(
      CacheTesting.response(headers: link, to: withKey), for: withKey)
    let withHeader = try CacheTesting.request(
      "http://a/parse",
      headers: [("X-Parse-REST-API-Key", secret), ("X-Parse-Application-Id", "1")]
    )
    try store.responses.store(
      CacheTesting.response(
        headers: [("Vary", "X-Parse-REST-API-Key")], to: withHeader), for: withHeader)
    for (name, value) in [("Authorization", "Bearer \(secret)"), ("Cookie", secret)] {
      let request = try CacheTesting.request("http://a/private", headers: [(name, value)])
      #expect(
        try store.responses.store(CacheTesting.response(to: request), for: request)
          == .credentials)
      #expect(try store.responses.lookup(request, now: start).freshness == .notStored)
    }
    let token = try CacheTesting.request("http://a/x?access_token=\(secret)")
    #expect(
      try store.responses.store(CacheTesting.response(to: token), for: token) == .credentials)
    let echo = try CacheTesting.request("http://a/echo?key=\(secret)")
    #expect(
      try store.responses.store(
        CacheTesting.response(body: Array("your key: \(secret)".utf8), to: echo), for: echo)
        == .secretInBody)

    #expect(try store.responses.lookup(withKey, now: start).freshness == .fresh)
    #expect(try store.responses.lookup("http://a/x?key=other&page=1").response == nil)
    #expect(try store.responses.lookup("http://a/x?page=1").response == nil)
    #expect(try store.responses.lookup("http://a/x?key=***&page=1").response == nil)
    #expect(
      try store.responses.entries(limit: nil).map(\.url)
        == ["http://a/x?key=***&page=1", "http://a/parse"])
    let bytes = String(decoding: try folder.contents(), as: UTF8.self)
    #expect(bytes.contains("http://a/x?key=***"))
    #expect(!bytes.contains("hunter2"))
    // The hashes of secrets depend on a key of this store only.
    let other = try StoreFolder()
    #expect(try salt(folder) != salt(other))
    #expect(try salt(folder).count == 32)
  }

  private func salt(_ folder: StoreFolder) throws -> [UInt8] {
    try folder.store().database.read { connection throws(StoreError) in
      try connection.first("SELECT value FROM settings WHERE name = 'cache.salt'") { $0.blob(0) }
    } ?? []
  }
}
