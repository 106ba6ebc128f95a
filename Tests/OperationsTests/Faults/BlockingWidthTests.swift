import Dispatch
import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

/// Foundation's queue runs as many blocking bodies as libdispatch has threads, which is two or
/// three on two cores and one more each second, and everything else on those threads starves.
@Suite(.timeLimit(.minutes(15))) struct BlockingWidthTests {
  @Test("At unlimited width all bodies run at once, however many there are")
  func unlimited() throws {
    // Each blocks until the last one has come.
    let count = min(600, TestScale.count(120))
    let bench = Bench()
    let queue = bench.queue(width: -1)
    let (arrived, all) = (Locked(0), Door())
    for _ in 0..<count {
      try queue.addOperation(
        BlockingOperation(engine: bench.engine) { _ in
          let present = arrived.withLock { arrived in
            arrived += 1
            return arrived
          }
          if present == count { all.open() }
          return all.pass()
        })
    }
    try drainOrStop(queue)
    let record = LifeRecord(of: bench.engine)
    #expect(record.faults == [])
    #expect(record.peak == count)
    #expect(arrived.withLock { $0 } == count)
  }

  @Test("A limited width is reached in every wave and never exceeded", arguments: [2, 8, 31])
  func waves(width: Int) throws {
    let bench = Bench()
    let queue = bench.queue(width: width)
    let (arrived, doors) = (Locked(0), (0..<3).map { _ in Door() })
    let operations = (0..<3 * width).map { _ in
      BlockingOperation(engine: bench.engine) { _ in
        let place = arrived.withLock { arrived in
          arrived += 1
          return arrived - 1
        }
        let wave = place / width
        if place % width == width - 1 { doors[wave].open() }
        return doors[wave].pass()
      }
    }
    try queue.addOperations(operations, waitUntilFinished: false)
    try drainOrStop(queue)
    #expect(operations.allSatisfy { $0.resultValue as? Bool == true })
    let record = LifeRecord(of: bench.engine, width: width)
    #expect(record.faults == [])
    #expect(record.peak == width)
  }

  @Test("Blocked bodies do not delay timers, asynchronous operations or their handlers")
  func othersGoOn() throws {
    let bench = Bench()
    let (blocked, free) = (bench.queue("blocked", width: 32), bench.queue("free", width: 4))
    let (goOn, begun) = (Door(), DispatchSemaphore(value: 0))
    for _ in 0..<32 {
      try blocked.addOperation(
        BlockingOperation(engine: bench.engine) { _ in
          begun.signal()
          goOn.pass()
          return nil
        })
    }
    for _ in 0..<32 { try #require(begun.wait(timeout: .now() + 20) == .success) }
    let (handled, completed) = (Door(), Door())
    let quick = Hooked(
      engine: bench.engine, onExecute: { $0.finish(.success(1)) },
      completionHandler: { _ in handled.open() })
    quick.completionBlock = { completed.open() }
    let delay = DelayOperation(duration: .milliseconds(1), engine: bench.engine)
    let plain = Plain(engine: bench.engine)
    let body = BlockingOperation(engine: bench.engine) { _ in nil }
    let others = [quick, delay, plain, body]
    try free.addOperations(others, waitUntilFinished: false)
    try drainOrStop(free)
    #expect(others.allSatisfy { $0.outcome == .succeeded })
    #expect(handled.pass())
    #expect(completed.pass())
    // All of it came to pass while every body still blocked.
    #expect(blocked.snapshot.executing == 32)
    goOn.open()
    try drainOrStop(blocked)
  }
}
