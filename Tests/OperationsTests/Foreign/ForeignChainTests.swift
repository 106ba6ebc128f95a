import Foundation
import OpshLocking
import Operations
import Testing

/// Many operations of Foundation that wait for one another.
@Suite(.timeLimit(.minutes(15))) struct ForeignChainTests {
  /// An operation that counts how often its dependencies are read.
  private final class Asked: Operation, @unchecked Sendable {
    // @unchecked because the count is locked.
    private let count = Locked(0)

    override var dependencies: [Operation] {
      count.withLock { $0 += 1 }
      return super.dependencies
    }

    var times: Int { count.withLock { $0 } }
  }

  @Test(
    "Adding a chain of Foundation operations visits each one a bounded number of times",
    arguments: [false, true])
  func chain(somethingIsWatched: Bool) throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let (watched, waiting) = (BlockOperation {}, bench.quick("waiting"))
    if somethingIsWatched { try waiting.depend(on: watched as Operation) }
    defer { watched.start() }
    let links = (0..<300).map { _ in Asked() }
    for (link, next) in zip(links, links.dropFirst()) { next.addDependency(link) }
    for link in links { try queue.addOperation(link as Operation) }
    let most = try #require(links.map(\.times).max())
    #expect(most < 100)
    let last = try #require(queue.operations.last as? WrappedOperation)
    #expect(last.upstream.count == 1)
    queue.isSuspended = false
    try drainOrStop(queue)
    #expect(links.filter(\.isFinished).count == links.count)
  }

  @Test("A cancelled operation cannot close a cycle")
  func cancelledInCycle() throws {
    let bench = Bench()
    let (queue, paused) = (bench.queue(), bench.queue("paused", paused: true))
    let (work, own) = (BlockOperation {}, bench.quick("a"))
    try own.depend(on: work as Operation)
    work.addDependency(own)
    try paused.addOperation(own)
    own.cancel()
    let wrapper = try queue.addOperation(work as Operation)
    paused.isSuspended = false
    try drainOrStop(paused)
    try drainOrStop(queue)
    #expect(own.outcome == .cancelled)
    #expect(wrapper.outcome == .succeeded)
  }

  @Test("A cycle closed through Foundation among queued operations fails when it is found")
  func lateCycle() throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let links = (0..<40).map { number in
      let link = BlockOperation {}
      link.name = "link \(number)"
      return link
    }
    for (link, next) in zip(links, links.dropFirst()) { next.addDependency(link) }
    for link in links.dropLast() { try queue.addOperation(link as Operation) }
    let first = try #require(queue.operations.first)
    links[0].addDependency(links[39])
    // No way through what the queue has is looked along to its end.
    try queue.addOperation(links[39] as Operation)
    queue.isSuspended = false
    try drainOrStop(queue)
    guard case .failed(let failure) = first.outcome else {
      return #expect(Bool(false), "it is \(String(describing: first.outcome))")
    }
    #expect(failure.code == "dependency-cycle")
    #expect(failure.message.contains("link 0 → link 39 → link 38"))
    #expect(links.filter(\.isFinished).count == links.count)
    #expect(links.filter(\.isCancelled).count == 1)
  }
}
