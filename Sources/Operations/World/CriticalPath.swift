/// A moment of an operation.
private struct PathPlace: Hashable {
  let operation: Int
  let end: ContinuousClock.Instant
}

extension LifeAccount {
  /// One stretch of a critical path: what one operation did or waited for.
  public struct PathStep: Sendable, Equatable {
    /// The number of the operation.
    public let operation: Int
    /// What it did or waited for; a wait for another operation is not a step, the other's are.
    public let span: LifeSpan
  }

  /// Returns what the end of an operation depended on, from the first to the last: the chain of
  /// stretches, each of which, if it had been shorter, would have let the operation finish earlier.
  ///
  /// It is followed backwards: a wait for a dependency leads to that operation, a wait for a slot
  /// to the one that made room, a group to its last member, and a pause of the queue, a delay, a
  /// backoff or work is a step. The path begins where an operation was added.
  ///
  /// - Parameter id: The number of the operation.
  /// - Returns: The steps, in the order of time.
  public func criticalPath(to id: Int) -> [PathStep] {
    var steps: [PathStep] = []
    // Operations that wait for one another would lead round and round.
    var seen: Set<PathPlace> = []
    var (current, end) = (id, life(of: id)?.finished ?? now)
    // Whether it comes from a member, so that what the group does while it executes is no answer.
    var isFromMember = false
    while seen.insert(PathPlace(operation: current, end: end)).inserted {
      var next: (id: Int, end: ContinuousClock.Instant)?
      for span in spans(of: current).reversed()
      where span.start < end && !(isFromMember && span.cause.isExecuting) {
        if Self.leadsOn(span.cause), let culprit = span.culprit, life(of: culprit) != nil {
          next = (culprit, min(span.end, end))
          isFromMember = span.cause == .group
          break
        }
        let step = LifeSpan(
          cause: span.cause, start: span.start, end: min(span.end, end), culprit: span.culprit)
        steps.append(PathStep(operation: current, span: step))
        end = span.start
      }
      guard let next else { break }
      (current, end) = next
    }
    return steps.reversed()
  }

  /// Returns the operation whose end a critical path is told of: the one that ended last, or, while
  /// none has ended, the first that was added.
  ///
  /// - Parameter ids: The numbers of operations.
  /// - Returns: Its number; nil if none of them has spent time on a queue.
  public func last(of ids: some Sequence<Int>) -> Int? {
    var last: (id: Int, isOver: Bool, end: Int64)?
    for id in ids {
      guard let life = lives[id] else { continue }
      let isOver = life.finished > 0
      let end = isOver ? life.finished : presentTime
      guard end > life.added else { continue }
      if last.map({ (isOver ? 1 : 0, end) > ($0.isOver ? 1 : 0, $0.end) }) ?? true {
        last = (id, isOver, end)
      }
    }
    return last?.id
  }

  /// Whether the time is that of another operation.
  private static func leadsOn(_ cause: Cause) -> Bool {
    switch cause {
    case .dependency, .queueFull, .barrier, .exclusive, .members, .group: true
    default: false
    }
  }
}
