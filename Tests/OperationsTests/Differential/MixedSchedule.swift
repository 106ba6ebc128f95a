import Foundation
import OpshLocking
import Operations
import OpshSupport

/// A random graph with exclusive names, delays, barriers and groups in it, and what is done to it.
///
/// Operations are called by their place. So that no schedule can stand still, each waits only for
/// lower ones: dependencies lead to lower ones, each queue is given its operations in their order,
/// and what is in a group depends outside of it only on what the group itself waits for.
struct MixedSchedule {
  /// How one operation is made and where it goes.
  private struct Plan {
    enum Kind { case plain, scripted, blocking, delay, group }

    var kind = Kind.plain
    var fails = false
    /// The group that it is in.
    var group: Int?
    var isBarrier = false
    /// On which of the outer queues it is, if it is in no group.
    var queue = 0
    var upstream: [(index: Int, policy: FailurePolicy)] = []
    var names: [String] = []
    var delay: Duration = .zero
    var level = Operation.QueuePriority.normal
    /// What its body does to which others.
    var orders: [(order: UInt64, target: Int)] = []
  }

  let bench = Bench()
  /// The last of them takes what comes too late for its group, and has neither width nor barriers.
  let queues: [InspectableQueue]
  let operations: [ObservableOperation]
  private let plans: [Plan]
  private let recorder: ScheduleRecorder
  /// What the bodies act on; emptied at the end, because the bodies belong to it.
  private let all = Locked<[ObservableOperation]>([])

  init(width: Int, seed: UInt64) throws {
    var random = RandomSource(seed: seed &* 131 &+ UInt64(bitPattern: Int64(width)))
    let second = [1, 2, -1][random.below(3)]
    queues = [
      bench.queue("one", width: width, paused: true), bench.queue("two", width: second),
      bench.queue("late", width: -1),
    ]
    let recorder = ScheduleRecorder(
      engine: bench.engine, widths: ["one": width, "two": second, "late": -1])
    self.recorder = recorder
    let plans = Self.plans(5 + random.below(50), &random)
    self.plans = plans
    let (engine, all) = (bench.engine, all)
    operations = plans.map { plan in
      Self.make(plan, innerWidth: [1, 2, -1][random.below(3)], engine: engine) {
        let others = all.withLock { $0 }
        for (order, target) in plan.orders where target < others.count {
          recorder.steer(others[target], order, cancellingOneIn: 12)
        }
      }
    }
    for (index, plan) in plans.enumerated() { try prepare(operations[index], plan) }
    all.withLock { $0 = operations }
  }

  private func prepare(_ operation: ObservableOperation, _ plan: Plan) throws {
    recorder.begin(operation, with: plan.level)
    for edge in plan.upstream {
      try recorder.depend(operation, on: operations[edge.index], policy: edge.policy)
    }
    operation.startDelay = plan.delay
    operation.exclusiveNames = plan.names
    recorder.note { facts in
      if plan.delay > .zero { facts.delays[operation.id] = plan.delay }
      if !plan.names.isEmpty { facts.names[operation.id] = Set(plan.names) }
      if plan.isBarrier { facts.barriers.insert(operation.id) }
      if let group = operation as? GroupOperation {
        facts.groups[group.innerQueue.name] = operation.id
        facts.widths[group.innerQueue.name] = group.innerQueue.maxConcurrentOperationCount
      }
    }
  }

  // MARK: Planning

  private static func plans(_ count: Int, _ random: inout RandomSource) -> [Plan] {
    // Each schedule has its own mix, so that each feature also meets each other one alone.
    let (hasNames, hasDelays) = (random.below(4) > 0, random.below(3) > 0)
    let (hasBarriers, hasGroups) = (random.below(3) > 0, random.below(3) > 0)
    let (hasPolicies, hasFailures) = (random.below(3) == 0, random.below(3) == 0)
    let names = Array(["a", "b", "c"].prefix(1 + random.below(3)))
    var plans: [Plan] = []
    for index in 0..<count {
      var plan = Plan()
      plan.level = GraphScript.levels[random.below(5)]
      plan.queue = random.below(4) == 0 ? 1 : 0
      plan.fails = hasFailures && random.below(6) == 0
      plan.kind = kind(random.below(24), hasGroups: hasGroups)
      plan.isBarrier = hasBarriers && random.below(8) == 0
      if hasDelays, random.below(6) == 0 { plan.delay = .microseconds(random.below(600)) }
      plan.group = random.below(2) == 0 ? group(for: plans, &random) : nil
      if hasNames { plan.names = self.names(for: plan, names, &random) }
      for _ in 0..<random.below(3) where index > 0 {
        let upstream = max(0, index - 1 - random.below(8))
        let policy = hasPolicies ? FailurePolicy.allCases[random.below(3)] : .run
        add(upstream, policy, to: &plan, of: &plans)
      }
      plan.orders = (0..<random.below(3)).map { _ in (random.next(), random.below(count)) }
      plans.append(plan)
    }
    return plans
  }

  /// Threads are dear, so few block; groups are few, so that they get some operations each.
  private static func kind(_ number: Int, hasGroups: Bool) -> Plan.Kind {
    switch number {
    case 0: .blocking
    case 1..<9: .plain
    case 9, 10: .delay
    case 11, 12, 13: hasGroups ? .group : .scripted
    default: .scripted
    }
  }

  /// Chooses one of the last groups.
  private static func group(for plans: [Plan], _ random: inout RandomSource) -> Int? {
    let groups = plans.indices.suffix(20).filter { plans[$0].kind == .group }
    return groups.isEmpty ? nil : groups[random.below(groups.count)]
  }

  /// A group that has a name needs names that nothing in it needs: else it would wait for itself.
  private static func names(
    for plan: Plan, _ names: [String], _ random: inout RandomSource
  ) -> [String] {
    guard plan.kind == .group else { return names.filter { _ in random.below(3) == 0 } }
    return plan.group == nil && random.below(3) == 0 ? ["group"] : []
  }

  /// Adds a dependency if nothing can stand still for it.
  private static func add(
    _ upstream: Int, _ policy: FailurePolicy, to plan: inout Plan, of plans: inout [Plan]
  ) {
    guard !plan.upstream.contains(where: { $0.index == upstream }) else { return }
    var around = plan.group
    if around == nil || plans[upstream].group != around {
      // A group waits for its members, so they cannot wait for the group or for anything that may
      // come after it; and operations outside a group do not know its members.
      guard plans[upstream].group == nil else { return }
      while let group = around {
        guard upstream < group else { return }
        around = plans[group].group
      }
      around = plan.group
      while let group = around {
        if !plans[group].upstream.contains(where: { $0.index == upstream }) {
          plans[group].upstream.append((upstream, .run))
        }
        around = plans[group].group
      }
    }
    plan.upstream.append((upstream, policy))
  }

  private static func make(
    _ plan: Plan, innerWidth: Int, engine: OperationEngine, body: @escaping @Sendable () -> Void
  ) -> ObservableOperation {
    switch plan.kind {
    case .group:
      GroupOperation(maxConcurrentOperationCount: innerWidth, engine: engine)
    case .blocking:
      BlockingOperation(engine: engine) { _ in
        body()
        if plan.fails { throw TestError() }
        return nil
      }
    case .delay:
      DelayOperation(duration: .microseconds(200), engine: engine)
    case .plain where !plan.fails:
      Plain(engine: engine, body: body)
    case .plain, .scripted:
      Scripted(engine: engine, result: plan.fails ? .failure(TestError()) : .success(1), body: body)
    }
  }

  // MARK: Running

  /// Runs the graph: part of it added before the first queue goes on, the rest while it drains.
  func run(seed: UInt64) throws -> [String] {
    defer { all.withLock { $0 = [] } }
    var random = RandomSource(seed: seed &+ 7)
    let early = random.below(operations.count + 1)
    for index in operations.indices {
      if index == early { queues[0].isSuspended = false }
      if index > early {
        recorder.steer(
          operations[random.below(operations.count)], random.next(), cancellingOneIn: 12)
        dependLate(&random)
      }
      try add(index)
    }
    queues[0].isSuspended = false
    for queue in queues where !queue.waitUntilAllOperationsAreFinished(timeout: .seconds(30)) {
      return ["does not drain: \(queue.snapshot)"]
    }
    let groups = operations.compactMap { ($0 as? GroupOperation)?.innerQueue }
    return ScheduleChecker.problems(in: bench.engine, recorder.facts)
      + (queues + groups).flatMap { RaceRound.leftovers(of: $0) }
      + operations.filter { $0.outcome == nil }.map { "\($0.displayName) has no outcome" }
  }

  private func add(_ index: Int) throws {
    let (plan, operation) = (plans[index], operations[index])
    var queue = queues[plan.queue]
    if let group = plan.group.flatMap({ operations[$0] as? GroupOperation }) {
      queue = group.innerQueue
    }
    do throws(QueueError) {
      if plan.isBarrier {
        try queue.addBarrier(operation)
      } else {
        try queue.addOperation(operation)
      }
    } catch {
      guard case .groupFinished = error else { throw error }
      // There it is an operation like any other.
      recorder.note { $0.barriers.remove(operation.id) }
      try queues[2].addOperation(operation)
    }
  }

  /// Adds a dependency between two that are in no group, if it is not too late.
  private func dependLate(_ random: inout RandomSource) {
    let index = random.below(operations.count)
    guard random.below(4) == 0, index > 0 else { return }
    let upstream = random.below(index)
    guard plans[index].group == nil, plans[upstream].group == nil,
      !operations[index].dependencies.contains(operations[upstream])
    else { return }
    try? recorder.depend(operations[index], on: operations[upstream])
  }
}
