import Operations
import Terminal

/// One reason why an operation is not running, with the command that would end it.
struct WhyReason {
  let code: String
  let text: String
  let subject: [String]
  /// The name of the queue in question, if there is one.
  let queue: String?
  /// How many dependencies away it is.
  let depth: Int
  let cure: String?

  /// A reason that nothing more is to be said about.
  init(plain text: String) {
    self.init(code: "", text: text, subject: [], queue: nil, depth: 0, cure: nil)
  }

  private init(
    code: String, text: String, subject: [String], queue: String?, depth: Int, cure: String?
  ) {
    self.code = code
    self.text = text
    self.subject = subject
    self.queue = queue
    self.depth = depth
    self.cure = cure
  }

  /// That all slots of a queue are taken, as the engine says it of queues that run.
  static func full(_ queue: InspectableQueue, holders: [String], width: Int) -> WhyReason {
    var shown = holders.prefix(4).map { "'\($0)'" }
    if holders.count > shown.count { shown.append("\(holders.count - shown.count) more") }
    let last = shown.popLast() ?? "nobody"
    let names = shown.isEmpty ? last : shown.joined(separator: ", ") + " and " + last
    return WhyReason(
      code: WaitReason.Code.queueFull.rawValue,
      text: "queue '\(queue.name)' is full: \(names) \(holders.count == 1 ? "holds" : "hold") "
        + (width == 1 ? "its slot" : "its \(width) slots"),
      subject: holders, queue: queue.name, depth: 0, cure: "queue width \(queue.name) unlimited")
  }

  /// What keeps the operation, the nearest first; for a group that executes what keeps those in it.
  ///
  /// - Parameters:
  ///   - operation: Which operation.
  ///   - asTree: Whether behind each reason those stand that it follows from.
  ///   - session: Where the operation is known.
  /// - Returns: The reasons.
  static func reasons(
    of operation: ObservableOperation, asTree: Bool = false, in session: Session
  ) -> [WhyReason] {
    if let pause = pause(of: operation) { return [pause] }
    guard let group = operation as? GroupOperation, group.state == .executing else {
      let reasons = asTree ? operation.waitReasonTree() : operation.waitReasons()
      let told = reasons.filter { !isOver($0, in: session) }.map {
        (WhyReason($0, of: operation, in: session), pauses: requestPauses($0, in: session))
      }
      // Nothing follows from a pause: it is a root.
      return asTree ? told.flatMap { [$0] + $1 } : told.map(\.0) + told.flatMap(\.pauses)
    }
    var seen: Set<String> = []
    var found: [WhyReason] = []
    // Most of a large group waits for the same.
    for member in group.operations.prefix(longestList) {
      for reason in reasons(of: member, asTree: asTree, in: session)
      where seen.insert(reason.text).inserted {
        found.append(reason.deeper)
      }
      if found.count >= longestList { break }
    }
    return found
  }

  private static let longestList = 16

  /// That requests which a reason names pause between attempts: those are theirs, and the engine
  /// knows nothing of them.
  private static func requestPauses(_ reason: WaitReason, in session: Session) -> [WhyReason] {
    guard [.dependency, .exclusive, .queueFull].contains(reason.code) else { return [] }
    return reason.subject.prefix(longestList).compactMap { name in
      guard let operation = session.operations.operation(named: name),
        operation.attemptPause == nil, let pause = pause(of: operation)
      else { return nil }
      return WhyReason(
        code: pause.code, text: "'\(name)' pauses: \(pause.text)", subject: pause.subject,
        queue: nil, depth: reason.depth + 1, cure: nil)
    }
  }

  /// That it executes, and waits for the time of its next attempt.
  private static func pause(of operation: ObservableOperation) -> WhyReason? {
    PauseText.text(of: operation).map {
      WhyReason(
        code: WaitReason.Code.pause.rawValue, text: $0, subject: [operation.displayName],
        queue: nil, depth: 0, cure: nil)
    }
  }

  /// A group that executes is about to let its operations begin.
  private static func isOver(_ reason: WaitReason, in session: Session) -> Bool {
    guard reason.code == .group, let name = reason.subject.first else { return false }
    return session.operations.operation(named: name)?.state == .executing
  }

  private init(_ reason: WaitReason, of operation: ObservableOperation, in session: Session) {
    self.init(
      code: reason.code.rawValue, text: Self.text(of: reason, in: session), subject: reason.subject,
      queue: reason.queue,
      depth: reason.depth, cure: Self.cure(of: reason, for: operation, in: session))
  }

  /// What the engine says, unless the shell knows that it is too late: what is held for a group that
  /// has finished can't be started any more.
  private static func text(of reason: WaitReason, in session: Session) -> String {
    guard reason.code == .notOnQueue, let name = reason.subject.first,
      let held = session.operations.operation(named: name),
      let queue = session.operations.destination(of: held), queue.isClosed
    else { return reason.text }
    return "'\(name)' was not started while group '\(queue.name)' went on, and now it can't be"
  }

  /// The same, one step further away.
  var deeper: WhyReason {
    WhyReason(
      code: code, text: text, subject: subject, queue: queue, depth: depth + 1, cure: cure)
  }

  private var indent: String { String(repeating: "  ", count: min(depth, 20) + 1) }

  /// The reason on a line of its own, indented by how far it is from the operation.
  var line: StyledText { StyledText(indent) + words }

  /// The reason and what would end it.
  var words: StyledText {
    let words = StyledText(VisibleText.escape(text))
    guard let cure else { return words }
    return words + StyledText("  → " + cure, style: TextStyle(color: .cyan))
  }

  // MARK: Cures

  /// The command that would end a reason, where one would.
  private static func cure(
    of reason: WaitReason, for operation: ObservableOperation, in session: Session
  ) -> String? {
    let first = reason.subject.first
    switch reason.code {
    case .queuePaused: return reason.queue.map { "queue resume \($0)" }
    case .widthZero: return reason.queue.map { "queue width \($0) 1" }
    case .queueFull: return reason.queue.map { "queue width \($0) unlimited" }
    case .pace: return reason.queue.map { "queue pace \($0) off" }
    case .notOnQueue, .group:
      guard let first, let held = session.operations.operation(named: first) else { return nil }
      if session.operations.isUnderConstruction(held) { return nil }
      if session.operations.destination(of: held)?.isClosed == true { return nil }
      return held.state == .created ? "start \(first)" : "why \(first)"
    case .barrier: return barrierCure(reason, in: session)
    case .exclusive: return cancelling(reason.subject.prefix(1), in: session)
    case .delay:
      // Its time passes by itself, but on a queue that starts nothing it does not end with that.
      guard let first, let delayed = session.operations.operation(named: first),
        startsSome(delayed)
      else { return nil }
      return "wait \(first)"
    case .deadlock:
      // The circle may be one that the operation only waits for.
      return deadlockCure(for: operation, in: session)
        ?? first.flatMap { session.operations.operation(named: $0) }
        .flatMap { deadlockCure(for: $0, in: session) }
    case .dependency, .higherPriority, .pause: return nil
    }
  }

  private static func barrierCure(_ reason: WaitReason, in session: Session) -> String? {
    guard let first = reason.subject.first else { return nil }
    if let barrier = session.operations.operation(named: first), barrier.isBarrier {
      return barrier.state == .executing
        ? cancelling([first], in: session) : "why \(first)"
    }
    // What was added before the barrier has to end, one way or the other.
    if reason.subject.count <= 3 { return cancelling(reason.subject[...], in: session) }
    return reason.queue.map { "queue show \($0)" }
  }

  /// The command that cancels operations, as far as that makes them end.
  private static func cancelling(_ names: ArraySlice<String>, in session: Session) -> String? {
    let helped = names.filter { name in
      guard let operation = session.operations.operation(named: name), !operation.isCancelled
      else { return false }
      return operation.state == .executing || startsSome(operation)
    }
    return helped.isEmpty ? nil : "cancel " + helped.joined(separator: " ")
  }

  /// Whether the operation's queue starts operations, which it must also to end a cancelled one.
  private static func startsSome(_ operation: ObservableOperation) -> Bool {
    guard let queue = operation.queue else { return false }
    // What is in a group begins when the group has.
    return !queue.isSuspended && queue.maxConcurrentOperationCount != 0
      && operation.enclosingGroups.allSatisfy { $0.state == .executing || startsSome($0) }
  }

  /// A circle is broken where one operation depends on another; all other ways of waiting follow
  /// from the order in which things were added.
  private static func deadlockCure(
    for operation: ObservableOperation, in session: Session
  ) -> String? {
    var graph = session.orderGraph()
    let start = graph.start(of: operation)
    guard let circle = graph.path(from: start, to: [start, graph.finish(of: operation)]) else {
      return nil
    }
    for (waiting, other) in zip(circle, circle.dropFirst() + circle.prefix(1))
    where waiting.upstream.contains(where: { $0.operation === other }) {
      return "deps \(waiting.displayName) off \(other.displayName)"
    }
    return nil
  }
}
