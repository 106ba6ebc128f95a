@testable import PracticeServer
import Testing

@Suite("Relations of the Parse REST API", .timeLimit(.minutes(15)))
final class ParseRelationTests {
  private let server = PracticeServer()

  init() throws {
    try server.start()
  }

  deinit {
    server.stop()
  }

  private func reply(
    _ method: String, _ path: String, _ body: String? = nil
  ) throws -> OrderedJSON {
    try RawClient.Reply.get(
      "/1/classes/\(path)", from: server.port, method: method,
      headers: ["X-Parse-Application-Id: app", "X-Parse-REST-API-Key: key"], body: body
    ).json()
  }

  /// Makes an object.
  ///
  /// - Returns: Its identifier.
  private func make(_ className: String, _ body: String = "{}") throws -> String {
    try #require(try reply("POST", className, body).string("objectId"))
  }

  private func pointer(_ identifier: String, _ className: String = "Reader") -> String {
    #"{"__type":"Pointer","className":"\#(className)","objectId":"\#(identifier)"}"#
  }

  private func operation(_ name: String, _ identifiers: String...) -> String {
    let pointers = identifiers.map { pointer($0) }.joined(separator: ",")
    return #"{"__op":"\#(name)","objects":[\#(pointers)]}"#
  }

  /// The identifiers of what a condition finds.
  private func found(_ className: String, where condition: String) throws -> [String] {
    let query = PercentEncoding.encode(condition)
    let results = try reply("GET", "\(className)?where=\(query)")["results"]
    return try #require(results).items.compactMap { $0.string("objectId") }
  }

  private func members(of book: String) throws -> [String] {
    try found(
      "Reader", where: #"{"$relatedTo":{"object":\#(pointer(book, "Book")),"key":"readers"}}"#)
  }

  @Test("Members are added and removed, found by their owner, and their owner by them")
  func members() throws {
    let (ada, bob, cyd) = (try make("Reader"), try make("Reader"), try make("Reader"))
    let book = try make("Book", #"{"title":"a","readers":\#(operation("AddRelation", ada))}"#)
    let other = try make("Book", #"{"title":"b"}"#)
    #expect(try members(of: book) == [ada])
    #expect(try members(of: other) == [])

    // What changed about a relation is not told; who added a member twice has it once.
    let changed = try reply(
      "PUT", "Book/\(book)", #"{"readers":\#(operation("AddRelation", cyd, ada, bob))}"#)
    #expect(changed.keys == ["updatedAt"])
    #expect(try members(of: book) == [ada, bob, cyd])
    #expect(try found("Book", where: #"{"readers":\#(pointer(bob))}"#) == [book])
    #expect(try found("Book", where: #"{"readers":{"$ne":\#(pointer(bob))}}"#) == [other])
    #expect(try found("Book", where: #"{"readers":{"$in":[\#(pointer("x"))]}}"#) == [])
    let either = [pointer("x"), pointer(cyd)].joined(separator: ",")
    #expect(try found("Book", where: #"{"readers":{"$in":[\#(either)]}}"#) == [book])

    let batch = [operation("RemoveRelation", ada, bob), operation("AddRelation", bob)]
    _ = try reply(
      "PUT", "Book/\(book)",
      #"{"readers":{"__op":"Batch","ops":[\#(batch.joined(separator: ","))]}}"#)
    #expect(try members(of: book) == [bob, cyd])
    _ = try reply("DELETE", "Reader/\(bob)")
    #expect(try members(of: book) == [cyd])
    _ = try reply("DELETE", "Book/\(book)")
    #expect(try members(of: book) == [])
  }

  @Test("All objects of a class show where its relations lead, and never their members")
  func shown() throws {
    let plain = try make("Book", #"{"title":"a"}"#)
    #expect(try reply("GET", "Book/\(plain)")["readers"] == nil)
    let reader = try make("Reader")
    let book = try make("Book", #"{"readers":\#(operation("AddRelation", reader))}"#)
    for identifier in [plain, book] {
      let relation = try #require(try reply("GET", "Book/\(identifier)")["readers"])
      #expect(relation.keys == ["__type", "className"])
      #expect(relation.string("__type") == "Relation" && relation.string("className") == "Reader")
    }
    #expect(try reply("GET", "Book/\(book)?excludeKeys=readers")["readers"] == nil)
    let shelf = try make("Shelf", #"{"first":\#(pointer(book, "Book"))}"#)
    let included = try reply("GET", "Shelf/\(shelf)?include=first")["first"]
    #expect(included?["readers"]?.string("className") == "Reader")

    // Clients send back what they were sent.
    let same = #"{"readers":{"__type":"Relation","className":"Reader"},"title":"b"}"#
    #expect(try reply("PUT", "Book/\(book)", same).keys == ["updatedAt"])
    #expect(try members(of: book) == [reader])
  }

  @Test(
    "Mistakes have their numbers",
    arguments: [
      (#"{"__op":"AddRelation","objects":1}"#, 107),
      (#"{"__op":"RemoveRelation"}"#, 107),
      (#"{"__op":"AddRelation","objects":[1]}"#, 106),
      (#"{"__op":"AddRelation","objects":[{"__type":"Pointer"}]}"#, 106),
      (
        #"{"__op":"AddRelation","objects":[{"__type":"Pointer","className":"A","objectId":"a"}]}"#,
        111
      ),
      (#"{"__type":"Relation","className":"A"}"#, 111), (#"{"__type":"Relation"}"#, 111),
      ("1", 111), (#"{"__op":"Increment","amount":1}"#, 111),
      (#"{"__op":"Batch","ops":1}"#, 107), (#"{"__op":"Batch","ops":[{"__op":"Delete"}]}"#, 108),
    ])
  func mistakes(change: String, code: Int) throws {
    let reader = try make("Reader")
    let book = try make("Book", #"{"readers":\#(operation("AddRelation", reader))}"#)
    #expect(try reply("PUT", "Book/\(book)", #"{"readers":\#(change)}"#).integer("code") == code)
    #expect(try members(of: book) == [reader])
  }

  @Test("A question for members that names no owner is refused")
  func badQuestions() throws {
    for value in ["1", "{}", #"{"object":1,"key":"a"}"#, #"{"object":\#(pointer("a"))}"#] {
      let query = PercentEncoding.encode(#"{"$relatedTo":\#(value)}"#)
      #expect(try reply("GET", "Reader?where=\(query)").integer("code") == 102)
    }
  }
}
