import Foundation
import OpshSupport

@testable import Operations

/// A random session on the virtual clock; after each of its transactions something looks at it.
///
/// It steers operations, queues and groups from outside, and from observers and completion handlers,
/// which are called amid what the engine does. One thing happens at a time.
final class WorldSession: @unchecked Sendable {
  // @unchecked because all bodies and handlers run one at a time on the virtual clock.

  let engine = OperationEngine()
  private(set) var queues: [InspectableQueue] = []
  private(set) var operations: [ObservableOperation] = []
  private var groups: [GroupOperation] = []
  private var tokens: [ObservationToken] = []
  private var random: RandomSource
  /// What was done, in words.
  private(set) var history: [String] = []
  private var depth = 0
  private let look: (WorldSession) -> Bool
  private var isOver = false
  /// Whether nothing new is done.
  private var isClosing = false

  /// Begins a session.
  ///
  /// - Parameters:
  ///   - seed: What decides all that it does.
  ///   - look: Called after each transaction; it returns whether the session is to go on.
  init(seed: UInt64, look: @escaping (WorldSession) -> Bool) {
    random = RandomSource(seed: seed &* 7_919 &+ 3)
    self.look = look
    engine.virtualClock.begin()
    engine.setSeed(seed)
  }

  /// Takes all steps of the session, until everything has finished; returns whether it has.
  func run() throws -> Bool {
    engine.log.setWakeUp { [weak self] in self?.lookNow() }
    defer { engine.log.setWakeUp(nil) }
    for name in ["one", "two", "three"].prefix(1 + random.below(3)) {
      let width = random.pick([0, 1, 1, 2, 2, 3, -1])
      queues.append(
        InspectableQueue(name: name, maxConcurrentOperationCount: width, engine: engine))
    }
    for _ in 0..<(30 + random.below(50)) where !isOver {
      act()
      drive(random.below(4))
    }
    return finish()
  }

  private func lookNow() {
    guard !isOver else { return }
    isOver = !look(self)
  }

  /// Has some of what is due happen, or some time pass.
  private func drive(_ count: Int) {
    for _ in 0..<count where !isOver {
      guard !engine.virtualClock.runNext() else { continue }
      if random.below(3) == 0 { engine.virtualClock.passTime() }
      return
    }
  }

  private func finish() -> Bool {
    note("the end")
    openQueues()
    comeToForeground()
    lookNow()
    for group in groups { group.isOpen = false }
    for operation in operations { operation.setAwaited([]) }
    for round in 0..<1_000 where !isOver {
      while !isOver, engine.virtualClock.runNext() || engine.virtualClock.passTime() {}
      guard let open = operations.first(where: { $0.isExecuting && $0 is Held }) as? Held else {
        break
      }
      note("end \(open.id)")
      if round > 200 { open.cancel() } else { open.finish(result()) }
    }
    note("cancel all")
    isClosing = true
    openQueues()
    for operation in operations where operation.state != .created { operation.cancel() }
    // One whose result came before its start cannot be cancelled.
    for operation in operations where operation.state == .pending {
      for edge in operation.upstream { _ = try? operation.removeDependency(on: edge.operation) }
    }
    while !isOver, engine.virtualClock.runNext() || engine.virtualClock.passTime() {}
    return isOver || operations.allSatisfy { $0.state == .finished || isOutside($0) }
  }

  private func openQueues() {
    for queue in queues + groups.map(\.innerQueue) {
      queue.isSuspended = false
      queue.pace = .zero
      queue.maxConcurrentOperationCount = -1
    }
  }

  /// Whether an operation, or a group around it, was never added.
  private func isOutside(_ operation: ObservableOperation) -> Bool {
    var next: ObservableOperation? = operation
    while let operation = next {
      if operation.state == .created { return true }
      next = operation.group
    }
    return false
  }

  /// What has not finished, and why.
  var rest: [String] {
    operations.filter { $0.state != .finished && !isOutside($0) }.map {
      "\($0.id) is \($0.state): \($0.waitReasons().map(\.text))"
    }
  }

  private func note(_ text: String) {
    history.append(String(repeating: "  ", count: depth) + text)
  }

  // MARK: Steps

  /// Does something that comes in the middle of what the engine does.
  private func interject() {
    guard depth < 3, !isOver, !isClosing, random.below(3) > 0 else { return }
    act()
  }

  private func act() {
    depth += 1
    defer { depth -= 1 }
    switch random.below(100) {
    case 0..<22: add(make())
    case 22..<26: any().map { add($0) }
    case 26..<40: finishOne()
    case 40..<46: prioritize()
    case 46..<56: depend()
    case 56..<60: removeDependency()
    case 60..<71: steer(queue())
    case 71..<75: name()
    case 75..<79: cancel()
    case 79: comeToForeground()
    case 80..<90: wait()
    case 90..<94: any().map(observe)
    default: steerGroup()
    }
    if depth == 1 { lookNow() }
  }

  private func any() -> ObservableOperation? {
    // Mostly the latest, which have not finished.
    operations.isEmpty
      ? nil : operations[operations.count - 1 - random.below(min(12, operations.count))]
  }

  private func executing() -> ObservableOperation? {
    let executing = operations.filter { $0.state == .executing }
    return executing.isEmpty ? nil : random.pick(executing)
  }

  private func queue() -> InspectableQueue {
    let all = queues + groups.suffix(3).map(\.innerQueue)
    return random.pick(all)
  }

  private func result() -> Result<Int, any Error> {
    random.below(3) == 0 ? .failure(TestError()) : .success(1)
  }

  private func milliseconds() -> Duration { .milliseconds(random.pick([0, 1, 5, 20, 100])) }

  // The names of operations are not in the log before their first entry, but for the usual one.
  private func make() -> ObservableOperation {
    let handler: @Sendable (Any) -> Void = { [weak self] _ in self?.interject() }
    let operation: ObservableOperation =
      switch random.below(12) {
      case 0, 1:
        GroupOperation(
          kind: "operation", maxConcurrentOperationCount: random.pick([0, 1, 2, -1]),
          engine: engine)
      case 2: DelayOperation(kind: "operation", duration: milliseconds(), engine: engine)
      case 3: Plain(engine: engine) { [weak self] in self?.interject() }
      case 4:
        BlockingOperation(kind: "operation", engine: engine) { [result = result()] _ in
          handler(0)
          return try result.get()
        }
      case 5: Quick(engine: engine) { handler($0) }
      case 6: Held(engine: engine) { handler($0) }
      default: Held(engine: engine)
      }
    operations.append(operation)
    prepare(operation)
    return operation
  }

  private func prepare(_ operation: ObservableOperation) {
    if random.below(4) == 0 { operation.queuePriority = random.pick(GraphScript.levels) }
    for _ in 0..<random.below(3) {
      guard let other = any() else { continue }
      try? operation.depend(on: other, policy: random.pick(FailurePolicy.allCases))
    }
    if random.below(8) == 0 { operation.startDelay = milliseconds() }
    if random.below(12) == 0 { operation.awaitsForeground = true }
    if random.below(8) == 0 { operation.timeLimit = milliseconds() }
    if random.below(4) == 0 { operation.exclusiveNames = names() }
    if random.below(4) == 0 {
      operation.retryPolicy = RetryPolicy(
        limit: 1 + random.below(2), backoff: milliseconds(), jitter: 0)
    }
    // Only cancelling ends one that never says that it is ready, and a result given early forbids that.
    // A group has no code of its own that could be wrong.
    if !(operation is Held || operation is GroupOperation), random.below(6) == 0 {
      operation.defects = random.pick([.neverReady, .silentReady, .skipsCancelCheck, .unguarded])
    }
    if let group = operation as? GroupOperation {
      groups.append(group)
      group.isOpen = random.below(3) == 0
    }
    if random.below(5) == 0 { observe(operation) }
    note(
      "make \(operation.id) \(type(of: operation)) after \(operation.upstream.map(\.operation.id))")
  }

  private func names() -> [String] { ["a", "b", "c"].filter { _ in random.below(3) == 0 } }

  private func add(_ operation: ObservableOperation) {
    guard operation.state == .created, random.below(12) > 0 else { return }
    let queue = queue()
    note("add \(operation.id) to \(queue.name)")
    switch random.below(12) {
    case 0: try? operation.startManually()
    case 1, 2: try? queue.addBarrier(operation)
    case 3:
      let others = operations.filter { $0.state == .created && $0 !== operation }.prefix(2)
      try? queue.addOperations([operation] + others, waitUntilFinished: false)
    default: try? queue.addOperation(operation)
    }
  }

  private func finishOne() {
    // A result may come before the start.
    let target = random.below(10) == 0 ? any() : executing()
    guard let held = target as? Held else { return }
    note("finish \(held.id)")
    held.finish(result())
  }

  private func prioritize() {
    guard let operation = any() else { return }
    note("prioritize \(operation.id)")
    if random.below(3) == 0 {
      operation.qualityOfService = random.pick([.default, .utility, .background])
    } else {
      operation.queuePriority = random.pick(GraphScript.levels)
    }
  }

  private func depend() {
    guard let operation = any(), let other = any() else { return }
    note("depend \(operation.id) on \(other.id)")
    try? operation.depend(on: other, policy: random.pick(FailurePolicy.allCases))
  }

  private func removeDependency() {
    guard let operation = any(), let edge = operation.upstream.last else { return }
    note("undepend \(operation.id) on \(edge.operation.id)")
    _ = try? operation.removeDependency(on: edge.operation)
  }

  private func steer(_ queue: InspectableQueue) {
    let kind = random.below(9)
    note("steer \(queue.name): \(kind)")
    switch kind {
    case 0, 1: queue.isSuspended.toggle()
    case 2: _ = try? queue.step(1 + random.below(2))
    case 3, 4: queue.maxConcurrentOperationCount = random.pick([0, 1, 2, 3, -1])
    case 5: queue.pace = milliseconds()
    case 7:
      let holders = queue.operations.filter { $0.state == .executing }
      queue.poolHolders = queue.poolHolders.isEmpty ? holders : []
    case 6: queue.qualityOfService = random.pick([.default, .userInitiated, .background])
    default: queue.name = random.pick(["one", "two", "lane", "line"])
    }
  }

  private func name() {
    guard let operation = any() else { return }
    let kind = random.below(3)
    note("name \(operation.id): \(kind)")
    switch kind {
    case 0: operation.name = random.pick([nil, "anna", "bert", "carl"])
    case 1: operation.exclusiveNames = names()
    default: operation.timeLimit = random.pick([nil, milliseconds()])
    }
  }

  private func comeToForeground() {
    note("foreground")
    for operation in operations { operation.awaitsForeground = false }
  }

  private func cancel() {
    if random.below(12) == 0 {
      note("cancel all of a queue")
      queue().cancelAllOperations()
    } else if let operation = any() {
      note("cancel \(operation.id)")
      ObservableOperation.cancelAll([operation], by: random.below(2) == 0 ? "the session" : nil)
    }
  }

  /// Has the body of an operation that executes wait, pause, or go on.
  private func wait() {
    guard let operation = executing() else { return }
    let kind = random.below(17)
    note("wait \(operation.id): \(kind)")
    switch kind {
    case 0, 1: operation.setAwaited((0..<random.below(3)).compactMap { _ in any() })
    case 2: operation.setFinishWait(random.pick([.call, .notification, .lock]))
    case 3: operation.setFinishWait(nil)
    case 4: operation.setExpecting(random.below(2) == 0)
    case 5: operation.notePause(for: milliseconds(), reason: "pauses")
    case 6: operation.noteProgress(reason: "goes on")
    case 7: operation.noteAttempt(reason: "attempt")
    case 8, 9: operation.pause(at: random.pick([.body, .saving]))
    case 10: operation.resumeAtPhase()
    case 11...14:
      let progress = PhaseProgress(
        random.pick(OperationPhase.allCases), done: random.below(3), of: 2)
      _ = operation.enter(progress) {}
    case 15: any()?.noticeReadiness()
    default: operation.noteHostPause(of: "host", for: milliseconds())
    }
  }

  private func observe(_ operation: ObservableOperation) {
    let name = random.pick(["isReady", "isExecuting", "isFinished", "isCancelled", "dependencies"])
    note("observe \(operation.id) \(name)")
    let options: ObservationOptions = random.below(4) == 0 ? [.new] : [.prior]
    let token = operation.observe(named: name, options: options) { [weak self] _, _ in
      self?.interject()
    }
    if let token { tokens.append(token) }
  }

  private func steerGroup() {
    guard let group = groups.suffix(3).randomElement(using: &random) else { return }
    note("steer group \(group.id)")
    if random.below(3) == 0 {
      group.isOpen.toggle()
    } else {
      let member = make()
      note("add \(member.id) to group \(group.id)")
      try? group.addOperation(member)
    }
  }
}
