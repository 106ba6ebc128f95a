import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Operations

/// The order that tells whether a dependency closes a cycle.
@Suite(.timeLimit(.minutes(15))) struct TopologicalOrderTests {
  // MARK: - Right answers

  @Test(
    "On small graphs every answer is right, and everything stands behind what it waits for",
    arguments: 1...8)
  func smallGraphs(seed: UInt64) throws {
    var random = SplitMix(state: seed)
    for _ in 0..<TestScale.count(12) {
      var model = DependencyModel(log: EventLog(), count: 3 + random.below(22))
      for _ in 0..<160 {
        let problem = try takeStep(on: &model, &random, among: 60)
        try #require(problem == nil, "seed \(seed)")
        try #require(model.faults == [], "seed \(seed)")
      }
      model.finishAll()
      try #require(model.stored == (0, 0), "seed \(seed)")
    }
  }

  @Test("On larger graphs too", arguments: 1...3)
  func largerGraphs(seed: UInt64) throws {
    var random = SplitMix(state: seed &+ 1_000)
    var model = DependencyModel(log: EventLog(), count: 300)
    for step in 0..<TestScale.count(2_500) {
      // Mostly dependencies, so that the graph becomes dense enough for long ways round.
      let problem = try takeStep(on: &model, &random, among: step < 1_000 ? 50 : 54)
      try #require(problem == nil, "seed \(seed)")
      if step % 100 == 0 { try #require(model.faults == [], "seed \(seed)") }
    }
    #expect(model.faults == [])
    model.finishAll()
    #expect(model.stored == (0, 0))
  }

  /// Does one thing at random; up to 49 of `range` are a new dependency.
  ///
  /// - Returns: What was wrong with the answer.
  private func takeStep(
    on model: inout DependencyModel, _ random: inout SplitMix, among range: Int
  ) throws -> String? {
    let (first, second) = (random.below(model.count), random.below(model.count))
    switch random.below(range) {
    case 50...52:
      if let other = model.upstream[first].sorted().first {
        try model.removeDependency(first, on: other)
      }
    case 53: model.finish(first)
    case 54: model.operations[first]?.cancel()
    case 55: model.grow()
    case 56: model.letGo(first)
    case 57...:
      model.operations[first]?.cancel()
      model.finish(first)
    default:
      return model.depend(first, on: second)
    }
    return nil
  }

  @Test("Doing it again, and removing and adding in the other direction")
  func again() throws {
    var model = DependencyModel(log: EventLog(), count: 3)
    for _ in 0..<50 {
      #expect(model.depend(0, on: 2) == nil)
      #expect(model.depend(0, on: 2) == nil)
      #expect(model.depend(1, on: 0) == nil)
      #expect(model.expectation(2, on: 1) == .cycle)
      #expect(model.depend(2, on: 1) == nil)
      try model.removeDependency(0, on: 2)
      #expect(model.depend(2, on: 1) == nil)
      #expect(model.faults == [])
      try model.removeDependency(2, on: 1)
      try model.removeDependency(1, on: 0)
    }
  }

  @Test("The path of a cycle goes along what each waits for, from whom was to wait")
  func path() throws {
    let bench = Bench()
    let all = (0..<100).map { bench.quick("op-\($0)") }
    // From both ends to the middle, so that the two sides of the search meet somewhere.
    for index in 0..<49 {
      try all[index].depend(on: all[index + 1])
      try all[98 - index].depend(on: all[99 - index])
    }
    try all[49].depend(on: all[50])
    let names = ["op-99"] + (0..<100).map { "op-\($0)" }
    #expect(throws: DependencyError.cycle(path: names)) { try all[99].depend(on: all[0]) }
    #expect(throws: DependencyError.cycle(path: ["op-7", "op-6", "op-7"])) {
      try all[7].depend(on: all[6])
    }
    #expect(all[99].upstream.isEmpty && all[0].downstream.isEmpty)
  }

  @Test("A cycle is refused as one, however late; without it lateness is the reason")
  func late() throws {
    let bench = Bench()
    let (old, new, other) = (bench.held("old"), bench.held("new"), bench.held("other"))
    try new.depend(on: old)
    try old.startManually()
    #expect(throws: DependencyError.cycle(path: ["old", "new", "old"])) { try old.depend(on: new) }
    #expect(throws: DependencyError.tooLate(name: "old", state: .executing)) {
      try old.depend(on: other)
    }
    #expect(eventually { bench.stored == 0 })
    old.finish(.success(1))
    #expect(throws: DependencyError.tooLate(name: "old", state: .finished)) {
      try old.depend(on: new)
    }
  }

  @Test("A finished operation in between breaks a cycle, a cancelled one does not")
  func finishedInBetween() throws {
    let bench = Bench()
    let (a, b, c) = (bench.quick("a"), bench.quick("b"), bench.quick("c"))
    try a.depend(on: b)
    try b.depend(on: c)
    b.cancel()
    #expect(throws: DependencyError.cycle(path: ["c", "a", "b", "c"])) { try c.depend(on: a) }
    try b.startManually()
    #expect(b.isFinished)
    try c.depend(on: a)
    try a.startManually()
    try c.startManually()
    #expect(c.outcome == .succeeded)
    #expect(eventually { bench.stored == 0 })
  }

  @Test("Who observes hears before and after of a dependency that fits, and nothing of others")
  func observed() throws {
    let bench = Bench()
    let (first, second, third) = (bench.quick("1"), bench.quick("2"), bench.quick("3"))
    try second.depend(on: third)
    try first.depend(on: second)
    let told = Gathered<String>()
    let tokens = [first, third].map { operation in
      operation.observe(\.dependencies, options: [.prior, .new]) { operation, change in
        told.add("\(operation.displayName) \(change.isPrior ? "will" : "did")")
      }
    }
    withExtendedLifetime(tokens) {
      #expect(throws: DependencyError.self) { try third.depend(on: first) }
      #expect(told.all == [])
    }
    let fourth = bench.quick("4")
    try first.depend(on: fourth)
    #expect(told.all == ["1 will", "1 did"])
  }

  // MARK: - Cost

  @Test("No order of adding makes it slow", arguments: LateEdges.all)
  func hostile(graph: LateEdges) throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let count = TestScale.count(20_000)
    let edges = graph.edges(count: count)
    let all = (0..<count).map { _ in Quick(log: bench.log) }
    try queue.addOperations(all, waitUntilFinished: false)
    for edge in edges { try all[edge.dependent].depend(on: all[edge.upstream]) }
    let steps = bench.log.guardedDomain { $0.order.stepCount }
    // In the worst of these shapes there are 5 for each dependency; walking would be thousands.
    #expect(steps <= 10 * count)
    let isInOrder = bench.log.guardedDomain { domain in
      edges.allSatisfy {
        domain.order.position(of: all[$0.upstream]) < domain.order.position(of: all[$0.dependent])
      }
    }
    #expect(isInOrder)
    #expect(bench.moved <= count)
    // The other direction closes a cycle.
    for edge in edges.prefix(3) {
      #expect(throws: DependencyError.self) {
        try all[edge.upstream].depend(on: all[edge.dependent])
      }
    }
  }

  @Test("A graph that is built in order moves nothing and searches nothing")
  func inOrder() throws {
    let bench = Bench()
    var all = [bench.quick("first")]
    var random = SplitMix(state: 3)
    for index in 1..<2_000 {
      let next = Quick(log: bench.log)
      for _ in 0..<random.below(4) { try next.depend(on: all[random.below(index)]) }
      all.append(next)
    }
    #expect(eventually { bench.stored == 0 })
    #expect(bench.log.guardedDomain { $0.order.stepCount } == 0)
  }

  // MARK: - Nothing is left

  @Test("What has finished has no place any more", arguments: [LateEdges.Order.shuffled, .fromEnd])
  func nothingLeftAfterFinishing(order: LateEdges.Order) throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    for shape in [LateEdges.Shape.permutedChain, .reversedRandom, .reversedFanOut] {
      let edges = LateEdges(shape: shape, order: order).edges(count: 3_000)
      var all = (0..<3_000).map { _ in Quick(log: bench.log) }
      try queue.addOperations(all, waitUntilFinished: false)
      for edge in edges { try all[edge.dependent].depend(on: all[edge.upstream]) }
      for index in stride(from: 0, to: 3_000, by: 7) { all[index].cancel() }
      all = []
      #expect(bench.moved > 1_000)
      queue.isSuspended = false
      drain(queue)
      queue.isSuspended = true
      #expect(eventually { bench.stored == 0 })
    }
  }

  @Test("What is let go without ever being queued has no place any more")
  func nothingLeftAfterRelease() throws {
    let bench = Bench()
    for graph in LateEdges.all where graph.order == .shuffled {
      var all: [Quick?] = (0..<2_000).map { _ in Quick(log: bench.log) }
      for edge in graph.edges(count: all.count) {
        guard let dependent = all[edge.dependent], let upstream = all[edge.upstream] else {
          continue
        }
        try dependent.depend(on: upstream)
      }
      // Some go one by one, in between; the rest at once, the chains without recursion.
      for index in all.indices where index % 3 == 0 { all[index] = nil }
      all = []
      #expect(eventually { bench.stored == 0 }, "\(graph.testDescription)")
    }
  }

  @Test("A long reversed chain is released on a thread with a small stack")
  func releaseOnThread() throws {
    let bench = Bench()
    let left = Gathered<Int>()
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      var all = (0..<TestScale.count(30_000)).map { _ in Quick(log: bench.log) }
      for index in 1..<all.count { try? all[index - 1].depend(on: all[index]) }
      left.add(bench.moved)
      all.removeLast(all.count - 1)
      left.add(bench.moved)
      all = []
      left.add(bench.stored)
      done.signal()
    }
    thread.stackSize = 256 * 1024
    thread.start()
    try #require(done.wait(timeout: .now() + 60) == .success)
    let moved = TestScale.count(30_000) - 1
    #expect(left.all == [moved, moved, 0])
  }

  @Test("A search that meets one that waits for a delay alone goes on", arguments: [false, true])
  func delayed(_ isBehindAnother: Bool) throws {
    let bench = Bench()
    let queue = bench.queue()
    let (a, b, c, d) = (bench.quick("a"), bench.quick("b"), bench.quick("c"), bench.quick("d"))
    try b.depend(on: a)
    d.startDelay = .seconds(3_600)
    try queue.addOperation(d)
    if isBehindAnother { try c.depend(on: d) }
    try a.depend(on: isBehindAnother ? c : d)
    #expect(throws: DependencyError.self) { try (isBehindAnother ? c : d).depend(on: b) }
    try queue.addOperations([a, b, c], waitUntilFinished: false)
    d.cancel()
    drain(queue)
    #expect(b.outcome == .succeeded)
  }
}

extension Bench {
  /// How many operations do not stand where their numbers do.
  var moved: Int { log.guardedDomain { $0.order.movedCount } }
  /// All that the order stores.
  var stored: Int { log.guardedDomain { $0.order.storedCount } }
}
