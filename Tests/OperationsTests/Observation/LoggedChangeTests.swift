import OpshLocking
import Operations
import Testing

/// Changes that the reader of the log tells observers of, in their place among the entries.
@Suite(.timeLimit(.minutes(15))) struct LoggedChangeTests {
  /// One thing that the reader of a log saw.
  private struct Seen: Equatable, CustomStringConvertible {
    let text: String
    let time: ContinuousClock.Instant
    var description: String { text }
  }

  /// Reads entries and changes to the end, each in its place.
  private func read(_ engine: OperationEngine, told: Gathered<String>) -> [Seen] {
    let (entries, next) = engine.log.entries(from: 0, limit: .max)
    var changes = engine.log.takeChanges()[...]
    var seen: [Seen] = []
    func tell(before sequence: Int) {
      while let change = changes.first, change.position <= sequence {
        changes.removeFirst()
        change.tell()
        seen.append(Seen(text: told.all.last ?? "-", time: change.time))
      }
    }
    for entry in entries {
      tell(before: entry.sequence)
      seen.append(Seen(text: "\(entry.from) → \(entry.to)", time: entry.time))
    }
    tell(before: next)
    return seen
  }

  @Test("Prior calls come before the logged change, other calls after; times never go back")
  func places() throws {
    let engine = OperationEngine()
    let operation = Held(name: "a", engine: engine)
    let told = Gathered<String>()
    let tokens = ["isReady", "isExecuting", "isFinished"].compactMap { name in
      operation.logChanges(of: name, options: [.initial, .prior, .old, .new]) { _, change in
        let values = change.values
        let kind = values.isInitial ? "initial" : values.isPrior ? "before" : "after"
        told.add("\(name) \(kind)")
      }
    }
    #expect(tokens.count == 3)
    let queue = InspectableQueue(name: "q", maxConcurrentOperationCount: 1, engine: engine)
    try queue.addOperation(operation)
    #expect(operation.waitUntilBegun())
    operation.finish(.success(1))
    #expect(operation.waitUntilFinished(timeout: .seconds(60)))
    let seen = read(engine, told: told)
    #expect(
      seen.map(\.text) == [
        "isReady initial", "isExecuting initial", "isFinished initial", "created → pending",
        "pending → ready", "isExecuting before", "ready → executing", "isExecuting after",
        "isExecuting before", "isFinished before", "executing → finished", "isExecuting after",
        "isFinished after",
      ])
    #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.time <= $1.time })
    #expect(engine.log.takeChanges().isEmpty)
    for token in tokens { token.invalidate() }
  }

  @Test("A change without an entry wakes the reader, and so does the next entry")
  func wakesTwice() {
    let engine = OperationEngine()
    let operation = Held(name: "a", engine: engine)
    let token = operation.logChanges(of: "name") { _, _ in }
    let count = Locked(0)
    engine.log.setWakeUp { count.withLock { $0 += 1 } }
    operation.name = "b"
    #expect(count.withLock { $0 } == 1)
    // The reader takes the change alone, because there is no entry to read.
    #expect(engine.log.takeChanges().count == 1)
    operation.cancel()
    #expect(count.withLock { $0 } == 2)
    token?.invalidate()
    engine.log.setWakeUp(nil)
  }

  @Test("A pending change is not reported after its observation has ended")
  func ends() {
    let engine = OperationEngine()
    let operation = Held(name: "a", engine: engine)
    let count = Locked(0)
    let token = operation.logChanges(of: "name") { _, _ in count.withLock { $0 += 1 } }
    operation.name = "b"
    for change in engine.log.takeChanges() { change.tell() }
    operation.name = "c"
    token?.invalidate()
    operation.name = "d"
    for change in engine.log.takeChanges() { change.tell() }
    #expect(count.withLock { $0 } == 1)
    #expect(operation.logChanges(of: "colour") { _, _ in } == nil)
  }

  @Test("Changes before a log entry can be taken separately from later ones")
  func before() throws {
    let engine = OperationEngine()
    let operation = Held(name: "a", engine: engine)
    let token = operation.logChanges(of: "name") { _, _ in }
    operation.name = "b"
    operation.cancel()
    operation.name = "c"
    let next = try #require(engine.log.entries(from: 0, limit: 1).entries.first).sequence
    #expect(engine.log.takeChanges(before: next).map(\.operation?.name) == ["b"])
    #expect(engine.log.takeChanges().map(\.operation?.name) == ["c"])
    #expect(engine.log.takeChanges().isEmpty)
    token?.invalidate()
  }

  @Test("The last change kept for a slow reader says how many were left out")
  func leftOut() throws {
    let engine = OperationEngine()
    let queue = InspectableQueue(name: "q", engine: engine)
    queue.isSuspended = true
    let token = queue.logChanges(of: "operations", options: [.old, .new]) { _, _ in }
    let operations = (0..<700).map { Held(name: "op-\($0)", engine: engine) }
    for operation in operations { try queue.addOperation(operation) }
    // Each change has the list before and after it.
    let changes = engine.log.takeChanges()
    #expect(changes.reduce(0) { $0 + $1.valueCount } <= 250_000)
    #expect(changes.dropLast().allSatisfy { $0.leftOut == 0 })
    let last = try #require(changes.last)
    #expect(last.leftOut > 0 && changes.count + last.leftOut == 700)
    // One that has caught up gets the next ones again.
    queue.cancelAllOperations()
    queue.isSuspended = false
    #expect(queue.waitUntilAllOperationsAreFinished(timeout: .seconds(60)))
    let first = try #require(engine.log.takeChanges().first)
    #expect(first.valueCount == 700 + 699)
    token?.invalidate()
  }

  @Test("Each change wakes a reader that has caught up")
  func wakes() {
    let engine = OperationEngine()
    let operation = Held(name: "a", engine: engine)
    let count = Locked(0)
    engine.log.setWakeUp { count.withLock { $0 += 1 } }
    let token = operation.logChanges(of: "progress", options: [.new]) { _, _ in }
    for step in 1...3 {
      operation.progress = Double(step) / 4
      #expect(count.withLock { $0 } == step)
      #expect(engine.log.hasNews(after: 0))
      _ = engine.log.entries(from: 0, limit: 10)
      #expect(engine.log.takeChanges().count == 1)
      #expect(!engine.log.hasNews(after: 0))
    }
    token?.invalidate()
    engine.log.setWakeUp(nil)
  }

  @Test("Immediate observers and observers through the log receive the same changes")
  func bothKinds() {
    let engine = OperationEngine()
    let operation = Held(name: "a", engine: engine)
    let called = Gathered<Double?>()
    let told = Gathered<Double?>()
    let first = operation.observe(\.progress, options: [.new]) { _, change in
      called.add(change.newValue ?? nil)
    }
    let second = operation.logChanges(of: "progress", options: [.new]) { _, change in
      if case .real(let value)? = change.values.newValue { told.add(value) }
    }
    for step in 1...4 { operation.progress = Double(step) / 4 }
    for change in engine.log.takeChanges() { change.tell() }
    #expect(called.all == [0.25, 0.5, 0.75, 1])
    #expect(told.all == called.all)
    first.invalidate()
    second?.invalidate()
  }
}

extension LoggedChange {
  /// How many operations its lists have.
  fileprivate var valueCount: Int {
    [values.oldValue, values.newValue].reduce(0) { count, value in
      if case .names(let names)? = value { count + names.count } else { count }
    }
  }
}
