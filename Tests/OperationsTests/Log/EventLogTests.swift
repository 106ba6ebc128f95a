import Dispatch
import Operations
import Testing

@Suite struct EventLogTests {
  @Test("Reading by cursor in pages of any size returns every entry once, in order")
  func cursor() throws {
    let bench = Bench()
    let queue = bench.queue()
    try queue.addOperations((0..<3_000).map { bench.quick("\($0)") }, waitUntilFinished: true)
    #expect(bench.engine.log.count == 12_000)
    for limit in [1, 7, 4_095, 4_096, 4_097, 100_000] {
      var cursor = limit == 1 ? 11_900 : 0
      var sequence = cursor
      while true {
        let page = bench.engine.log.entries(from: cursor, limit: limit)
        if page.entries.isEmpty { break }
        #expect(page.entries.count <= limit)
        for entry in page.entries {
          #expect(entry.sequence == sequence)
          sequence += 1
        }
        cursor = page.next
      }
      #expect(sequence == 12_000)
    }
    #expect(bench.engine.log.entries(from: -5, limit: 2).entries.map(\.sequence) == [0, 1])
    #expect(bench.engine.log.entries(from: 50_000, limit: 2).next == 12_000)
    #expect(bench.engine.log.entries(from: 5, limit: 0).next == 5)
    #expect(bench.engine.log.entries(from: 5, limit: -1).next == 5)
    #expect(
      bench.engine.log.entries(from: 5, limit: .max).entries.map(\.sequence) == Array(5..<12_000))
    let times = bench.entries.map(\.time)
    #expect(times == times.sorted())
  }

  @Test("A small log keeps the latest entries, and the sequence numbers continue")
  func bounded() throws {
    let engine = OperationEngine(logCapacity: 8_192)
    let queue = InspectableQueue(name: "q", engine: engine)
    for _ in 0..<10 {
      try queue.addOperations(
        (0..<1_500).map { _ in Quick(engine: engine) }, waitUntilFinished: true)
    }
    #expect(engine.log.count == 60_000)
    let kept = engine.log.entries(from: 0, limit: .max).entries
    #expect(kept.count >= 8_192 && kept.count < 20_000)
    #expect(kept.last?.sequence == 59_999)
    #expect(zip(kept, kept.dropFirst()).allSatisfy { $0.sequence + 1 == $1.sequence })
    #expect(engine.log.entries(from: 100, limit: 1).entries.first?.sequence == kept.first?.sequence)
  }

  @Test("Lowering the capacity drops the oldest entries at once; the numbers continue")
  func capacity() throws {
    let engine = OperationEngine(logCapacity: 100_000)
    let queue = InspectableQueue(name: "q", engine: engine)
    func add(_ count: Int) throws {
      try queue.addOperations(
        (0..<count).map { _ in Quick(engine: engine) }, waitUntilFinished: true)
    }
    func kept() -> [EventLog.Entry] { engine.log.entries(from: 0, limit: .max).entries }
    try add(10_000)
    #expect(kept().count == 40_000)
    engine.log.setCapacity(10_000)
    let rest = kept()
    #expect((10_000..<20_000).contains(rest.count) && rest.last?.sequence == 39_999)
    #expect(zip(rest, rest.dropFirst()).allSatisfy { $0.sequence + 1 == $1.sequence })
    try add(10_000)
    #expect((10_000..<20_000).contains(kept().count) && kept().last?.sequence == 79_999)
    engine.log.setCapacity(.max)
    let first = try #require(kept().first).sequence
    try add(10_000)
    #expect(kept().first?.sequence == first && kept().last?.sequence == 119_999)
  }

  @Test("The wake-up handler is called once each time a reader has caught up")
  func wakeUp() throws {
    let bench = Bench()
    let calls = Gathered<Int>()
    let operation = bench.held("a")
    bench.engine.log.setWakeUp { [engine = bench.engine] in
      // No lock is held here: the log can be read.
      calls.add(engine.log.count)
    }
    #expect(calls.all.isEmpty)
    operation.cancel()
    #expect(calls.all == [1])
    let other = bench.held("b")
    other.cancel()
    #expect(calls.all == [1])
    _ = bench.engine.log.entries(from: 0, limit: 1)
    bench.held("c").cancel()
    #expect(calls.all == [1])
    _ = bench.engine.log.entries(from: 0, limit: 100)
    bench.held("d").cancel()
    #expect(calls.all == [1, 4])
    bench.engine.log.setWakeUp(nil)
    _ = bench.engine.log.entries(from: 0, limit: 100)
    bench.held("e").cancel()
    #expect(calls.all == [1, 4])
    bench.engine.log.setWakeUp { calls.add(-1) }
    #expect(calls.all == [1, 4, -1])
  }

  @Test("No wake-up is lost: a reader that sleeps until the wake-up gets every entry")
  func noLostWakeUp() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    let poke = DispatchSemaphore(value: 0)
    bench.engine.log.setWakeUp { poke.signal() }
    try queue.addOperations((0..<5_000).map { bench.quick("\($0)") }, waitUntilFinished: false)
    var cursor = 0
    while cursor < 20_000 {
      let page = bench.engine.log.entries(from: cursor, limit: 50)
      cursor = page.next
      if page.entries.count < 50, cursor < 20_000 {
        try #require(poke.wait(timeout: .now() + 20) == .success)
      }
    }
    drain(queue)
    #expect(bench.engine.log.count == 20_000)
    bench.engine.log.setWakeUp(nil)
  }

  @Test("Entries of racing operations are legal, complete and in order for each operation")
  func lives() throws {
    let bench = Bench()
    let queue = bench.queue(width: 3)
    let operations = (0..<2_000).map { bench.quick("op-\($0)") }
    race([
      { for operation in operations { try? queue.addOperation(operation) } },
      { for operation in operations where operation.id % 3 == 0 { operation.cancel() } },
      { for _ in 0..<200 { queue.isSuspended.toggle() } },
    ])
    queue.isSuspended = false
    drain(queue)
    var states: [Int: OperationState] = [:]
    for entry in bench.entries where entry.event == .transition {
      #expect(states[entry.operation.id, default: .created] == entry.from)
      #expect(entry.from.canBecome(entry.to))
      #expect((entry.outcome != nil) == (entry.to == .finished))
      states[entry.operation.id] = entry.to
    }
    #expect(states.values.allSatisfy { $0 == .finished })
    #expect(states.count == operations.count)
  }
}
