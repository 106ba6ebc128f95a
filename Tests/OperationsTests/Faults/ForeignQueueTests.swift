import Dispatch
import Foundation
import Operations
import TestSupport
import Testing

/// Our operations on a plain queue of Foundation's, where some people will put them by mistake.
@Suite(.serialized, .timeLimit(.minutes(15))) struct ForeignQueueTests {
  /// How far an operation is on a queue of ours when the plain queue gets it too.
  enum Moment: String, CaseIterable {
    case waiting, paused, cancelled, executing, finished
  }

  /// Waits for a plain queue, which has no timeout of its own.
  private func drain(
    _ plain: OperationQueue, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let isBack = comesBack { plain.waitUntilAllOperationsAreFinished() }
    #expect(isBack, "the plain queue does not end", sourceLocation: sourceLocation)
  }

  @Test("On a plain queue alone, operations of every kind run once and end")
  func plainOnly() {
    let bench = Bench()
    let plain = OperationQueue()
    let ran = Gathered<String>()
    let operations: [ObservableOperation] = [
      Plain(name: "main", log: bench.log) { ran.add("main") },
      Hooked(name: "execute", log: bench.log) { operation in
        ran.add("execute")
        operation.finish(.success(1))
      },
      BlockingOperation(name: "body", log: bench.log) { _ in
        ran.add("body")
        return nil
      },
      DelayOperation(name: "delay", duration: .milliseconds(1), log: bench.log),
    ]
    for operation in operations { plain.addOperation(operation) }
    drain(plain)
    #expect(operations.allSatisfy { $0.outcome == .succeeded })
    #expect(ran.all.sorted() == ["body", "execute", "main"])
    for operation in operations { #expect(bench.life(operation.displayName).count == 4) }
  }

  @Test("On a plain queue alone, what waits for another of ours runs after it")
  func plainWithDependency() throws {
    let bench = Bench()
    let plain = OperationQueue()
    let (first, second) = (bench.held("first"), bench.quick("second"))
    try second.depend(on: first)
    plain.addOperations([second, first], waitUntilFinished: false)
    try #require(first.waitUntilBegun())
    #expect(second.state == .created)
    first.finish(.success(1))
    drain(plain)
    #expect(bench.started == ["first", "second"])
    #expect(second.outcome == .succeeded)
  }

  @Test("Cancelled before a plain queue starts it, an operation ends there without running")
  func cancelledOnPlain() {
    let bench = Bench()
    let plain = OperationQueue()
    plain.isSuspended = true
    let operation = bench.held("a")
    plain.addOperation(operation)
    plain.cancelAllOperations()
    plain.isSuspended = false
    drain(plain)
    #expect(operation.outcome == .cancelled)
    #expect(operation.executions == 0)
  }

  @Test("On ours and then on a plain queue too, it runs once", arguments: Moment.allCases)
  func oursFirst(moment: Moment) throws {
    let bench = Bench()
    let queue = bench.queue(width: 1, paused: moment == .paused || moment == .cancelled)
    let plain = OperationQueue()
    let (gate, operation) = (bench.held("gate"), bench.held("a"))
    if moment == .waiting {
      try operation.depend(on: gate)
      try queue.addOperation(gate)
    }
    try queue.addOperation(operation)
    switch moment {
    case .waiting, .paused: break
    case .cancelled: operation.cancel()
    case .executing: try #require(operation.waitUntilBegun())
    case .finished:
      try #require(operation.waitUntilBegun())
      operation.finish(.success(1))
      try drainOrStop(queue)
    }
    plain.addOperation(operation)
    // The plain queue must have had its chance to start it before ours goes on.
    let other = BlockOperation()
    plain.addOperation(other)
    #expect(comesBack { other.waitUntilFinished() })
    if moment == .waiting || moment == .paused { #expect(operation.executions == 0) }
    gate.finish(.success(1))
    queue.isSuspended = false
    if moment == .waiting || moment == .paused { try #require(operation.waitUntilBegun()) }
    operation.finish(.success(1))
    try drainOrStop(queue)
    drain(plain)
    #expect(operation.isFinished)
    #expect(operation.executions == (moment == .cancelled ? 0 : 1))
    #expect(bench.life("a").count == (moment == .cancelled ? 3 : 4))
    // Both queues go on.
    try runAll([bench.quick("after")], on: queue)
    plain.addOperation(BlockOperation())
    drain(plain)
  }

  @Test("On a plain queue and then on ours too, it runs once", arguments: [true, false])
  func plainFirst(held: Bool) throws {
    let bench = Bench()
    let queue = bench.queue()
    let plain = OperationQueue()
    plain.isSuspended = held
    let operation = bench.held("a")
    plain.addOperation(operation)
    if held {
      try queue.addOperation(operation)
    } else {
      try #require(operation.waitUntilBegun())
      #expect(throws: QueueError.executing(name: "a")) { try queue.addOperation(operation) }
    }
    if held { try #require(operation.waitUntilBegun()) }
    plain.isSuspended = false
    operation.finish(.success(1))
    drain(plain)
    try drainOrStop(queue)
    #expect(operation.outcome == .succeeded)
    #expect(operation.executions == 1)
    #expect(bench.life("a").count == 4)
  }

  @Test("Run by ours and let go while a paused plain queue has it, it does no harm there")
  func letGoBeforePlain() throws {
    let bench = Bench()
    let queue = bench.queue()
    let plain = OperationQueue()
    let ran = Gathered<Int>()
    for round in 0..<TestScale.count(50) {
      // ours                          plain
      //                               has it, is paused
      // runs it, lets go
      //                               goes on
      plain.isSuspended = true
      do {
        let operation = Plain(log: bench.log) { ran.add(round) }
        plain.addOperation(operation)
        try runAll([operation], on: queue)
      }
      plain.isSuspended = false
      drain(plain)
    }
    #expect(ran.all == Array(0..<TestScale.count(50)))
  }

  @Test("Given to both kinds of queue and finished at the same moment, it runs at most once")
  func race() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    let plain = OperationQueue()
    let rounds = TestScale.count(200)
    let twice = Gathered<Int>()
    for round in 0..<rounds {
      let operation = Held(log: bench.log)
      OperationsTests.race([
        { try? queue.addOperation(operation) },
        { plain.addOperation(operation) },
        { operation.finish(.success(round)) },
      ])
      try drainOrStop(queue)
      drain(plain)
      if operation.executions > 1 || operation.outcome != .succeeded { twice.add(round) }
    }
    #expect(twice.all == [])
    let record = LifeRecord(of: bench.log)
    #expect(record.faults == [])
    #expect(record.outcomes.count == rounds)
  }
}
