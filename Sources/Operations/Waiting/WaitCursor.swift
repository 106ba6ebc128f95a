/// Goes through what keeps one operation waiting, a step at a time: its dependencies first, and
/// after each finding those that are waited for because of it.
struct WaitCursor {
  enum Step {
    case finding(WaitFinding.Subject)
    /// One that is waited for because of the last finding.
    case awaited(ObservableOperation)
    /// What was looked at keeps nothing waiting.
    case nothing
    case end
  }

  let operation: ObservableOperation
  /// The next dependency to look at; nil when all of them have been.
  private var edge: Int? = 0
  /// The other findings, once the dependencies are done, and the next one.
  private var others: [WaitFinding.Subject] = []
  private var next = 0
  /// Those that are waited for because of the last finding; the next one stands last.
  private var awaited: [ObservableOperation] = []
  private var members: WaitMembers?

  init(_ operation: ObservableOperation) {
    self.operation = operation
  }

  /// Takes a step, in a transaction.
  ///
  /// - Parameters:
  ///   - steps: How many steps were taken while the lock is held; it is counted up.
  ///   - limit: How many may be; it has not been reached.
  ///   - state: What the lock guards.
  /// - Returns: What the step came to.
  mutating func step(_ steps: inout Int, limit: Int, in state: EngineState) -> Step {
    steps += 1
    if let one = awaited.popLast() { return .awaited(one) }
    if members != nil {
      if let member = members?.next(&steps, limit: limit, in: state) { return .awaited(member) }
      if steps < limit { members = nil }
      return .nothing
    }
    if let edge { return step(to: edge, in: state) }
    guard next < others.count else { return .end }
    next += 1
    return found(others[next - 1], &steps)
  }

  private mutating func step(to edge: Int, in state: EngineState) -> Step {
    guard operation.isKeptByDependencies, edge < operation.core.upstream.count else {
      self.edge = nil
      others = operation.otherFindings(in: state)
      return .nothing
    }
    self.edge = edge + 1
    let other = operation.core.upstream[edge].operation
    guard other.core.state != .finished else { return .nothing }
    awaited = [other]
    return .finding(.dependency(other))
  }

  private mutating func found(_ subject: WaitFinding.Subject, _ steps: inout Int) -> Step {
    // Those that only start first are looked at when that is told.
    members = subject.isAboutOthers ? subject.members : nil
    awaited = subject.awaited.reversed()
    steps += awaited.count
    return .finding(subject)
  }
}
