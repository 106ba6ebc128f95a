import Dispatch
import Foundation
import Support
import TestSupport
import Testing

@testable import Operations

/// The order of operations that tells whether a dependency closes a cycle.
@Suite(.timeLimit(.minutes(15))) struct DependencyOrderTests {
  // MARK: - Right answers

  @Test(
    "In random small graphs only cycles are refused, and the order follows the dependencies",
    arguments: 1...8)
  func smallGraphs(seed: UInt64) throws {
    var random = RandomSource(seed: seed)
    for _ in 0..<TestScale.count(12) {
      var model = DependencyModel(engine: OperationEngine(), count: 3 + random.below(22))
      for _ in 0..<160 {
        let problem = try takeStep(on: &model, &random, among: 60)
        try #require(problem == nil, "seed \(seed)")
        try #require(model.faults == [], "seed \(seed)")
      }
    }
  }

  @Test("In random larger graphs only cycles are refused", arguments: 1...3)
  func largerGraphs(seed: UInt64) throws {
    var random = RandomSource(seed: seed &+ 1_000)
    var model = DependencyModel(engine: OperationEngine(), count: 300)
    for step in 0..<TestScale.count(2_500) {
      // Mostly dependencies, so that the graph becomes dense enough for long ways round.
      let problem = try takeStep(on: &model, &random, among: step < 1_000 ? 50 : 54)
      try #require(problem == nil, "seed \(seed)")
      if step % 100 == 0 { try #require(model.faults == [], "seed \(seed)") }
    }
    #expect(model.faults == [])
  }

  /// Does one thing at random; up to 49 of `range` are a new dependency.
  ///
  /// - Returns: What was wrong with the answer.
  private func takeStep(
    on model: inout DependencyModel, _ random: inout RandomSource, among range: Int
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
    case 56: model.release(first)
    case 57...:
      model.operations[first]?.cancel()
      model.finish(first)
    default:
      return model.depend(first, on: second)
    }
    return nil
  }

  @Test("Dependencies can be added again, removed, and added in the other direction")
  func again() throws {
    var model = DependencyModel(engine: OperationEngine(), count: 3)
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

  @Test("The path of a cycle begins with the dependent and follows the dependencies")
  func path() throws {
    let bench = Bench()
    let all = (0..<100).map { bench.quick("op-\($0)") }
    // From both ends to the middle, in the order that makes each dependency late.
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

  @Test("A late dependency is refused as a cycle if it closes one, otherwise as too late")
  func late() throws {
    let bench = Bench()
    let (old, new, other) = (bench.held("old"), bench.held("new"), bench.held("other"))
    try new.depend(on: old)
    try old.startManually()
    #expect(throws: DependencyError.cycle(path: ["old", "new", "old"])) { try old.depend(on: new) }
    #expect(throws: DependencyError.tooLate(name: "old", state: .executing)) {
      try old.depend(on: other)
    }
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
  }

  @Test("Observers are called before and after a dependency is added, not if it is refused")
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

  @Test(
    "The order follows late dependencies, added in any order",
    arguments: LateEdges.all)
  func lateEdges(graph: LateEdges) throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    let count = TestScale.count(5_000)
    let edges = graph.edges(count: count)
    let all = (0..<count).map { _ in Quick(engine: bench.engine) }
    try queue.addOperations(all, waitUntilFinished: false)
    for edge in edges { try all[edge.dependent].depend(on: all[edge.upstream]) }
    let steps = bench.stepCount
    // Chains, fans and hubs take a few steps for each dependency in any order, and so does a sparse
    // random graph. In layers nearly everything waits for half of the graph, so there each search may
    // be long.
    if graph.shape != .reversedLayers { #expect(steps <= 20 * count) }
    #expect(edges.allSatisfy { bench.isOrdered(all[$0.upstream], all[$0.dependent]) })
    // The other direction closes a cycle.
    for edge in edges.prefix(3) {
      #expect(throws: DependencyError.self) {
        try all[edge.upstream].depend(on: all[edge.dependent])
      }
    }
  }

  @Test(
    "A late dependency in a large graph follows each dependency at most once", arguments: 0...2)
  func lateEdgesInLargeGraphs(shape: Int) throws {
    let bench = Bench()
    // A search of a long chain must not recurse; `scripts/bench engine` has all shapes at this size.
    let count = TestScale.count(shape == 0 ? 100_000 : 10_000)
    let all = (0..<count).map { _ in Quick(engine: bench.engine) }
    var random = RandomSource(seed: 7)
    // A chain, layers, and a random graph, each over the first half and over the second half.
    for index in 1..<count where index != count / 2 {
      let start = index < count / 2 ? 0 : count / 2
      switch shape {
      case 0: try all[index].depend(on: all[index - 1])
      case 1:
        guard index - start >= 100 else { continue }
        for _ in 0..<3 {
          try all[index].depend(on: all[(index / 100 - 1) * 100 + random.below(100)])
        }
      default: try all[index].depend(on: all[start + random.below(index - start)])
      }
    }
    #expect(bench.stepCount == 0)
    var edgeCount = all.reduce(0) { $0 + $1.upstream.count }
    for _ in 0..<200 {
      let (first, second) = (random.below(count / 2), count / 2 + random.below(count / 2))
      let steps = bench.stepCount
      try all[first].depend(on: all[second])
      edgeCount += 1
      #expect(bench.stepCount - steps <= edgeCount)
      #expect(bench.isOrdered(all[second], all[first]))
    }
  }

  @Test("Building a graph in dependency order needs no search")
  func inOrder() throws {
    let bench = Bench()
    var all = [bench.quick("first")]
    var random = RandomSource(seed: 3)
    for index in 1..<2_000 {
      let next = Quick(engine: bench.engine)
      for _ in 0..<random.below(4) { try next.depend(on: all[random.below(index)]) }
      all.append(next)
    }
    #expect(bench.stepCount == 0)
  }

  @Test(
    "Operations with late dependencies run in dependency order",
    arguments: [LateEdges.Order.shuffled, .fromEnd])
  func drains(order: LateEdges.Order) throws {
    let bench = Bench()
    let queue = bench.queue(paused: true)
    for shape in [LateEdges.Shape.permutedChain, .reversedRandom, .reversedFanOut] {
      let edges = LateEdges(shape: shape, order: order).edges(count: 3_000)
      let all = (0..<3_000).map { _ in Quick(engine: bench.engine) }
      try queue.addOperations(all, waitUntilFinished: false)
      for edge in edges { try all[edge.dependent].depend(on: all[edge.upstream]) }
      let isCancelled = all.indices.map { $0.isMultiple(of: 7) }
      for index in all.indices where isCancelled[index] { all[index].cancel() }
      queue.isSuspended = false
      drain(queue)
      queue.isSuspended = true
      #expect(
        edges.allSatisfy { edge in
          guard !isCancelled[edge.dependent], let end = all[edge.upstream].timestamps.finished,
            let start = all[edge.dependent].timestamps.executing
          else { return isCancelled[edge.dependent] }
          return end < start
        })
    }
  }

  @Test("A long reversed chain is released on a thread with a small stack")
  func releaseOnThread() throws {
    let bench = Bench()
    let done = DispatchSemaphore(value: 0)
    let isLastGone = Gathered<Bool>()
    let thread = Thread {
      var all = (0..<TestScale.count(30_000)).map { _ in Quick(engine: bench.engine) }
      for index in 1..<all.count { try? all[index - 1].depend(on: all[index]) }
      weak let last = all.last
      all.removeLast(all.count - 1)
      isLastGone.add(last == nil)
      all = []
      isLastGone.add(last == nil)
      done.signal()
    }
    thread.stackSize = 256 * 1024
    thread.start()
    try #require(done.wait(timeout: .now() + 60) == .success)
    #expect(isLastGone.all == [false, true])
  }

  @Test(
    "A search for cycles continues past an operation that only waits for a delay",
    arguments: [false, true])
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
  /// How many dependencies all searches for cycles have followed.
  fileprivate var stepCount: Int { engine.guardedState { $0.order.stepCount } }

  /// Whether one operation comes before another one in the order.
  func isOrdered(_ first: ObservableOperation, _ second: ObservableOperation) -> Bool {
    engine.guarded { first.core.position < second.core.position }
  }
}
