import TestSupport
import Testing

@Suite("Paging, sorting and filtering", .timeLimit(.minutes(15)))
struct SelectionTests {
  struct Order: Sendable, CustomTestStringConvertible {
    let list: String
    let sort: String
    let field: String
    var testDescription: String { "\(list) by \(sort)" }
  }

  static let orders: [Order] = ["questions", "answers"].flatMap { list in
    [
      Order(list: list, sort: "activity", field: "last_activity_date"),
      Order(list: list, sort: "creation", field: "creation_date"),
      Order(list: list, sort: "votes", field: "score"),
    ]
  }

  private func get(_ target: String) throws -> OrderedJSON {
    try RawClient.Reply.get("/2.3/" + target, from: SharedServer.port).json()
  }

  private func total(_ target: String) throws -> Int {
    try #require(try get(target + "&filter=total").integer("total"))
  }

  @Test("Lists can be sorted in both directions", arguments: orders)
  func sorted(_ order: Order) throws {
    let target = "\(order.list)?site=stackoverflow&pagesize=100&sort=\(order.sort)"
    let down = try get(target).items.compactMap { $0.integer(order.field) }
    let up = try get(target + "&order=asc").items.compactMap { $0.integer(order.field) }
    #expect(down.count == 100)
    #expect(down == down.sorted(by: >))
    #expect(up == up.sorted())
    #expect((up.last ?? 0) < (down.last ?? 0))
  }

  @Test("min and max bound the sort field", arguments: orders)
  func bounded(_ order: Order) throws {
    let target = "\(order.list)?site=stackoverflow&pagesize=100&sort=\(order.sort)"
    let all = try get(target).items.compactMap { $0.integer(order.field) }
    let (least, greatest) = (all[60], all[30])
    let some = try get("\(target)&min=\(least)&max=\(greatest)").items
    let values = some.compactMap { $0.integer(order.field) }
    #expect(!values.isEmpty)
    #expect(values.allSatisfy { (least...greatest).contains($0) })
    #expect(values == Array(all.filter { (least...greatest).contains($0) }.prefix(100)))
    #expect(try get("\(target)&min=\(greatest + 1)&max=\(least - 1)").items.isEmpty)
  }

  @Test("fromdate and todate bound the creation, whatever the sort")
  func dates() throws {
    let dates = "fromdate=1600000000&todate=1650000000"
    let items = try get("questions?site=stackoverflow&sort=votes&pagesize=100&\(dates)").items
    #expect(items.count == 100)
    #expect(
      items.allSatisfy {
        (1_600_000_000...1_650_000_000).contains($0.integer("creation_date") ?? 0)
      })
  }

  @Test("All pages together contain each question once")
  func paging() throws {
    let target = "questions?site=stackoverflow&tagged=linux&key=k"
    let count = try total(target)
    var seen: [Int] = []
    var page = 1
    var hasMore = true
    while hasMore, page < 100 {
      let answer = try get("\(target)&pagesize=37&page=\(page)")
      seen += answer.items.compactMap { $0.integer("question_id") }
      hasMore = answer.boolean("has_more") == true
      page += 1
    }
    #expect(count > 37)
    #expect(seen.count == count)
    #expect(Set(seen).count == count)
    let beyond = try get("\(target)&page=9223372036854775807&pagesize=100")
    #expect(beyond.items.isEmpty)
    #expect(beyond.boolean("has_more") == false)
  }

  @Test("The last page has has_more false")
  func exactEnd() throws {
    let tags = try get("tags?site=stackoverflow&pagesize=100").items.count
    #expect(
      try get("tags?site=stackoverflow&pagesize=\(tags)").boolean("has_more") == false)
    #expect(
      try get("tags?site=stackoverflow&pagesize=\(tags - 1)").boolean("has_more") == true)
  }

  @Test("A question has all the requested tags; more than five match none")
  func tagged() throws {
    let site = "questions?site=stackoverflow&pagesize=100"
    let both = try get("\(site)&tagged=swift;ios").items
    #expect(!both.isEmpty)
    for question in both {
      let tags = question["tags"]?.items ?? []
      #expect(tags.contains(.string("swift")) && tags.contains(.string("ios")))
    }
    let plus = try total("\(site)&tagged=c%2B%2B")
    #expect(plus > 0)
    #expect(try get("\(site)&tagged=swift;no-such-tag").items.isEmpty)
    #expect(try get("\(site)&tagged=a;b;c;d;e;f").items.isEmpty)
    #expect(try total("\(site)&tagged=swift;ios") < total("\(site)&tagged=swift"))
  }

  @Test("Posts are found by their ids, several at once")
  func identifiers() throws {
    let some = try get("questions?site=stackoverflow&pagesize=5&sort=votes").items
    let identifiers = some.compactMap { $0.integer("question_id") }
    let path = identifiers.reversed().map(String.init).joined(separator: ";")
    let found = try get("questions/\(path);1;\(identifiers[0])?site=stackoverflow&sort=votes").items
    #expect(found == some)
    let answers = try get("questions/\(path)/answers?site=stackoverflow&sort=creation").items
    #expect(answers.allSatisfy { identifiers.contains($0.integer("question_id") ?? 0) })
    let one = try #require(answers.first?.integer("answer_id"))
    #expect(try get("answers/\(one)?site=stackoverflow").items == [answers[0]])
  }

  @Test("The lists of the week and of the month hold recent questions only")
  func recent() throws {
    let week = try total("questions?site=stackoverflow&sort=week")
    let month = try total("questions?site=stackoverflow&sort=month")
    #expect(week > 100 && week < month && month < 5_000)
    let hot = try get("questions?site=stackoverflow&sort=hot&pagesize=100").items
    #expect(Set(hot.compactMap { $0.integer("question_id") }).count == 100)
  }

  @Test("The data has 5,000 questions and 8,483 answers")
  func amounts() throws {
    #expect(try total("questions?site=stackoverflow") == 5_000)
    #expect(try total("answers?site=stackoverflow") == 8_483)
  }
}
