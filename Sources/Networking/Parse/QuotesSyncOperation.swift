import Foundation
public import Operations

/// Brings the quotes of a store up to date: one long task in three parts, each on the data of the
/// one before.
///
/// The parts are operations of the group: the download, the parsing, and the saving, which is one
/// transaction of the store. If one of them does not succeed, the following are skipped, and the
/// store is as it was.
public final class QuotesSyncOperation: GroupOperation, @unchecked Sendable {
  // @unchecked because it adds constants only.

  /// Fetches the data.
  public let download: QuotesDownloadOperation
  /// Makes records of them.
  public let parse: QuotesParseOperation
  /// Puts those that are quotes into the store.
  public let save: StoreOperation<QuotesPage, QuoteMergeReport>

  /// Creates a group that is on no queue, with its operations still outside of it.
  init(
    name: String?, log: EventLog, download: QuotesDownloadOperation, store: any QuoteStore
  ) throws {
    self.download = download
    parse = try QuotesParseOperation(log: log, download: download)
    save = try StoreOperation(
      kind: "quotes save", log: log, source: parse, describe: { $0.summary },
      store: { page in try store.merge(page.records, syncedAt: log.date) })
    super.init(name: name, kind: "sync quotes", maxConcurrentOperationCount: 1, log: log)
  }

  /// Its operations in their order, to be added to it.
  public var parts: [ObservableOperation] { [download, parse, save] }

  /// What was done with each record, once all of it has been saved.
  public var report: QuoteMergeReport? { isValueDropped ? nil : save.stored }

  /// What was done with each record.
  public override var resultValue: (any Sendable)? { report }

  /// Whether the report was dropped, here or in the last part, which keeps it.
  public override var isValueDropped: Bool { super.isValueDropped || save.isValueDropped }

  /// Releases the report, which the last part keeps.
  public override func releaseValue() {
    super.releaseValue()
    save.dropValue()
  }

  /// How it ended, for a completion handler.
  var outcomeAsResult: Result<QuoteMergeReport, any Error> {
    switch outcome {
    case .succeeded?:
      if let report { return .success(report) }
      // Its parts were cancelled one by one.
      return .failure(OperationError.cancelled)
    case .failed(let failure)?:
      // The first part's own error says more than that one of three failed.
      return .failure(summary.failures.first?.failure ?? failure)
    default: return .failure(OperationError.cancelled)
    }
  }

  /// Says what was done with the records, or what became of the parts.
  public override var outcomeSummary: String? { save.outcomeSummary ?? super.outcomeSummary }
}

/// Reads a quote: raises its count on the service, and then in the store.
public final class QuoteReadOperation: GroupOperation, @unchecked Sendable {
  // @unchecked because it adds constants only.

  /// Raises the count on the service.
  public let increment: QuoteCountOperation
  /// Notes it in the store.
  public let save: StoreOperation<Int?, Quote>

  /// Creates a group that is on no queue, with its operations still outside of it.
  init(
    name: String?, log: EventLog, id: String, increment: QuoteCountOperation,
    store: any QuoteStore
  ) throws {
    self.increment = increment
    save = try StoreOperation(
      kind: "quote save", log: log, source: increment,
      describe: { "read \($0.readCount) \($0.readCount == 1 ? "time" : "times")" },
      store: { count in
        if let count { return try store.setReadCount(id: id, to: count) }
        return try store.raiseReadCount(id: id, by: 1)
      })
    super.init(name: name, kind: "read quote", maxConcurrentOperationCount: 1, log: log)
  }

  /// Its operations in their order, to be added to it.
  public var parts: [ObservableOperation] { [increment, save] }

  /// The quote with its new count.
  public override var resultValue: (any Sendable)? { isValueDropped ? nil : save.stored }

  /// Whether the quote was dropped, here or in the last part, which keeps it.
  public override var isValueDropped: Bool { super.isValueDropped || save.isValueDropped }

  /// Releases the quote, which the last part keeps.
  public override func releaseValue() {
    super.releaseValue()
    save.dropValue()
  }

  /// Says how often it was read, or what became of the parts.
  public override var outcomeSummary: String? { save.outcomeSummary ?? super.outcomeSummary }
}

extension QuoteMergeReport {
  /// The counts in words, such as `3 new, 2 changed, 51 the same, 4 passed over`.
  public var summary: String {
    let parts = [
      (created, "new"), (updated, "changed"), (unchanged, "the same"), (repeated, "repeated"),
      (rejected.count, "passed over"),
    ]
    let told = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return told.isEmpty ? "no quotes" : told.joined(separator: ", ")
  }
}
