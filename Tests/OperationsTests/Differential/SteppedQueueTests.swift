import Foundation
import Operations
import Support
import Testing

/// One step after another on a queue of any width, each compared with the rule.
///
/// No body runs here: an operation executes until the test finishes it. So the engine has nothing
/// to race with, and after each step its whole state must be that of the reference.
/// `OPSH_GRAPH=4:123` takes the steps of one seed at width 4 alone.
@Suite(.timeLimit(.minutes(15))) struct SteppedQueueTests {
  @Test("After each random step a queue matches the reference queue", arguments: [1, 2, 3, 8, -1])
  func steps(width: Int) throws {
    try StressLevel.runSeeds(width: width, variable: "OPSH_GRAPH", 12, long: 800) { seed in
      var steps = RandomSteps(width: width, seed: seed)
      return try steps.run().map { [$0] } ?? []
    }
  }
}

/// An asynchronous operation that does nothing until the test finishes it.
final class Idle: ConcurrentOperation<Int>, @unchecked Sendable {
  // @unchecked because the superclass is, and this class adds nothing.
  override func execute() {}
}

/// Random steps, taken by the engine and by the reference alike.
private struct RandomSteps {
  private let bench = Bench()
  private let queue: InspectableQueue
  private let usualWidth: Int
  private var random: RandomSource
  private var paper: ReferenceQueue
  private var operations: [Idle] = []
  private var places: [Int: Int] = [:]
  private var unfinished: [Int] = []
  private var cursor = 0
  private var started: [Int] = []
  private var history: [String] = []
  /// Observers, of whom nothing but time may depend.
  private var tokens: [ObservationToken] = []
  private let isObserved: Bool

  init(width: Int, seed: UInt64) {
    queue = bench.queue(width: width)
    usualWidth = width
    random = RandomSource(seed: seed &* 131 &+ UInt64(bitPattern: Int64(width)))
    paper = ReferenceQueue(width: width, isSuspended: false)
    isObserved = seed.isMultiple(of: 3)
  }

  /// - Returns: What went wrong, or nil.
  mutating func run() throws -> String? {
    let count = 20 + random.below(80)
    for step in 0..<count {
      history.append("\(step): \(try step == 0 ? add() : act())")
      if let problem = check() { return report(problem) }
    }
    for step in 0..<3 {
      history.append("at the end, \(step)")
      try open(step)
      if let problem = check() { return report(problem) }
    }
    while let holder = paper.holders.first {
      finish(holder)
      if let problem = check() { return report(problem) }
    }
    return queue.operationCount == 0 ? nil : report("operations are left")
  }

  /// Takes one of three steps after which everything can run.
  private mutating func open(_ step: Int) throws {
    switch step {
    case 0:
      paper.setWidth(usualWidth)
      queue.maxConcurrentOperationCount = usualWidth
    case 1:
      paper.setSuspended(false)
      queue.isSuspended = false
    default:
      let created = operations.indices.filter(isCreated)
      paper.add(created)
      try queue.addOperations(created.map { operations[$0] }, waitUntilFinished: false)
    }
  }

  private func report(_ problem: String) -> String {
    problem + "\n" + history.suffix(12).joined(separator: "\n")
  }

  // MARK: Steps

  private mutating func act() throws -> String {
    switch random.below(100) {
    case 0..<20: return try add()
    case 20..<60:
      let executing = paper.holders.filter { paper.items[$0].state == .executing }
      guard !executing.isEmpty else { return try add() }
      let one = executing[random.below(executing.count)]
      finish(one)
      return "finish \(one)"
    case 60..<68:
      let one = any()
      paper.cancel(one)
      // An executing asynchronous one ends at once.
      if paper.items[one].state == .executing { paper.finish(one) }
      operations[one].cancel()
      return "cancel \(one)"
    case 68..<80:
      let (one, level) = (any(), GraphScript.levels[random.below(5)])
      paper.prioritize(one, level)
      operations[one].queuePriority = level
      return "prioritize \(one) \(level)"
    case 80..<87:
      let one = any()
      guard one > 0 else { return "nothing" }
      return depend(one, on: random.below(one))
    case 87..<92:
      let one = any()
      guard let upstream = paper.items[one].upstream.randomElement(using: &random) else {
        return "nothing"
      }
      paper.removeDependency(one, on: upstream)
      _ = try? operations[one].removeDependency(on: operations[upstream])
      return "remove dependency \(one) on \(upstream)"
    case 92..<96:
      // Small steps: if two cancelled ones were started at once, their ends would race.
      let width = [0, 1, 2, usualWidth][random.below(4)]
      paper.setWidth(width)
      queue.maxConcurrentOperationCount = width
      return "width \(width)"
    default:
      let isSuspended = !paper.isSuspended
      paper.setSuspended(isSuspended)
      queue.isSuspended = isSuspended
      return isSuspended ? "suspend" : "resume"
    }
  }

  private mutating func any() -> Int { random.below(operations.count) }

  private mutating func finish(_ one: Int) {
    paper.finish(one)
    operations[one].finish(.success(one))
  }

  private mutating func depend(_ one: Int, on upstream: Int) -> String {
    let isTaken = paper.depend(one, on: upstream)
    try? operations[one].depend(on: operations[upstream])
    return "depend \(one) on \(upstream)\(isTaken ? "" : ", too late")"
  }

  /// Adds up to four new operations, or one that has been made before.
  private mutating func add() throws -> String {
    let first = operations.count
    for _ in 0...random.below(3) {
      let level = GraphScript.levels[random.below(5)]
      let operation = Idle(engine: bench.engine)
      operation.queuePriority = level
      paper.make(level)
      places[operation.id] = operations.count
      unfinished.append(operations.count)
      operations.append(operation)
      if isObserved, random.below(2) == 0 { observe(operation) }
      for _ in 0..<random.below(3) where operations.count > 1 {
        let upstream = operations.count - 2 - random.below(min(6, operations.count - 1))
        paper.depend(operations.count - 1, on: upstream)
        try operation.depend(on: operations[upstream])
      }
    }
    var ids = Array(first..<operations.count)
    // One is kept back at times, to be waited for and added later.
    if random.below(4) == 0 { ids.removeLast() }
    if random.below(3) == 0, let late = operations.indices.first(where: isCreated) {
      if !ids.contains(late) { ids.append(late) }
    }
    paper.add(ids)
    try queue.addOperations(ids.map { operations[$0] }, waitUntilFinished: false)
    return "add \(ids)"
  }

  /// Observes everything but readiness, for a notice of that before the fact puts it off.
  private mutating func observe(_ operation: Idle) {
    for name in ObservableKeyPath.operationNames where name != "isReady" {
      let token = operation.observe(named: name, options: [.prior, .old, .new]) { operation, _ in
        _ = operation.state
      }
      if let token { tokens.append(token) }
    }
  }

  private func isCreated(_ one: Int) -> Bool { paper.items[one].state == .created }

  // MARK: Comparing

  /// Lets the cancelled ones whose turn has come end; observed ones do so on another thread.
  private mutating func settle() -> String? {
    for place in unfinished where paper.items[place].state == .finished {
      guard operations[place].waitUntilFinished(timeout: .seconds(60)) else {
        return "\(place) does not finish"
      }
    }
    return read()
  }

  private mutating func read() -> String? {
    let page = bench.engine.log.entries(from: cursor, limit: .max)
    cursor = page.next
    for entry in page.entries where entry.event == .transition {
      guard let place = places[entry.operation.id] else { return "a stranger" }
      if entry.to == .executing { started.append(place) }
      if entry.from == .ready, entry.to == .finished {
        guard paper.items[place].state == .finished else { return "\(place) finished out of turn" }
      }
    }
    return nil
  }

  /// Compares everything.
  private mutating func check() -> String? {
    // To work the prediction out takes the reference long, so it is done now and then.
    let predicts = random.below(6) == 0
    let deadline = ContinuousClock.now + .seconds(60)
    while true {
      guard let problem = settle() ?? difference(predicts: predicts) else { return nil }
      // One with observers that hear of its start before starts a little later, on the thread that
      // freed the slot for it.
      guard isObserved, ContinuousClock.now < deadline else { return problem }
      usleep(200)
    }
  }

  private mutating func difference(predicts: Bool) -> String? {
    if let problem = operationDifference() { return problem }
    // Those found finished on both sides need no further look: nothing leaves that state.
    unfinished.removeAll { paper.items[$0].state == .finished }
    // Who announces its start starts a little later than others of the same moment.
    let (seen, expectedStarts) =
      isObserved ? (started.sorted(), paper.started.sorted()) : (started, paper.started)
    if seen != expectedStarts { return "started \(seen) and should have \(expectedStarts)" }
    let snapshot = queue.snapshot
    let counts = [snapshot.pending, snapshot.ready, snapshot.executing, snapshot.finished]
    let expected =
      [OperationState.pending, .ready, .executing].map { paper.count($0) } + [paper.finishedCount]
    if counts != expected { return "counts are \(counts) and should be \(expected)" }
    let holders = snapshot.slotHolders.compactMap { places[$0.operation.id] }
    if holders.sorted() != paper.holders.sorted() { return "slots are held by \(holders)" }
    return predicts ? predictionDifference(holders.count) : nil
  }

  private func operationDifference() -> String? {
    for place in unfinished {
      let (operation, item) = (operations[place], paper.items[place])
      let state = operation.state
      if state != item.state { return "\(place) is \(state) and should be \(item.state)" }
      if state != .finished, operation.isReady != paper.isReady(place) {
        return "\(place) has a wrong isReady"
      }
      if operation.isCancelled != item.isCancelled { return "\(place) has a wrong isCancelled" }
    }
    return nil
  }

  private func predictionDifference(_ holders: Int) -> String? {
    for place in unfinished {
      let upstream = operations[place].upstream.compactMap { places[$0.operation.id] }
      if Set(upstream) != Set(paper.items[place].upstream) {
        return "\(place) depends on \(upstream)"
      }
    }
    let predicted = queue.predictedOrder().compactMap { places[$0.id] }.dropFirst(holders)
    let expected = paper.prediction
    return Array(predicted) == expected
      ? nil : "predicted \(Array(predicted)) and should be \(expected)"
  }
}
