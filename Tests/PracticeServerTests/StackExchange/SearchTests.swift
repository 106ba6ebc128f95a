import TestSupport
import Testing

@testable import PracticeServer

@Suite("Searching Stack Exchange", .timeLimit(.minutes(15)))
struct SearchTests {
  private func get(_ target: String) throws -> OrderedJSON {
    try RawClient.Reply.get("/2.3/\(target)&site=stackoverflow", from: SharedServer.port).json()
  }

  private func total(_ target: String) throws -> Int {
    try #require(try get(target + "&filter=total").integer("total"))
  }

  /// One parameter of a search, and what has to be so of everything that it finds.
  struct Wish: Sendable, CustomTestStringConvertible {
    let query: String
    let holds: @Sendable (OrderedJSON) -> Bool
    var testDescription: String { query }
  }

  private static func tags(_ question: OrderedJSON) -> [String] {
    question["tags"]?.items.compactMap { if case .string(let tag) = $0 { tag } else { nil } } ?? []
  }

  private static func title(_ question: OrderedJSON) -> String {
    question.string("title")?.lowercased() ?? ""
  }

  static let wishes: [Wish] = [
    Wish(query: "search?tagged=swift;go") { !Set(tags($0)).isDisjoint(with: ["swift", "go"]) },
    Wish(query: "search?tagged=swift;no-such-tag") { tags($0).contains("swift") },
    Wish(query: "search?tagged=swift&nottagged=ios;xcode") {
      tags($0).contains("swift") && Set(tags($0)).isDisjoint(with: ["ios", "xcode"])
    },
    Wish(query: "search?intitle=queue") { title($0).contains("queue") },
    Wish(query: "search?intitle=QUEUE%20suspend") {
      title($0).contains("queue") && title($0).contains("suspend")
    },
    Wish(query: "search?tagged=c%2B%2B&intitle=std::move") {
      tags($0).contains("c++") && title($0).contains("std::move")
    },
    Wish(query: "search/advanced?accepted=true") { $0["accepted_answer_id"] != nil },
    Wish(query: "search/advanced?accepted=False") { $0["accepted_answer_id"] == nil },
    Wish(query: "search/advanced?answers=4") { ($0.integer("answer_count") ?? 0) >= 4 },
    Wish(query: "search/advanced?closed=true") { $0["closed_date"] != nil },
    Wish(query: "search/advanced?closed=false") { $0["closed_date"] == nil },
    Wish(query: "search/advanced?migrated=false&notice=false&views=9000") {
      ($0.integer("view_count") ?? 0) >= 9_000
    },
    Wish(query: "search/advanced?wiki=true") { $0["community_owned_date"] != nil },
    Wish(query: "search/advanced?wiki=false&title=slow") {
      $0["community_owned_date"] == nil && title($0).contains("slow")
    },
    Wish(query: "search/advanced?title=%26%26&nottagged=swift") {
      title($0).contains("&amp;&amp;") && !tags($0).contains("swift")
    },
    Wish(query: "search/advanced?body=colleague&filter=withbody") {
      $0.string("body")?.contains("colleague") == true
    },
    Wish(query: "search/advanced?url=*docs.example.org/*/handler&filter=withbody") {
      $0.string("body")?.contains("https://docs.example.org/") == true
    },
    Wish(query: "search/advanced?q=%22an%20operation%22%20-observe%20%5Bswift%5D&filter=withbody") {
      let text = title($0) + ($0.string("body")?.lowercased() ?? "")
      return tags($0).contains("swift") && text.contains("an operation")
        && !text.contains("observe")
    },
    Wish(query: "search/advanced?q=kill&tagged=linux;bash&sort=votes&min=3&max=40") {
      !Set(tags($0)).isDisjoint(with: ["linux", "bash"])
        && (3...40).contains($0.integer("score") ?? 0)
    },
    Wish(query: "search/advanced?nottagged=javascript&fromdate=1600000000&todate=1650000000") {
      !tags($0).contains("javascript")
        && (1_600_000_000...1_650_000_000).contains($0.integer("creation_date") ?? 0)
    },
  ]

  @Test("Every search result matches the query", arguments: wishes.indices)
  func found(index: Int) throws {
    let wish = Self.wishes[index]
    let items = try get("\(wish.query)&pagesize=100").items
    #expect(!items.isEmpty, "\(wish.query)")
    #expect(items.allSatisfy(wish.holds), "\(wish.query)")
    // And it is not just everything: of two filters the first counts.
    #expect(
      try get("\(wish.query.replacing("filter=withbody", with: ""))&filter=total")
        .integer("total").map { $0 < 5_000 } == true)
  }

  @Test("A search matches any of the tags, a list of questions all of them")
  func anyOrAll() throws {
    let swift = try total("search?tagged=swift")
    let ios = try total("search?tagged=ios")
    let either = try total("search?tagged=swift;ios")
    let both = try total("questions?tagged=swift;ios")
    #expect(swift == (try total("questions?tagged=swift")))
    #expect(either == swift + ios - both && both > 0)
    #expect(try total("search?tagged=no-such-tag") == 0)
    #expect(try total("search?tagged=swift&nottagged=swift") == 0)
    // Without tags there is nothing that could be left out.
    #expect(
      try total("search?intitle=queue&nottagged=swift") == (try total("search?intitle=queue")))
  }

  @Test("The accepted, closed and wiki filters divide the questions")
  func divisions() throws {
    for name in ["accepted", "closed", "wiki"] {
      let yes = try total("search/advanced?\(name)=true")
      #expect(yes > 0)
      #expect(try yes + total("search/advanced?\(name)=false") == 5_000)
    }
    #expect(try total("search/advanced?migrated=true") == 0)
    #expect(try total("search/advanced?notice=true") == 0)
    let user = try #require(get("questions?pagesize=1").items.first?["owner"]?.integer("user_id"))
    let own = try get("search/advanced?user=\(user)&pagesize=100").items
    #expect(!own.isEmpty && own.allSatisfy { $0["owner"]?.integer("user_id") == user })
  }

  @Test("Relevance puts titles first, and ascending order reverses it")
  func relevance() throws {
    let query = "search/advanced?q=suspend%20queue&sort=relevance&pagesize=100"
    let down = try get(query).items.map(Self.title)
    let inTitle = down.map { $0.contains("suspend") && $0.contains("queue") }
    // Tags and texts count too, so that in the middle they may be mixed.
    #expect(inTitle.prefix(10).allSatisfy { $0 } && inTitle.last == false)
    let up = try get(query + "&order=asc").items.map(Self.title)
    #expect(up.sorted() == down.sorted())
    let isInTitle = up.map { $0.contains("suspend") && $0.contains("queue") }
    #expect(isInTitle.first == false && isInTitle.suffix(10).allSatisfy { $0 })
    let tagged = try get("search?tagged=swift;concurrency;generics&sort=relevance").items
    let counts = tagged.map {
      Set(Self.tags($0)).intersection(["swift", "concurrency", "generics"]).count
    }
    #expect(counts == counts.sorted(by: >) && counts.first ?? 0 >= 2)
  }

  @Test("Both API versions and a trailing slash give the same response")
  func versions() throws {
    let query = "?site=stackoverflow&tagged=rust&pagesize=5"
    let bodies = try ["/2.2/search", "/2.3/search/", "/2.3/search"].map {
      try RawClient.Reply.get($0 + query, from: SharedServer.port).json().items
    }
    #expect(bodies[0] == bodies[1] && bodies[1] == bodies[2] && bodies[0].count == 5)
  }

  static let errors: [(query: String, message: String)] = [
    ("search?", "one of tagged or intitle must be set"),
    ("search?nottagged=swift", "one of tagged or intitle must be set"),
    ("search?tagged=", "one of tagged or intitle must be set"),
    ("search?tagged=a&sort=hot", "sort"), ("search?tagged=a&sort=relevance&min=1", "min"),
    ("search/advanced?accepted=maybe", "accepted"), ("search/advanced?closed=1", "closed"),
    ("search/advanced?answers=some", "answers"), ("search/advanced?user=me", "user"),
    ("search/advanced?views=1.5", "views"), ("search/advanced?wiki=yes", "wiki"),
    ("search/advanced?q=a&pagesize=101", "pagesize"),
  ]

  @Test("An invalid parameter is refused by its name", arguments: errors)
  func refused(query: String, message: String) throws {
    let reply = try RawClient.Reply.get(
      "/2.3/\(query)&site=stackoverflow", from: SharedServer.port)
    #expect(reply.status == 400)
    #expect(try reply.json().string("error_message") == message)
    #expect(try reply.json().string("error_name") == "bad_parameter")
  }

  @Test(
    "A search text is split into words, phrases and exclusions",
    arguments: [
      ("a \"b c\" -d [e]", "xa b c", 2), ("a \"b c\" -d [e]", "a b c d", nil),
      ("a", "b", nil), ("\"unclosed", "&quot;unclosed", 1), ("-", "-", 1), ("\"\" a []", "a", 1),
      ("<b>", "&lt;b&gt;", 1), ("", "anything", 0),
    ] as [(String, String, Int?)])
  func typed(query: String, text: String, weight: Int?) {
    #expect(SearchText(query).weight(in: [(Array(text.utf8), 1)]) == weight)
  }
}
