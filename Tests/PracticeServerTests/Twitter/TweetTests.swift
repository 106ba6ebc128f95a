import OpshCompression
import Foundation
import OpshSupport
import TestSupport
import Testing

@testable import PracticeServer

@Suite("The search for tweets", .timeLimit(.minutes(15)))
struct TweetTests {
  private func reply(_ query: String, headers: [String] = []) throws -> RawClient.Reply {
    try RawClient.Reply.get("/search.json?" + query, from: SharedServer.port, headers: headers)
  }

  private func get(_ query: String) throws -> OrderedJSON {
    let reply = try reply(query)
    #expect(reply.status == 200)
    return try reply.json()
  }

  private func results(_ query: String) throws -> [OrderedJSON] {
    try get(query)["results"]?.items ?? []
  }

  private static func encode(_ text: String) -> String { PercentEncoding.encode(text) }

  private static func identifiers(_ tweets: [OrderedJSON]) -> [Int] {
    tweets.compactMap { $0.integer("id") }
  }

  /// A text as its readers see it.
  private static func plain(_ tweet: OrderedJSON) -> String {
    (tweet.string("text") ?? "").replacingOccurrences(of: "&lt;", with: "<")
      .replacingOccurrences(of: "&gt;", with: ">").replacingOccurrences(of: "&amp;", with: "&")
  }

  // MARK: Form

  @Test("The wrapper has its keys in alphabetical order")
  func wrapper() throws {
    let page = try get("q=red%20kites&rpp=5")
    #expect(
      page.keys == [
        "completed_in", "max_id", "max_id_str", "next_page", "page", "query", "refresh_url",
        "results", "results_per_page", "since_id", "since_id_str",
      ])
    let newest = try #require(page.integer("max_id"))
    #expect(newest > 1 << 53 && page.string("max_id_str") == "\(newest)")
    #expect(page.string("next_page") == "?page=2&max_id=\(newest)&q=red%20kites&rpp=5")
    #expect(page.string("refresh_url") == "?since_id=\(newest)&q=red%20kites")
    #expect(page.string("query") == "red+kites")
    #expect(page.integer("page") == 1 && page.integer("results_per_page") == 5)
    #expect(page.integer("since_id") == 0 && page.string("since_id_str") == "0")
    #expect(page["results"]?.items.count == 5)
  }

  @Test("Tweets have their keys in order, IDs also as text, and a sender")
  func tweets() throws {
    let order = [
      "created_at", "from_user", "from_user_id", "from_user_id_str", "from_user_name", "geo", "id",
      "id_str", "in_reply_to_status_id", "in_reply_to_status_id_str", "iso_language_code",
      "metadata", "profile_image_url", "profile_image_url_https", "source", "text", "to_user",
      "to_user_id", "to_user_id_str", "to_user_name",
    ]
    let tweets = try results("q=swift&rpp=100&result_type=recent")
    #expect(tweets.count == 100)
    #expect(Self.identifiers(tweets) == Self.identifiers(tweets).sorted(by: >))
    var answers = 0
    for tweet in tweets {
      let isReply = tweet["in_reply_to_status_id"] != nil
      #expect(tweet.keys == (isReply ? order : order.filter { !$0.hasPrefix("in_reply") }))
      for key in ["id", "from_user_id", "to_user_id"] {
        #expect(tweet.string(key + "_str") == tweet.integer(key).map(String.init))
      }
      if isReply {
        answers += 1
        let name = try #require(tweet.string("to_user"))
        #expect(tweet.string("text")?.hasPrefix("@\(name) ") == true)
        #expect((tweet.integer("in_reply_to_status_id") ?? .max) < (tweet.integer("id") ?? 0))
      } else {
        #expect(tweet["to_user"] == .null && tweet.integer("to_user_id") == 0)
        #expect(tweet["to_user_name"] == .null)
      }
      #expect(tweet.string("source")?.hasPrefix("&lt;a href=&quot;http://") == true)
      #expect(Self.plain(tweet).unicodeScalars.count <= 140)
    }
    #expect(answers == 21)
    #expect(Set(tweets.compactMap { $0.string("iso_language_code") }).count > 3)
    #expect(tweets.contains { $0["geo"]?.string("type") == "Point" })
  }

  @Test("Dates match the tweet IDs and can be parsed")
  func dates() throws {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss Z"
    for tweet in try results("q=dates&rpp=50") {
      let text = try #require(tweet.string("created_at"))
      let date = try #require(formatter.date(from: text))
      let moment = ((tweet.integer("id") ?? 0) >> 22) + 1_288_834_974_657
      #expect(Int(date.timeIntervalSince1970) == moment / 1_000)
      formatter.timeZone = TimeZone(identifier: "UTC")
      #expect(formatter.string(from: date) == text)
    }
    #expect(TweetDate.text(1_295_469_853) == "Wed, 19 Jan 2011 20:44:13 +0000")
    #expect(TweetDate.text(1_330_473_600) == "Wed, 29 Feb 2012 00:00:00 +0000")
  }

  @Test("All non-ASCII characters are escaped")
  func escapes() throws {
    let text = try reply("q=%E6%97%A5%E6%9C%AC%E8%AA%9E&rpp=30").text()
    #expect(text.utf8.allSatisfy { $0 < 0x80 })
    #expect(text.contains(#"\u65e5\u672c\u8a9e"#))
  }

  // MARK: What is found

  @Test(
    "A tag in the query arrives unchanged, and every tweet has it",
    arguments: [
      "c++", "R&D", "日本語", "c#", "#haiku", "a<b>c", "100%", "\"happy hour\"", "über",
      "don't", "a+b&c=d", "@ada", "emoji 😀", "C++ R&D 日本語",
    ])
  func tags(tag: String) throws {
    let page = try get("q=\(Self.encode(tag))&rpp=100&result_type=recent")
    let tweets = page["results"]?.items ?? []
    #expect(tweets.count >= 30)
    let words = tag.hasPrefix("\"") ? ["happy hour"] : tag.components(separatedBy: " ")
    for tweet in tweets {
      for word in words { #expect(Self.plain(tweet).contains(word)) }
      #expect(Self.plain(tweet).unicodeScalars.count <= 140)
    }
    #expect(page.string("query")?.contains(" ") == false)
    #expect(page.string("refresh_url")?.contains("q=\(Self.encode(tag))&") == true)
    // In a form a space may also be a plus.
    let form = Self.encode(tag).replacingOccurrences(of: "%20", with: "+")
    #expect(
      try Self.identifiers(results("q=\(form)&rpp=100&result_type=recent"))
        == Self.identifiers(tweets))
  }

  struct Operator: Sendable, CustomTestStringConvertible {
    let query: String
    let holds: @Sendable (OrderedJSON) -> Bool
    var testDescription: String { query }
  }

  private static func text(_ tweet: OrderedJSON) -> String { plain(tweet).lowercased() }

  static let operators: [Operator] = [
    Operator(query: "swift linux") { text($0).contains("swift") && text($0).contains("linux") },
    Operator(query: "tea OR coffee") { text($0).contains("tea") || text($0).contains("coffee") },
    Operator(query: "beer -root -time") {
      text($0).contains("beer") && !text($0).contains("root") && !text($0).contains("time")
    },
    Operator(query: "from:ada") { $0.string("from_user") == "ada" },
    Operator(query: "hello to:@grace") {
      $0.string("to_user") == "grace" && text($0).hasPrefix("@grace ")
    },
    Operator(query: "news filter:links") { text($0).contains("http://t.co/") },
    Operator(query: "traffic ?") { text($0).contains("?") },
    Operator(query: "movie :)") { text($0).contains(":)") },
    Operator(query: "old until:2012-09-28") { day($0) < "28" },
    Operator(query: "new since:2012-09-30") { $0.string("created_at").map(isNew) == true },
    Operator(query: "swift lang:fr") { $0.string("iso_language_code") == "fr" },
  ]

  private static func day(_ tweet: OrderedJSON) -> String {
    String(tweet.string("created_at")?.dropFirst(5).prefix(2) ?? "99")
  }

  private static func isNew(_ date: String) -> Bool {
    date.contains("30 Sep 2012") || date.contains("01 Oct 2012")
  }

  @Test("Search operators filter the tweets", arguments: operators.indices)
  func meaning(index: Int) throws {
    let wanted = Self.operators[index]
    let tweets = try results("q=\(Self.encode(wanted.query))&rpp=100")
    #expect(!tweets.isEmpty, "\(wanted.query)")
    #expect(tweets.allSatisfy(wanted.holds), "\(wanted.query)")
  }

  @Test("All alternatives of OR occur; an impossible query finds nothing")
  func alternatives() throws {
    let texts = try results("q=tea%20OR%20coffee&rpp=100&lang=en").map(Self.text)
    #expect(texts.contains { $0.contains("tea") } && texts.contains { $0.contains("coffee") })
    for query in ["beer -beer", String(repeating: "long", count: 40), "swift lang:xx"] {
      let page = try get("q=\(Self.encode(query))")
      #expect(page["results"] == .array([]) && page.integer("max_id") == 0)
      #expect(page.string("max_id_str") == "0" && page["next_page"] == nil)
      #expect(page["refresh_url"] == nil)
    }
  }

  @Test("The indices of entities match the text")
  func entities() throws {
    var kinds: Set<String> = []
    var isSparse = false
    for query in ["q=%23swift%20R%26D", "q=%40ada%20now", "q=sky&show_user=true"] {
      for tweet in try results(query + "&rpp=100&include_entities=true") {
        let entities = try #require(tweet["entities"])
        let text = Array((tweet.string("text") ?? "").unicodeScalars)
        #expect(Set(entities.keys).isSubset(of: ["hashtags", "urls", "user_mentions"]))
        isSparse = isSparse || entities.keys.count < 3
        for (key, name, sign) in [
          ("hashtags", "text", "#"), ("urls", "url", ""), ("user_mentions", "screen_name", "@"),
        ] {
          for entity in entities[key]?.items ?? [] {
            kinds.insert(key)
            let indices = entity["indices"]?.items ?? []
            guard case .integer(let start)? = indices.first,
              case .integer(let end)? = indices.last, start < end, end <= text.count
            else {
              Issue.record("\(key) of '\(String(String.UnicodeScalarView(text)))' has no place")
              continue
            }
            let part = String(String.UnicodeScalarView(text[start..<end]))
            #expect(part == sign + (entity.string(name) ?? "?"))
          }
        }
      }
    }
    #expect(kinds == ["hashtags", "urls", "user_mentions"] && isSparse)
    #expect(try results("q=sky&include_entities=false").allSatisfy { $0["entities"] == nil })
    let shown = try results("q=sky&show_user=true")
    #expect(
      shown.allSatisfy {
        $0.string("text")?.hasPrefix("\($0.string("from_user") ?? "?"): ") == true
      })
  }

  @Test("Places are within the requested radius", arguments: ["10mi", "25km", "0.5km"])
  func places(radius: String) throws {
    let tweets = try results("q=a&geocode=37.78,-122.4,\(radius)&rpp=100")
    let limit = (Double(radius.dropLast(2)) ?? 0) * (radius.hasSuffix("mi") ? 1.609344 : 1)
    var count = 0
    for tweet in tweets {
      guard let point = tweet["geo"]?["coordinates"]?.items else { continue }
      let numbers = point.map { value -> Double in
        switch value {
        case .fraction(let number): number
        case .integer(let number): Double(number)
        default: .nan
        }
      }
      let north = (numbers[0] - 37.78) * 111.32
      let east = (numbers[1] + 122.4) * 111.32 * cos(37.78 * .pi / 180)
      #expect((north * north + east * east).squareRoot() <= limit)
      count += 1
    }
    #expect(count > 20)
    // A circle is enough to ask for.
    #expect(try !results("geocode=-33.9,18.4,5km").isEmpty)
  }

  // MARK: Paging

  @Test(
    "Paging to the end returns each tweet once",
    arguments: [("mixed", 78), ("recent", 78), ("popular", 1)])
  func paging(type: String, count: Int) throws {
    var seen: [Int] = []
    var next: String? = "?q=paging%20%26%20more&rpp=60&result_type=\(type)"
    var pages = 0
    while let target = next, pages < 40 {
      let page = try RawClient.Reply.get("/search.json" + target, from: SharedServer.port).json()
      let tweets = page["results"]?.items ?? []
      seen += Self.identifiers(tweets)
      pages += 1
      next = page.string("next_page")
      if next != nil { #expect(tweets.count == 60) }
    }
    #expect(Set(seen).count == seen.count)
    #expect(seen.count == count)
    if type == "recent" { #expect(seen == seen.sorted(by: >)) }
  }

  @Test("Popular tweets come first on a mixed page, with their retweet counts")
  func popular() throws {
    let mixed = try results("q=swift&rpp=50")
    let kinds = mixed.compactMap { $0["metadata"]?.string("result_type") }
    #expect(kinds.first == "popular" && kinds.last == "recent")
    for tweet in try results("q=swift&result_type=popular") {
      #expect(tweet["metadata"]?.keys == ["recent_retweets", "result_type"])
    }
  }

  @Test("IDs and dates bound the results")
  func bounds() throws {
    let all = Self.identifiers(try results("q=bounds&rpp=100&result_type=recent"))
    let (newer, older) = (all[10], all[40])
    let some = try get("q=bounds&rpp=100&result_type=recent&max_id=\(newer)&since_id=\(older)")
    #expect(Self.identifiers(some["results"]?.items ?? []) == Array(all[10..<40]))
    #expect(some.integer("max_id") == newer && some.integer("since_id") == older)
    #expect(some["warning"] == nil && some["next_page"] == nil)
    // A reader that comes back finds nothing new, and may ask again.
    let newest = try get("q=bounds&since_id=\(all[0])")
    #expect(newest["results"] == .array([]) && newest.integer("max_id") == all[0])
    #expect(try get("q=bounds")["refresh_url"] == newest["refresh_url"])
    let early = try results("q=bounds&until=2012-09-27&rpp=100")
    #expect(!early.isEmpty && early.allSatisfy { Self.day($0) < "27" })
  }

  @Test("A since_id that is too old, or used with paging, returns a warning")
  func warnings() throws {
    let old = try get("q=warn&since_id=5&rpp=10&result_type=recent")
    let adjusted = try #require(old.integer("since_id"))
    #expect(
      old.string("warning")
        == "adjusted since_id to \(adjusted) (2012-09-24 12:00:00 UTC), requested since_id was "
        + "older than allowed -- since_id removed for pagination.")
    #expect(old.string("next_page")?.contains("since_id") == false)
    let recent = Self.identifiers(try results("q=warn&rpp=100&result_type=recent"))
    let page = try get("q=warn&since_id=\(recent[30])&rpp=10&result_type=recent")
    #expect(page.string("warning") == "since_id removed for pagination.")
  }

  @Test("Invalid page and result numbers are corrected")
  func sizes() throws {
    for (query, count) in [("", 15), ("&rpp=0", 15), ("&rpp=x", 15), ("&rpp=1000", 100)] {
      #expect(try get("q=sizes" + query).integer("results_per_page") == count)
    }
    #expect(try get("q=sizes&page=-1").integer("page") == 1)
    #expect(try get("q=sizes&rpp=100&page=15").integer("page") == 15)
  }

  // MARK: Errors and forms

  static let failures: [(query: String, status: Int, error: String)] = [
    ("", 403, "You must enter a query."), ("q=", 403, "You must enter a query."),
    ("q=%20+", 403, "You must enter a query."), ("rpp=5", 403, "You must enter a query."),
    (
      "q=" + String(repeating: "x", count: 1_001), 403,
      "Sorry, your query is too complex. Please reduce complexity and try again."
    ),
    (
      "q=" + (0..<21).map { "w\($0)" }.joined(separator: "+"), 403,
      "Sorry, your query is too complex. Please reduce complexity and try again."
    ),
    ("q=a&rpp=100&page=16", 403, "page parameter out of range"),
    ("q=a&page=9223372036854775807", 403, "page parameter out of range"),
    ("q=a&until=yesterday", 403, "until parameter must be a date such as 2012-09-30"),
    ("q=a&geocode=1,2", 403, "geocode parameter must be latitude,longitude,radius"),
    ("q=a&geocode=91,2,3km", 403, "geocode parameter must be latitude,longitude,radius"),
    ("q=a&geocode=1,2,3yd", 403, "geocode parameter must be latitude,longitude,radius"),
    ("q=a&callback=alert(1)", 403, "Invalid callback"),
  ]

  @Test("Errors are one line of JSON", arguments: failures)
  func errors(query: String, status: Int, error: String) throws {
    let reply = try reply(query)
    #expect(reply.status == status)
    #expect(try reply.json() == .object([.init(key: "error", value: .string(error))]))
  }

  @Test("Other formats return 406, other paths 404")
  func otherPlaces() throws {
    for path in ["/search.xml?q=a", "/search.atom?q=a", "/search?q=a"] {
      #expect(try RawClient.Reply.get(path, from: SharedServer.port).status == 406)
    }
    let post = try RawClient.Reply.get(
      "/search.json?q=a", from: SharedServer.port, method: "POST", body: "")
    #expect(post.status == 404)
    #expect(
      try post.text() == #"{"errors":[{"message":"Sorry, that page does not exist","code":34}]}"#)
    #expect(try RawClient.Reply.get("/search.json/x?q=a", from: SharedServer.port).status == 404)
  }

  @Test("A callback parameter returns a script; gzip is used if accepted")
  func forms() throws {
    let script = try reply("q=a&rpp=2&callback=take.it")
    #expect(script.headers["content-type"] == "text/javascript; charset=utf-8")
    let text = try script.text()
    #expect(text.hasPrefix("take.it({") && text.hasSuffix("});"))
    let plain = try reply("q=a&rpp=2")
    #expect(plain.headers["content-encoding"] == nil && plain.headers["vary"] == "Accept-Encoding")
    #expect(plain.headers["content-type"] == "application/json; charset=utf-8")
    let packed = try reply("q=a&rpp=2", headers: ["Accept-Encoding: deflate, gzip"])
    #expect(packed.headers["content-encoding"] == "gzip")
    #expect(try Gzip.decompress(packed.body) == plain.body)
  }

  @Test("The same seed gives the same bytes, another seed gives different ones")
  func seeds() throws {
    let query = "q=%E6%97%A5%20OR%20x&include_entities=1&rpp=50"
    let here = try reply(query).body
    let other = PracticeServer(seed: 1)
    try other.start()
    #expect(try RawClient.Reply.get("/search.json?" + query, from: other.port).body == here)
    other.setSeed(2)
    #expect(try RawClient.Reply.get("/search.json?" + query, from: other.port).body != here)
    other.stop()
  }
}
