import Foundation
import OpshNetworking
import Testing
import OpshWebAPIs

@Suite("Stack Exchange values")
struct StackExchangeTests {
  static let page = #"""
    {"items":[{"tags":["swift","linux"],"owner":{"account_id":41,"reputation":1203,"user_id":77,
    "user_type":"registered","accept_rate":80,"display_name":"Ad&#225;"},"is_answered":true,
    "view_count":51,"accepted_answer_id":9002,"answer_count":2,"score":-1,
    "last_activity_date":1700000900,"creation_date":1700000000,"question_id":9001,
    "content_license":"CC BY-SA 4.0","link":"https://e.x/q?a=1&amp;b",
    "title":"Why can&#39;t &quot;X&quot; be &lt;Y&gt;?"},
    {"tags":[],"owner":{"user_type":"does_not_exist","display_name":"user123"},
    "is_answered":false,"view_count":0,"answer_count":0,"score":0,"last_activity_date":1,
    "creation_date":1,"question_id":9003,"link":"https://e.x","title":"T"}],
    "has_more":true,"backoff":280,"quota_max":300,"quota_remaining":287,"unheard_of":[1]}
    """#

  @Test("A page decodes with optional fields, deleted users and entities")
  func questions() throws {
    let page = try QuestionsPage(decoding: Array(Self.page.utf8))
    #expect(page.items.count == 2)
    #expect(page.hasMore)
    #expect(page.wrapper.backoff == 280)
    #expect(page.wrapper.quotaMax == 300 && page.wrapper.quotaRemaining == 287)
    let first = try #require(page.items.first)
    #expect(first.title == "Why can't \"X\" be <Y>?")
    #expect(first.owner?.displayName == "Adá")
    #expect(first.score == -1)
    #expect(first.acceptedAnswerID == 9002)
    #expect(first.creationDate == Date(timeIntervalSince1970: 1_700_000_000))
    #expect(first.closedDate == nil)
    let second = try #require(page.items.last)
    #expect(second.owner?.userID == nil)
    #expect(second.owner?.userType == "does_not_exist")
    #expect(page.raw["items"]?[0]?["title"] == .string("Why can't \"X\" be <Y>?"))
    #expect(page.raw["items"]?[0]?["owner"]?["display_name"] == .string("Adá"))
    // Links are not HTML-encoded and stay unchanged.
    #expect(page.raw["items"]?[0]?["link"] == .string("https://e.x/q?a=1&amp;b"))
    #expect(page.raw["unheard_of"] == .array([.integer(1)]))
  }

  @Test("Answers decode without title and link")
  func answers() throws {
    let text = #"""
      {"items":[{"is_accepted":true,"score":3,"last_activity_date":1700000900,
      "creation_date":1700000000,"answer_id":5,"question_id":4,"body":"<p>x</p>"}],
      "has_more":false}
      """#
    let page = try AnswersPage(decoding: Array(text.utf8))
    let answer = try #require(page.items.first)
    #expect(answer.answerID == 5 && answer.questionID == 4 && answer.isAccepted)
    #expect(answer.owner == nil && answer.body == "<p>x</p>")
    #expect(page.wrapper.quotaMax == nil && !page.hasMore)
  }

  @Test(
    "A body that is not a page is rejected with the place of the error",
    arguments: [
      ("[]", "the value is an array instead of an object"),
      ("{}", "'items' is missing"), (#"{"items":{}}"#, "'items' is an object instead of an array"),
      (#"{"items":[1]}"#, "'items[0]' is an integer instead of an object"),
      (
        #"{"items":[{"answer_id":"x"}]}"#, "'items[0].answer_id' is a string instead of an integer"
      ),
      (#"{"items":[{"answer_id":1.5}]}"#, "'items[0].answer_id' is a number instead of an integer"),
    ])
  func refused(text: String, message: String) {
    #expect(throws: NetworkError.serialization(message)) {
      try AnswersPage(decoding: Array(text.utf8))
    }
  }

  @Test("A number that overflows its type does not fail the page, nor its item if it is optional")
  func numbersOutOfRange() throws {
    let page = Self.page.replacing("\"accept_rate\":80", with: "\"accept_rate\":1e400")
      .replacing("\"accepted_answer_id\":9002", with: "\"accepted_answer_id\":1e30")
      .replacing("\"quota_max\":300", with: "\"quota_max\":123456789012345678901")
      .replacing("\"score\":-1", with: "\"score\":-1,\"closed_date\":1e400")
    let optional = try QuestionsPage(decoding: Array(page.utf8))
    #expect(optional.items.count == 2)
    #expect(optional.wrapper.quotaMax == nil && optional.wrapper.quotaRemaining == 287)
    let first = try #require(optional.items.first)
    #expect(first.owner?.acceptRate == nil && first.owner?.userID == 77)
    #expect(first.acceptedAnswerID == nil && first.closedDate == nil && first.score == -1)
    for number in ["1e400", "123456789012345678901"] {
      let text = Self.page.replacing("\"view_count\":51", with: "\"view_count\":\(number)")
      let required = try QuestionsPage(decoding: Array(text.utf8))
      #expect(required.items.map(\.questionID) == [9003] && required.count == 2)
      #expect(required.raw["items"]?[0]?["view_count"] == .literal(number))
    }
  }

  @Test("With a filter any field may be missing")
  func filtered() throws {
    let none = try QuestionsPage(decoding: Array(#"{"total":7}"#.utf8), isFiltered: true)
    #expect(none.items.isEmpty && none.raw["total"] == .integer(7))
    let text = #"{"items":[{"question_id":1}],"has_more":false}"#
    let some = try QuestionsPage(decoding: Array(text.utf8), isFiltered: true)
    #expect(some.items.isEmpty && some.count == 1)
    #expect(throws: NetworkError.self) { try QuestionsPage(decoding: Array(text.utf8)) }
    #expect(throws: NetworkError.self) {
      try QuestionsPage(decoding: Array(#"{"items":1}"#.utf8), isFiltered: true)
    }
  }

  @Test("Queries are encoded so that every character is preserved")
  func encoding() throws {
    var query = QuestionsQuery()
    #expect(query.pathAndQuery == "/2.3/questions?site=stackoverflow")
    query[Questions.tagged] = ["c++", "R&D", "日本"]
    query[StackExchange.version] = .version22
    query[StackExchange.page] = 2
    query[StackExchange.pagesize] = 5
    query[Questions.sort] = .votes
    query[StackExchange.order] = .ascending
    query[StackExchange.minimum] = -3
    query[StackExchange.maximum] = 9
    query[StackExchange.fromDate] = 1
    query[StackExchange.toDate] = 5
    query[StackExchange.filter] = "!9_b*"
    query[Questions.ids] = [1, 2]
    #expect(query[Questions.tagged] == ["c++", "R&D", "日本"] && query[StackExchange.page] == 2)
    #expect(
      query.pathAndQuery
        == "/2.2/questions/1;2?site=stackoverflow&page=2&pagesize=5&order=asc&sort=votes"
        + "&tagged=c%2B%2B%3BR%26D%3B%E6%97%A5%E6%9C%AC&min=-3&max=9&fromdate=1&todate=5"
        + "&filter=%219_b%2A")
    var answers = AnswersQuery()
    answers[Answers.ids] = [7]
    #expect(answers.pathAndQuery == "/2.3/answers/7?site=stackoverflow")
    answers[Answers.questionIDs] = [8, 9]
    #expect(answers.pathAndQuery == "/2.3/questions/8;9/answers?site=stackoverflow")
  }

  @Test(
    "A trailing slash of an endpoint is removed",
    arguments: [
      ("http://h:8080", "http://h:8080"), ("http://h/", "http://h"), ("http://h//", "http://h"),
      ("http://h/a/", "http://h/a"), ("HTTPS://H/a//", "https://h/a"),
    ])
  func endpoint(url: String, expected: String) throws {
    let endpoint = try Endpoint(url: url, key: "SECRET")
    #expect(endpoint.baseURL == expected)
    #expect("\(endpoint)" == expected)
  }

  @Test("An endpoint is a complete address without a query")
  func badEndpoint() {
    for url in ["nonsense", "ftp://h", "http://h/?a=b"] {
      #expect(throws: NetworkError.self) { try Endpoint(url: url) }
    }
    #expect(Endpoint.live().baseURL == "https://api.stackexchange.com")
  }
}
