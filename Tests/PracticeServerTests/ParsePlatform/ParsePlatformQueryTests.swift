import OpshSupport
import TestSupport
import Testing

@testable import PracticeServer

@Suite("Queries of the Parse REST API", .timeLimit(.minutes(15)))
struct ParsePlatformQueryTests {
  private let client: RawClient

  /// Seven things, by the name of which the tests tell them.
  private static let things = [
    #"{"name":"a","n":1,"tags":["x","y"],"at":{"__type":"Date","iso":"2020-01-01T00:00:00.000Z"}}"#,
    #"{"name":"b","n":2.5,"tags":["y"],"o":{"p":{"q":7}},"done":true}"#,
    #"{"name":"c","n":3,"tags":[],"done":false,"note":"Wait for the queue"}"#,
    #"{"name":"d","tags":["x","z"],"at":{"__type":"Date","iso":"2021-06-01T12:00:00.000Z"}}"#,
    #"{"name":"e","n":null,"note":"queues, and Queues"}"#,
    #"{"name":"Fé","n":10,"p":{"__type":"Pointer","className":"Box","objectId":"BOX"}}"#,
    #"{"name":"g","n":3,"list":[1,{"k":"v"}],"note":"c++ (a.b)"}"#,
  ]

  /// A server with the things on it, which the tests leave alone.
  private static let filled: PracticeServer = {
    let server = PracticeServer()
    try? server.start()
    if let client = try? RawClient(port: server.port) { try? fill(client) }
    return server
  }()

  init() throws {
    client = try RawClient(port: Self.filled.port)
  }

  private static func fill(_ client: RawClient) throws {
    let box = try send(client, "POST", "/1/classes/Box", #"{"label":"big","inner":{"deep":true}}"#)
    let identifier = try #require(box.string("objectId"))
    for thing in things {
      _ = try send(
        client, "POST", "/1/classes/Thing", thing.replacing("BOX", with: identifier))
    }
  }

  private static func send(
    _ client: RawClient, _ method: String, _ path: String, _ body: String?
  ) throws -> OrderedJSON {
    client.sendRequest(
      path, method: method,
      headers: ["X-Parse-Application-Id: a", "X-Parse-REST-API-Key: k"], body: body)
    return try client.readReply().json()
  }

  private func reply(
    _ method: String, _ path: String, _ body: String? = nil
  ) throws -> OrderedJSON {
    try Self.send(client, method, path, body)
  }

  private func query(_ parameters: [String: String]) throws -> OrderedJSON {
    let text = parameters.sorted { $0.key < $1.key }
      .map { "\($0.key)=\(PercentEncoding.encode($0.value))" }
    return try reply("GET", "/1/classes/Thing?" + text.joined(separator: "&"))
  }

  private func names(_ parameters: [String: String]) throws -> String {
    let results = try query(parameters)["results"]
    return (results?.items ?? []).compactMap { $0.string("name") }.joined(separator: " ")
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let condition: String
    let names: String
    var testDescription: String { condition }

    init(_ condition: String, _ names: String) {
      self.condition = condition
      self.names = names
    }
  }

  static let cases: [Case] = [
    Case("{}", "a b c d e Fé g"),
    Case(#"{"name":"a"}"#, "a"), Case(#"{"n":3.0}"#, "c g"), Case(#"{"n":null}"#, "d e"),
    Case(#"{"done":true}"#, "b"), Case(#"{"name":"A"}"#, ""), Case(#"{"nothing":1}"#, ""),
    Case(#"{"n":{"$lt":3}}"#, "a b"), Case(#"{"n":{"$lte":3}}"#, "a b c g"),
    Case(#"{"n":{"$gt":2.5}}"#, "c Fé g"), Case(#"{"n":{"$gte":2.5,"$lt":10}}"#, "b c g"),
    Case(#"{"n":{"$lt":"3"}}"#, ""), Case(#"{"name":{"$gt":"e"}}"#, "g"),
    Case(#"{"n":{"$ne":3}}"#, "a b d e Fé"), Case(#"{"n":{"$ne":null}}"#, "a b c Fé g"),
    Case(#"{"n":{"$eq":1}}"#, "a"),
    Case(#"{"n":{"$in":[1,10,"3"]}}"#, "a Fé"), Case(#"{"n":{"$in":[]}}"#, ""),
    Case(#"{"n":{"$nin":[1,3]}}"#, "b d e Fé"), Case(#"{"n":{"$in":[null]}}"#, "d e"),
    Case(#"{"n":{"$exists":false}}"#, "d"), Case(#"{"done":{"$exists":true}}"#, "b c"),
    Case(#"{"tags":"x"}"#, "a d"), Case(#"{"tags":["y"]}"#, "b"),
    Case(#"{"tags":{"$in":["z","y"]}}"#, "a b d"), Case(#"{"tags":{"$ne":"y"}}"#, "c d e Fé g"),
    Case(#"{"o.p.q":7}"#, "b"), Case(#"{"o.p":{"q":7}}"#, "b"), Case(#"{"o.x.y":1}"#, ""),
    Case(#"{"list":{"k":"v"}}"#, "g"),
    Case(#"{"at":{"__type":"Date","iso":"2020-01-01T00:00:00Z"}}"#, "a"),
    Case(#"{"at":{"$gt":{"__type":"Date","iso":"2020-06-01T00:00:00.000Z"}}}"#, "d"),
    Case(
      #"{"createdAt":{"$gt":{"__type":"Date","iso":"2020-06-01T00:00:00.000Z"}}}"#,
      "a b c d e Fé g"),
    Case(#"{"$or":[{"n":1},{"name":"e"},{"tags":"y"}]}"#, "a b e"),
    Case(#"{"$and":[{"tags":"x"},{"n":{"$exists":true}}]}"#, "a"),
    Case(#"{"n":{"$gt":1},"$or":[{"done":false},{"done":true}]}"#, "b c"),
    Case(#"{"$or":[{"$and":[{"n":3},{"name":"g"}]},{"name":"a"}]}"#, "a g"),
    Case(
      #"{"p":{"$exists":true,"$ne":{"__type":"Pointer","className":"Box","objectId":"?"}}}"#, "Fé"),
  ]

  @Test("A query condition finds the matching objects", arguments: cases)
  func conditions(_ example: Case) throws {
    #expect(try names(["where": example.condition]) == example.names)
  }

  @Test(
    "An invalid query condition is refused",
    arguments: [
      (#"{"n":{"$near":1}}"#, 107), (#"{"n":{"$in":1}}"#, 102), (#"{"n":{"$exists":1}}"#, 102),
      (#"{"$or":{}}"#, 102), (#"{"$or":[]}"#, 102), (#"{"$and":[1]}"#, 102),
      (#"{"$where":"1"}"#, 105), (#"{"a b":1}"#, 105),
      (#"{"at":{"__type":"Date","iso":"soon"}}"#, 107),
    ])
  func refused(condition: String, code: Int) throws {
    #expect(try query(["where": condition]).integer("code") == code)
  }

  @Test(
    "An unsupported query operator is refused, not ignored",
    arguments: [
      (#"{"name":{"$regex":"^a"}}"#, "$regex"), (#"{"name":{"$options":"i"}}"#, "$options"),
      (#"{"note":{"$text":{"$search":{"$term":"and"}}}}"#, "$text"),
      (#"{"tags":{"$all":["x"]}}"#, "$all"), (#"{"n":{"$gt":1,"$select":{}}}"#, "$select"),
      (#"{"n":{"$dontSelect":{}}}"#, "$dontSelect"), (#"{"p":{"$inQuery":{}}}"#, "$inQuery"),
      (#"{"p":{"$notInQuery":{}}}"#, "$notInQuery"), (#"{"$nor":[{"n":3}]}"#, "$nor"),
      (#"{"$or":[{"n":3},{"$relatedTo":{}}]}"#, "$relatedTo"),
    ])
  func unsupported(condition: String, name: String) throws {
    let answer = try query(["where": condition])
    #expect(answer.integer("code") == 102)
    #expect(answer.string("error") == "bad constraint: \(name) is not supported")
  }

  @Test(
    "Results are ordered; equal ones by age, the oldest first",
    arguments: [
      ("name", "Fé a b c d e g"), ("-name", "g e d c b a Fé"), ("n", "d e a b c g Fé"),
      ("-n", "Fé c g b a d e"), ("-n,-name", "Fé g c b a e d"), ("-createdAt", "g Fé e d c b a"),
      ("done,-n", "d e c b"), ("", "a b c d e Fé g"),
    ])
  func ordered(order: String, expected: String) throws {
    if order == "done,-n" {
      // Nothing is before no, and no before yes.
      #expect(try names(["order": order]) == "Fé g a d e c b")
    } else {
      #expect(try names(["order": order]) == expected)
    }
  }

  @Test("Queries support limit, skip and count")
  func limits() throws {
    #expect(try names(["limit": "2"]) == "a b")
    #expect(try names(["limit": "2", "skip": "5"]) == "Fé g")
    #expect(try names(["skip": "50"]) == "")
    let counted = try query(["count": "1", "limit": "0", "where": #"{"n":3}"#])
    #expect(
      counted
        == .object([
          .init(key: "results", value: .array([])), .init(key: "count", value: .integer(2)),
        ]))
    #expect(try query(["limit": "1"]).keys == ["results"])
    #expect(try query(["count": "1", "limit": "1"]).integer("count") == 7)
    let unknown = try reply("GET", "/1/classes/NeverSeen?count=1")
    #expect(unknown["results"] == .array([]) && unknown.integer("count") == 0)
  }

  @Test("A query can select some fields of an object")
  func keys() throws {
    func first(_ parameters: [String: String]) throws -> OrderedJSON {
      try #require(query(parameters)["results"]?.items.first)
    }
    let fixed = ["createdAt", "updatedAt"]
    #expect(try first(["keys": "n,none"]).keys == ["objectId", "n"] + fixed)
    let identifier = try first([:]).string("objectId") ?? ""
    let thing = try reply("GET", "/1/classes/Thing/\(identifier)?keys=name")
    #expect(thing.keys == ["objectId", "name"] + fixed)
  }
}
