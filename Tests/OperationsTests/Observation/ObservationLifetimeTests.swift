import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

/// How long observations last, and what they keep alive.
@Suite(.timeLimit(.minutes(15))) struct ObservationLifetimeTests {
  /// Where a handler finds a token that is made after it.
  private typealias TokenBox = Locked<ObservationToken?>

  @Test("A handler that ends its own observation is not called again", arguments: [true, false])
  func ownToken(isDropped: Bool) {
    let operation = Held(name: "a", engine: OperationEngine())
    let told = Gathered<String>()
    let box = TokenBox(nil)
    // Made in a function of its own, so that the box alone has it afterwards.
    func observe() -> ObservationToken {
      operation.observe(\.queuePriority, options: [.new]) { operation, change in
        told.add(change.newValue?.name ?? "-")
        // This one is noted before the end, and would be told after it.
        if change.newValue == .high { operation.queuePriority = .veryHigh }
        if isDropped {
          box.withLock { $0 = nil }
        } else {
          box.withLock { $0 }?.invalidate()
        }
      }
    }
    box.withLock { $0 = observe() }
    operation.queuePriority = .high
    operation.queuePriority = .low
    #expect(told.all == ["high"])
  }

  @Test("An observer removed by another handler is not called any more")
  func anothersToken() {
    let operation = Held(name: "a", engine: OperationEngine())
    let told = Gathered<String>()
    let (before, after) = (TokenBox(nil), TokenBox(nil))
    let first = operation.observe(\.queuePriority) { _, _ in told.add("before") }
    before.withLock { $0 = first }
    let remover = operation.observe(\.queuePriority) { _, _ in
      told.add("remover")
      before.withLock { $0 }?.invalidate()
      after.withLock { $0 }?.invalidate()
    }
    let last = operation.observe(\.queuePriority) { _, _ in told.add("after") }
    after.withLock { $0 = last }
    operation.queuePriority = .high
    operation.queuePriority = .low
    #expect(told.all == ["before", "remover", "remover"])
    remover.invalidate()
    operation.queuePriority = .normal
    #expect(told.all.count == 3)
  }

  @Test("An observation ended in the prior call does not report the change itself")
  func endedInPriorCall() {
    let operation = Held(name: "a", engine: OperationEngine())
    let told = Gathered<Bool>()
    let box = TokenBox(nil)
    let token = operation.observe(\.isCancelled, options: [.prior]) { _, change in
      told.add(change.isPrior)
      box.withLock { $0 }?.invalidate()
    }
    box.withLock { $0 = token }
    operation.cancel()
    #expect(told.all == [true])
    #expect(operation.isCancelled)
    box.withLock { $0 = nil }
  }

  @Test("An observer added by a handler is called from the next change on")
  func addedByHandler() {
    let operation = Held(name: "a", engine: OperationEngine())
    let told = Gathered<String>()
    let added = Gathered<ObservationToken>()
    let token = operation.observe(\.queuePriority, options: [.new]) { operation, change in
      let name = change.newValue?.name ?? "-"
      told.add("first \(name)")
      guard added.all.isEmpty else { return }
      added.add(
        operation.observe(\.queuePriority, options: [.initial, .new]) { _, inner in
          let kind = inner.isInitial ? "initial" : "change"
          told.add("added \(kind) \(inner.newValue?.name ?? "-")")
        })
    }
    operation.queuePriority = .high
    operation.queuePriority = .low
    #expect(told.all == ["first high", "added initial high", "first low", "added change low"])
    token.invalidate()
    for token in added.all { token.invalidate() }
  }

  @Test("A handler that adds an observer: each change adds one")
  func addedAgainAndAgain() {
    let operation = Held(name: "a", engine: OperationEngine())
    let tokens = Gathered<ObservationToken>()
    let calls = Locked(0)
    @Sendable func add() {
      tokens.add(
        operation.observe(\.progress) { _, _ in
          calls.withLock { $0 += 1 }
          add()
        })
    }
    add()
    // Each change calls all there are, and each of them adds one: 1, 2, 4, 8.
    for step in 1...6 { operation.progress = Double(step) / 10 }
    #expect(calls.withLock { $0 } == 63)
    #expect(tokens.all.count == 64)
    for token in tokens.all { token.invalidate() }
  }

  @Test("An operation released by its handler lives until the handler has returned")
  func releasedInHandler() throws {
    let engine = OperationEngine()
    let box = Locked<Held?>(Held(name: "a", engine: engine))
    let told = Gathered<String>()
    weak var watched: Held?
    let tokens = try {
      let operation = try #require(box.withLock { $0 })
      watched = operation
      return [
        operation.observe(\.isCancelled) { operation, _ in
          box.withLock { $0 = nil }
          told.add("first \(operation.displayName) \(operation.isCancelled)")
        },
        operation.observe(\.isCancelled) { operation, _ in
          told.add("second \(operation.displayName)")
        },
      ]
    }()
    func cancel(_ operation: Held?) { operation?.cancel() }
    cancel(box.withLock { $0 })
    #expect(told.all == ["first a true", "second a"])
    #expect(watched == nil)
    #expect(eventually { !engine.isDelivering })
    for token in tokens { token.invalidate() }
  }

  @Test("A token keeps neither the operation nor the queue alive, and may outlive both")
  func tokensOutlive() {
    weak var watchedOperation: Held?
    weak var watchedQueue: InspectableQueue?
    let tokens: [ObservationToken] = {
      let bench = Bench()
      let (operation, queue) = (bench.held("a"), bench.queue())
      watchedOperation = operation
      watchedQueue = queue
      return [
        operation.observe(\.isFinished) { _, _ in }, operation.observe(\.name) { _, _ in },
        queue.observe(\.isSuspended) { _, _ in }, queue.observe(\.operationCount) { _, _ in },
      ]
    }()
    #expect(watchedOperation == nil)
    #expect(watchedQueue == nil)
    for token in tokens {
      token.invalidate()
      token.invalidate()
    }
  }

  @Test("A handler's captures are released when the observation ends, not with the token")
  func handlersAreReleased() {
    final class Content: Sendable {}
    let operation = Held(name: "a", engine: OperationEngine())
    weak var watched: Content?
    let token = {
      let content = Content()
      watched = content
      return operation.observe(\.isFinished) { _, _ in _ = content }
    }()
    #expect(watched != nil)
    token.invalidate()
    #expect(watched == nil)
  }

  @Test("A handler that captures the operation does not keep it alive longer than the token")
  func cycle() {
    weak var watched: Held?
    do {
      let operation = Held(name: "a", engine: OperationEngine())
      watched = operation
      let token = operation.observe(\.isFinished) { _, _ in _ = operation.state }
      withExtendedLifetime(token) {}
    }
    #expect(watched == nil)
  }

  @Test("Observers added and removed at random are called in the order of adding")
  func listStaysInOrder() {
    let operation = Held(name: "a", engine: OperationEngine())
    let told = Gathered<Int>()
    var random = SystemRandomNumberGenerator()
    var present: [(number: Int, token: ObservationToken)] = []
    var heard = 0
    for step in 0..<TestScale.count(300) {
      if present.isEmpty || Bool.random(using: &random) || Bool.random(using: &random) {
        let token = operation.observe(\.progress) { _, _ in told.add(step) }
        present.append((step, token))
      } else {
        present.remove(at: .random(in: present.indices, using: &random))
      }
      operation.progress = Double(step % 2) / 2 + 0.1
      #expect(told.all.dropFirst(heard) == present.map(\.number)[...])
      heard = told.all.count
    }
  }

  @Test("Ten thousand observers of one operation can be removed in any order")
  func manyObservers() {
    for order in 0..<3 {
      let operation = Held(name: "a", engine: OperationEngine())
      let count = Locked(0)
      var tokens = (0..<10_000).map { _ in
        operation.observe(\.progress) { _, _ in count.withLock { $0 += 1 } }
      }
      operation.progress = 0.5
      #expect(count.withLock { $0 } == 10_000)
      if order == 1 { tokens.reverse() }
      if order == 2 { tokens.shuffle() }
      // One after the other: with a search for each this would take minutes.
      for token in tokens { token.invalidate() }
      operation.progress = 1
      #expect(count.withLock { $0 } == 10_000)
    }
  }

  @Test("Releasing a token on another thread ends the observation")
  func droppedElsewhere() {
    let operation = Held(name: "a", engine: OperationEngine())
    for _ in 0..<TestScale.count(300) {
      let told = Gathered<Bool>()
      let box = TokenBox(operation.observe(\.progress) { _, _ in told.add(true) })
      race([
        { for step in 0..<5 { operation.progress = Double(step) / 5 } },
        { box.withLock { $0 = nil } },
      ])
      let count = told.all.count
      operation.progress = nil
      #expect(told.all.count == count)
    }
  }

  @Test("Ending an observation does not wait for a handler on another thread")
  func endedWhileRunning() {
    //        the thread that changes        this thread
    //        progress = 0.5
    //        the handler begins
    //                                       invalidate() returns
    //                                       progress = 1 is not told
    //        the handler returns
    let operation = Held(name: "a", engine: OperationEngine())
    let (began, mayReturn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let told = Gathered<Bool>()
    let token = operation.observe(\.progress) { _, _ in
      told.add(true)
      began.signal()
      #expect(mayReturn.wait(timeout: .now() + 60) == .success)
    }
    let ended = DispatchSemaphore(value: 0)
    Thread {
      operation.progress = 0.5
      ended.signal()
    }.start()
    #expect(began.wait(timeout: .now() + 60) == .success)
    token.invalidate()
    operation.progress = 1
    mayReturn.signal()
    #expect(ended.wait(timeout: .now() + 60) == .success)
    #expect(told.all == [true])
  }
}
