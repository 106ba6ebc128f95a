import Foundation
import OpshLocking
import Operations
import Synchronization
import TestSupport
import Testing

/// Observers that come and go on eight threads while the operations run.
@Suite(.timeLimit(.minutes(15))) struct ObservationStressTests {
  /// What an observer that was there all the time heard of one operation.
  private final class Life: Sendable {
    let finishes = Atomic(0)
    let begins = Atomic(0)
    let ends = Atomic(0)

    var isWhole: Bool {
      finishes.load(ordering: .relaxed) == 1 && begins.load(ordering: .relaxed) == 1
        && ends.load(ordering: .relaxed) == 1
    }
  }

  private static func add(_ counter: borrowing Atomic<Int>) {
    counter.wrappingAdd(1, ordering: .relaxed)
  }

  @Test("Permanent observers are called once for each change; removed ones are not called")
  func comingAndGoing() throws {
    let bench = Bench()
    let queue = bench.queue(width: 3)
    let operations = (0..<TestScale.count(1_500)).map { bench.quick("op-\($0)") }
    let lives = operations.map { _ in Life() }
    var tokens: [ObservationToken] = []
    for (operation, life) in zip(operations, lives) {
      tokens.append(operation.observe(\.isFinished) { _, _ in Self.add(life.finishes) })
      tokens.append(
        operation.observe(\.isExecuting, options: [.old, .new]) { _, change in
          let isBegin = change.newValue == true && change.oldValue == false
          let isEnd = change.newValue == false && change.oldValue == true
          if isBegin { Self.add(life.begins) }
          if isEnd { Self.add(life.ends) }
        })
    }
    let late = Atomic(0)
    race(
      (0..<8).map { thread in
        {
          if thread == 0 {
            for operation in operations { try? queue.addOperation(operation) }
            return
          }
          var random = SystemRandomNumberGenerator()
          for (step, operation) in operations.enumerated() {
            Self.visit(operation, mark: step * 8 + thread, late: late, using: &random)
          }
        }
      })
    drain(queue)
    #expect(eventually { !bench.engine.isDelivering })
    #expect(lives.filter { !$0.isWhole }.isEmpty)
    #expect(late.load(ordering: .relaxed) == 0)
    for token in tokens { token.invalidate() }
  }

  /// Observes an operation for a moment.
  private static func visit(
    _ operation: Quick, mark: Int, late: borrowing Atomic<Int>,
    using random: inout SystemRandomNumberGenerator
  ) {
    // A change made after the end of the observation must not be heard by it.
    let mine = Double(mark + 1) / 1e6
    let isHeard = Locked(false)
    let options = ObservationOptions(rawValue: UInt8.random(in: 0..<16, using: &random))
    var token: ObservationToken? = operation.observe(
      \.progress, options: options.union(.new)
    ) { _, change in
      if change.newValue == .some(mine) { isHeard.withLock { $0 = true } }
    }
    let finish = operation.observe(\.isFinished, options: options) { _, _ in }
    if Bool.random(using: &random) { token?.invalidate() } else { token = nil }
    operation.progress = mine
    if isHeard.withLock({ $0 }) { late.wrappingAdd(1, ordering: .relaxed) }
    withExtendedLifetime(finish) {}
  }

  @Test("Tokens invalidated twice by many threads end each observation once")
  func endingTogether() {
    let operation = Held(name: "a", engine: OperationEngine())
    for round in 0..<TestScale.count(40) {
      let count = Atomic(0)
      let tokens = (0..<64).map { _ in
        operation.observe(\.progress) { _, _ in Self.add(count) }
      }
      let steady = Atomic(0)
      let stayer = operation.observe(\.progress) { _, _ in Self.add(steady) }
      race(
        (0..<8).map { thread in
          {
            if thread == 0 {
              for step in 1...20 { operation.progress = Double(step + round % 2 * 20) / 50 }
            } else {
              for token in thread.isMultiple(of: 2) ? tokens : tokens.reversed() {
                token.invalidate()
              }
            }
          }
        })
      let before = count.load(ordering: .relaxed)
      operation.progress = nil
      #expect(count.load(ordering: .relaxed) == before)
      #expect(steady.load(ordering: .relaxed) == 21)
      stayer.invalidate()
    }
  }

  @Test("Operations are released while their observers are called and removed")
  func dying() {
    let engine = OperationEngine()
    let count = Atomic(0)
    let rounds = TestScale.count(400)
    for _ in 0..<rounds {
      let operation = Locked<Held?>(Held(name: "a", engine: engine))
      let token = Locked<ObservationToken?>(
        operation.withLock { $0?.observe(\.isCancelled) { _, _ in Self.add(count) } })
      race([
        {
          let mine = operation.withLock { $0.take() }
          mine?.cancel()
        },
        {
          let mine = token.withLock { $0.take() }
          mine?.invalidate()
        },
      ])
    }
    #expect(count.load(ordering: .relaxed) <= rounds)
    #expect(eventually { !engine.isDelivering })
  }
}
