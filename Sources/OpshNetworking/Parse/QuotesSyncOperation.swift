import Foundation
public import Operations

/// Synchronizes the quotes of a store: a long task in three parts, each using the data of the one
/// before.
///
/// The parts are members of the group: the download, the parsing, and the saving, which is one
/// transaction of the store. If one of them does not succeed, the later ones are skipped, and the
/// store is unchanged.
public final class QuotesSyncOperation: GroupOperation, @unchecked Sendable {
  // @unchecked because it adds constants only.

  /// Downloads the data.
  public let download: QuotesDownloadOperation
  /// Parses the data into records.
  public let parse: QuotesParseOperation
  /// Saves the valid records.
  public let save: StoreOperation<QuotesPage, QuoteMergeReport>

  /// Creates a group that is on no queue, without its members.
  init(
    name: String?, engine: OperationEngine, download: QuotesDownloadOperation, store: any QuoteStore
  ) throws {
    self.download = download
    parse = try QuotesParseOperation(engine: engine, download: download)
    save = try StoreOperation(
      kind: "quotes save", engine: engine, source: parse, isDivided: true, describe: { $0.summary },
      store: { page in try store.merge(page.records, syncedAt: engine.date) })
    super.init(name: name, kind: "sync quotes", maxConcurrentOperationCount: 1, engine: engine)
  }

  /// Its members in order.
  public var parts: [ObservableOperation] { [download, parse, save] }

  /// What was done with each record, after all of them have been saved.
  public var report: QuoteMergeReport? { isValueDropped ? nil : save.stored }

  /// What was done with each record.
  public override var resultValue: (any Sendable)? { report }

  /// Whether the report was dropped, here or in the last part, which holds it.
  public override var isValueDropped: Bool { super.isValueDropped || save.isValueDropped }

  /// Releases the report, which the last part holds.
  public override func releaseValue() {
    super.releaseValue()
    save.dropValue()
  }

  /// Describes what was done with the records, or the outcomes of the parts.
  public override var outcomeSummary: String? { save.outcomeSummary ?? super.outcomeSummary }
}

/// Reads a quote: increments its count on the service, and then in the store.
public final class QuoteReadOperation: GroupOperation, @unchecked Sendable {
  // @unchecked because it adds constants only.

  /// Increments the count on the service.
  public let increment: QuoteCountOperation
  /// Saves it in the store.
  public let save: StoreOperation<Int?, Quote>

  /// Creates a group that is on no queue, without its members.
  init(
    name: String?, engine: OperationEngine, id: String, increment: QuoteCountOperation,
    store: any QuoteStore
  ) throws {
    self.increment = increment
    save = try StoreOperation(
      kind: "quote save", engine: engine, source: increment,
      describe: { "read \($0.readCount) \($0.readCount == 1 ? "time" : "times")" },
      store: { count in
        if let count { return try store.setReadCount(id: id, to: count) }
        return try store.raiseReadCount(id: id, by: 1)
      })
    super.init(name: name, kind: "read quote", maxConcurrentOperationCount: 1, engine: engine)
  }

  /// Its members in order.
  public var parts: [ObservableOperation] { [increment, save] }

  /// The quote with its new count.
  public override var resultValue: (any Sendable)? { isValueDropped ? nil : save.stored }

  /// Whether the quote was dropped, here or in the last part, which holds it.
  public override var isValueDropped: Bool { super.isValueDropped || save.isValueDropped }

  /// Releases the quote, which the last part holds.
  public override func releaseValue() {
    super.releaseValue()
    save.dropValue()
  }

  /// Describes how often it was read, or the outcomes of the parts.
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
