import Foundation
import Operations
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct PaceTests {
  /// When the operations began, in the order of the log.
  private func starts(_ bench: Bench) -> [ContinuousClock.Instant] {
    bench.entries.filter { $0.event == .transition && $0.to == .executing }.map(\.time)
  }

  @Test("A pace is the minimum time between two starts, at any width", arguments: [1, 3, -1])
  func apart(width: Int) throws {
    let bench = Bench()
    let queue = bench.queue(width: width, paused: true)
    queue.pace = .milliseconds(8)
    #expect(queue.pace == .milliseconds(8))
    let operations = (0..<6).map { bench.quick("op-\($0)") }
    operations[5].queuePriority = .high
    try queue.addOperations(operations, waitUntilFinished: false)
    queue.isSuspended = false
    // The first one starts at once.
    #expect(operations[5].state != .ready)
    drain(queue)
    let times = starts(bench)
    #expect(times.count == 6)
    for (earlier, later) in zip(times, times.dropFirst()) {
      #expect(later - earlier >= .milliseconds(8))
    }
    #expect(bench.started == ["op-5"] + (0..<5).map { "op-\($0)" })
  }

  @Test("The wait reasons name the pace and the operations that start first")
  func reasons() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    queue.pace = .seconds(7_200)
    let operations = ["a", "b", "c"].map { bench.held($0) }
    try queue.addOperations(operations, waitUntilFinished: false)
    #expect(operations[0].waitUntilBegun())
    #expect(operations[1].waitCodes == ["pace network"])
    #expect(operations[2].waitCodes == ["higher-priority b", "pace network"])
    #expect(
      operations[1].waitReasons().first?.text.hasPrefix("queue 'network' starts the next one in ")
        == true)
    queue.pace = .zero
    #expect(operations[1].waitUntilBegun() && operations[2].waitUntilBegun())
    for operation in operations { operation.finish(.success(1)) }
    drain(queue)
  }

  @Test("A cancelled operation ignores the pace and uses up no start")
  func cancelled() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    queue.pace = .seconds(7_200)
    let operations = (0..<20).map { bench.held("op-\($0)") }
    try queue.addOperations(operations, waitUntilFinished: false)
    #expect(operations[0].waitUntilBegun())
    for operation in operations.dropFirst() { operation.cancel() }
    for operation in operations.dropFirst() { finish(operation) }
    operations[0].finish(.success(1))
    drain(queue)
    #expect(bench.started == ["op-0"])
  }

  @Test("A cancelled operation that ends first does not delay the first start")
  func cancelledFirst() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4, paused: true)
    queue.pace = .seconds(7_200)
    let (cancelled, next) = (bench.held("cancelled"), bench.held("next"))
    try queue.addOperations([cancelled, next], waitUntilFinished: false)
    cancelled.cancel()
    queue.isSuspended = false
    finish(cancelled)
    #expect(next.waitCodes == [])
    #expect(next.state == .executing)
    next.finish(.success(1))
    queue.pace = .zero
    drain(queue)
  }

  @Test("A changed pace applies at once to waiting operations")
  func changed() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    queue.pace = .seconds(7_200)
    let operations = (0..<4).map { bench.held("op-\($0)") }
    try queue.addOperations(Array(operations[..<2]), waitUntilFinished: false)
    #expect(operations[0].waitUntilBegun())
    queue.pace = .milliseconds(10)
    #expect(operations[1].waitUntilBegun())
    queue.pace = .seconds(7_200)
    try queue.addOperations(Array(operations[2...]), waitUntilFinished: false)
    #expect(operations[2].waitCodes == ["pace network"])
    queue.pace = .zero
    for operation in operations {
      #expect(operation.state == .executing)
      operation.finish(.success(1))
    }
    drain(queue)
    let times = starts(bench)
    #expect(times[1] - times[0] >= .milliseconds(10))
  }

  @Test("Quick changes of the pace leave one active timer and cause no early start")
  func changedOften() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    queue.pace = .milliseconds(20)
    for index in 0..<4 { try queue.addOperation(bench.quick("op-\(index)")) }
    for round in 0..<300 { queue.pace = .milliseconds(20 + round % 7) }
    queue.pace = .milliseconds(20)
    drain(queue)
    let times = starts(bench)
    for (earlier, later) in zip(times, times.dropFirst()) {
      #expect(later - earlier >= .milliseconds(20))
    }
  }

  @Test("Extreme paces are safe")
  func strange() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    queue.pace = .seconds(-3)
    #expect(queue.pace == .zero)
    queue.pace = .seconds(Int64.max)
    let operations = ["a", "b"].map { bench.held($0) }
    try queue.addOperations(operations, waitUntilFinished: false)
    #expect(operations[0].waitUntilBegun())
    #expect(operations[1].waitCodes == ["pace network"])
    queue.pace = .nanoseconds(Int64.max)
    queue.pace = .nanoseconds(1)
    #expect(operations[1].waitUntilBegun())
    for operation in operations { operation.finish(.success(1)) }
    drain(queue)
  }

  @Test("Suspension, width and pace each prevent starts, and the order stays")
  func together() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    queue.pace = .milliseconds(2)
    let operations = (0..<12).map { bench.quick("op-\($0)") }
    try queue.addOperations(operations, waitUntilFinished: false)
    for round in 0..<10 {
      queue.isSuspended = true
      let before = bench.engine.log.count
      let pause = DelayOperation(duration: .milliseconds(3), engine: bench.engine)
      try pause.startManually()
      finish(pause)
      let now = bench.engine.log.entries(from: before, limit: .max).entries
      let started = now.filter { $0.to == .executing && $0.operation.id != pause.id }
      #expect(started.isEmpty)
      try queue.setWidth(round % 3)
      queue.isSuspended = false
    }
    try queue.setWidth(2)
    drain(queue)
    let own = Set(operations.map(\.displayName))
    #expect(bench.started.filter { own.contains($0) } == operations.map(\.displayName))
  }

  @Test("A step ignores the pace, but counts as a start for it")
  func steps() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4, paused: true)
    queue.pace = .seconds(7_200)
    let operations = ["a", "b", "c"].map { bench.held($0) }
    try queue.addOperations(operations, waitUntilFinished: false)
    #expect(try queue.step(2).count == 2)
    queue.isSuspended = false
    #expect(operations[2].waitCodes == ["pace network"])
    queue.pace = .zero
    for operation in operations {
      #expect(operation.waitUntilBegun())
      operation.finish(.success(1))
    }
    drain(queue)
  }

  @Test("A freed exclusive name does not start an operation before the pace allows it")
  func exclusiveNames() throws {
    let bench = Bench()
    let (queue, other) = (bench.queue(width: 4), bench.queue("other", width: 1))
    let operations = ["holder", "of-other", "waiting", "paced"].map { bench.held($0) }
    let (holder, ofOther, waiting, paced) = (
      operations[0], operations[1], operations[2], operations[3]
    )
    for operation in operations.dropLast() { operation.exclusiveNames = ["name"] }
    try queue.addOperation(holder)
    #expect(holder.waitUntilBegun())
    // The other queue is asked first, and cannot start anything.
    try other.addOperation(ofOther)
    try queue.addOperation(waiting)
    other.isSuspended = true
    queue.pace = .seconds(7_200)
    try queue.addOperation(paced)
    #expect(paced.waitUntilBegun())
    holder.finish(.success(1))
    finish(holder)
    #expect(waiting.state == .ready && waiting.waitCodes == ["pace network"])
    queue.pace = .zero
    #expect(waiting.waitUntilBegun())
    waiting.finish(.success(1))
    paced.finish(.success(1))
    other.isSuspended = false
    #expect(ofOther.waitUntilBegun())
    ofOther.finish(.success(1))
    drain(queue)
    drain(other)
  }

  @Test("A queue with a pace and without references drains and is released")
  func release() throws {
    let bench = Bench()
    weak var gone: InspectableQueue?
    do {
      let queue = bench.queue()
      gone = queue
      queue.pace = .milliseconds(2)
      for index in 0..<4 { try queue.addOperation(bench.quick("op-\(index)")) }
    }
    #expect(eventually { bench.finished.count == 4 && gone == nil })
  }
}
