import Foundation
import OpshLocking
import OpshNetworking
import Operations
import PracticeServer
import Testing
import OpshWebAPIs

@Suite("Quotes of a Parse service", .timeLimit(.minutes(15)))
struct QuotesDataManagerTests {
  private let server = PracticeServer()
  private let workplace = Workplace(width: 1)

  private func manager(
    root: String = "/1", credentials: ParseCredentials = .practice
  ) throws -> QuotesDataManager {
    try server.start()
    return QuotesDataManager(
      queue: workplace.queue, transport: workplace.transport,
      endpoint: try Endpoint(url: try #require(server.baseURL)), credentials: credentials,
      pacer: RequestPacer(), root: root)
  }

  private func run<Operation: ObservableOperation>(_ operation: Operation) async throws -> Operation
  {
    try workplace.queue.addOperation(operation)
    try await workplace.finish(operation)
    return operation
  }

  /// Synchronizes a store on the queue of a manager; the handler is called at the end.
  private func sync(
    _ manager: QuotesDataManager, into store: any QuoteStore,
    ended: (@Sendable (QuotesSyncOperation) -> Void)? = nil
  ) throws -> QuotesSyncOperation {
    let group = try manager.makeSync(into: store)
    try group.addOperations(group.parts)
    // Foundation releases the block after the call.
    group.completionBlock = { ended?(group) }
    try manager.queue.addOperation(group)
    return group
  }

  @Test("All paths of the API answer a query", arguments: ["/1", "/parse", "/parse/1"])
  func query(root: String) async throws {
    var query = QuotesQuery()
    query[Quotes.limit] = 5
    query[Quotes.skip] = 1
    query[Quotes.order] = ["-readCount"]
    query[Quotes.conditions] = #"{"readCount":{"$gte":1}}"#
    let operation = try await run(try manager(root: root).makeFetch(query: query))
    #expect(outcomeCode(operation) == "succeeded")
    let page = try #require(operation.resultValue as? QuotesPage)
    #expect(page.records.count == 5 && operation.itemCount == 5)
    let counts = page.records.compactMap(\.readCount)
    #expect(counts == counts.sorted(by: >) && counts.count == 5)
    let reason = try #require(workplace.entries(of: operation).last?.reason)
    #expect(reason.hasPrefix("5 quotes of \(try #require(page.total)), "))
  }

  @Test("The count of a quote is incremented on the service")
  func readAndIncrement() async throws {
    let manager = try manager()
    let all = try await run(try manager.makeFetch())
    let page = try #require(all.resultValue as? QuotesPage)
    let quote = try #require(page.records.lazy.compactMap { try? $0.validated.get() }.first)
    let raised = try await run(try manager.makeIncrement(id: quote.id))
    #expect(raised.resultValue as? Int == quote.readCount + 1)
    let more = try await run(try manager.makeIncrement(id: quote.id, by: 41))
    #expect(more.resultValue as? Int == quote.readCount + 42)
    let read = try await run(try manager.makeFetch())
    let records = try #require(read.resultValue as? QuotesPage).records
    #expect(records.first { $0.id == quote.id }?.readCount == quote.readCount + 42)
  }

  @Test("Errors of the service are reported with code and name")
  func errors() async throws {
    for id in ["no/such id", "nosuchid00"] {
      let missing = try await run(try manager().makeIncrement(id: id))
      #expect(outcomeCode(missing) == "api(101, object_not_found, Object not found.)")
    }
    let unknown = ParseCredentials(applicationID: "", key: "")
    let refused = try await run(try manager(credentials: unknown).makeFetch())
    #expect(outcomeCode(refused) == "api(403, unauthorized, unauthorized)")
    #expect(throws: NetworkError.self) {
      try manager(credentials: ParseCredentials(applicationID: "a\nb", key: "c")).makeFetch()
    }
  }

  @Test("A sync downloads, parses and saves; each step uses the result of the one before")
  func sync() async throws {
    let manager = try manager()
    let store = MemoryQuoteStore()
    let told = Promise<QuoteMergeReport>()
    let group = try sync(manager, into: store) { group in
      if let report = group.report { told.fulfil(report) }
    }
    let report = try await told.value()
    try await workplace.finish(group)
    #expect(outcomeCode(group) == "succeeded")
    #expect(report.created == 56 && report.rejected.count == 4)
    #expect(report.rejected.map(\.index) == [11, 23, 37, 48])
    #expect(store.records.withLock { $0.count } == 60)
    #expect(workplace.entries(of: group).last?.reason == "56 new, 4 passed over")
    #expect(workplace.entries(of: group.parse).last?.reason == "60 records")
    #expect(group.kind == "sync quotes" && group.parts.map(\.group).allSatisfy { $0 === group })
    #expect(group.parts.map(outcomeCode) == ["succeeded", "succeeded", "succeeded"])
  }

  @Test("Dropping the value of a sync frees the report; its summary stays")
  func droppedSync() async throws {
    let store = MemoryQuoteStore()
    let group = try sync(manager(), into: store)
    try await workplace.finish(group)
    #expect(group.dropValue() == 0 && group.isValueDropped)
    #expect(group.report == nil && group.resultValue == nil)
    #expect(group.save.isValueDropped && group.save.resultValue == nil)
    #expect(group.outcomeSummary == "56 new, 4 passed over")
    #expect(group.save.outcomeSummary == "56 new, 4 passed over")
    group.parse.dropValue()
    #expect(group.parse.isValueDropped && group.parse.outcomeSummary == "60 records")

    let id = try #require(store.records.withLock { $0.first }?.id)
    let read = try manager().makeRead(id: id, in: store)
    try read.addOperations(read.parts)
    _ = try await run(read)
    let summary = try #require(read.outcomeSummary)
    #expect(summary.hasPrefix("read ") && read.resultValue != nil)
    read.dropValue()
    #expect(read.isValueDropped && read.resultValue == nil && read.save.resultValue == nil)
    #expect(read.outcomeSummary == summary)
  }

  @Test("A failed step of a sync is reported, and the steps after it are skipped")
  func failingSync() async throws {
    let manager = try manager()
    server.update { $0.dropPercent = 100 }
    let store = MemoryQuoteStore()
    let told = Promise<String>()
    let group = try sync(manager, into: store) { group in
      if let failure = group.summary.failures.first?.failure { told.fulfil(failure.code) }
    }
    #expect(try await told.value() == "connection-lost")
    try await workplace.finish(group)
    #expect(group.parts.map(outcomeCode) == ["connection-lost", "skipped", "skipped"])
    #expect(outcomeCode(group) == "group-failed")
    #expect(store.records.withLock { $0.isEmpty })
    server.update { $0.dropPercent = 0 }
    store.refusal.withLock { $0 = StoreError(.full, "no room") }
    let full = try sync(manager, into: store)
    try await workplace.finish(full)
    #expect(full.parts.map(outcomeCode) == ["succeeded", "succeeded", "store-full"])
    #expect(full.report == nil && full.resultValue == nil)
  }

  @Test("A read count is incremented on the service first; if that fails, the local count stays")
  func read() async throws {
    let manager = try manager()
    let store = MemoryQuoteStore()
    try await workplace.finish(try sync(manager, into: store))
    let record = try #require(store.records.withLock { $0.first })
    let id = try #require(record.id)
    let group = try manager.makeRead(id: id, in: store)
    try group.addOperations(group.parts)
    _ = try await run(group)
    #expect(outcomeCode(group) == "succeeded")
    let quote = try #require(group.resultValue as? Quote)
    #expect(quote.readCount == (record.readCount ?? 0) + 1)
    server.update { $0.dropPercent = 100 }
    let lost = try manager.makeRead(id: id, in: store)
    try lost.addOperations(lost.parts)
    _ = try await run(lost)
    #expect(lost.parts.map(outcomeCode) == ["connection-lost", "skipped"])
    #expect(try store.quote(id: id)?.readCount == quote.readCount)
  }
}
