import Operations
import TestSupport
import Testing

/// An operation that is added just when what it depends on finishes must run all the same.
///
/// On Foundation's queue a few of a hundred thousand stay ready for ever, until something pokes the
/// queue. Nothing here does.
@Suite(.timeLimit(.minutes(15))) struct LostWakeUpTests {
  private static let pairs = TestScale.count(4_000)

  @Test(
    "Every dependent runs when operations are added one by one to one queue", arguments: [1, 2, -1])
  func oneQueue(width: Int) throws {
    let bench = Bench()
    let queue = bench.queue(width: width)
    for _ in 0..<Self.pairs {
      let (upstream, dependent) = (Quick(engine: bench.engine), Quick(engine: bench.engine))
      try dependent.depend(on: upstream)
      try queue.addOperation(upstream)
      // The upstream operation is likely to finish on another thread just now.
      try queue.addOperation(dependent)
    }
    try drainOrStop(queue)
    expectAll(2 * Self.pairs, in: bench, width: width)
  }

  @Test("Every dependent runs when two threads add operations to two queues")
  func twoQueues() throws {
    let bench = Bench()
    let (one, two) = (bench.queue("one", width: 1), bench.queue("two", width: 2))
    let upstream = (0..<Self.pairs).map { _ in Quick(engine: bench.engine) }
    let dependents = (0..<Self.pairs).map { _ in Quick(engine: bench.engine) }
    for (dependent, operation) in zip(dependents, upstream) { try dependent.depend(on: operation) }
    race([
      { for operation in upstream { try? one.addOperation(operation) } },
      { for operation in dependents { try? two.addOperation(operation) } },
    ])
    try drainOrStop(one)
    try drainOrStop(two)
    expectAll(2 * Self.pairs, in: bench, width: 2)
  }

  @Test("A dependency across queues is not lost if both operations are already queued")
  func lateEdges() throws {
    let bench = Bench()
    let (one, two) = (bench.queue("one"), bench.queue("two"))
    for _ in 0..<Self.pairs {
      let (upstream, dependent) = (Quick(engine: bench.engine), Quick(engine: bench.engine))
      try one.addOperation(upstream)
      try dependent.depend(on: upstream)
      try two.addOperation(dependent)
    }
    try drainOrStop(one)
    try drainOrStop(two)
    expectAll(2 * Self.pairs, in: bench, width: 2)
  }

  @Test("Batches with dependent and dependency, added from three threads, run completely")
  func batches() throws {
    let bench = Bench()
    let queue = bench.queue(width: 3)
    let batches = Self.pairs / 6 + 1
    race(
      (0..<3).map { _ in
        {
          for round in 0..<batches {
            let ends = [Quick(engine: bench.engine), Quick(engine: bench.engine)]
            try? ends[1].depend(on: ends[0])
            let order = round.isMultiple(of: 2) ? ends : ends.reversed()
            try? queue.addOperations(order, waitUntilFinished: false)
          }
        }
      })
    try drainOrStop(queue)
    expectAll(6 * batches, in: bench, width: 3)
  }

  private func expectAll(
    _ count: Int, in bench: Bench, width: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let record = LifeRecord(of: bench.engine, width: width < 0 ? nil : width)
    #expect(record.faults == [], sourceLocation: sourceLocation)
    #expect(record.count("succeeded") == count, sourceLocation: sourceLocation)
  }
}
