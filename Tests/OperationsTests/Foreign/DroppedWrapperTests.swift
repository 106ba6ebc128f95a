import Foundation
import Operations
import TestSupport
import Testing

/// Operations of Foundation that were given to a group that is gone before it ran them.
@Suite(.timeLimit(.minutes(15))) struct DroppedWrapperTests {
  @Test(
    "A dependency finishes after its dependent and the dependent's group were released",
    arguments: [true, false])
  func dependencyFinishes(keepsIt: Bool) throws {
    let bench = Bench()
    let plain = OperationQueue()
    var upstreams: [Operation] = []
    // Memory that was let go is not always used again at once.
    for _ in 0..<200 {
      let upstream = BlockOperation {}
      upstreams.append(upstream)
      var waiting: Operation? = BlockOperation {}
      waiting?.addDependency(upstream)
      var group: GroupOperation? = bench.group()
      try group?.innerQueue.addOperation(#require(waiting))
      if keepsIt {
        group = nil
        #expect(waiting?.isFinished == false)
        waiting = nil
      } else {
        waiting = nil
        group = nil
      }
    }
    plain.addOperations(upstreams, waitUntilFinished: true)
    #expect(upstreams.allSatisfy { $0.isFinished })
  }

  @Test("An operation of a released group can still run on another queue")
  func runElsewhere() throws {
    let bench = Bench()
    let plain = OperationQueue()
    let (upstream, ran) = (BlockOperation {}, Gate())
    let waiting = BlockOperation { ran.open() }
    waiting.addDependency(upstream)
    do {
      let group = bench.group()
      try group.innerQueue.addOperation(waiting as Operation)
    }
    plain.addOperation(upstream)
    plain.addOperation(waiting)
    #expect(ran.pass())
    plain.waitUntilAllOperationsAreFinished()
  }

  @Test("Unreferenced wrapped operations are released when the next one is added")
  func release() throws {
    let bench = Bench()
    let upstream = BlockOperation {}
    let census = Census()
    for _ in 0..<20 {
      let resident = census.resident()
      let waiting = BlockOperation { withExtendedLifetime(resident) {} }
      waiting.addDependency(upstream)
      let group = bench.group()
      try group.innerQueue.addOperation(waiting as Operation)
    }
    #expect(eventually { census.count <= 1 })
  }
}
