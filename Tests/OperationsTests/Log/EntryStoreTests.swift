import Foundation
import Testing

@testable import Operations

@Suite(.timeLimit(.minutes(15))) struct EntryStoreTests {
  private let size = LogChunk.size

  /// Fills a store with entries that say their own number.
  private func filled(_ count: Int, capacity: Int, _ operation: Plain) -> EntryStore {
    var store = EntryStore(capacity: capacity, start: EngineStart())
    for number in 0..<count {
      store.append(
        operation, .attempt, from: .executing, at: Int64(number), cause: .spent(Int64(number)))
    }
    return store
  }

  private func number(_ entry: EventLog.Entry) -> Int64? {
    if case .spent(let number) = entry.cause { number } else { nil }
  }

  @Test("Pages of any length, across chunk borders, return every entry once")
  func paging() {
    let operation = Plain(engine: Bench().engine)
    let count = 3 * size + 17
    let store = filled(count, capacity: .max, operation)
    #expect(store.count == count)
    for limit in [1_000, size - 1, size, size + 1, count, .max] {
      var (cursor, seen) = (0, [Int64]())
      while true {
        let page = store.page(from: cursor, limit: limit)
        guard !page.entries.isEmpty else { break }
        #expect(page.entries.count <= limit)
        #expect(page.entries.map(\.sequence) == Array(cursor..<page.next))
        seen += page.entries.compactMap(number)
        cursor = page.next
      }
      #expect(seen == (0..<Int64(count)).map { $0 })
    }
    for border in [size, 2 * size, 3 * size] {
      let page = store.page(from: border - 1, limit: 2)
      #expect(page.entries.compactMap(number) == [Int64(border) - 1, Int64(border)])
    }
  }

  @Test("Cursors and limits out of range return the available entries")
  func outOfRange() {
    let operation = Plain(engine: Bench().engine)
    let store = filled(10, capacity: 100, operation)
    #expect(store.page(from: -5, limit: 3).entries.map(\.sequence) == [0, 1, 2])
    #expect(store.page(from: 10, limit: 3).entries.isEmpty)
    #expect(store.page(from: .max, limit: .max).next == 10)
    #expect(store.page(from: .min, limit: .max).entries.count == 10)
    #expect(store.page(from: 4, limit: 0).next == 4)
    #expect(store.page(from: 4, limit: -1).next == 4)
    let empty = EntryStore(capacity: 0, start: EngineStart())
    #expect(empty.page(from: 0, limit: 9).entries.isEmpty && empty.count == 0)
  }

  @Test("The oldest entries are dropped in chunks, and the capacity is never exceeded")
  func dropping() {
    let operation = Plain(engine: Bench().engine)
    for capacity in [0, 1, size, 3 * size, 3 * size + 5] {
      for count in [size, size + 1, 4 * size, 4 * size + 1, 12 * size + 3, 40 * size] {
        let store = filled(count, capacity: capacity, operation)
        let page = store.page(from: 0, limit: .max)
        #expect(page.next == count && store.count == count)
        #expect(page.entries.count >= min(capacity, count), "\(capacity) of \(count)")
        #expect(page.entries.count <= capacity + 2 * size)
        let first = count - page.entries.count
        #expect(page.entries.map(\.sequence) == Array(first..<count))
        #expect(page.entries.compactMap(number) == (first..<count).map { Int64($0) })
      }
    }
  }

  @Test("Beyond the byte limit the texts of the oldest entries are dropped; the entries stay")
  func textLimit() {
    let operation = Plain(engine: Bench().engine)
    let count = 3 * size + 17
    var store = EntryStore(capacity: .max, textLimit: 100_000, start: EngineStart())
    for number in 0..<count {
      store.append(
        operation, .attempt, from: .executing, at: Int64(number),
        cause: .text(String(format: "%0100d", number)))
      #expect(store.textBytes <= 100_000)
    }
    let entries = store.page(from: 0, limit: .max).entries
    #expect(entries.count == count)
    let kept = entries.suffix(1000)
    #expect(kept.allSatisfy { $0.reason == String(format: "%0100d", $0.sequence) })
    #expect(entries.dropLast(1000).allSatisfy { $0.reason.contains("dropped") })
    store.setTextLimit(0)
    while store.dropTexts() {}
    #expect(store.textBytes == 100, "the newest keeps its own")
  }

  @Test("Dropping texts looks at no more entries at once than a chunk has")
  func boundedSteps() {
    let operation = Plain(engine: Bench().engine)
    var store = EntryStore(capacity: .max, start: EngineStart())
    let text = String(repeating: "x", count: 20)
    for _ in 0..<(10 * size) {
      store.append(operation, .attempt, from: .executing, at: 1, cause: .text(text))
    }
    store.setTextLimit(0)
    var steps = 0
    repeat { steps += 1 } while store.dropTexts()
    #expect(steps >= 10 && store.textBytes == 20)
  }

  @Test("Texts dropped with their entries no longer count")
  func textsOfDroppedEntries() {
    let operation = Plain(engine: Bench().engine)
    var store = EntryStore(capacity: size, textLimit: .max, start: EngineStart())
    for number in 0..<(20 * size) {
      store.append(
        operation, .attempt, from: .executing, at: Int64(number),
        cause: .text("twenty bytes of text"))
    }
    let kept = store.page(from: 0, limit: .max).entries.count
    #expect(store.textBytes == 20 * kept)
  }

  @Test("Texts, failures and dependencies stay with their entries across many chunks")
  func contents() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let count = size / 3
    for index in 0..<count {
      let operation = bench.held("op-\(index)")
      let (one, two) = (bench.quick("one-\(index)"), bench.quick("two-\(index)"))
      try operation.depend(on: one)
      try operation.depend(on: two)
      operation.finish(
        index.isMultiple(of: 3)
          ? .failure(TestError(code: "c-\(index)", message: "m-\(index)")) : .success(1))
      try queue.addOperations([one, two, operation], waitUntilFinished: false)
    }
    drain(queue)
    let entries = bench.entries
    #expect(entries.count > 3 * size)
    var seen = 0
    for entry in entries where entry.operation.name.hasPrefix("op-") {
      let index = try #require(Int(entry.operation.name.dropFirst(3)))
      switch (entry.event, entry.to) {
      case (.transition, .ready):
        #expect(entry.reason == "dependencies met: one-\(index), two-\(index)")
      case (.transition, .finished) where index.isMultiple(of: 3):
        seen += 1
        #expect(entry.reason == "c-\(index): m-\(index)")
        #expect(
          entry.outcome?.failure == OperationFailure(code: "c-\(index)", message: "m-\(index)"))
      case (.transition, .finished):
        #expect(entry.outcome == .succeeded)
      default:
        #expect(entry.outcome == nil)
      }
    }
    #expect(seen == (count + 2) / 3)
  }

  @Test("Entries keep the operation and queue names of their time, also default names")
  func names() throws {
    let bench = Bench()
    let queue = bench.queue("first", paused: true)
    let operation = bench.held("old")
    let other = Quick(engine: bench.engine)
    operation.cancel()
    operation.name = "new"
    try queue.addOperations([operation, other], waitUntilFinished: false)
    queue.name = "second"
    operation.name = nil
    other.name = "named"
    queue.isSuspended = false
    drain(queue)
    let own = bench.entries.filter { $0.operation.id == operation.id }
    #expect(own.map(\.operation.name) == ["old", "new", "new", "operation-1"])
    #expect(own.map(\.queue) == [nil, "first", "first", "second"])
    #expect(own.map(\.isCancelled) == [true, true, true, true])
    let others = bench.entries.filter { $0.operation.id == other.id }
    #expect(others.map(\.operation.name) == ["operation-2", "operation-2", "named", "named"])
    #expect(bench.entries.map(\.operation.kind).allSatisfy { $0 == "operation" })
  }

  @Test("Names that change with every entry, and many queues, fit into a chunk")
  func manyNames() throws {
    let bench = Bench()
    let count = size + 100
    let operation = Plain(name: "op", engine: bench.engine)
    for index in 0..<count {
      operation.name = "op-\(index)"
      try bench.queue("q-\(index)", width: 0).addOperation(
        Plain(name: "on-\(index)", engine: bench.engine))
    }
    for (index, entry) in bench.entries.enumerated() {
      #expect(entry.operation.name == "on-\(index / 2)" && entry.queue == "q-\(index / 2)")
    }
  }

  @Test("Slots and widths of any size are stored exactly")
  func widths() throws {
    for (width, text) in [
      (1, "slot 1 of 1 on q"), (-1, "slot 1 on q, unlimited width"),
      (70_000, "slot 1 of 70000 on q"), (Int(Int32.max), "slot 1 of 2147483647 on q"),
      (.max, "slot 1 of 2147483647 on q"),
    ] {
      let bench = Bench()
      let queue = bench.queue("q", width: width)
      try queue.addOperations([bench.quick("a")], waitUntilFinished: true)
      #expect(bench.reasons("a").contains(text), "\(bench.reasons("a"))")
    }
  }
}
