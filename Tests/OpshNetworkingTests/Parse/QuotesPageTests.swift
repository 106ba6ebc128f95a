import Foundation
import Testing

@testable import OpshNetworking

@Suite("Pages of downloaded quotes")
struct QuotesPageTests {
  private func record(_ json: String) throws -> QuoteRecord {
    QuoteRecord(parsing: try JSONValue(parsing: Array(json.utf8)))
  }

  @Test("A record with all fields becomes a quote")
  func whole() throws {
    let record = try record(
      """
      {"objectId":"q7Xb2LmN0a","text":"a","author":"b","readCount":3.0,"tags":["x"],
      "createdAt":"2031-05-06T07:08:09.123Z","updatedAt":{"__type":"Date","iso":"2031-05-06T07:08:10Z"}}
      """)
    let quote = try record.validated.get()
    #expect(quote.id == "q7Xb2LmN0a" && quote.text == "a" && quote.author == "b")
    #expect(quote.readCount == 3)
    #expect(abs((quote.createdAt?.timeIntervalSince1970 ?? 0) - 1_935_817_689.123) < 0.0005)
    #expect(quote.updatedAt?.timeIntervalSince1970 == 1_935_817_690)
  }

  @Test(
    "An invalid record reports the reason",
    arguments: [
      (#"{"objectId":"a"}"#, "it has no text"),
      (#"{"objectId":"a","text":null,"author":null}"#, "it has no text"),
      (#"{"text":"t"}"#, "it has no object id"),
      (#"{"objectId":7,"text":"t"}"#, "its object id is an integer"),
      (#"{"objectId":"a","text":42}"#, "its text is an integer"),
      (#"{"objectId":"a","text":"t","author":["x"]}"#, "its author is an array"),
      (#"{"objectId":"a","text":"t","readCount":"often"}"#, "its read count is a string"),
      (#"{"objectId":"a","text":"t","readCount":1.5}"#, "its read count is a number"),
      (#"{"objectId":"a","text":"t","readCount":-1}"#, "its read count is negative"),
      (#"{"objectId":"a","text":"t","createdAt":"soon"}"#, "its createdAt is not a date"),
      (#"{"objectId":"a","text":"t","updatedAt":5}"#, "its updatedAt is an integer"),
      ("[]", "it is an array and not an object"), ("null", "it is null and not an object"),
    ])
  func misfits(json: String, reason: String) throws {
    #expect(try record(json).validated == .failure(.init(reason: reason)))
  }

  @Test("A page keeps its order and lists invalid records")
  func page() throws {
    let page = try QuotesPage(
      decoding: Array(#"{"results":[{"objectId":"a","text":"t"},7],"count":9}"#.utf8))
    #expect(page.records.count == 2 && page.records[0].id == "a")
    #expect(page.total == 9 && page.missingCount == 7)
    #expect(throws: NetworkError.self) { try QuotesPage(decoding: Array("{}".utf8)) }
    #expect(throws: NetworkError.self) { try QuotesPage(decoding: Array("no".utf8)) }
  }
}
