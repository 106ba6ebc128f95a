import Dispatch
import Foundation
import OpshSupport
import TestSupport
import Testing

@testable import Operations

/// The order of operations that tells whether a dependency closes a cycle.
@Suite(.timeLimit(.minutes(15))) struct DependencyOrderTests {
  // MARK: - Right answers

  @Test(
    "In random graphs only cycles are refused, and the order follows the dependencies",
    arguments: [(1, 9), (2, 25), (3, 25), (4, 300)])
  func randomGraphs(seed: UInt64, size: Int) throws {
    let bench = Bench()
    var random = RandomSource(seed: seed)
    var all = (0..<size).map { _ in Quick(engine: bench.engine) }
    var refused = 0
    for _ in 0..<TestScale.count(2_000) {
      let (one, other) = (random.below(size), random.below(size))
      switch random.below(60) {
      case 50...52:
        guard let edge = all[one].upstream.first, all[one].state == .created else { continue }
        try all[one].removeDependency(on: edge.operation)
      case 53...56: if all[one].isReady { try? all[one].startManually() }
      case 57: all[one].cancel()
      // It lives on only where another one depends on it.
      case 58...: all[one] = Quick(engine: bench.engine)
      default:
        guard one != other, all[one].state == .created else { continue }
        let path = Self.cycle(by: all[one], on: all[other])
        try #require(bench.isInOrder(all), "seed \(seed)")
        guard let path else { continue }
        // The path proves that the refusal was right.
        try #require(Self.leads(path, from: all[one], over: all[other]), "seed \(seed): \(path)")
        refused += 1
      }
    }
    #expect(all.contains { !$0.upstream.isEmpty })
    // Under the sanitizer the changes are too few for a cycle among many.
    if !TestScale.isSanitized { #expect(refused > 0) }
  }

  /// Makes one operation depend on another; returns the path of the cycle that this would close.
  private static func cycle(
    by operation: ObservableOperation, on other: ObservableOperation
  ) -> [String]? {
    do throws(DependencyError) {
      try operation.depend(on: other)
    } catch {
      if case .cycle(let path) = error { return path }
      Issue.record("\(error)")
    }
    return nil
  }

  /// Whether a path leads from an operation over a new dependency back to it, over unfinished ones of
  /// which each waits for the next.
  private static func leads(
    _ path: [String], from operation: ObservableOperation, over other: ObservableOperation
  ) -> Bool {
    guard path.count > 2, path.first == operation.displayName, path[1] == other.displayName,
      path.last == operation.displayName, Set(path).count == path.count - 1
    else { return false }
    var place = other
    for name in path.dropFirst(2) {
      guard place.state != .finished,
        let next = place.upstream.first(where: { $0.operation.displayName == name })
      else { return false }
      place = next.operation
    }
    return place === operation
  }

  @Test("Dependencies can be added again, removed, and added in the other direction")
  func again() throws {
    let bench = Bench()
    let (a, b, c) = (bench.quick("a"), bench.quick("b"), bench.quick("c"))
    for _ in 0..<50 {
      try a.depend(on: c)
      try a.depend(on: c)
      try b.depend(on: a)
      #expect(throws: DependencyError.cycle(path: ["c", "b", "a", "c"])) { try c.depend(on: b) }
      try a.removeDependency(on: c)
      try c.depend(on: b)
      #expect(bench.isInOrder([a, b, c]))
      try c.removeDependency(on: b)
      try b.removeDependency(on: a)
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

  /// Whether each unfinished operation comes after the unfinished ones that it waits for, so that
  /// there is no cycle.
  fileprivate func isInOrder(_ operations: [Quick]) -> Bool {
    engine.guarded {
      operations.allSatisfy { operation in
        operation.core.state == .finished
          || operation.core.upstream.allSatisfy { edge in
            edge.operation.core.state == .finished
              || edge.operation.core.position < operation.core.position
          }
      }
    }
  }

  /// Whether one operation comes before another one in the order.
  func isOrdered(_ first: ObservableOperation, _ second: ObservableOperation) -> Bool {
    engine.guarded { first.core.position < second.core.position }
  }
}
