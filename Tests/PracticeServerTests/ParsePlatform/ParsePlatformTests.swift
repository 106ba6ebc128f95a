import TestSupport
import Testing

@testable import PracticeServer

@Suite("The Parse REST API", .timeLimit(.minutes(15)))
final class ParsePlatformTests {
  private static let keys = ["X-Parse-Application-Id: app", "X-Parse-REST-API-Key: key"]
  private let server = PracticeServer()

  init() throws {
    try server.start()
  }

  deinit {
    server.stop()
  }

  private func send(
    _ method: String, _ path: String, _ body: String? = nil, headers: [String] = keys
  ) throws -> RawClient.Reply {
    try RawClient.Reply.get(path, from: server.port, method: method, headers: headers, body: body)
  }

  private func json(
    _ method: String, _ path: String, _ body: String? = nil
  ) throws -> OrderedJSON {
    try send(method, path, body).json()
  }

  // MARK: Objects

  @Test("An object is created, read, changed and deleted", arguments: ["/1", "/parse", "/parse/1"])
  func life(base: String) throws {
    let port = try #require(server.port)
    let made = try send("POST", "\(base)/classes/Note", #"{"text":"é","count":3,"tags":["a"]}"#)
    #expect(made.status == 201)
    let created = try made.json()
    #expect(created.keys == ["objectId", "createdAt"])
    let identifier = try #require(created.string("objectId"))
    #expect(
      identifier.count == 10 && identifier.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    )
    let path = "\(base)/classes/Note/\(identifier)"
    #expect(made.headers["location"] == "http://127.0.0.1\(path)" && port > 0)
    let moment = try #require(created.string("createdAt"))
    #expect(ISODate.milliseconds(moment) != nil && moment.count == 24)

    let read = try send("GET", path)
    #expect(read.status == 200)
    #expect(read.headers["content-type"] == "application/json; charset=utf-8")
    let object = try read.json()
    #expect(object.keys == ["objectId", "text", "count", "tags", "createdAt", "updatedAt"])
    #expect(object.string("createdAt") == moment && object.string("updatedAt") == moment)

    let changed = try send("PUT", path, #"{"text":"new","objectId":"other","createdAt":"x"}"#)
    #expect(changed.status == 200)
    let updated = try #require(changed.json().string("updatedAt"))
    #expect(try changed.json().keys == ["updatedAt"])
    #expect(updated > moment)
    let after = try json("GET", path)
    #expect(after.string("text") == "new" && after.integer("count") == 3)
    #expect(after.string("createdAt") == moment && after.string("updatedAt") == updated)

    let deleted = try send("DELETE", path)
    #expect(try deleted.status == 200 && deleted.text() == "{}")
    #expect(try send("GET", path).status == 404)
    #expect(
      try send("DELETE", path).text() == #"{"code":101,"error":"Object not found for delete."}"#)
  }

  @Test("A request with a request ID is executed once")
  func idempotency() throws {
    func make(_ method: String, _ path: String, _ name: String) throws -> RawClient.Reply {
      try send(method, path, "{}", headers: Self.keys + ["x-parse-request-id: \(name)"])
    }
    let first = try make("POST", "/1/classes/Note", "a")
    let path = "/1/classes/Note/" + (try #require(first.json().string("objectId")))
    let again = try make("POST", "/1/classes/Note", "a")
    #expect(again.status == 400)
    #expect(try again.text() == #"{"code":159,"error":"Duplicate request"}"#)
    #expect(try make("PUT", path, "b").status == 200 && make("PUT", path, "b").status == 400)
    #expect(try make("POST", "/1/classes/Note", "c").status == 201)
    #expect(try json("GET", "/1/classes/Note?count=1&limit=0").integer("count") == 2)
  }

  struct Change: Sendable, CustomTestStringConvertible {
    let change: String
    /// The fields of the object afterwards, and what the answer tells beside the time.
    let after: String
    var told = "{}"
    var testDescription: String { change }
  }

  static let changes: [Change] = [
    Change(
      change: #"{"n":{"__op":"Increment","amount":2}}"#, after: #"{"n":3,"l":[1,"a"],"t":"x"}"#,
      told: #"{"n":3}"#),
    Change(
      change: #"{"n":{"__op":"Increment","amount":-0.5}}"#,
      after: #"{"n":0.5,"l":[1,"a"],"t":"x"}"#, told: #"{"n":0.5}"#),
    Change(
      change: #"{"m":{"__op":"Increment","amount":5}}"#,
      after: #"{"n":1,"l":[1,"a"],"t":"x","m":5}"#, told: #"{"m":5}"#),
    Change(
      change: #"{"l":{"__op":"Add","objects":["a",2]}}"#,
      after: #"{"n":1,"l":[1,"a","a",2],"t":"x"}"#, told: #"{"l":[1,"a","a",2]}"#),
    Change(
      change: #"{"l":{"__op":"AddUnique","objects":["a",2,2,1.0]}}"#,
      after: #"{"n":1,"l":[1,"a",2],"t":"x"}"#, told: #"{"l":[1,"a",2]}"#),
    Change(
      change: #"{"l":{"__op":"Remove","objects":["a",9]}}"#, after: #"{"n":1,"l":[1],"t":"x"}"#,
      told: #"{"l":[1]}"#),
    Change(
      change: #"{"k":{"__op":"Remove","objects":[1]},"j":{"__op":"Add","objects":[1]}}"#,
      after: #"{"n":1,"l":[1,"a"],"t":"x","k":[],"j":[1]}"#, told: #"{"k":[],"j":[1]}"#),
    Change(change: #"{"t":{"__op":"Delete"}}"#, after: #"{"n":1,"l":[1,"a"]}"#),
    Change(
      change: #"{"t":null,"o":{"a":{"b":1}}}"#,
      after: #"{"n":1,"l":[1,"a"],"t":null,"o":{"a":{"b":1}}}"#),
    Change(change: "{}", after: #"{"n":1,"l":[1,"a"],"t":"x"}"#),
    Change(change: "", after: #"{"n":1,"l":[1,"a"],"t":"x"}"#),
  ]

  @Test("Field operations change the stored value and return the new one", arguments: changes)
  func changes(_ change: Change) throws {
    let made = try json("POST", "/1/classes/Thing", #"{"n":1,"l":[1,"a"],"t":"x"}"#)
    let path = "/1/classes/Thing/\(made.string("objectId") ?? "")"
    let reply = try send("PUT", path, change.change)
    #expect(reply.status == 200)
    #expect(try fields(reply.json(), without: ["updatedAt"]) == OrderedJSON(parsing: change.told))
    let after = try fields(json("GET", path), without: ["objectId", "createdAt", "updatedAt"])
    #expect(try after == OrderedJSON(parsing: change.after))
  }

  private func fields(_ object: OrderedJSON, without names: [String]) throws -> OrderedJSON {
    guard case .object(let members) = object else { throw OrderedJSON.Failure(offset: 0) }
    return .object(members.filter { !names.contains($0.key) })
  }

  @Test("In a new object, field operations become plain values")
  func flattening() throws {
    let made = try json(
      "POST", "/1/classes/Flat",
      #"{"a":{"__op":"Increment","amount":4},"b":{"__op":"Add","objects":[1]},"#
        + #""c":{"__op":"Remove","objects":[1]},"d":{"__op":"Delete"}}"#)
    let object = try json("GET", "/1/classes/Flat/\(made.string("objectId") ?? "")")
    #expect(object.integer("a") == 4 && object["b"] == .array([.integer(1)]))
    #expect(object["c"] == .array([]) && object["d"] == nil)
  }

  struct Mistake: Sendable, CustomTestStringConvertible {
    let method: String
    var path = "/1/classes/Quote"
    var body: String?
    let status: Int
    let code: Int
    var error: String?
    var testDescription: String { "\(method) \(path) \(body ?? "")" }
  }

  static let mistakes: [Mistake] = [
    Mistake(method: "POST", body: "{", status: 400, code: 107, error: "invalid JSON"),
    Mistake(method: "POST", body: "[1]", status: 400, code: 107),
    Mistake(method: "GET", path: "/1/classes/Quote?where=nonsense", status: 400, code: 107),
    Mistake(
      method: "POST", body: String(repeating: "[", count: 5_000), status: 400, code: 107),
    Mistake(
      method: "POST", body: #"{"objectId":"abc"}"#, status: 400, code: 105,
      error: "objectId is an invalid field name."),
    Mistake(
      method: "POST", body: #"{"1a":1}"#, status: 400, code: 105,
      error: "Invalid field name: 1a."),
    Mistake(method: "POST", body: #"{"a.b":1}"#, status: 400, code: 105),
    Mistake(method: "POST", body: #"{"a":{"$b":1}}"#, status: 400, code: 121),
    Mistake(method: "POST", body: #"{"a":[{"b.c":1}]}"#, status: 400, code: 121),
    Mistake(
      method: "POST", body: #"{"text":1}"#, status: 400, code: 111,
      error: "schema mismatch for Quote.text; expected String but got Number"),
    Mistake(
      method: "POST", body: #"{"readCount":{"__op":"Add","objects":[1]}}"#, status: 400,
      code: 111),
    Mistake(
      method: "POST", body: #"{"readCount":{"__op":"Increment","amount":"1"}}"#, status: 400,
      code: 107, error: "incrementing must provide a number"),
    Mistake(
      method: "POST", body: #"{"l":{"__op":"Add","objects":1}}"#, status: 400, code: 107),
    Mistake(method: "POST", body: #"{"r":{"__op":"Multiply"}}"#, status: 400, code: 108),
    Mistake(
      method: "POST", body: #"{"r":{"__op":"AddRelation","objects":[]}}"#, status: 400, code: 108,
      error: "The AddRelation operator is not supported yet."),
    Mistake(
      method: "POST", body: #"{"r":{"__type":"Relation","className":"A"}}"#, status: 400, code: 111),
    Mistake(method: "POST", body: #"{"r":{"__type":"Pointer"}}"#, status: 400, code: 106),
    Mistake(
      method: "POST", body: #"{"r":{"__type":"Date","iso":"now"}}"#, status: 400, code: 107),
    Mistake(method: "POST", body: #"{"r":{"__type":"Thing"}}"#, status: 400, code: 111),
    Mistake(
      method: "POST", body: #"{"a":"\#(String(repeating: "x", count: 140_000))"}"#, status: 400,
      code: 116, error: "The object is too large -- should be less than 128 kB."),
    Mistake(
      method: "POST", path: "/1/classes/1Bad", body: "{}", status: 400, code: 103,
      error: "Invalid classname: 1Bad, classnames can only have alphanumeric characters and _, "
        + "and must start with an alpha character "),
    Mistake(method: "GET", path: "/1/classes/Bad-Name", status: 400, code: 103),
    Mistake(
      method: "GET", path: "/1/classes/Quote/nothing", status: 404, code: 101,
      error: "Object not found."),
    Mistake(
      method: "PUT", path: "/1/classes/Quote/nothing", body: "{}", status: 404, code: 101),
    Mistake(method: "DELETE", path: "/1/classes/Quote/nothing", status: 404, code: 101),
    Mistake(
      method: "GET", path: "/1/classes/Quote/nothing?where=%7B%7D", status: 400, code: 102,
      error: "Improper encode of parameter"),
    Mistake(
      method: "GET", path: "/1/classes/Quote?color=red", status: 400, code: 102,
      error: "Invalid parameter for query: color"),
    Mistake(
      method: "GET", path: "/1/classes/Quote?include=collection", status: 400, code: 102,
      error: "Invalid parameter for query: include"),
    Mistake(method: "GET", path: "/1/classes/Quote?limit=some", status: 400, code: 102),
    Mistake(method: "GET", path: "/1/classes/Quote?skip=-1", status: 400, code: 102),
    Mistake(method: "GET", path: "/1/classes/Quote?order=a%20b", status: 400, code: 105),
    Mistake(method: "GET", path: "/1/classes/Quote?where=5", status: 400, code: 102),
  ]

  @Test("Errors have their codes and statuses", arguments: mistakes)
  func mistakes(_ mistake: Mistake) throws {
    let reply = try send(mistake.method, mistake.path, mistake.body)
    #expect(reply.status == mistake.status)
    let json = try reply.json()
    #expect(json.keys == ["code", "error"] && json.integer("code") == mistake.code)
    if let error = mistake.error { #expect(json.string("error") == error) }
  }

  @Test("A field keeps its first type")
  func schema() throws {
    let first = try json(
      "POST", "/1/classes/Typed",
      #"{"a":1,"p":{"__type":"Pointer","className":"X","objectId":"y"}}"#)
    for body in [
      #"{"a":"1"}"#, #"{"a":true}"#, #"{"a":[1]}"#, #"{"p":{"b":1}}"#,
      #"{"p":{"__type":"Pointer","className":"Z","objectId":"y"}}"#,
    ] {
      #expect(try json("POST", "/1/classes/Typed", body).integer("code") == 111, "\(body)")
      let path = "/1/classes/Typed/\(first.string("objectId") ?? "")"
      #expect(try json("PUT", path, body).integer("code") == 111, "\(body)")
    }
    #expect(try send("POST", "/1/classes/Typed", #"{"a":null}"#).status == 201)
    #expect(try send("POST", "/1/classes/Typed", #"{"a":2.5,"b":"new"}"#).status == 201)
  }

  // MARK: Who may

  @Test(
    "A request without an application and a key is refused",
    arguments: [
      [], ["X-Parse-Application-Id: a"], ["X-Parse-REST-API-Key: k"],
      ["X-Parse-Application-Id:", "X-Parse-REST-API-Key: k"],
    ])
  func unauthorized(headers: [String]) throws {
    for (method, path) in [("GET", "/1/classes/Quote"), ("POST", "/parse/x"), ("GET", "/1")] {
      let reply = try send(method, path, method == "POST" ? "{}" : nil, headers: headers)
      #expect(reply.status == 403)
      #expect(try reply.text() == #"{"error":"unauthorized"}"#)
      #expect(reply.headers["content-type"] == nil)
    }
  }

  @Test(
    "Header names are case-insensitive, and any key is accepted",
    arguments: [
      ["x-parse-application-id: a", "x-parse-rest-api-key: k"],
      ["X-PARSE-APPLICATION-ID: a", "X-Parse-Master-Key: m"],
      ["X-Parse-Application-Id: a", "X-Parse-Javascript-Key: j"],
    ])
  func authorized(headers: [String]) throws {
    #expect(try send("GET", "/1/classes/Quote?limit=1", headers: headers).status == 200)
  }

  @Test("Every session token is refused")
  func sessions() throws {
    let reply = try send(
      "GET", "/1/classes/Quote", headers: Self.keys + ["X-Parse-Session-Token: r:1"])
    #expect(reply.status == 400)
    #expect(try reply.text() == #"{"code":209,"error":"Invalid session token"}"#)
  }

  @Test("A page of another origin is not allowed to ask")
  func crossOrigin() throws {
    let asked = try send("OPTIONS", "/parse/classes/Web", headers: ["Origin: http://evil.example"])
    #expect(asked.status >= 400)
    #expect(!asked.headers.keys.contains { $0.hasPrefix("access-control-") })
  }

  @Test("An unknown path returns an HTML error")
  func otherPlaces() throws {
    for (method, path) in [
      ("GET", "/parse/users"), ("PUT", "/1/classes/Quote"), ("DELETE", "/1/classes/Quote"),
      ("PATCH", "/1/classes/Quote/x"), ("POST", "/1/classes/Quote/x"), ("GET", "/1/classes/a/b/c"),
    ] {
      let reply = try send(method, path, method == "GET" ? nil : "{}")
      #expect(reply.status == 404)
      #expect(try reply.text().contains("<pre>Cannot \(method) \(path)</pre>"))
    }
    #expect(try send("GET", "/1/%3Cb%3E").text().contains("&lt;b&gt;"))
  }

  // MARK: What is there

  @Test("The data has sixty quotes, four of which are irregular")
  func quotes() throws {
    let quotes = try json("GET", "/1/classes/Quote?limit=1000")["results"]?.items ?? []
    #expect(quotes.count == 60)
    let order = [
      "objectId", "text", "author", "readCount", "tags", "collection", "addedOn", "createdAt",
      "updatedAt",
    ]
    var misfits = 0
    for quote in quotes {
      #expect(quote.keys == order.filter { quote[$0] != nil })
      let fits =
        quote.string("text") != nil && quote.string("author") != nil
        && quote.integer("readCount") != nil
      if !fits { misfits += 1 }
      #expect((quote.string("createdAt") ?? "") <= (quote.string("updatedAt") ?? ""))
      #expect(quote["addedOn"]?.string("__type") == "Date")
    }
    #expect(misfits == 4)
    #expect(quotes.contains { $0["text"] == nil } && quotes.contains { $0.integer("text") != nil })
    #expect(Set(quotes.compactMap { $0.string("text") }).count == 57)
    #expect(Set(quotes.compactMap { $0.string("objectId") }).count == 60)
  }

  @Test("The same seed gives the same quotes; a reset discards changes")
  func seeds() throws {
    let path = "/1/classes/Quote?limit=1000"
    let first = try send("GET", path).body
    _ = try send("POST", "/1/classes/Quote", #"{"text":"mine"}"#)
    #expect(try send("GET", path).body != first)
    server.reset()
    #expect(try send("GET", path).body == first)
    server.setSeed(2)
    let other = try send("GET", path).body
    #expect(other != first)
    server.setSeed(2)
    #expect(try send("GET", path).body == other)
  }

  @Test("A response that the client already has is revalidated with 304")
  func revalidation() throws {
    let path = "/parse/classes/Quote?limit=3"
    let tag = try #require(send("GET", path).headers["etag"])
    let again = try send("GET", path, headers: Self.keys + ["If-None-Match: \(tag)"])
    #expect(again.status == 304 && again.body.isEmpty)
    let quote = try json("GET", path)["results"]?.items.first?.string("objectId") ?? ""
    _ = try send(
      "PUT", "/1/classes/Quote/\(quote)", #"{"readCount":{"__op":"Increment","amount":1}}"#)
    #expect(try send("GET", path, headers: Self.keys + ["If-None-Match: \(tag)"]).status == 200)
  }

  @Test("The numbers of stored classes and objects are limited")
  func limits() throws {
    let store = ParsePlatformStore(seed: 1)
    let object = ParsePlatformObject(identifier: "a", createdAt: 0, updatedAt: 0, fields: [])
    for number in 0..<(ParsePlatformStore.maximumClasses - 2) {
      try store.put(object, in: "C\(number)")
    }
    #expect(throws: ParsePlatformError.full) { try store.put(object, in: "OneMore") }
    var count = 64 + ParsePlatformStore.maximumClasses - 2
    while count < ParsePlatformStore.maximumObjects {
      try store.put(
        ParsePlatformObject(identifier: "o\(count)", createdAt: 0, updatedAt: 0, fields: []),
        in: "C0")
      count += 1
    }
    let last = ParsePlatformObject(identifier: "last", createdAt: 0, updatedAt: 0, fields: [])
    #expect(throws: ParsePlatformError.full) { try store.put(last, in: "C0") }
    #expect(store.remove("a", from: "C0"))
    try store.put(last, in: "C0")
    #expect(store.object("last", of: "C0") == last)
  }
}
