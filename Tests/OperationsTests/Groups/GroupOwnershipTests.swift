import Foundation
import Operations
import TestSupport
import Testing

/// Who keeps a group and its operations, and who does not.
@Suite(.timeLimit(.minutes(15))) struct GroupOwnershipTests {
  @Test("A finished group is released with everything in it")
  func afterTheEnd() throws {
    let census = Census()
    weak var inner: InspectableQueue?
    weak var gone: GroupOperation?
    do {
      let bench = Bench()
      let queue = bench.queue()
      let group = bench.group()
      (inner, gone) = (group.innerQueue, group)
      for _ in 0..<20 {
        let resident = census.resident()
        try group.addOperation(
          BlockingOperation(engine: bench.engine) { _ in
            withExtendedLifetime(resident) {}
            return nil
          })
      }
      let keeping = Keeping(census, engine: bench.engine)
      keeping.finish(.success(1))
      try group.addOperation(keeping)
      try queue.addOperations([group], waitUntilFinished: true)
    }
    #expect(eventually { census.count == 0 })
    #expect(eventually { gone == nil && inner == nil })
  }

  @Test("A group started by hand keeps running after its last reference is dropped")
  func startedByHand() throws {
    let bench = Bench()
    let (child, census) = (bench.held("child"), Census())
    weak var gone: GroupOperation?
    do {
      let group = bench.group()
      gone = group
      try group.addOperations([child, Keeping(census, name: "kept", engine: bench.engine)])
      try group.startManually()
    }
    #expect(child.waitUntilBegun())
    #expect(gone?.state == .executing)
    #expect(census.count == 1)
    for case let kept as Keeping in gone?.operations ?? [] { kept.finish(.success(1)) }
    child.finish(.success(1))
    #expect(eventually { bench.finished.last == "group" })
    #expect(eventually { gone == nil && census.count == 0 })
  }

  @Test("Releasing a group ends waits for its inner queue, which then refuses operations")
  func orphanedQueue() throws {
    let bench = Bench()
    let queue: InspectableQueue
    let (waited, calls) = (Gate(), Gathered<String>())
    var tokens: [ObservationToken] = []
    do {
      let group = bench.group()
      queue = group.innerQueue
      try group.addOperations([bench.held("one"), bench.held("two")])
      tokens = [
        queue.observe(\.operationCount, options: [.old, .new, .prior]) { _, change in
          let values = [change.oldValue, change.newValue].map { $0.map(String.init) ?? "-" }
          calls.add((change.isPrior ? "prior " : "") + values.joined(separator: " "))
        },
        queue.observe(\.operations, options: [.new]) { _, change in
          calls.add("left \(change.newValue?.count ?? -1)")
        },
      ]
      Thread {
        _ = queue.waitUntilAllOperationsAreFinished(timeout: .seconds(60))
        waited.open()
      }.start()
    }
    #expect(queue.operationCount == 0)
    #expect(waited.pass())
    #expect(calls.all == ["prior 2 -", "left 0", "2 0"])
    let late = bench.held("late")
    #expect(throws: QueueError.groupFinished(name: "group")) { try queue.addOperation(late) }
    #expect(late.state == .created)
    #expect(queue.waitUntilAllOperationsAreFinished(timeout: .seconds(60)))
    withExtendedLifetime(tokens) {}
  }

  @Test("A wait that began before its group is released ends")
  func endedWaits() throws {
    for _ in 0..<20 {
      let bench = Bench()
      let (begun, ended) = (Gate(), Gate())
      do {
        let group = bench.group()
        try group.addOperation(bench.held("one"))
        let queue = group.innerQueue
        Thread {
          begun.open()
          if queue.waitUntilAllOperationsAreFinished(timeout: .seconds(60)) { ended.open() }
        }.start()
        #expect(begun.pass())
        // Nothing tells that the thread waits; in most rounds it does by then.
        usleep(2_000)
      }
      #expect(ended.pass())
    }
  }

  @Test("A group that was never added is released with its operations")
  func neverAdded() throws {
    let bench = Bench()
    let census = Census()
    do {
      let group = bench.group()
      let inner = bench.group("inner")
      try group.addOperation(inner)
      for _ in 0..<10 {
        try inner.addOperation(Keeping(census, engine: bench.engine))
        try group.addOperation(Keeping(census, engine: bench.engine))
      }
      let late = Keeping(census, engine: bench.engine)
      late.startDelay = .seconds(3_600)
      try group.addOperation(late)
      try group.innerQueue.addBarrier(Keeping(census, engine: bench.engine))
      let resident = census.resident()
      group.innerQueue.addBarrierBlock { withExtendedLifetime(resident) {} }
      #expect(census.count == 23)
    }
    #expect(eventually { census.count == 0 }, "\(census.count)")
  }

  @Test("The operations of a released group are on no queue and remain usable")
  func orphans() throws {
    let bench = Bench()
    let queue = bench.queue()
    let gone = bench.held("gone")
    let (plain, skipped, barrier) = (bench.held("plain"), bench.quick("skipped"), bench.quick("b"))
    let after = bench.quick("after")
    do {
      let group = bench.group()
      try skipped.depend(on: gone, policy: .skip)
      try group.addOperation(plain)
      try group.innerQueue.addBarrier(barrier)
      try group.addOperations([skipped, after])
    }
    #expect(plain.group == nil && plain.queue == nil)
    #expect(plain.waitCodes == ["not-on-queue plain"])
    // None of these may end the process.
    after.queuePriority = .high
    after.exclusiveNames = ["name"]
    after.cancel()
    barrier.cancel()
    barrier.queuePriority = .low
    plain.name = "renamed"
    try queue.addOperation(gone)
    #expect(gone.waitUntilBegun())
    gone.finish(.failure(TestError()))
    drain(queue)
    #expect(skipped.outcome == .skipped)
    #expect(plain.state == .ready && after.isCancelled)
    #expect(throws: QueueError.self) { try queue.addOperation(plain) }
  }

  @Test("Reading wait reasons while a group is released does not hang")
  func askingWhileLettingGo() throws {
    for _ in 0..<TestScale.count(200) {
      let bench = Bench()
      let child = bench.held("child")
      let box = Box(bench.group())
      try box.group?.addOperation(child)
      race([
        { box.group = nil },
        { for _ in 0..<20 { _ = child.waitReasons() } },
        { for _ in 0..<20 { _ = (child.group?.summary, child.queue?.snapshot) } },
      ])
      #expect(child.group == nil)
    }
  }

  private final class Box: @unchecked Sendable {
    // @unchecked because one thread alone lets go of the group.
    var group: GroupOperation?

    init(_ group: GroupOperation) { self.group = group }
  }

  @Test("A released queue runs its groups to their end")
  func queueLetGo() throws {
    let bench = Bench()
    let census = Census()
    weak var gone: InspectableQueue?
    do {
      let queue = bench.queue(width: 1)
      gone = queue
      for index in 0..<3 {
        let group = bench.group("g-\(index)")
        let resident = census.resident()
        for _ in 0..<5 {
          try group.addOperation(
            BlockingOperation(engine: bench.engine) { _ in
              withExtendedLifetime(resident) {}
              return nil
            })
        }
        try queue.addOperation(group)
      }
    }
    #expect(eventually { census.count == 0 && gone == nil })
    #expect(bench.finished.suffix(1) == ["g-2"])
  }
}
