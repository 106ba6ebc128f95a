package import Operations
package import Terminal

/// One reason why an operation is not running, with the command that would end it.
package struct WhyReason {
  package let code: String
  package let text: String
  package let subject: [String]
  /// The queue in question, if there is one.
  package let queue: InspectableQueue?
  /// How many dependencies away it is.
  package let depth: Int
  package let cure: String?

}

extension WhyReason {
  /// A reason without further details.
  package init(plain text: String) {
    self.init(code: "", text: text, subject: [], queue: nil, depth: 0, cure: nil)
  }

  /// A queue whose slots are all taken, in the words of the engine for running queues.
  package static func full(_ queue: InspectableQueue, holders: [String], width: Int) -> WhyReason {
    var shown = holders.prefix(4).map { "'\($0)'" }
    if holders.count > shown.count { shown.append("\(holders.count - shown.count) more") }
    let last = shown.popLast() ?? "no operation"
    let names = shown.isEmpty ? last : shown.joined(separator: ", ") + " and " + last
    return WhyReason(
      code: Cause.queueFull.rawValue,
      text: "queue '\(queue.name)' is full: \(names) \(holders.count < 2 ? "holds" : "hold") "
        + (width == 1 ? "its slot" : "its \(width) slots"),
      subject: holders, queue: queue, depth: 0, cure: "queue width \(queue.name) unlimited")
  }

  /// The reasons why an operation does not run, the nearest first; for an executing group, those of
  /// its members.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - asTree: Whether each reason is followed by its own causes.
  ///   - session: The session of the operation.
  /// - Returns: The reasons.
  package static func reasons(
    of operation: ObservableOperation, asTree: Bool = false, in session: Session
  ) -> [WhyReason] {
    if let pause = pause(of: operation) { return [pause] }
    guard let group = operation as? GroupOperation, group.state == .executing,
      group.finishWait == nil
    else {
      let reasons = asTree ? operation.waitReasonTree() : operation.waitReasons()
      let found = reasons.filter { !isOver($0) }.map {
        (WhyReason($0, in: session), pauses: requestPauses($0))
      }
      // A pause is a root cause.
      return asTree ? found.flatMap { [$0] + $1 } : found.map(\.0) + found.flatMap(\.pauses)
    }
    var found: [WhyReason] = []
    // Most members of a large group wait for the same, and the root is last.
    for member in group.operations.prefix(longestList) {
      for reason in reasons(of: member, asTree: asTree, in: session) {
        found.removeAll { $0.text == reason.text }
        found.append(reason.deeper)
      }
      if found.count >= longestList { break }
    }
    return found
  }

  /// The reason that has to be ended first: the last one that nothing ends by itself, or else the
  /// root cause, which is the last of all.
  package static func root(of reasons: [WhyReason], in session: Session) -> WhyReason? {
    roots(of: reasons, in: session).last
  }

  /// The reasons that nothing ends by itself, or else the root cause.
  package static func roots(of reasons: [WhyReason], in session: Session) -> [WhyReason] {
    let endless = reasons.filter { $0.isEndless(in: session) }
    return endless.isEmpty ? reasons.suffix(1) : endless
  }

  private func isEndless(in session: Session) -> Bool {
    switch Cause(rawValue: code) {
    case .notOnQueue, .queuePaused, .widthZero, .group, .foundation, .deadlock: true
    case .awaitsFinish:
      // A time limit may end it.
      subject.first.flatMap(session.operations.operation(named:))?.canFinish != true
    default: false
    }
  }

  private static let longestList = 16

  /// The pauses between attempts of the requests that a reason names, which the engine does not
  /// know.
  private static func requestPauses(_ reason: WaitReason) -> [WhyReason] {
    guard [.dependency, .exclusive, .queueFull].contains(reason.code) else { return [] }
    return zip(reason.operations, reason.subject).prefix(longestList).compactMap {
      operation, name in
      guard operation.attemptPause == nil, let pause = pause(of: operation) else { return nil }
      return WhyReason(
        code: pause.code, text: "'\(name)' pauses: \(pause.text)", subject: pause.subject,
        queue: nil, depth: reason.depth + 1, cure: nil)
    }
  }

  /// The pause of an executing operation before its next attempt; nil for one that does not pause.
  private static func pause(of operation: ObservableOperation) -> WhyReason? {
    PauseText.text(of: operation).map {
      WhyReason(
        code: Cause.backoff.rawValue, text: $0, subject: [operation.displayName],
        queue: nil, depth: 0, cure: nil)
    }
  }

  /// Whether the reason is a group that executes, which is about to start its operations.
  private static func isOver(_ reason: WaitReason) -> Bool {
    reason.code == .group && reason.operations.first?.state == .executing
  }

  /// A reason of the engine, with the command that would end it.
  package init(_ reason: WaitReason, in session: Session) {
    self.init(
      code: reason.code.rawValue, text: Self.text(of: reason, in: session), subject: reason.subject,
      queue: reason.queue, depth: reason.depth, cure: Self.cure(of: reason, in: session))
  }

  /// The text of the engine, except for an operation that is held for a finished group and can't be
  /// started any more.
  private static func text(of reason: WaitReason, in session: Session) -> String {
    if reason.code == .queueFull || reason.code == .pace, let queue = reason.queue,
      let adapting = session.adapting.state(of: queue)
    {
      return "\(reason.text) (it adapts \(adapting))"
    }
    guard reason.code == .notOnQueue, let name = reason.subject.first,
      let held = reason.operations.first, let queue = session.operations.destination(of: held),
      queue.isClosed
    else { return reason.text }
    return "'\(name)' was not started while group '\(queue.name)' went on, and now it can't be"
  }

  /// The same, one step further away.
  package var deeper: WhyReason {
    WhyReason(
      code: code, text: text, subject: subject, queue: queue, depth: depth + 1, cure: cure)
  }

  private var indent: String { String(repeating: "  ", count: min(depth, 20) + 1) }

  /// The reason on a line of its own, indented by how far it is from the operation.
  package var line: StyledText { StyledText(indent) + words }

  /// The reason and what would end it.
  package var words: StyledText {
    let words = StyledText(VisibleText.escape(text))
    guard let cure else { return words }
    return words + StyledText("  → " + cure, style: TextStyle(color: .cyan))
  }

  // MARK: Cures

  /// The command that would end a reason; nil where there is none.
  private static func cure(of reason: WaitReason, in session: Session) -> String? {
    let first = reason.operations.first
    let name = reason.subject.first ?? ""
    switch reason.code {
    case .queuePaused: return reason.queue.map { "queue resume \($0.name)" }
    case .widthZero: return reason.queue.map { "queue width \($0.name) 1" }
    case .queueFull:
      return reason.queue.flatMap { queue in
        queue.name == QueueRegistry.mainName ? nil : "queue width \(queue.name) unlimited"
      }
    case .pace: return reason.queue.map { "queue pace \($0.name) off" }
    case .notOnQueue, .group:
      guard let first, !session.operations.isUnderConstruction(first),
        session.operations.destination(of: first)?.isClosed != true
      else { return nil }
      return first.state == .created ? "start \(name)" : "why \(name)"
    case .barrier: return barrierCure(reason)
    case .exclusive: return cancelling(reason.operations.prefix(1))
    case .delay:
      // The delay ends by itself, but a queue that starts nothing still holds the operation.
      return first.map(queueCanStart) == true ? "wait \(name)" : nil
    case .awaitsFinish:
      if first?.finishWait == .close { return "close \(name)" }
      guard first?.finishWait == .lock else { return "finish \(name)" }
      let isRaw = first is FoundationOperation
      return isRaw ? reason.queue.map { "queue remove \($0.name)" } : "cancel \(name)"
    case .foundation: return "cancel \(name)"
    case .deadlock: return deadlockCure(reason.operations)
    default: return nil
    }
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

  /// The command that removes a dependency of a cycle; other ways of waiting follow from the order
  /// of adding and can't be removed.
  private static func deadlockCure(_ cycle: [ObservableOperation]) -> String? {
    for (waiting, other) in zip(cycle, cycle.dropFirst() + cycle.prefix(1))
    where waiting.upstream.contains(where: { $0.operation === other }) {
      return "deps \(waiting.displayName) off \(other.displayName)"
    }
    return nil
  }
}
