import Foundation
import Operations

/// Structures of operations that are too deep to be released by nested `deinit`s.
enum ReleaseChecks {
  static let all = [
    chain("chain-8MB", of: 100_000, stack: 8 << 20, isRun: false),
    chain("chain-1MB", of: 100_000, stack: 1 << 20, isRun: false),
    chain("finished-chain-1MB", of: 100_000, stack: 1 << 20, isRun: true),
    Check("chain-in-body") { try inBody() },
    Check("nested-groups") { try onStack(8 << 20) { try nestedGroups(50_000) } },
    Check("comb") { try onStack(1 << 20) { try comb(50_000) } },
    Check("fan") { try onStack(1 << 20) { try fan(100_000) } },
    Check("handlers") { try onStack(1 << 20) { try closures(50_000, .handler) } },
    Check("bodies") { try onStack(1 << 20) { try closures(50_000, .body) } },
    Check("inputs") { try onStack(1 << 20) { try closures(50_000, .input) } },
    Check("chains-on-four-threads") { try sharedTrunk() },
  ]

  private static func chain(_ name: String, of count: Int, stack: Int, isRun: Bool) -> Check {
    Check(name) { try onStack(stack) { try release(count, isRun: isRun) } }
  }

  /// The last operation of a chain, which keeps all others.
  private static func chain(
    of count: Int, after first: Empty? = nil, _ counter: LeakCounter, engine: OperationEngine,
    _ each: (Empty) throws -> Void = { _ in }
  ) throws -> Empty {
    var last = first ?? Empty(counter, engine: engine)
    if first == nil { try each(last) }
    for _ in 1..<count {
      let next = Empty(counter, engine: engine)
      try next.depend(on: last)
      try each(next)
      last = next
    }
    return last
  }

  private static func release(_ count: Int, isRun: Bool) throws {
    let (counter, engine) = (LeakCounter(), OperationEngine())
    do {
      let queue = InspectableQueue(name: "q", engine: engine)
      let last = try chain(of: count, counter, engine: engine) {
        if isRun { try queue.addOperation($0) }
      }
      queue.waitUntilAllOperationsAreFinished()
      try expect(counter.alive == count, "\(counter.alive) of \(count) are alive")
      withExtendedLifetime(last) {}
    }
    eventually { counter.alive == 0 }
  }

  private static func inBody() throws {
    let queue = InspectableQueue(name: "q", engine: OperationEngine())
    let body = BlockingOperation(engine: queue.engine) { _ in
      try release(20_000, isRun: false)
      return nil
    }
    try queue.addOperation(body)
    queue.waitUntilAllOperationsAreFinished()
    try expect(
      body.outcome == .succeeded, "the body ended with \(String(describing: body.outcome))")
  }

  private static func nestedGroups(_ count: Int) throws {
    let (counter, engine) = (LeakCounter(), OperationEngine())
    do {
      var outer = GroupOperation(engine: engine)
      try outer.addOperation(Empty(counter, engine: engine))
      for _ in 1..<count {
        let next = GroupOperation(engine: engine)
        try next.addOperation(outer)
        outer = next
      }
      try expect(counter.alive == 1, "the innermost operation is gone")
    }
    eventually { counter.alive == 0 }
  }

  /// A chain each of whose links also keeps another operation.
  private static func comb(_ count: Int) throws {
    let (counter, engine) = (LeakCounter(), OperationEngine())
    do {
      let last = try chain(of: count, counter, engine: engine) {
        try $0.depend(on: Empty(counter, engine: engine))
      }
      withExtendedLifetime(last) {}
    }
    eventually { counter.alive == 0 }
  }

  /// One operation with many dependents, and one with many dependencies.
  private static func fan(_ count: Int) throws {
    let (counter, engine) = (LeakCounter(), OperationEngine())
    for isReversed in [false, true] {
      var dependents: [Empty] = []
      do {
        let first = Empty(counter, engine: engine)
        let last = Empty(counter, engine: engine)
        for _ in 0..<count {
          let middle = Empty(counter, engine: engine)
          try middle.depend(on: first)
          try last.depend(on: middle)
          dependents.append(middle)
        }
        if isReversed { dependents.reverse() }
      }
      while dependents.popLast() != nil {}
      eventually { counter.alive == 0 }
    }
  }

  private enum Closure { case handler, body, input }

  /// Operations that never run, each of which is held by a closure of the next.
  private static func closures(_ count: Int, _ kind: Closure) throws {
    let (counter, engine) = (LeakCounter(), OperationEngine())
    do {
      var last: ObservableOperation = Empty(counter, engine: engine)
      for _ in 1..<count {
        let held = last
        switch kind {
        case .handler:
          last = DelayOperation(duration: .zero, engine: engine) { _ in
            withExtendedLifetime(held) {}
          }
        case .body:
          last = BlockingOperation(engine: engine) { _ in
            withExtendedLifetime(held) {}
            return nil
          }
        case .input:
          let (next, upstream) = (
            Empty(counter, engine: engine), DelayOperation(duration: .zero, engine: engine)
          )
          try next.depend(on: upstream) { _ in withExtendedLifetime(held) {} }
          last = next
        }
      }
      try expect(counter.alive > 0, "the first operation is gone")
      withExtendedLifetime(last) {}
    }
    eventually { counter.alive == 0 }
  }

  /// Chains that end in the same one and are released by several threads at once: each thread has its
  /// own bin, and whichever has the last reference releases what they share.
  private static func sharedTrunk() throws {
    let (counter, engine) = (LeakCounter(), OperationEngine())
    let crew = Crew(size: 4)
    for _ in 0..<20 {
      let trunk = try chain(of: 5_000, counter, engine: engine)
      let branches = try (0..<4).map { _ in
        Shared<Empty?>(try chain(of: 5_000, after: trunk, counter, engine: engine))
      }
      withExtendedLifetime(trunk) {}
      crew.run(branches.map { branch in { branch.set(nil) } })
    }
    eventually { counter.alive == 0 }
  }
}
