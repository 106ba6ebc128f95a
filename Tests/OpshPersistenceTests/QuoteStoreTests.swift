import Foundation
import OpshNetworking
import Testing

@testable import OpshPersistence

@Suite("Quotes in the store", .timeLimit(.minutes(15)))
struct QuoteStoreTests {
  private let quotes = SQLiteStore.inMemory().quotes

  private func time(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }

  @Test("A merge creates, updates and keeps quotes, and reports the number of each")
  func merge() throws {
    let first = try quotes.merge(
      [
        QuoteRecord(id: "a", text: "one", author: "A", readCount: 1, createdAt: time(1)),
        QuoteRecord(id: "b", text: "two"), QuoteRecord(id: "c", text: "three"),
      ], syncedAt: time(10))
    #expect(first == QuoteMergeReport(created: 3))
    let second = try quotes.merge(
      [
        QuoteRecord(id: "a", text: "one", author: "A", readCount: 2, createdAt: time(1)),
        QuoteRecord(id: "b", text: "two"), QuoteRecord(id: "d", text: "four"),
      ], syncedAt: time(20))
    #expect(second == QuoteMergeReport(created: 1, updated: 1, unchanged: 1))
    // Quotes that are not in the download stay.
    #expect(try quotes.list(order: .id, limit: nil, offset: 0).map(\.id) == ["a", "b", "c", "d"])
    #expect(try quotes.quote(id: "a")?.readCount == 2)
    #expect(
      try quotes.summary()
        == QuoteSummary(count: 4, unreadCount: 3, readTotal: 2, lastSync: time(20)))
  }

  @Test("Downloaded data replaces all local data, even newer data")
  func downloadWins() throws {
    let full = QuoteRecord(
      id: "a", text: "new", author: "A", readCount: 9, createdAt: time(5), updatedAt: time(50))
    _ = try quotes.merge([full], syncedAt: nil)
    _ = try quotes.raiseReadCount(id: "a", by: 5)
    let older = QuoteRecord(id: "a", text: "old", updatedAt: time(2))
    #expect(try quotes.merge([older], syncedAt: nil) == QuoteMergeReport(updated: 1))
    #expect(try quotes.quote(id: "a") == Quote(id: "a", text: "old", updatedAt: time(2)))
  }

  @Test("Invalid records are reported and skipped; valid ones are merged")
  func misfits() throws {
    let report = try quotes.merge(
      [
        QuoteRecord(id: "a", text: "one"), QuoteRecord(text: "no id"), QuoteRecord(id: "b"),
        .invalid(id: "c", reason: "its text is a number"), QuoteRecord(id: "d", text: "two"),
      ], syncedAt: time(1))
    #expect(report.created == 2)
    #expect(report.rejected.map(\.index) == [1, 2, 3])
    #expect(report.rejected.map(\.id) == [nil, "b", "c"])
    #expect(report.rejected.last?.reason == "its text is a number")
    #expect(try quotes.list(order: .id, limit: nil, offset: 0).map(\.id) == ["a", "d"])
  }

  @Test("Of several records with one id the last is stored")
  func repeated() throws {
    let report = try quotes.merge(
      [
        QuoteRecord(id: "a", text: "one"), QuoteRecord(id: "b", text: "b"),
        QuoteRecord(id: "a", text: "two"), QuoteRecord(id: "a"),
      ], syncedAt: nil)
    #expect(report.created == 2)
    #expect(report.repeated == 1)
    #expect(report.rejected.count == 1)
    #expect(try quotes.quote(id: "a")?.text == "two")
  }

  @Test("An empty merge saves the time of the sync if there is one, and otherwise nothing")
  func emptyMerge() throws {
    #expect(try quotes.merge([], syncedAt: nil) == QuoteMergeReport())
    #expect(try quotes.summary().lastSync == nil)
    _ = try quotes.merge([], syncedAt: time(1.5))
    #expect(try quotes.summary().lastSync == time(1.5))
    // A merge without changes is a sync as well.
    _ = try quotes.merge([QuoteRecord(id: "a")], syncedAt: time(2.5))
    #expect(try quotes.summary().lastSync == time(2.5))
  }

  @Test(
    "Text of every kind is stored and read byte by byte",
    arguments: [
      "a\u{0}b", "\u{0}", "'; DROP TABLE quotes; --", "?1 :a @b $c", "%_\\", "日本語", "👩‍👩‍👧‍👦",
      "\u{202E}RTL", "e\u{301}", "\u{FEFF}bom", "\r\n\t", "\u{10FFFF}", "\u{FFFD}",
      String(repeating: "long ", count: 13_000),
    ])
  func hostileText(text: String) throws {
    let quote = Quote(id: "id-\(text.count)", text: text + ".", author: text.isEmpty ? nil : "x")
    _ = try quotes.merge(
      [QuoteRecord(id: quote.id, text: quote.text, author: quote.author)], syncedAt: nil)
    let found = try #require(try quotes.quote(id: quote.id))
    // By bytes: `String` compares texts with different compositions as equal.
    #expect(Array(found.text.utf8) == Array(quote.text.utf8))
    #expect(try quotes.list().map(\.text.utf8.count) == [quote.text.utf8.count])
  }

  @Test("Ids are compared byte by byte")
  func ids() throws {
    let ids = ["a", "A", "é", "e\u{301}", "a ", "0", "00", "'"]
    _ = try quotes.merge(ids.map { QuoteRecord(id: $0, text: "x") }, syncedAt: nil)
    #expect(try quotes.summary().count == ids.count)
    for id in ids {
      let found = try #require(try quotes.quote(id: id))
      #expect(Array(found.id.utf8) == Array(id.utf8))
    }
    #expect(try quotes.quote(id: "b") == nil)
  }

  @Test(
    "Lists are sorted, with missing values at the end",
    arguments: [
      (QuoteOrder.newest, ["c", "a", "b", "d"]), (.oldest, ["a", "c", "b", "d"]),
      (.updated, ["b", "a", "c", "d"]), (.reads, ["b", "c", "a", "d"]),
      (.author, ["c", "a", "b", "d"]), (.text, ["d", "b", "a", "c"]), (.id, ["a", "b", "c", "d"]),
    ])
  func orders(order: QuoteOrder, expected: [String]) throws {
    _ = try quotes.merge(
      [
        QuoteRecord(
          id: "a", text: "t3", author: "bert", readCount: 1, createdAt: time(1),
          updatedAt: time(2)),
        QuoteRecord(id: "b", text: "T2", author: "Chris", readCount: 10, updatedAt: time(9)),
        QuoteRecord(id: "c", text: "t4", author: "Ada", readCount: 9, createdAt: time(2)),
        QuoteRecord(id: "d", text: "T1"),
      ], syncedAt: nil)
    #expect(try quotes.list(order: order, limit: nil, offset: 0).map(\.id) == expected)
    #expect(try quotes.list(order: order, limit: 2, offset: 1).map(\.id) == Array(expected[1...2]))
    #expect(try quotes.list(order: order, limit: 0, offset: 0).isEmpty)
    #expect(try quotes.list(order: order, limit: -1, offset: 0).isEmpty)
    #expect(try quotes.list(order: order, limit: 9, offset: -9).count == 4)
    #expect(try quotes.list(order: order, limit: .max, offset: .max).isEmpty)
  }

  @Test("Read counts are incremented and set within their bounds")
  func readCounts() throws {
    _ = try quotes.merge([QuoteRecord(id: "a", text: "x", createdAt: time(1))], syncedAt: nil)
    #expect(try quotes.raiseReadCount(id: "a", by: 1).readCount == 1)
    #expect(try quotes.raiseReadCount(id: "a", by: -5).readCount == 0)
    #expect(try quotes.setReadCount(id: "a", to: -1).readCount == 0)
    #expect(try quotes.setReadCount(id: "a", to: .max - 1).readCount == .max - 1)
    #expect(try quotes.raiseReadCount(id: "a", by: 1).readCount == .max)
    #expect(try quotes.raiseReadCount(id: "a", by: .max).readCount == .max)
    let kept = try #require(try quotes.quote(id: "a"))
    #expect(kept == Quote(id: "a", text: "x", readCount: .max, createdAt: time(1)))
    _ = try quotes.merge([QuoteRecord(id: "b", text: "x", readCount: .max)], syncedAt: nil)
    #expect(try quotes.summary().readTotal == .max)
    #expect(code { _ = try quotes.raiseReadCount(id: "z", by: 1) } == "quote-unknown")
    #expect(code { _ = try quotes.setReadCount(id: "z", to: 1) } == "quote-unknown")
  }

  @Test("One quote or all quotes can be removed")
  func removing() throws {
    _ = try quotes.merge(generation(1, count: 5), syncedAt: time(1))
    try quotes.remove(id: "q3")
    #expect(code { try quotes.remove(id: "q3") } == "quote-unknown")
    #expect(try quotes.removeAll() == 4)
    #expect(
      try quotes.summary() == QuoteSummary(count: 0, unreadCount: 0, readTotal: 0, lastSync: nil))
    #expect(try quotes.removeAll() == 0)
  }

  @Test("Dates are stored with millisecond precision")
  func dates() throws {
    let date = Date(timeIntervalSince1970: 1_936_000_000.123)
    let record = QuoteRecord(id: "a", text: "x", createdAt: date, updatedAt: time(-5.25))
    _ = try quotes.merge([record], syncedAt: nil)
    let kept = try #require(try quotes.quote(id: "a"))
    #expect(abs((kept.createdAt ?? .distantPast).timeIntervalSince(date)) < 0.0001)
    #expect(kept.updatedAt == time(-5.25))
    #expect(try quotes.merge([record], syncedAt: nil).unchanged == 1)
  }

  @Test("Ten thousand quotes are merged, listed and merged again")
  func manyRows() throws {
    let folder = try StoreFolder()
    let store = folder.store()
    let start = ContinuousClock.now
    #expect(try store.quotes.merge(generation(1, count: 10_000), syncedAt: nil).created == 10_000)
    #expect(try store.quotes.merge(generation(2, count: 10_000), syncedAt: nil).updated == 10_000)
    let again = try store.quotes.merge(generation(2, count: 10_001), syncedAt: nil)
    #expect(again == QuoteMergeReport(created: 1, unchanged: 10_000))
    for order in QuoteOrder.allCases {
      #expect(try store.quotes.list(order: order, limit: nil, offset: 0).count == 10_001)
    }
    // Linear, not quadratic: this takes a second, and would take minutes.
    #expect(ContinuousClock.now - start < .seconds(60))
    #expect(try store.findDamage().isEmpty)
  }
}
