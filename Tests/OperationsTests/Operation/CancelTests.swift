import Foundation
import Operations
import TestSupport
import Testing

@Suite struct CancelTests {
  @Test("A cancelled operation that is on no queue finishes when it is added")
  func created() throws {
    let bench = Bench()
    let operation = bench.held("a")
    operation.cancel()
    operation.cancel()
    #expect(operation.isCancelled)
    #expect(operation.state == .created)
    let queue = bench.queue()
    try queue.addOperation(operation)
    drain(queue)
    #expect(bench.life("a") == ["created-pending", "pending-ready", "ready-finished"])
    #expect(operation.outcome == .cancelled)
    #expect(operation.executions == 0)
    #expect(bench.entries.filter { $0.event == .cancelling }.count == 1)
  }

  @Test("A cancelled operation on a paused queue finishes when the queue resumes")
  func paused() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let operation = bench.held("a")
    try queue.addOperation(operation)
    operation.cancel()
    #expect(operation.isCancelled)
    #expect(!operation.isFinished)
    #expect(queue.operationCount == 1)
    #expect(bench.reasons("a").last == "cancelled, finishes when the queue starts it")
    queue.isSuspended = false
    drain(queue)
    #expect(operation.outcome == .cancelled)
    #expect(bench.reasons("a").last == "cancelled before it ran")
  }

  @Test("A cancelled pending operation becomes ready at once and ignores its dependency")
  func pending() throws {
    let bench = Bench()
    let queue = bench.queue()
    let (never, operation) = (bench.held("never"), bench.held("a"))
    try operation.depend(on: never)
    try queue.addOperation(operation)
    #expect(operation.state == .pending)
    operation.cancel()
    #expect(operation.isReady)
    drain(queue)
    #expect(operation.outcome == .cancelled)
    #expect(bench.life("a") == ["created-pending", "pending-ready", "ready-finished"])
  }

  @Test("Cancelling an executing asynchronous operation finishes it at once")
  func executing() throws {
    let bench = Bench()
    let queue = bench.queue()
    let results = Gathered<String>()
    let operation = Held(name: "a", engine: bench.engine) { result in
      if case .failure(let error) = result { results.add(OperationFailure(error).code) }
    }
    try queue.addOperation(operation)
    #expect(operation.waitUntilBegun())
    operation.cancel()
    #expect(operation.state == .finished)
    #expect(operation.outcome == .cancelled)
    #expect(operation.interruptions == 1)
    #expect(!operation.finish(.success(1)))
    #expect(results.all == ["cancelled"])
    #expect(bench.reasons("a").contains("cancelled while executing"))
  }

  @Test("A cancelled blocking operation finishes, and frees its slot, when its body returns")
  func blocking() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let (began, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let operation = BlockingOperation(name: "a", engine: bench.engine) { operation in
      began.signal()
      goOn.wait()
      return operation.isCancelled
    }
    try queue.addOperation(operation)
    let next = bench.quick("next")
    try queue.addOperation(next)
    #expect(began.wait(timeout: .now() + 60) == .success)
    operation.cancel()
    #expect(operation.state == .executing)
    #expect(queue.snapshot.slotHolders.map(\.operation.name) == ["a"])
    #expect(next.state == .ready)
    goOn.signal()
    drain(queue)
    #expect(operation.outcome == .cancelled)
    #expect(operation.resultValue == nil)
    #expect(next.outcome == .succeeded)
  }

  @Test("Cancelling a finished operation changes nothing")
  func finished() throws {
    let bench = Bench()
    let queue = bench.queue()
    let operation = bench.quick("a")
    try queue.addOperations([operation], waitUntilFinished: true)
    operation.cancel()
    #expect(!operation.isCancelled)
    #expect(operation.outcome == .succeeded)
  }

  @Test("Cancelling all marks every operation before the first one stops, so that none starts")
  func all() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let operations = (0..<100).map { bench.held("op-\($0)") }
    try queue.addOperations(operations, waitUntilFinished: false)
    try operations[50].removeDependency(on: operations[0])
    queue.cancelAllOperations()
    drain(queue)
    #expect(bench.started == ["op-0"])
    #expect(operations.allSatisfy { $0.outcome == .cancelled })
  }

  @Test("Cancel, finish and start race: one end, one completion, no lost operation")
  func races() throws {
    for round in 0..<TestScale.count(2_000) {
      let bench = Bench()
      let queue = bench.queue(width: 1, paused: true)
      let completions = Gathered<Bool>()
      let operation = Held(name: "a", engine: bench.engine) { _ in completions.add(true) }
      try queue.addOperation(operation)
      race([
        { queue.isSuspended = false },
        { operation.cancel() },
        { operation.finish(.success(round)) },
      ])
      drain(queue)
      #expect(operation.state == .finished)
      #expect(completions.all.count == 1)
      #expect(bench.entries.filter { $0.to == .finished && $0.event == .transition }.count == 1)
      for entry in bench.entries where entry.event == .transition {
        #expect(entry.from.canBecome(entry.to))
      }
    }
  }

  @Test("Of three concurrent finishes exactly one wins")
  func threeFinishes() throws {
    let bench = Bench()
    let queue = bench.queue(width: -1)
    for _ in 0..<TestScale.count(1_000) {
      let operation = bench.held("a")
      try queue.addOperation(operation)
      let winners = Gathered<Int>()
      race(
        (0..<3).map { index in { if operation.finish(.success(index)) { winners.add(index) } } })
      #expect(winners.all.count == 1)
      #expect(operation.resultValue as? Int == winners.all.first)
    }
    drain(queue)
  }
}
