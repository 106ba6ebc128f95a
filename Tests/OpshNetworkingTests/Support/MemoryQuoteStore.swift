import Foundation
import OpshLocking
import OpshNetworking

/// A store of quotes in memory.
final class MemoryQuoteStore: QuoteStore {
  let records = Locked<[QuoteRecord]>([])
  /// The error that merges throw; nil for none.
  let refusal = Locked<StoreError?>(nil)

  func merge(_ new: [QuoteRecord], syncedAt: Date?) throws(StoreError) -> QuoteMergeReport {
    if let error = refusal.withLock({ $0 }) { throw error }
    records.withLock { $0 = new }
    var report = QuoteMergeReport()
    for (index, record) in new.enumerated() {
      switch record.validated {
      case .success: report.created += 1
      case .failure(let problem):
        report.rejected.append(.init(index: index, id: record.id, reason: problem.reason))
      }
    }
    return report
  }

  func list(order: QuoteOrder, limit: Int?, offset: Int) throws(StoreError) -> [Quote] {
    records.withLock { $0.compactMap { try? $0.validated.get() } }
  }

  func quote(id: String) throws(StoreError) -> Quote? { try list().first { $0.id == id } }

  func raiseReadCount(id: String, by amount: Int) throws(StoreError) -> Quote {
    try setReadCount(id: id, to: (try quote(id: id)?.readCount ?? 0) + amount)
  }

  func setReadCount(id: String, to count: Int) throws(StoreError) -> Quote {
    records.withLock { records in
      for place in records.indices where records[place].id == id {
        records[place].readCount = count
      }
    }
    guard let quote = try quote(id: id) else { throw .unknownQuote(id) }
    return quote
  }

  func remove(id: String) throws(StoreError) {
    records.withLock { $0.removeAll { $0.id == id } }
  }

  func removeAll() throws(StoreError) -> Int {
    records.withLock { records in
      defer { records = [] }
      return records.count
    }
  }

  func summary() throws(StoreError) -> QuoteSummary {
    QuoteSummary(count: try list().count, unreadCount: 0, readTotal: 0, lastSync: nil)
  }
}
