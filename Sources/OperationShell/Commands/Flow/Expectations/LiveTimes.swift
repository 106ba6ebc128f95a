import Operations
import ShellLanguage

/// When expressions that read `running` or `waiting` have to be looked at although nothing happens.
///
/// A time grows, so that comparing it with a constant changes its result once: when it reaches the
/// constant. The operations whose time grows are looked at for that; with every event, the
/// expression is evaluated at both ends of the interval that the event ends. Where a time is used
/// in another way, such as in a sum, the expression is evaluated every ten milliseconds.
struct LiveTimes {
  private struct Limit {
    let property: String
    /// What has the property; nil for what the clause counts.
    let base: ShellLanguage.Expression?
    let clause: CountClause?
    let constant: ShellLanguage.Expression
  }

  private static let step = Duration.milliseconds(10)
  /// On the virtual clock, times count as whole milliseconds: what is greater comes one later.
  private static let resolution = Duration.milliseconds(1)

  private var limits: [Limit] = []
  private var uses = 0
  private let invocation: Invocation
  private let counts: LiveCounts

  init(_ expressions: [ShellLanguage.Expression], _ invocation: Invocation, _ counts: LiveCounts) {
    self.invocation = invocation
    self.counts = counts
    for expression in expressions { read(expression, in: nil) }
  }

  /// Whether any time that grows is read.
  var areRead: Bool { uses > 0 }

  /// The next time at which the result may change by itself; nil where only events change it.
  func next(after moment: LogMoment) -> ContinuousClock.Instant? {
    guard areRead else { return nil }
    let now = moment.instant
    guard limits.count == uses else { return nextStep(after: now) }
    return limits.compactMap { next($0, after: now) }.min()
  }

  private func next(_ limit: Limit, after now: ContinuousClock.Instant)
    -> ContinuousClock.Instant?
  {
    let context = invocation.context
    guard let constant = try? context.evaluate(limit.constant), let length = Self.length(constant)
    else { return nil }
    let objects: [OperationObject]
    if let clause = limit.clause {
      guard let growing = counts.growingOperations(of: clause) else { return nextStep(after: now) }
      objects = growing
    } else if let base = limit.base,
      case .object(let object as OperationObject)? = try? context.evaluate(base)
    {
      objects = [object]
    } else {
      return nil
    }
    return objects.compactMap { object -> ContinuousClock.Instant? in
      let times = object.operation.timestamps
      let begin = limit.property == "running" ? times.executing : times.pending
      let end = limit.property == "running" ? times.finished : times.executing ?? times.finished
      guard let begin, end == nil else { return nil }
      return [begin + length, begin + length + Self.resolution].first { $0 > now }
    }.min()
  }

  /// Nil where no time grows any more.
  private func nextStep(after now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    let grows = invocation.session.operations.unfinished.contains { $0.state != .created }
    return grows ? now + Self.step : nil
  }

  private static func length(_ value: Value) -> Duration? {
    let seconds: Double? =
      switch value {
      case .duration(let duration): duration.seconds
      case .integer(let number): Double(number)
      case .real(let number): number
      case .spelled(let number, _): Self.length(number)?.seconds
      default: nil
      }
    // No operation takes thirty years, and an instant far beyond has no number.
    return seconds.flatMap { (0..<1e9).contains($0) ? .seconds($0) : nil }
  }

  // MARK: Reading the expression

  private mutating func read(_ expression: ShellLanguage.Expression, in clause: CountClause?) {
    switch expression.kind {
    case .bareWord(let word):
      if clause != nil, ConditionReads.live.contains(word) { uses += 1 }
    case .property(_, let name, _):
      if ConditionReads.live.contains(name) { uses += 1 }
    case .binary(let binary, let left, let right, _):
      if Self.isComparison(binary) {
        note(left, comparedWith: right, in: clause)
        note(right, comparedWith: left, in: clause)
      }
    default: break
    }
    if case .count(let inner) = expression.kind {
      read(inner.things, in: clause)
      if let condition = inner.condition { read(condition, in: inner) }
    } else {
      for child in expression.children { read(child, in: clause) }
    }
  }

  private mutating func note(
    _ operand: ShellLanguage.Expression, comparedWith other: ShellLanguage.Expression,
    in clause: CountClause?
  ) {
    switch other.kind {
    case .literal, .variable: break
    default: return
    }
    switch operand.kind {
    case .bareWord(let word) where clause != nil && ConditionReads.live.contains(word):
      limits.append(Limit(property: word, base: nil, clause: clause, constant: other))
    case .property(let base, let name, _) where ConditionReads.live.contains(name):
      limits.append(Limit(property: name, base: base, clause: nil, constant: other))
    default: break
    }
  }

  private static func isComparison(_ binary: ShellLanguage.Expression.BinaryOperator) -> Bool {
    switch binary {
    case .less, .lessOrEqual, .greater, .greaterOrEqual: true
    default: false
    }
  }
}

@available(*, unavailable)
extension LiveTimes: Sendable {}
