import Dispatch
import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

/// Waits that could never end, because what they wait for waits for the one who asks.
@Suite(.timeLimit(.minutes(15))) struct InnerWaitTests {
  @Test("An operation started by hand inside another cannot wait for that one or its queue")
  func nestedWait() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let (around, answers) = (Locked<ObservableOperation?>(nil), Gathered<Bool>())
    let start = ContinuousClock.now
    let inner = Plain(name: "inner", engine: bench.engine) {
      answers.add(queue.waitUntilAllOperationsAreFinished(timeout: .seconds(60)))
      answers.add(around.withLock { $0 }?.waitUntilFinished(timeout: .seconds(60)) ?? true)
    }
    let outer = BlockingOperation(name: "outer", engine: bench.engine) { outer in
      around.withLock { $0 = outer }
      inner.start()
      return nil
    }
    try queue.addOperation(outer)
    try drainOrStop(queue)
    #expect(answers.all == [false, false])
    #expect(ContinuousClock.now - start < .seconds(30))
    around.withLock { $0 = nil }
  }

  @Test("An operation in a group cannot wait for its enclosing groups or their queues")
  func waitForGroup() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    let (outer, inner) = (bench.group("outer"), bench.group("inner"))
    let answers = Gathered<Bool>()
    let start = ContinuousClock.now
    try inner.addOperation(
      BlockingOperation(engine: bench.engine) { _ in
        for group in [inner, outer] {
          answers.add(group.waitUntilFinished(timeout: .seconds(60)))
          answers.add(group.innerQueue.waitUntilAllOperationsAreFinished(timeout: .seconds(60)))
        }
        answers.add(queue.waitUntilAllOperationsAreFinished(timeout: .seconds(60)))
        let late = bench.quick("late")
        answers.add((try? queue.addOperations([late], waitUntilFinished: true)) != nil)
        answers.add(late.state != .created)
        return nil
      })
    try outer.addOperation(inner)
    try queue.addOperation(outer)
    try drainOrStop(queue)
    #expect(answers.all == [Bool](repeating: false, count: 7))
    #expect(ContinuousClock.now - start < .seconds(30))
  }

  @Test("A task started by a body may wait for the group after the body has returned")
  func waitAfterwards() throws {
    let bench = Bench()
    let (queue, group, held) = (bench.queue(), bench.group(), bench.held("held"))
    let (answers, asked) = (Gathered<Bool>(), Gate())
    let body = BlockingOperation(name: "body", engine: bench.engine) { body in
      // The thread looks as if it ran inside the body, and outlives the body.
      let surrounding = ObservableOperation.current
      Thread {
        ObservableOperation.$current.withValue(surrounding) {
          body.waitUntilFinished()
          _ = eventually { body.state == .finished }
          asked.open()
          answers.add(group.waitUntilFinished(timeout: .seconds(60)))
        }
      }.start()
      return nil
    }
    try group.addOperations([body, held])
    try queue.addOperation(group)
    #expect(asked.pass())
    held.finish(.success(1))
    try drainOrStop(queue)
    #expect(eventually { answers.all == [true] })
  }

  @Test("A completion handler cannot wait for its own operation or queue")
  func waitInHandler() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let (own, answers) = (Locked<Held?>(nil), Gathered<Bool>())
    let operation = Held(engine: bench.engine) { _ in
      answers.add(queue.waitUntilAllOperationsAreFinished(timeout: .seconds(60)))
      answers.add(own.withLock { $0 }?.waitUntilFinished(timeout: .seconds(60)) ?? true)
    }
    own.withLock { $0 = operation }
    try queue.addOperation(operation)
    try #require(operation.waitUntilBegun())
    let start = ContinuousClock.now
    operation.finish(.success(1))
    #expect(answers.all == [false, false])
    #expect(ContinuousClock.now - start < .seconds(30))
    try drainOrStop(queue)
    own.withLock { $0 = nil }
  }
}
