import Dispatch
import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

/// Cancelling and finishing against each other while operations execute.
@Suite(.timeLimit(.minutes(15))) struct StoppingTests {
  @Test("Endless bodies in ten batches get one cancel and one end each")
  func spinning() throws {
    let each = TestScale.count(500)
    for _ in 0..<10 {
      let bench = Bench()
      let queue = bench.queue(width: 4)
      let begun = DispatchSemaphore(value: 0)
      let operations = (0..<each).map { _ in
        BlockingOperation(engine: bench.engine) { operation in
          begun.signal()
          while !operation.isCancelled { sched_yield() }
          return nil
        }
      }
      let isBack = comesBack(within: 60) {
        try? queue.addOperations(operations, waitUntilFinished: false)
        // They begin in the order added, so the next one has begun when one more has.
        for operation in operations {
          guard begun.wait(timeout: .now() + 20) == .success else { break }
          operation.cancel()
        }
        queue.cancelAllOperations()
      }
      #expect(isBack)
      try drainOrStop(queue)
      let record = LifeRecord(of: bench.engine, width: 4)
      #expect(record.faults == [])
      #expect(record.cancelled.count == each)
      #expect(record.count("cancelled") == each)
    }
  }

  @Test("Bodies cancelled by another thread just after adding end once each")
  func spinningFromTheStart() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    let count = TestScale.count(500)
    let operations = (0..<count).map { _ in
      BlockingOperation(engine: bench.engine) { operation in
        while !operation.isCancelled { sched_yield() }
        return nil
      }
    }
    let added = DispatchSemaphore(value: 0)
    race([
      {
        for operation in operations {
          try? queue.addOperation(operation)
          added.signal()
        }
      },
      {
        for operation in operations {
          guard added.wait(timeout: .now() + 20) == .success else { return }
          operation.cancel()
        }
      },
    ])
    try drainOrStop(queue)
    let record = LifeRecord(of: bench.engine, width: 4)
    #expect(record.faults == [])
    #expect(record.count("cancelled") == count)
    #expect(record.cancelled.count == count)
  }

  @Test("Notifications of operations cancelled while executing never overlap and stay in order")
  func noConcurrentEvents() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    let faults = Gathered<String>()
    for _ in 0..<TestScale.count(150) {
      let (inside, told) = (Locked(0), Gathered<String>())
      let operation = Held(engine: bench.engine)
      let names = ["isExecuting", "isCancelled", "isFinished"]
      let tokens = names.compactMap { name in
        operation.observe(named: name, options: [.new]) { _, change in
          let others = inside.withLock { inside in
            inside += 1
            return inside - 1
          }
          if others > 0 { faults.add("\(name) overlaps") }
          // Gives the other threads the time to come in between.
          for _ in 0..<20 { sched_yield() }
          if case .boolean(let value) = change.newValue { told.add("\(name) \(value)") }
          inside.withLock { $0 -= 1 }
        }
      }
      try queue.addOperation(operation)
      try #require(operation.waitUntilBegun())
      race([
        { operation.cancel() }, { operation.cancel() }, { operation.finish(.success(1)) },
      ])
      try drainOrStop(queue)
      // The last notices may be on their way on the thread that won.
      let isTold = eventually { told.all.last == "isFinished true" }
      #expect(isTold)
      var expected = ["isExecuting true", "isExecuting false", "isFinished true"]
      if operation.isCancelled { expected.insert("isCancelled true", at: 1) }
      if told.all != expected { faults.add("\(told.all)") }
      for token in tokens { token.invalidate() }
    }
    #expect(faults.all == [])
  }

  @Test("An operation finished by another thread ends while execute() still blocks")
  func finishedWhileBlocked() throws {
    for _ in 0..<TestScale.count(40) {
      // execute()                     another thread
      // begins, blocks
      //                               finishes: handler, slot, dependent
      // returns
      let bench = Bench()
      let queue = bench.queue(width: 1)
      let (begun, goOn, returned) = (Door(), Door(), Door())
      let handled = Gathered<Int>()
      let blocked = Hooked(name: "blocked", engine: bench.engine) { _ in
        begun.open()
        goOn.pass()
        returned.open()
      } completionHandler: { result in
        if case .success(let value) = result { handled.add(value) }
      }
      let (dependent, next) = (bench.quick("dependent"), bench.quick("next"))
      try dependent.depend(on: blocked)
      try queue.addOperations([blocked, next, dependent], waitUntilFinished: false)
      try #require(begun.pass())
      #expect(blocked.finish(.success(7)))
      #expect(blocked.isFinished)
      try drainOrStop(queue)
      #expect(bench.started == ["blocked", "next", "dependent"])
      #expect(!blocked.finish(.success(8)))
      goOn.open()
      #expect(returned.pass())
      #expect(handled.all == [7])
      #expect(bench.life("blocked").count == 4)
    }
  }

  @Test("Work of an operation after its own finish delays no other operation")
  func blocksAfterFinish() throws {
    // execute()                     queue of width 1
    // finishes, blocks
    //                               runs the dependent and the next
    // returns
    let bench = Bench()
    let queue = bench.queue(width: 1)
    for _ in 0..<TestScale.count(20) {
      let (goOn, returned) = (Door(), Door())
      let first = Hooked(engine: bench.engine) { operation in
        operation.finish(.success(1))
        goOn.pass()
        returned.open()
      }
      let (dependent, next) = (
        Quick(engine: bench.engine), BlockingOperation(engine: bench.engine) { _ in nil }
      )
      try dependent.depend(on: first)
      try queue.addOperations([first, dependent, next], waitUntilFinished: false)
      #expect(queue.waitUntilAllOperationsAreFinished(timeout: .seconds(60)))
      goOn.open()
      #expect(returned.pass())
      try drainOrStop(queue)
    }
    #expect(LifeRecord(of: bench.engine, width: 1).faults == [])
  }

  @Test("Cancel and finish race for thousands of operations on one queue")
  func cancelOrFinish() throws {
    let bench = Bench()
    let (queue, later) = (bench.queue(width: 4), bench.queue("later", width: 2))
    let count = TestScale.count(600)
    let completions = Locked<[Int: Int]>([:])
    let (toCancel, toFinish) = (Gathered<Hooked>(), Gathered<Hooked>())
    let begun = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
    for _ in 0..<count {
      let number = Locked(0)
      let operation = Hooked(engine: bench.engine) { operation in
        toCancel.add(operation)
        toFinish.add(operation)
        for semaphore in begun { semaphore.signal() }
      } completionHandler: { _ in
        completions.withLock { $0[number.withLock { $0 }, default: 0] += 1 }
      }
      number.withLock { $0 = operation.id }
      let dependent = Quick(engine: bench.engine)
      try dependent.depend(on: operation)
      try later.addOperation(dependent)
      try queue.addOperation(operation)
    }
    race([
      {
        for index in 0..<count where begun[0].wait(timeout: .now() + 20) == .success {
          toCancel.all[index].cancel()
        }
      },
      {
        for index in 0..<count where begun[1].wait(timeout: .now() + 20) == .success {
          toFinish.all[index].finish(.success(index))
        }
      },
    ])
    try drainOrStop(queue)
    try drainOrStop(later)
    let record = LifeRecord(of: bench.engine, width: 4)
    #expect(record.faults == [])
    #expect(record.outcomes.count == 2 * count)
    #expect(record.count("failed") == 0 && record.count("skipped") == 0)
    let calls = completions.withLock { $0 }
    #expect(calls.count == count && calls.values.allSatisfy { $0 == 1 })
  }

  @Test("An operation cancelled repeatedly from four threads is cancelled once")
  func repeatedCancel() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    for round in 0..<TestScale.count(150) {
      let operation = Held(engine: bench.engine)
      let notices = Locked(0)
      let token = operation.observe(\.isCancelled) { _, _ in notices.withLock { $0 += 1 } }
      if !round.isMultiple(of: 3) { try queue.addOperation(operation) }
      race(
        (0..<4).map { index in
          { for _ in 0..<5 { index == 0 ? queue.cancelAllOperations() : operation.cancel() } }
        })
      if round.isMultiple(of: 3) { try queue.addOperation(operation) }
      try drainOrStop(queue)
      let isTold = eventually { notices.withLock { $0 } == 1 }
      #expect(isTold)
      #expect(operation.outcome == .cancelled)
      #expect(operation.interruptions <= 1)
      token.invalidate()
    }
    let record = LifeRecord(of: bench.engine, width: 2)
    #expect(record.faults == [])
    #expect(record.cancelled.count == TestScale.count(150))
  }
}
