import Foundation
import Testing

@testable import OpshNetworking

@Suite("Downloaded quotes")
struct QuoteRecordTests {
  @Test("A record with an id and a text becomes a quote, even if all else is missing")
  func smallest() throws {
    let quote = try QuoteRecord(id: "a", text: "b").validated.get()
    #expect(quote == Quote(id: "a", text: "b"))
    #expect(quote.readCount == 0)
  }

  @Test(
    "An invalid record reports the reason",
    arguments: [
      (QuoteRecord(text: "t"), "object id"), (QuoteRecord(id: "", text: "t"), "object id"),
      (QuoteRecord(id: "a\u{0}", text: "t"), "object id"),
      (QuoteRecord(id: String(repeating: "x", count: 201), text: "t"), "object id"),
      (QuoteRecord(id: "a"), "text"), (QuoteRecord(id: "a", text: " \n"), "text"),
      (QuoteRecord(id: "a", text: String(repeating: "x", count: 65_537)), "text"),
      (QuoteRecord(id: "a", text: "t", author: String(repeating: "x", count: 1_001)), "author"),
      (QuoteRecord(id: "a", text: "t", readCount: -1), "read count"),
      (QuoteRecord.invalid(id: "a", reason: "its text is a number"), "its text is a number"),
    ])
  func misfits(record: QuoteRecord, word: String) {
    guard case .failure(let problem) = record.validated else {
      Issue.record("it was taken for a quote")
      return
    }
    #expect(problem.reason.contains(word))
  }

  // Separate from the others: a test prints its arguments, and printing such a date crashes.
  @Test("Dates outside the calendar are rejected")
  func dates() {
    for seconds in [Double.nan, .infinity, -.infinity, 1e300, 253_402_300_800, -62_135_596_801] {
      let date = Date(timeIntervalSince1970: seconds)
      for record in [
        QuoteRecord(id: "a", text: "t", createdAt: date),
        QuoteRecord(id: "a", text: "t", updatedAt: date),
      ] {
        guard case .failure(let problem) = record.validated else {
          Issue.record("\(seconds) was taken for a date")
          continue
        }
        #expect(problem.reason.contains("dates"))
      }
    }
  }

  @Test("Values at the limits and text of every kind are accepted")
  func limits() {
    for text in ["a\u{0}b", "\u{202E}x", "👩‍👩‍👧‍👦", String(repeating: "x", count: 65_536)] {
      let record = QuoteRecord(
        id: String(repeating: "x", count: 200), text: text, author: "", readCount: .max,
        createdAt: Date(timeIntervalSince1970: -62_135_596_800))
      #expect((try? record.validated.get())?.text == text)
    }
  }
}
