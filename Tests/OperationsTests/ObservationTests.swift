import Dispatch
import Foundation
import Locking
import Operations
import Testing

@Suite struct ObservationTests {
  /// What an observer of a flag was told, in one word each.
  private static func word(_ change: ObservedChange<Bool>) -> String {
    let kind = change.isInitial ? "initial" : change.isPrior ? "prior" : "change"
    let old = change.oldValue.map { "\($0)" } ?? "-"
    let new = change.newValue.map { "\($0)" } ?? "-"
    return "\(kind) \(old) \(new)"
  }

  private static let optionCases: [(ObservationOptions, [String])] = {
    var cases: [(ObservationOptions, [String])] = []
    cases.append(([], ["change - -"]))
    cases.append(([.new], ["change - true"]))
    cases.append(([.old], ["change false -"]))
    cases.append(([.old, .new], ["change false true"]))
    cases.append(([.initial], ["initial - -", "change - -"]))
    cases.append(([.initial, .new], ["initial - false", "change - true"]))
    cases.append(([.prior], ["prior - -", "change - -"]))
    cases.append(([.prior, .old, .new], ["prior false -", "change false true"]))
    let all: ObservationOptions = [.initial, .prior, .old, .new]
    cases.append((all, ["initial - false", "prior false -", "change false true"]))
    return cases
  }()

  @Test(
    "The options decide the calls and the values",
    arguments: optionCases)
  func options(options: ObservationOptions, expected: [String]) throws {
    let bench = Bench()
    let queue = bench.queue()
    let operation = bench.held("a")
    let told = Gathered<String>()
    let token = operation.observe(\.isFinished, options: options) { _, change in
      told.add(Self.word(change))
    }
    try queue.addOperation(operation)
    operation.finish(.success(1))
    drain(queue)
    #expect(told.all == expected)
    token.invalidate()
  }

  @Test("A prior call comes before the change, for each flag that the engine sets")
  func priorIsBefore() throws {
    let bench = Bench()
    let queue = bench.queue()
    let gate = bench.held("gate")
    let operation = bench.held("a")
    try operation.depend(on: gate)
    let told = Gathered<String>()
    let options: ObservationOptions = [.prior]
    let tokens = [
      operation.observe(\.isReady, options: options) { operation, change in
        told.add("isReady \(change.isPrior) \(operation.isReady) \(operation.state)")
      },
      operation.observe(\.isExecuting, options: options) { operation, change in
        told.add("isExecuting \(change.isPrior) \(operation.isExecuting)")
      },
      operation.observe(\.isFinished, options: options) { operation, change in
        told.add("isFinished \(change.isPrior) \(operation.isFinished)")
      },
    ]
    try queue.addOperations([gate, operation], waitUntilFinished: false)
    gate.finish(.success(1))
    #expect(operation.waitUntilBegun())
    operation.finish(.success(1))
    drain(queue)
    #expect(
      told.all == [
        "isReady true false pending", "isReady false true ready",
        "isExecuting true false", "isExecuting false true",
        "isExecuting true true", "isFinished true false",
        "isExecuting false false", "isFinished false true",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("Setting a property to the value that it has is no change")
  func redundant() {
    let operation = Held(name: "a", log: EventLog())
    let told = Gathered<String>()
    let tokens = ObservableKeyPath.operationNames.compactMap { name in
      operation.observe(named: name, options: [.prior, .old, .new]) { _, change in
        told.add("\(name) \(change.isPrior) \(String(describing: change.newValue))")
      }
    }
    #expect(tokens.count == 9)
    operation.queuePriority = .normal
    operation.qualityOfService = .default
    operation.progress = nil
    operation.name = "a"
    #expect(told.all.isEmpty)
    operation.queuePriority = .high
    operation.queuePriority = .high
    operation.progress = 2
    operation.progress = 1
    operation.name = "b"
    operation.cancel()
    operation.cancel()
    #expect(
      told.all == [
        "queuePriority true nil",
        "queuePriority false Optional(Operations.ObservedValue.text(\"high\"))",
        "progress true nil", "progress false Optional(Operations.ObservedValue.real(1.0))",
        "name true nil", "name false Optional(Operations.ObservedValue.text(\"b\"))",
        "isCancelled true nil",
        "isCancelled false Optional(Operations.ObservedValue.boolean(true))",
      ])
    for token in tokens { token.invalidate() }
  }

  @Test("Typed values arrive for every kind of property")
  func typedValues() throws {
    let log = EventLog()
    let (operation, other) = (Held(name: "a", log: log), Held(name: "b", log: log))
    let told = Gathered<String>()
    let both: ObservationOptions = [.old, .new]
    let tokens = [
      operation.observe(\.queuePriority, options: both) { _, change in
        told.add("\(change.oldValue == .normal) \(change.newValue == .low)")
      },
      operation.observe(\.qualityOfService, options: both) { _, change in
        told.add("\(change.oldValue == .default) \(change.newValue == .utility)")
      },
      operation.observe(\.name, options: both) { _, change in
        told.add("\(change.oldValue == "a") \(change.newValue == "c")")
      },
      operation.observe(\.progress, options: both) { _, change in
        told.add("\(change.oldValue == .some(nil)) \(change.newValue == 0.5)")
      },
      operation.observe(\.dependencies, options: both) { _, change in
        told.add("\(change.oldValue == []) \(change.newValue == [other])")
      },
    ]
    operation.queuePriority = .low
    operation.qualityOfService = .utility
    operation.name = "c"
    operation.progress = 0.5
    try operation.depend(on: other)
    #expect(told.all == Array(repeating: "true true", count: 5))
    for token in tokens { token.invalidate() }
  }

  @Test("An observer that is removed while others are told is not called any more")
  func removedMeanwhile() {
    let operation = Held(name: "a", log: EventLog())
    let second = Locked<ObservationToken?>(nil)
    let told = Gathered<String>()
    let first = operation.observe(\.queuePriority) { _, _ in
      told.add("first")
      second.withLock { $0 }?.invalidate()
    }
    let token = operation.observe(\.queuePriority) { _, _ in told.add("second") }
    second.withLock { $0 = token }
    operation.queuePriority = .high
    operation.queuePriority = .low
    #expect(told.all == ["first", "first"])
    first.invalidate()
    operation.queuePriority = .normal
    #expect(told.all.count == 2)
  }

  @Test("A change made by an observer is told after the present one")
  func nested() {
    let operation = Held(name: "a", log: EventLog())
    let told = Gathered<String>()
    let first = operation.observe(\.queuePriority, options: [.new]) { operation, change in
      told.add("first \(change.newValue?.name ?? "-")")
      if change.newValue == .high { operation.queuePriority = .low }
    }
    let second = operation.observe(\.queuePriority, options: [.new]) { _, change in
      told.add("second \(change.newValue?.name ?? "-")")
    }
    operation.queuePriority = .high
    #expect(told.all == ["first high", "second high", "first low", "second low"])
    first.invalidate()
    second.invalidate()
  }

  @Test("A token that goes away on another thread ends the observation")
  func droppedElsewhere() {
    let operation = Held(name: "a", log: EventLog())
    for _ in 0..<300 {
      let told = Gathered<Bool>()
      let box = Locked<ObservationToken?>(operation.observe(\.progress) { _, _ in told.add(true) })
      race([
        { for step in 0..<5 { operation.progress = Double(step) / 5 } },
        { box.withLock { $0 = nil } },
      ])
      let count = told.all.count
      operation.progress = nil
      #expect(told.all.count == count)
    }
  }

  @Test("The initial call comes first, whatever other threads change meanwhile")
  func initialFirst() {
    let operation = Held(name: "a", log: EventLog())
    for _ in 0..<300 {
      let told = Gathered<(Bool, Double?)>()
      let box = Locked<ObservationToken?>(nil)
      operation.progress = 0
      race([
        { for step in 1...5 { operation.progress = Double(step) / 5 } },
        {
          let token = operation.observe(\.progress, options: [.initial, .new]) { _, change in
            told.add((change.isInitial, change.newValue ?? nil))
          }
          box.withLock { $0 = token }
        },
      ])
      let values = told.all
      #expect(values.first?.0 == true)
      #expect(values.filter(\.0).count == 1)
      // No change between the initial value and the last one is missing.
      let steps = values.compactMap(\.1)
      #expect(steps == steps.sorted())
      #expect(steps.last == 1)
      #expect(Double(steps.count - 1) == ((1 - (steps.first ?? 0)) * 5).rounded())
    }
  }

  @Test("Observers of one operation hear of its changes in the order in which they happened")
  func order() throws {
    let bench = Bench()
    let queue = bench.queue(width: 4)
    let told = Gathered<String>()
    var tokens: [ObservationToken] = []
    for index in 0..<400 {
      let operation = bench.quick("op-\(index)")
      for name in ["isExecuting", "isFinished"] {
        let token = operation.observe(named: name, options: [.new]) { operation, change in
          if case .boolean(let value) = change.newValue {
            told.add("\(operation.displayName) \(name) \(value)")
          }
        }
        tokens.append(try #require(token))
      }
      try queue.addOperation(operation)
    }
    drain(queue)
    for token in tokens { token.invalidate() }
    var lives: [Substring: [Substring]] = [:]
    for line in told.all {
      let words = line.split(separator: " ", maxSplits: 1)
      lives[words[0], default: []].append(words[1])
    }
    #expect(lives.count == 400)
    let whole: [Substring] = ["isExecuting true", "isExecuting false", "isFinished true"]
    #expect(lives.values.allSatisfy { $0 == whole })
  }

  @Test("isFinished is seen only after the completion handler has run", arguments: [true, false])
  func afterCompletion(onQueue: Bool) throws {
    final class Late: ConcurrentOperation<Int>, @unchecked Sendable {
      // @unchecked because the superclass is, and this class adds nothing.
      override func execute() { finish(.success(1)) }
    }
    let bench = Bench()
    let queue = bench.queue()
    let told = Gathered<String>()
    let box = Locked<Late?>(nil)
    let operation = Late(
      name: "a", log: bench.log,
      callbackQueue: onQueue ? DispatchQueue(label: "completion") : nil
    ) { _ in
      told.add("completion \(box.withLock { $0 }?.isFinished ?? true)")
    }
    box.withLock { $0 = operation }
    let token = operation.observe(\.isFinished) { _, _ in told.add("finished") }
    try queue.addOperation(operation)
    drain(queue)
    #expect(operation.waitUntilFinished(timeout: .seconds(10)))
    #expect(told.all == ["completion false", "finished"])
    token.invalidate()
    box.withLock { $0 = nil }
  }

  @Test("A queue's properties can be observed")
  func queues() throws {
    let bench = Bench()
    let queue = bench.queue()
    let told = Gathered<String>()
    let tokens = ObservableKeyPath.queueNames.compactMap { name in
      queue.observe(named: name, options: [.old, .new]) { _, change in
        guard let old = change.oldValue, let new = change.newValue else { return }
        told.add("\(name) \(old) \(new)")
      }
    }
    #expect(tokens.count == 4)
    queue.isSuspended = true
    queue.isSuspended = true
    queue.maxConcurrentOperationCount = 5
    queue.maxConcurrentOperationCount = -7
    try queue.addOperation(bench.quick("a"))
    queue.isSuspended = false
    drain(queue)
    #expect(
      Set(told.all) == [
        "isSuspended boolean(false) boolean(true)",
        "maxConcurrentOperationCount integer(2) integer(5)",
        "operations names([]) names([\"a\"])",
        "operationCount integer(0) integer(1)",
        "isSuspended boolean(true) boolean(false)",
        "operations names([\"a\"]) names([])",
        "operationCount integer(1) integer(0)",
      ])
    #expect(told.all.count == 7)
    #expect(queue.observe(named: "isReady") { _, _ in } == nil)
    #expect(Held(log: bench.log).observe(named: "operations") { _, _ in } == nil)
    for token in tokens { token.invalidate() }
  }
}
