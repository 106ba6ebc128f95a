import OpshCompression
import PracticeServer
import TestSupport
import Testing

@Suite("The practice server's lists", .timeLimit(.minutes(15)))
struct ListTests {
  private func get(
    _ target: String, from server: PracticeServer = SharedServer.server
  ) throws -> OrderedJSON {
    let reply = try RawClient.Reply.get("/2.3/" + target, from: server.port)
    #expect(reply.status == 200)
    return try reply.json()
  }

  /// Reads the first pages of a hundred items.
  private func pages(_ count: Int, of target: String) throws -> [OrderedJSON] {
    try (1...count).flatMap { try get("\(target)&pagesize=100&page=\($0)").items }
  }

  /// Whether `keys` stand in the order of `all`, leaving some out.
  private func isInOrder(_ keys: [String], of all: [String]) -> Bool {
    let positions = keys.map { all.firstIndex(of: $0) ?? -1 }
    return !positions.contains(-1) && positions == positions.sorted()
      && Set(keys).count == keys.count
  }

  @Test("The response wrapper has its four keys in order")
  func wrapper() throws {
    let page = try get("questions?site=stackoverflow")
    #expect(page.keys == ["items", "has_more", "quota_max", "quota_remaining"])
    #expect(page.items.count == 30)
    #expect(page.boolean("has_more") == true)
  }

  @Test("Responses are gzipped JSON with private caching")
  func headers() throws {
    let reply = try RawClient.Reply.get(
      "/2.2/questions/?site=stackoverflow.com", from: SharedServer.port)
    #expect(reply.headers["content-encoding"] == "gzip")
    #expect(reply.headers["content-type"] == "application/json; charset=utf-8")
    #expect(reply.headers["cache-control"] == "private")
    #expect(reply.body.starts(with: Gzip.magic))
  }

  @Test("HEAD returns the headers of GET without a body")
  func head() throws {
    let client = try RawClient(port: SharedServer.port)
    client.sendRequest("/2.3/tags?site=stackoverflow", method: "HEAD")
    let head = try client.readReply(hasBody: false)
    client.sendRequest("/2.3/tags?site=stackoverflow")
    let whole = try client.readReply()
    #expect(head.status == 200)
    #expect(head.headers["content-length"] == whole.headers["content-length"])
    #expect(whole.body.count > 100)
  }

  @Test("Questions have the fields of the real API, in order and with the right types")
  func questions() throws {
    let order = [
      "tags", "owner", "is_answered", "view_count", "protected_date", "bounty_amount",
      "bounty_closes_date", "closed_date", "accepted_answer_id", "answer_count",
      "community_owned_date", "score", "locked_date", "last_activity_date", "creation_date",
      "last_edit_date", "question_id", "content_license", "link", "closed_reason", "title",
    ]
    let optional: Set = [
      "protected_date", "bounty_amount", "bounty_closes_date", "closed_date",
      "accepted_answer_id", "community_owned_date", "locked_date", "last_edit_date",
      "content_license", "closed_reason",
    ]
    let questions = try pages(25, of: "questions?site=stackoverflow&sort=creation&order=asc")
    var seen: Set<String> = []
    for question in questions {
      #expect(isInOrder(question.keys, of: order))
      #expect(Set(order).subtracting(optional).isSubset(of: question.keys))
      seen.formUnion(question.keys)
      #expect((1...5).contains(question["tags"]?.items.count ?? 0))
      #expect(question.boolean("is_answered") != nil)
      for key in order.filter({ $0.hasSuffix("_date") || $0.hasSuffix("_count") || $0 == "score" })
      where question[key] != nil {
        #expect(question.integer(key) != nil)
      }
      let identifier = try #require(question.integer("question_id"))
      let link = try #require(question.string("link"))
      #expect(link.hasPrefix("https://stackoverflow.com/questions/\(identifier)/"))
      #expect(link.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
      let title = try #require(question.string("title"))
      #expect(!title.contains { "<>\"'".contains($0) })
      #expect((question["closed_date"] == nil) == (question["closed_reason"] == nil))
    }
    #expect(seen.isSuperset(of: optional.subtracting(["bounty_amount", "bounty_closes_date"])))
    #expect(questions.contains { ($0.integer("score") ?? 0) < 0 })
    #expect(questions.contains { $0.string("title")?.contains("&#39;") == true })
    #expect(questions.contains { $0.string("title")?.contains("&quot;") == true })
    #expect(questions.contains { $0.string("title")?.contains("&lt;") == true })
    #expect(questions.contains { $0.string("title")?.contains("&amp;") == true })
    let licenses = Set(questions.compactMap { $0.string("content_license") })
    #expect(licenses == ["CC BY-SA 2.5", "CC BY-SA 3.0", "CC BY-SA 4.0"])
  }

  @Test("Answers have the fields of the real API and belong to a question")
  func answers() throws {
    let order = [
      "owner", "is_accepted", "community_owned_date", "score", "last_activity_date",
      "last_edit_date", "creation_date", "answer_id", "question_id", "content_license",
    ]
    let optional: Set = ["community_owned_date", "last_edit_date", "content_license"]
    let answers = try pages(10, of: "answers?site=stackoverflow&sort=votes")
    for answer in answers {
      #expect(isInOrder(answer.keys, of: order))
      #expect(Set(order).subtracting(optional).isSubset(of: answer.keys))
      #expect(answer.boolean("is_accepted") != nil)
    }
    let first = try #require(answers.first)
    let question = try #require(first.integer("question_id"))
    let same = try get("questions/\(question)/answers?site=stackoverflow&pagesize=100").items
    #expect(same.contains(first))
    #expect(same.allSatisfy { $0.integer("question_id") == question })
    let asked = try get("questions/\(question)?site=stackoverflow").items
    #expect(asked.map { $0.integer("answer_count") } == [same.count])
  }

  @Test("Owners have the fields of a shallow user; deleted ones have two")
  func owners() throws {
    let order = [
      "account_id", "reputation", "user_id", "user_type", "accept_rate", "profile_image",
      "display_name", "link",
    ]
    let owners = try pages(10, of: "questions?site=stackoverflow").compactMap { $0["owner"] }
    let deleted = owners.filter { $0.string("user_type") == "does_not_exist" }
    let others = owners.filter { $0.string("user_type") != "does_not_exist" }
    #expect(deleted.count == 28)
    #expect(deleted.allSatisfy { $0.keys == ["user_type", "display_name"] })
    for owner in others {
      #expect(isInOrder(owner.keys, of: order))
      #expect(Set(order).subtracting(["accept_rate"]).isSubset(of: owner.keys))
      #expect(owner.string("link")?.utf8.allSatisfy { $0 < 0x7F } == true)
    }
    let rated = others.count { $0["accept_rate"] != nil }
    #expect(rated > others.count / 4 && rated < others.count * 3 / 4)
    #expect(owners.contains { $0.string("display_name")?.contains("&#2") == true })
  }

  @Test("Tags have five fields, counts that match the questions, and the inname filter")
  func tags() throws {
    let tags = try get("tags?site=stackoverflow&pagesize=100").items
    #expect(tags.count > 40 && tags.count <= 64)
    for tag in tags {
      #expect(tag.keys == ["has_synonyms", "is_moderator_only", "is_required", "count", "name"])
    }
    let counts = tags.compactMap { $0.integer("count") }
    #expect(counts == counts.sorted(by: >))
    let swift = try #require(tags.first { $0.string("name") == "swift" })
    let total = try get("questions?site=stackoverflow&tagged=swift&filter=total")
    #expect(total == .object([.init(key: "total", value: swift["count"] ?? .null)]))
    let named = try get("tags?site=stackoverflow&inname=NSOP&sort=name&order=asc").items
    #expect(named.compactMap { $0.string("name") } == ["nsoperation", "nsoperationqueue"])
    let info = try get("tags/swift%3Bgo/info?site=stackoverflow").items
    #expect(Set(info.compactMap { $0.string("name") }) == ["swift", "go"])
  }

  @Test("/sites needs no site parameter and allows pages of a thousand")
  func sites() throws {
    let page = try get("sites?pagesize=1000")
    #expect(page.boolean("has_more") == false)
    let first = try #require(page.items.first)
    #expect(first.string("api_site_parameter") == "stackoverflow")
    #expect(first.keys.suffix(2) == ["name", "site_type"])
    #expect(first["styling"]?.keys.count == 3)
    let other = try get("questions?site=serverfault&pagesize=1").items
    #expect(other.first?.string("link")?.hasPrefix("https://serverfault.com/questions/") == true)
  }

  @Test("A filter that includes the body adds it at the end")
  func bodies() throws {
    let question = try get("questions?site=stackoverflow&filter=withbody&pagesize=1").items.first
    #expect(question?.keys.suffix(2) == ["title", "body"])
    #expect(question?.string("body")?.hasPrefix("<p>") == true)
    let answer = try get("answers?site=stackoverflow&filter=withbody&pagesize=1").items.first
    #expect(answer?.keys.last == "body")
  }

  @Test("The other filters change the wrapper")
  func filters() throws {
    #expect(try get("questions?site=stackoverflow&filter=none") == .object([]))
    #expect(
      try get("questions?site=stackoverflow&filter=total").keys == ["total"])
    let opaque = try get("tags?site=stackoverflow&filter=!6WPIomnMOOD*e&pagesize=2")
    #expect(opaque.keys == ["items", "has_more", "quota_max", "quota_remaining"])
    #expect(opaque.items == (try get("tags?site=stackoverflow&filter=default&pagesize=2").items))
  }

  @Test("A callback parameter returns a script")
  func scripts() throws {
    let server = PracticeServer()
    try server.start()
    defer { server.stop() }
    let reply = try RawClient.Reply.get(
      "/2.3/sites?pagesize=0&callback=take.it", from: server.port)
    #expect(reply.status == 200)
    #expect(reply.headers["content-type"] == "application/javascript; charset=utf-8")
    #expect(
      try reply.text()
        == #"take.it({"items":[],"has_more":true,"quota_max":300,"quota_remaining":299});"#)
    let error = try RawClient.Reply.get("/2.3/tags?callback=f", from: server.port)
    #expect(error.status == 200)
    #expect(try error.text().hasPrefix(#"f({"error_id":400,"#))
  }

  @Test("The quota counts down, separately for each key")
  func quota() throws {
    let server = PracticeServer()
    try server.start()
    defer { server.stop() }
    let first = try get("sites", from: server)
    #expect(first.integer("quota_max") == 300)
    let remaining = try (0..<2).map { _ in
      try get("sites", from: server).integer("quota_remaining")
    }
    #expect(first.integer("quota_remaining") == 299 && remaining == [298, 297])
    let keyed = try get("sites?key=abc((", from: server)
    #expect(keyed.integer("quota_max") == 10_000)
    #expect(keyed.integer("quota_remaining") == 9_999)
    server.reset()
    #expect(try get("sites", from: server).integer("quota_remaining") == 299)
  }

  @Test("The same seed gives the same bytes, another seed gives different ones")
  func seeds() throws {
    let target = "/2.3/questions?site=stackoverflow&filter=withbody&pagesize=100"
    let servers = [PracticeServer(seed: 1), PracticeServer(seed: 1)]
    for server in servers { try server.start() }
    func body(_ index: Int) throws -> [UInt8] {
      try RawClient.Reply.get(target, from: servers[index].port).body
    }
    let here = try body(0)
    #expect(try body(1) == here)
    servers[1].setSeed(2)
    #expect(try body(1) != here)
    servers[1].reset()
    #expect(try body(1) == here)
    for server in servers { server.stop() }
  }
}
