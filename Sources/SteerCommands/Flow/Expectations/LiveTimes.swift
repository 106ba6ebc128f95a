import Operations
import ShellLanguage
import ShellOutput
import ShellSession

/// When expressions that read `running` or `waiting` have to be looked at although nothing happens.
///
/// A time grows, so that comparing it with a constant changes its result once: when it reaches the
/// constant. The operations whose time grows are looked at for that; with every event, the
/// expression is evaluated at both ends of the interval that the event ends. Where a time is used
/// in another way, such as in a sum, the expression is evaluated every ten milliseconds.
struct LiveTimes {
  private static let step = Duration.milliseconds(10)

  private var limits: [TimeLimit] = []
  /// Times that are read in another way than by comparing them with a constant.
  private var others: Set<String> = []
  /// Counts whose condition reads a time that grows, with which ones.
  private var clauses: [(clause: CountClause, properties: Set<String>)] = []
  private let invocation: Invocation
  private let counts: LiveCounts

  init(_ expressions: [ShellLanguage.Expression], _ invocation: Invocation, _ counts: LiveCounts) {
    self.invocation = invocation
    self.counts = counts
    for expression in expressions {
      read(expression)
      for clause in expression.countClauses {
        read(clause.things)
        guard let condition = clause.condition else { continue }
        let found = TimeLimit.limits(of: condition, isInCondition: true)
        let properties = found.others.union(found.limits.map(\.property))
        if !properties.isEmpty { clauses.append((clause, properties)) }
      }
    }
  }

  private mutating func read(_ expression: ShellLanguage.Expression) {
    let found = TimeLimit.limits(of: expression, isInCondition: false)
    limits += found.limits
    others.formUnion(found.others)
  }

  /// Whether any time that grows is read.
  var areRead: Bool { !limits.isEmpty || !others.isEmpty || !clauses.isEmpty }

  /// The next time at which the result may change by itself; nil where only events change it.
  func next(after moment: Moment) -> ContinuousClock.Instant? {
    guard areRead else { return nil }
    let now = moment.instant
    var times = [nextStep(after: now, others)] + limits.map { next($0, after: now) }
    for (clause, properties) in clauses {
      switch counts.nextLook(of: clause, after: now) {
      case .at(let time): times.append(time)
      case .unknown: times.append(nextStep(after: now, properties))
      }
    }
    return times.compactMap(\.self).min()
  }

  private func next(_ limit: TimeLimit, after now: ContinuousClock.Instant)
    -> ContinuousClock.Instant?
  {
    let context = invocation.context
    guard let length = limit.length(in: context), let base = limit.base,
      case .object(let object as OperationObject)? = try? context.evaluate(base),
      limit.isGrowing(of: object.operation),
      let beginning = limit.beginning(of: object.operation)
    else { return nil }
    let reached = invocation.run.clock.rounded(beginning) + length
    return [reached, reached + TimeLimit.resolution].first { $0 > now }
  }

  /// Nil where none of these times grows any more.
  private func nextStep(
    after now: ContinuousClock.Instant, _ properties: Set<String>
  ) -> ContinuousClock.Instant? {
    guard !properties.isEmpty else { return nil }
    let grows = invocation.jobs.operations.unfinished.contains { operation in
      switch operation.state {
      case .executing: properties.contains("running")
      case .pending, .ready: properties.contains("waiting")
      case .created, .finished: false
      }
    }
    return grows ? now + Self.step : nil
  }
}

@available(*, unavailable)
extension LiveTimes: Sendable {}
