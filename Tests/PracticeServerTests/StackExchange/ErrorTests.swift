import PracticeServer
import TestSupport
import Testing

@Suite("The practice server's errors", .timeLimit(.minutes(15)))
struct ErrorTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let target: String
    let identifier: Int
    let message: String
    let name: String
    var method = "GET"
    var testDescription: String { "\(method) \(target)" }

    static func badParameter(_ target: String, _ message: String) -> Case {
      Case(target: target, identifier: 400, message: message, name: "bad_parameter")
    }

    static func noMethod(_ target: String, method: String = "GET") -> Case {
      Case(
        target: target, identifier: 404, message: "no method found with this name",
        name: "no_method", method: method)
    }
  }

  static let cases: [Case] = [
    .badParameter("/2.3/questions", "site is required"),
    .badParameter("/2.3/tags?site=", "site is required"),
    .badParameter("/2.2/answers?site=nowhere", "No site found for name `nowhere`"),
    .badParameter("/2.3/tags?site=%22%5C%0A", "No site found for name `\"\\\n`"),
    .badParameter("/2.3/questions?site=stackoverflow&pagesize=101", "pagesize"),
    .badParameter("/2.3/questions?site=stackoverflow&pagesize=-1", "pagesize"),
    .badParameter("/2.3/sites?pagesize=1001", "pagesize"),
    .badParameter("/2.3/questions?site=stackoverflow&page=0", "page"),
    .badParameter("/2.3/questions?site=stackoverflow&page=99999999999999999999", "page"),
    .badParameter("/2.3/questions?site=stackoverflow&order=up", "order"),
    .badParameter("/2.3/questions?site=stackoverflow&sort=popular", "sort"),
    .badParameter("/2.3/answers?site=stackoverflow&sort=hot", "sort"),
    .badParameter("/2.3/tags?site=stackoverflow&sort=votes", "sort"),
    .badParameter("/2.3/questions?site=stackoverflow&sort=hot&min=1", "min"),
    .badParameter("/2.3/questions?site=stackoverflow&sort=week&max=1", "max"),
    .badParameter("/2.3/questions?site=stackoverflow&min=x", "min"),
    .badParameter("/2.3/questions?site=stackoverflow&fromdate=yesterday", "fromdate"),
    .badParameter("/2.3/questions?site=stackoverflow&filter=what", "Invalid filter specified"),
    .badParameter("/2.3/questions?site=stackoverflow&callback=alert(1)", "callback"),
    .badParameter(
      "/2.3/questions/\((1...101).map(String.init).joined(separator: ";"))?site=stackoverflow",
      "ids"),
    Case(
      target: "/2.3/questions?site=stackoverflow&page=26", identifier: 403,
      message: "page above 25 requires access token or app key", name: "access_denied"),
    .noMethod("/2.3/questions/featured?site=stackoverflow"),
    .noMethod("/2.3/questions/1;x?site=stackoverflow"),
    .noMethod("/2.3/answers/;?site=stackoverflow"),
    .noMethod("/2.3/nothing?site=stackoverflow"),
    .noMethod("/2.3"),
    .noMethod("/2.3/questions?site=stackoverflow", method: "DELETE"),
    Case(
      target: "/2.3/errors/500", identifier: 500,
      message: "An unexpected error occurred in the API", name: "internal_error"),
    .badParameter("/2.3/errors/1", "id"),
  ]

  @Test("An error is status 400 with exactly three keys", arguments: cases)
  func error(_ expected: Case) throws {
    let reply = try RawClient.Reply.get(
      expected.target, from: SharedServer.port, method: expected.method)
    #expect(reply.status == 400)
    #expect(
      try reply.json()
        == .object([
          .init(key: "error_id", value: .integer(expected.identifier)),
          .init(key: "error_message", value: .string(expected.message)),
          .init(key: "error_name", value: .string(expected.name)),
        ]))
  }

  @Test("Errors do not use up the quota")
  func quota() throws {
    let server = PracticeServer()
    try server.start()
    _ = try RawClient.Reply.get("/2.3/questions", from: server.port)
    let reply = try RawClient.Reply.get("/2.3/sites", from: server.port)
    #expect(try reply.json().integer("quota_remaining") == 299)
    server.stop()
  }

  @Test("Errors outside the API are plain text")
  func plainText() throws {
    let index = try RawClient.Reply.get("/", from: SharedServer.port)
    #expect(index.status == 200)
    #expect(try index.text().contains("/2.3/questions/{ids}/answers"))
    let nothing = try RawClient.Reply.get("/favicon.ico", from: SharedServer.port)
    #expect(nothing.status == 404)
    #expect(nothing.headers["content-type"] == "text/plain; charset=utf-8")
    #expect(try RawClient.Reply.get("/", from: SharedServer.port, method: "PUT").status == 405)
  }

  @Test("The list of errors is served; pages above 25 require a key")
  func lists() throws {
    let errors = try RawClient.Reply.get("/2.3/errors", from: SharedServer.port).json().items
    #expect(errors.compactMap { $0.integer("error_id") }.first == 400)
    let page = try RawClient.Reply.get(
      "/2.3/questions?site=stackoverflow&page=26&key=k", from: SharedServer.port)
    #expect(page.status == 200)
  }
}
