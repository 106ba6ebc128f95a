import Foundation
import OpshLocking
import Operations
import OpshSupport
import Testing

extension EngineRaces {
  /// Observers that come and go while what they observe happens.
  @Suite struct Observing {
    private static let keys: [any KeyPath<ObservableOperation, Bool> & Sendable] = [
      \.isReady, \.isExecuting, \.isFinished, \.isCancelled,
    ]
    private static let options: [ObservationOptions] = [
      [], [.new], [.old, .new], [.prior], [.initial, .new], [.initial, .prior, .old, .new],
    ]

    @Test("While observers come and go, permanent observers see each change once")
    func comeAndGo() async throws {
      try await Stress(rounds: 800, long: 150_000, members: 3).run { number, random in
        let bench = Bench()
        let queue = bench.queue(width: 1)
        let (upstream, operation) = (bench.held("upstream"), bench.held("a"))
        try operation.depend(on: upstream)
        let faithful = Faithful(operation, queue, isPrior: random.below(2) == 0)
        try queue.addOperations([operation, upstream], waitUntilFinished: false)
        let choices = (0..<6).map { _ in (random.below(4), random.below(6), random.delay() / 8) }
        let visit: @Sendable (ArraySlice<(Int, Int, Int)>) -> Void = { choices in
          var tokens: [ObservationToken] = []
          for (key, options, delay) in choices {
            let token = operation.observe(
              Self.keys[key], options: Self.options[options]
            ) { operation, _ in _ = operation.state }
            if delay.isMultiple(of: 2) { tokens.append(token) }
            for _ in 0..<delay { _ = tokens }
          }
          for token in tokens { token.invalidate() }
        }
        let cancels = random.below(3) == 0
        var round = RaceRound(engine: bench.engine)
        round.bodies = [
          {
            upstream.finish(.success(number))
            operation.finish(.success(number))
          },
          { visit(choices.prefix(3)) },
          {
            visit(choices.suffix(3))
            if cancels { operation.cancel() }
          },
        ]
        round.queues = [queue]
        round.operations = [upstream, operation]
        round.check = { faithful.problems(executed: operation.timestamps.executing != nil) }
        return round
      }
    }

    @Test("Observers may cancel, prioritize, suspend and add in their calls")
    func observersThatAct() async throws {
      try await Stress(rounds: 500, long: 150_000, members: 2).run { number, random in
        let bench = Bench()
        let queue = bench.queue(width: 1)
        let operations = (0..<3).map { _ in Quick(engine: bench.engine) }
        let extra = bench.quick("extra")
        try operations[2].depend(on: operations[0])
        let tokens = Gathered<ObservationToken>()
        for operation in operations {
          let (key, options) = (random.below(4), Self.options[random.below(6)])
          let (deed, isDone) = (random.below(5), Locked(false))
          tokens.add(
            operation.observe(Self.keys[key], options: options) { _, _ in
              // Once, because a prior call that makes the same change has itself called again.
              let wasDone = isDone.withLock { isDone in
                defer { isDone = true }
                return isDone
              }
              if wasDone { return }
              switch deed {
              case 0: operations[1].cancel()
              case 1: operations[2].queuePriority = .veryHigh
              case 2: try? queue.addOperation(extra)
              case 3: queue.maxConcurrentOperationCount = 2
              default: _ = try? operations[2].removeDependency(on: operations[0])
              }
            })
        }
        var round = RaceRound(engine: bench.engine)
        round.bodies = [
          { try? queue.addOperations(operations, waitUntilFinished: false) },
          { if number.isMultiple(of: 2) { queue.cancelAllOperations() } },
        ]
        round.queues = [queue]
        round.operations = operations
        round.facts = { ScheduleChecker.Facts(isOrderChecked: false) }
        round.check = {
          let isKnown = operations.allSatisfy { $0.outcome == .succeeded || $0.isCancelled }
          return withExtendedLifetime(tokens) { isKnown ? [] : ["an outcome without a cause"] }
        }
        return round
      }
    }

    @Test("A cancel in the prior call of isCancelled does not recurse")
    func cancelBeforeCancel() throws {
      let bench = Bench()
      let operation = bench.held("a")
      let calls = Locked(0)
      let token = operation.observe(\.isCancelled, options: [.prior]) { operation, change in
        guard change.isPrior else { return }
        // Without an end of the test's own this overflows the stack.
        let count = calls.withLock { calls in
          calls += 1
          return calls
        }
        if count < 5 { operation.cancel() }
      }
      operation.cancel()
      #expect(calls.withLock { $0 } == 1)
      token.invalidate()
    }

    @Test("A prior observer of isReady does not change the order")
    func priorOrder() throws {
      let bench = Bench()
      let queue = bench.queue(width: 1)
      let hub = bench.held("hub")
      let (high, normal) = (bench.quick("high"), bench.quick("normal"))
      high.queuePriority = .high
      try high.depend(on: hub)
      try normal.depend(on: hub)
      let token = high.observe(\.isReady, options: [.prior]) { _, _ in }
      try queue.addOperations([hub, high, normal], waitUntilFinished: false)
      hub.finish(.success(1))
      drain(queue)
      #expect(bench.started == ["hub", "high", "normal"])
      token.invalidate()
    }

    @Test("A queue continues after a prior observer of isReady added the operation")
    func addedBeforeReady() throws {
      let bench = Bench()
      let (queue, other) = (bench.queue("one", width: 1), bench.queue("two", width: 1))
      let (upstream, dependent) = (bench.held("upstream"), bench.quick("dependent"))
      try dependent.depend(on: upstream)
      let token = dependent.observe(\.isReady, options: [.prior]) { dependent, change in
        if change.isPrior { try? queue.addOperation(dependent) }
      }
      try other.addOperation(upstream)
      upstream.finish(.success(1))
      drain(other)
      try queue.addOperation(bench.quick("next"))
      drain(queue)
      #expect(bench.started.suffix(2) == ["dependent", "next"])
      token.invalidate()
    }

    @Test("Suspending the queue in the prior call of a start prevents that start")
    func suspendedBeforeStart() throws {
      let bench = Bench()
      let queue = bench.queue()
      let operation = bench.held("a")
      let token = operation.observe(\.isExecuting, options: [.prior]) { _, change in
        if change.isPrior { queue.isSuspended = true }
      }
      try queue.addOperation(operation)
      #expect(operation.state == .ready)
      token.invalidate()
      queue.isSuspended = false
      operation.finish(.success(1))
      drain(queue)
    }
  }
}

/// Observers that are there from the beginning and stay.
private final class Faithful: @unchecked Sendable {
  // @unchecked because `tokens` is written before it is shared.
  private struct Seen {
    var flags: [String: [Bool]] = [:]
    var counts: [(old: Int?, new: Int?)] = []
    var priors = 0
  }
  private let seen = Locked(Seen())
  private var tokens: [ObservationToken] = []

  init(_ operation: ObservableOperation, _ queue: InspectableQueue, isPrior: Bool) {
    let options: ObservationOptions = isPrior ? [.prior, .old, .new] : [.old, .new]
    for name in ["isReady", "isExecuting", "isFinished", "isCancelled"] {
      let token = operation.observe(named: name, options: options) { [seen] _, change in
        seen.withLock { seen in
          if change.isPrior { seen.priors += 1 }
          if case .boolean(let flag) = change.newValue {
            seen.flags[name, default: []].append(flag)
          }
        }
      }
      if let token { tokens.append(token) }
    }
    tokens.append(
      queue.observe(\.operationCount, options: [.old, .new]) { [seen] _, change in
        seen.withLock { $0.counts.append((change.oldValue, change.newValue)) }
      })
  }

  func problems(executed: Bool) -> [String] {
    let seen = self.seen.withLock { $0 }
    var problems: [String] = []
    func expect(_ name: String, _ allowed: [[Bool]]) {
      let flags = seen.flags[name] ?? []
      if !allowed.contains(flags) { problems.append("\(name) was heard as \(flags)") }
    }
    expect("isReady", [[true]])
    expect("isExecuting", [executed ? [true, false] : []])
    expect("isFinished", [[true]])
    expect("isCancelled", [[], [true]])
    // Each count follows from the one before.
    if seen.counts.first?.old != 0 || seen.counts.last?.new != 0
      || zip(seen.counts, seen.counts.dropFirst()).contains(where: { $0.new != $1.old })
    {
      problems.append("operationCount was heard as \(seen.counts)")
    }
    return problems
  }
}
