package import Operations
package import OpshTerminal

/// One reason why an operation is not running, with the command that would end it.
package struct WhyReason {
  package let cause: Cause
  package let text: String
  package let subject: [String]
  /// The queue in question, if there is one.
  package let queue: InspectableQueue?
  /// How many dependencies away it is.
  package let depth: Int
  package let cure: String?
  /// Whether all slots of the queue pause for the rate limit of a server.
  private var isRateLimit = false

  /// A reason of the engine, in its words, with what the jobs know of it.
  package init(_ reason: WaitReason, in jobs: Jobs) {
    self.init(
      cause: reason.code, text: Self.text(of: reason, in: jobs), subject: reason.subject,
      queue: reason.queue, depth: reason.depth, cure: Self.cure(of: reason, in: jobs))
    isRateLimit = RateLimit(holding: reason) != nil
  }

  /// A reason that only the session knows, directly at the operation.
  init(
    _ cause: Cause, _ text: String, subject: [String], queue: InspectableQueue?, cure: String?
  ) {
    self.init(cause: cause, text: text, subject: subject, queue: queue, depth: 0, cure: cure)
  }

  private init(
    cause: Cause, text: String, subject: [String], queue: InspectableQueue?, depth: Int,
    cure: String?
  ) {
    (self.cause, self.text, self.subject, self.queue) = (cause, text, subject, queue)
    (self.depth, self.cure) = (depth, cure)
  }

  // MARK: Reasons

  /// The reasons why an operation does not run, the nearest first; for an executing group, those of
  /// its members.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - asTree: Whether each reason is followed by its own causes.
  ///   - jobs: The jobs that it is one of.
  /// - Returns: The reasons.
  package static func reasons(
    of operation: ObservableOperation, asTree: Bool = false, in jobs: Jobs
  ) -> [WhyReason] {
    guard let group = operation as? GroupOperation, group.state == .executing,
      group.finishWait == nil
    else {
      let reasons = asTree ? operation.waitReasonTree() : operation.waitReasons()
      return reasons.filter { !isOver($0) }.map { WhyReason($0, in: jobs) }
    }
    var found: [WhyReason] = []
    // Most members of a large group wait for the same, and the root is last.
    for member in group.operations.prefix(longestList) {
      for reason in reasons(of: member, asTree: asTree, in: jobs) {
        found.removeAll { $0.text == reason.text }
        found.append(reason.deeper)
      }
      if found.count >= longestList { break }
    }
    return found
  }

  /// The first blocker of an operation in a few words, for lists; nil if there is none.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - blockers: The look at the present that the whole list shares.
  ///   - jobs: The jobs that it is one of.
  /// - Returns: The cause and its words, such as `q is paused`.
  package static func first(
    of operation: ObservableOperation, _ blockers: inout FirstBlockers, in jobs: Jobs
  ) -> (cause: Cause, words: String)? {
    guard operation.state != .finished, let reason = blockers.blocker(of: operation),
      !isOver(reason)
    else { return nil }
    let canBeStarted =
      reason.code == .notOnQueue && jobs.operations.hold(of: operation) != nil
      && jobs.operations.destination(of: operation)?.isClosed != true
    return (reason.code, reason.short + (canBeStarted ? ": 'start' adds it" : ""))
  }

  /// The reason that has to be ended first: the last one that nothing ends by itself, or else the
  /// root cause, which is the last of all; where slots pause for a rate limit, that.
  package static func root(of reasons: [WhyReason], in jobs: Jobs) -> WhyReason? {
    reasons.last { $0.isEndless(in: jobs) } ?? reasons.last { $0.isRateLimit } ?? reasons.last
  }

  /// The operations that no event to come can end, each with one root.
  ///
  /// - Parameters:
  ///   - operations: The operations to look at.
  ///   - jobs: The jobs that they are.
  /// - Returns: The roots with those whose root they are.
  package static func stuck(
    among operations: [ObservableOperation], in jobs: Jobs
  ) -> [(root: WhyReason, operations: [ObservableOperation])] {
    jobs.engine.stuckOperations(among: operations, cancelling: jobs.app.expiring)
      .map { (WhyReason($0.root, in: jobs), $0.operations) }
  }

  private func isEndless(in jobs: Jobs) -> Bool {
    switch cause {
    case .notOnQueue, .background, .queuePaused, .widthZero, .group, .foundation, .readiness,
      .deadlock:
      true
    case .awaitsFinish, .phaseHeld:
      // A time limit may end it.
      subject.first.flatMap(jobs.operations.operation(named:))?.canFinish != true
    default: false
    }
  }

  private static let longestList = 16

  /// Whether the reason is a group that executes, which is about to start its operations.
  private static func isOver(_ reason: WaitReason) -> Bool {
    reason.code == .group && reason.operations.first?.state == .executing
  }

  /// The text of the engine, except for an operation that is held for a finished group and can't be
  /// started any more.
  private static func text(of reason: WaitReason, in jobs: Jobs) -> String {
    if reason.code == .queueFull || reason.code == .pace, let queue = reason.queue,
      let adapting = jobs.adapting.state(of: queue)
    {
      return "\(reason.text) (it adapts \(adapting))"
    }
    if let limit = RateLimit(holding: reason) { return limit.text }
    guard reason.code == .notOnQueue, let name = reason.subject.first,
      let held = reason.operations.first, let queue = jobs.operations.destination(of: held),
      queue.isClosed
    else { return reason.text }
    return "'\(name)' was not started while group '\(queue.name)' went on, and now it can't be"
  }

  /// The same, one step further away.
  package var deeper: WhyReason {
    WhyReason(
      cause: cause, text: text, subject: subject, queue: queue, depth: depth + 1, cure: cure)
  }

  private var indent: String { String(repeating: "  ", count: min(depth, 20) + 1) }

  /// The reason on a line of its own, indented by how far it is from the operation.
  package var line: StyledText { StyledText(indent) + words }

  /// The reason and what would end it.
  package var words: StyledText { words(text) }

  /// Another text for the reason, and what would end it.
  package func words(_ text: String) -> StyledText {
    let words = StyledText(VisibleText.escape(text))
    guard let cure else { return words }
    return words + StyledText("  → " + cure, style: TextStyle(color: .cyan))
  }

  // MARK: Cures

  /// The command that would end a reason; nil where there is none.
  private static func cure(of reason: WaitReason, in jobs: Jobs) -> String? {
    let first = reason.operations.first
    let name = reason.subject.first ?? ""
    switch reason.code {
    case .queuePaused: return reason.queue.map { "queue resume \($0.name)" }
    case .background: return "app foreground"
    case .widthZero: return reason.queue.map { "queue width \($0.name) 1" }
    case .queueFull:
      if let limit = RateLimit(holding: reason) { return limit.cure(in: jobs) }
      return reason.queue.flatMap(widthCure)
    case .pace: return reason.queue.map { "queue pace \($0.name) off" }
    case .notOnQueue, .group:
      guard let first, !jobs.operations.isUnderConstruction(first),
        jobs.operations.destination(of: first)?.isClosed != true
      else { return nil }
      guard first.state == .created else { return "why \(name)" }
      return barrierAgainst(first, in: jobs).map(circleCure) ?? "start \(name)"
    case .barrier: return barrierCure(reason)
    case .exclusive: return cancelling(reason.operations.prefix(1))
    case .delay:
      // The delay ends by itself, but a queue that starts nothing still holds the operation.
      return first.map(queueCanStart) == true ? "wait \(name)" : nil
    case .awaitsFinish:
      if first?.finishWait == .close { return "close \(name)" }
      guard first?.finishWait == .lock || first?.finishWait == .signal else {
        return "finish \(name)"
      }
      let isRaw = first?.actual is FoundationOperation
      if first?.finishWait == .signal, !isRaw { return nil }
      return isRaw ? reason.queue.map { "queue remove \($0.name)" } : "cancel \(name)"
    case .phaseHeld: return first?.finishWait == .phase ? "resume \(name)" : nil
    case .foundation, .readiness: return "cancel \(name)"
    case .deadlock: return circleCure(reason.operations)
    default: return nil
    }
  }

  /// The path from a barrier to a held operation that it waits for, and that would wait behind it: so
  /// it can't be started.
  private static func barrierAgainst(
    _ held: ObservableOperation, in jobs: Jobs
  ) -> [ObservableOperation]? {
    jobs.operations.destination(of: held)?.operations.lazy
      .filter(\.isBarrier).compactMap { $0.waitPath(to: held) }.first
  }

  private static func barrierCure(_ reason: WaitReason) -> String? {
    guard let first = reason.operations.first else { return nil }
    if first.isBarrier {
      return first.state == .executing ? cancelling([first]) : "why \(first.displayName)"
    }
    // The operations added before the barrier have to finish.
    if reason.operations.count <= 3 { return cancelling(reason.operations[...]) }
    return reason.queue.map { "queue show \($0.name)" }
  }

  /// The command that cancels those of the operations that would end by it.
  private static func cancelling(_ operations: ArraySlice<ObservableOperation>) -> String? {
    let helped = operations.filter {
      !$0.isCancelled && ($0.state == .executing || queueCanStart($0))
    }
    return helped.isEmpty ? nil : "cancel " + helped.map(\.displayName).joined(separator: " ")
  }

  /// Whether the operation's queue starts operations; a cancelled operation needs a start to end.
  private static func queueCanStart(_ operation: ObservableOperation) -> Bool {
    guard let queue = operation.queue else { return false }
    // A member starts after its group.
    return !queue.isSuspended && queue.maxConcurrentOperationCount != 0
      && operation.group.map { $0.state == .executing || queueCanStart($0) } ?? true
  }

  /// The command that opens a circle: more slots where one waits for a slot, a dependency less, or
  /// the end of one of its operations.
  private static func circleCure(_ circle: [ObservableOperation]) -> String? {
    let links = Array(zip(circle, circle.dropFirst() + circle.prefix(1)))
    for (waiting, other) in links where waitsForSlot(of: other, waiting) {
      if let cure = waiting.queue.flatMap(widthCure) { return cure }
    }
    for (waiting, other) in links where dependsOn(other, waiting) {
      return "deps \(waiting.displayName) off \(other.displayName)"
    }
    return circle.lazy.compactMap { cancelling([$0]) }.first
  }

  /// Whether an operation waits for nothing else of another one than for its slot.
  private static func waitsForSlot(
    of other: ObservableOperation, _ waiting: ObservableOperation
  ) -> Bool {
    guard waiting.state == .ready, other.state == .executing, let queue = waiting.queue else {
      return false
    }
    return queue === other.queue && queue.fullness != nil && !waiting.isBarrier && !other.isBarrier
      && Set(waiting.exclusiveNames).isDisjoint(with: other.exclusiveNames)
      && !dependsOn(other, waiting)
  }

  private static func dependsOn(
    _ other: ObservableOperation, _ waiting: ObservableOperation
  ) -> Bool {
    waiting.upstream.contains { $0.operation === other }
  }

  private static func widthCure(_ queue: InspectableQueue) -> String? {
    queue.name == QueueRegistry.mainName ? nil : "queue width \(queue.name) unlimited"
  }
}
