import Foundation
import OpshLocking
import Operations
import Testing

/// Which key paths name a property that can be observed.
@Suite(.timeLimit(.minutes(15))) struct ObservationKeyPathTests {
  @Test("A key path is recognized by its property, wherever and however it was created")
  func equalKeyPaths() {
    let operation = Held(name: "a", engine: OperationEngine())
    let count = Locked(0)
    var tokens: [ObservationToken] = []
    // More objects than are remembered, each of them twice.
    for _ in 0..<400 {
      let made = (\ObservableOperation.self).appending(path: \.isCancelled)
      for _ in 0..<2 {
        tokens.append(operation.observe(made) { _, _ in count.withLock { $0 += 1 } })
      }
    }
    operation.cancel()
    #expect(count.withLock { $0 } == 800)
    for token in tokens { token.invalidate() }
  }

  @Test("Key paths created and released on many threads are never confused")
  func manyThreads() {
    race(
      (0..<8).map { number in
        {
          let operation = Held(name: "a", engine: OperationEngine())
          for step in 0..<200 {
            let told = Gathered<String>()
            let priority = (\ObservableOperation.self).appending(path: \.queuePriority)
            let fraction = (\ObservableOperation.self).appending(path: \.progress)
            let tokens = [
              operation.observe(priority) { _, _ in told.add("priority") },
              operation.observe(fraction) { _, _ in told.add("progress") },
            ]
            operation.queuePriority = step.isMultiple(of: 2) ? .high : .low
            operation.progress = Double(step % 7) / 10 + Double(number) / 1000
            #expect(told.all == ["priority", "progress"])
            for token in tokens { token.invalidate() }
          }
        }
      })
  }

  @Test("Every Boolean property of an operation can be observed")
  func truthValues() throws {
    let bench = Bench()
    let (operation, queue) = (bench.quick("a"), bench.queue())
    let told = Gathered<String>()
    let tokens = [
      operation.observe(\.isBarrier, options: [.old, .new]) { _, change in
        told.add("barrier \(change.oldValue ?? true) \(change.newValue ?? false)")
      },
      operation.observe(\.isValueDropped, options: [.initial, .new]) { _, change in
        told.add("dropped \(change.newValue ?? true)")
      },
      operation.observe(\.isAsynchronous, options: [.initial, .new]) { _, change in
        told.add("asynchronous \(change.newValue ?? false)")
      },
    ]
    try queue.addBarrier(operation)
    operation.waitUntilFinished()
    operation.dropValue()
    #expect(
      told.all == ["dropped false", "asynchronous true", "barrier false true", "dropped true"])
    for token in tokens { token.invalidate() }
  }

  @Test(
    "Observing a key path without change notifications logs a refusal", arguments: [true, false])
  func refused(isText: Bool) throws {
    let bench = Bench()
    let (first, operation) = (bench.held("first"), bench.held("a"))
    let count = Locked(0)
    let token =
      isText
      ? operation.observe(\.queueName) { _, _ in count.withLock { $0 += 1 } }
      : operation.observe(\.dependencies.isEmpty) { _, _ in count.withLock { $0 += 1 } }
    #expect(
      bench.reasons("a") == [
        "observation refused: the changes of what the key path names are not announced"
      ])
    try operation.depend(on: first)
    operation.cancel()
    try bench.queue().addOperations([operation], waitUntilFinished: true)
    #expect(count.withLock { $0 } == 0)
    token.invalidate()
  }

  @Test("Observing by name accepts the subject's properties and refuses other names")
  func names() {
    let bench = Bench()
    let (operation, queue) = (bench.held("a"), bench.queue())
    for name in ObservableKeyPath.operationNames {
      #expect(operation.observe(named: name) { _, _ in } != nil)
    }
    for name in ObservableKeyPath.queueNames {
      #expect(queue.observe(named: name) { _, _ in } != nil)
      // A name is what both have.
      #expect((operation.observe(named: name) { _, _ in } == nil) == (name != "name"))
    }
    for name in ["isReady", "state", "", "IsFinished", "name "] {
      #expect(queue.observe(named: name) { _, _ in } == nil)
    }
  }
}
