import Dispatch
import Foundation
import OpshSupport
import TestSupport
import Testing

@testable import Operations

@Suite(.timeLimit(.minutes(15))) struct DownstreamListTests {
  @Test("Remaining dependents keep the order of adding")
  func againstList() {
    let bench = Bench()
    var random = RandomSource(seed: 5)
    for _ in 0..<20 {
      var list = DownstreamList()
      var model: [Plain] = []
      // From one by way of few to many, and back.
      let limit = 1 + random.below(60)
      for _ in 0..<400 {
        let grows = random.below(1_000) < (model.count < limit ? 700 : 200)
        if grows || model.isEmpty {
          let operation = Plain(engine: bench.engine)
          model.append(operation)
          list.append(operation)
        } else {
          list.remove(model.remove(at: random.below(model.count)))
        }
        #expect(list.isEmpty == model.isEmpty)
        #expect(list.alive() == model)
      }
      for operation in model { list.remove(operation) }
      #expect(list.isEmpty && list.count == 0)
    }
  }

  @Test("A long list never has more gaps than elements")
  func gaps() {
    let bench = Bench()
    let operations = (0..<1_000).map { _ in Plain(engine: bench.engine) }
    var list = DownstreamList()
    for operation in operations { list.append(operation) }
    for (index, operation) in operations.enumerated() {
      list.remove(operation)
      #expect(list.count <= 2 * (operations.count - index - 1) + 1)
    }
    #expect(list.isEmpty)
  }

  @Test("A released dependent is no longer listed, whatever the states")
  func releasing() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    var random = RandomSource(seed: 9)
    for count in [1, 2, 3, 15, 40] {
      let upstreams = (0..<3).map { bench.held("upstream-\($0)") }
      try queue.addOperations(upstreams, waitUntilFinished: false)
      var dependents: [Quick] = []
      for index in 0..<count {
        let dependent = Quick(engine: bench.engine)
        for upstream in upstreams { try dependent.depend(on: upstream) }
        if index.isMultiple(of: 3) { try queue.addOperation(dependent) }
        dependents.append(dependent)
      }
      func drop(_ share: Int) {
        for _ in 0..<share { dependents.remove(at: random.below(dependents.count)) }
        // Those on the queue are kept by that, and stand where they stood.
        for upstream in upstreams {
          let left = upstream.downstream.compactMap { $0 as? Quick }
          #expect(left.filter { kept in dependents.contains { $0 === kept } } == dependents)
          #expect(left.map(\.id) == left.map(\.id).sorted())
        }
      }
      drop(count / 3)
      for upstream in upstreams { upstream.finish(.success(1)) }
      drain(queue)
      drop(dependents.count / 2)
      dependents = []
      let isEmpty = eventually { upstreams.allSatisfy { $0.downstream.isEmpty } }
      #expect(isEmpty)
    }
  }

  @Test("A finished operation still lists its living dependents")
  func remembering() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    var random = RandomSource(seed: 17)
    for atFinish in [0, 1, 2, 5, 40] {
      let upstream = bench.quick("upstream")
      // In the order in which the dependencies were added.
      var model: [Plain] = []
      func add() throws {
        let dependent = Plain(engine: bench.engine)
        try dependent.depend(on: upstream)
        model.append(dependent)
      }
      func expectModel() {
        // The finishing thread keeps dependents without another reference alive for a moment.
        let isSame = eventually { upstream.downstream == model }
        #expect(isSame, "\(upstream.downstream.map(\.id)), not \(model.map(\.id))")
      }
      for _ in 0..<atFinish { try add() }
      try queue.addOperation(upstream)
      drain(queue)
      for _ in 0..<300 {
        switch (random.below(4), model.randomElement(using: &random)) {
        case (0, let dependent?):
          // Its edge goes, and comes back as the last.
          #expect(try dependent.removeDependency(on: upstream))
          model.removeAll { $0 === dependent }
          expectModel()
          if random.below(2) == 0 {
            try dependent.depend(on: upstream)
            model.append(dependent)
          }
        case (1, let dependent?):
          model.removeAll { $0 === dependent }
        default:
          try add()
        }
        expectModel()
      }
    }
  }

  @Test("A released dependent of a finished operation leaves nothing behind")
  func comingAndGoing() throws {
    let bench = Bench()
    let queue = bench.queue(width: 1)
    let upstream = bench.quick("upstream")
    try queue.addOperation(upstream)
    drain(queue)
    let kept = Plain(engine: bench.engine)
    try kept.depend(on: upstream)
    for _ in 0..<10_000 { try Plain(engine: bench.engine).depend(on: upstream) }
    // One edge that comes and goes does not fill the list either.
    for _ in 0..<10_000 {
      try kept.removeDependency(on: upstream)
      try kept.depend(on: upstream)
    }
    #expect(upstream.downstream == [kept])
    #expect(upstream.read { $0.downstream.count } <= 16)
  }

  /// Takes its time in its `deinit`: its last reference has gone, and all that refers to it is
  /// still there.
  private final class Lingering: ObservableOperation, @unchecked Sendable {
    // @unchecked because the superclass is, and this class adds only constants.
    let began: DispatchSemaphore
    let mayEnd: DispatchSemaphore

    init(began: DispatchSemaphore, mayEnd: DispatchSemaphore, engine: OperationEngine) {
      (self.began, self.mayEnd) = (began, mayEnd)
      super.init(name: "lingering", engine: engine)
    }

    deinit {
      began.signal()
      _ = mayEnd.wait(timeout: .now() + 20)
    }
  }

  @Test("A dependent in its deinit is no longer listed and causes no crash")
  func dying() throws {
    let bench = Bench()
    let queue = bench.queue(width: 2)
    let (first, second) = (bench.quick("first"), bench.held("second"))
    try queue.addOperation(second)
    let (began, mayEnd, ended) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let engine = bench.engine
    Thread {
      do {
        let dying = Lingering(began: began, mayEnd: mayEnd, engine: engine)
        try? dying.depend(on: first)
        try? dying.depend(on: second, policy: .fail)
      }
      ended.signal()
    }.start()
    #expect(began.wait(timeout: .now() + 20) == .success)
    #expect(first.downstream.isEmpty)
    let other = bench.quick("other")
    try other.depend(on: first)
    #expect(first.downstream == [other])
    let (late, later) = (bench.quick("late"), bench.quick("later"))
    try late.depend(on: later)
    try first.depend(on: late)
    try queue.addOperations([other, first, late, later], waitUntilFinished: false)
    second.cancel()
    drain(queue)
    #expect(bench.started.suffix(4) == ["later", "late", "first", "other"])
    #expect(second.downstream.isEmpty)
    mayEnd.signal()
    #expect(ended.wait(timeout: .now() + 20) == .success)
    #expect(first.downstream == [other])
  }
}
