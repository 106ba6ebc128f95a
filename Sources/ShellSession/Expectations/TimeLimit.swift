package import Operations
package import ShellLanguage
import ShellOutput
import OpshSupport

/// A comparison of a time that grows, `running` or `waiting`, with a constant: its result changes
/// once, when the time reaches the constant.
package struct TimeLimit {
  package let property: String
  /// The operation whose time it is; nil for the one that a condition is about.
  package let base: ShellLanguage.Expression?
  private let constant: ShellLanguage.Expression

  /// On the virtual clock, times count as whole milliseconds: what is greater comes one later.
  package static let resolution = Duration.milliseconds(1)

  /// Reads one operand of a comparison; nil if it is not such a time, or if what it is compared
  /// with is not a constant.
  ///
  /// - Parameters:
  ///   - operand: What may be a time that grows.
  ///   - other: What it is compared with.
  ///   - isInCondition: Whether a lone word is a property of what a condition is about.
  init?(
    _ operand: ShellLanguage.Expression, comparedWith other: ShellLanguage.Expression,
    isInCondition: Bool
  ) {
    switch other.kind {
    case .literal, .variable: constant = other
    default: return nil
    }
    switch operand.kind {
    case .bareWord(let word) where isInCondition && ConditionReads.live.contains(word):
      (property, base) = (word, nil)
    case .property(let base, let name, _) where ConditionReads.live.contains(name):
      (property, self.base) = (name, base)
    default: return nil
    }
  }

  /// The limits of an expression without those of the counts in it.
  ///
  /// - Returns: The limits, and which times are read in another way, such as in a sum.
  package static func limits(
    of expression: ShellLanguage.Expression, isInCondition: Bool
  ) -> (limits: [TimeLimit], others: Set<String>) {
    var limits: [TimeLimit] = []
    var others: Set<String> = []
    var isLimit = false
    switch expression.kind {
    case .bareWord(let word) where isInCondition && ConditionReads.live.contains(word):
      others.insert(word)
    case .property(_, let name, _) where ConditionReads.live.contains(name): others.insert(name)
    case .count: return ([], [])
    case .binary(let binary, let left, let right, _) where Self.isComparison(binary):
      for (operand, other) in [(left, right), (right, left)] {
        guard let limit = TimeLimit(operand, comparedWith: other, isInCondition: isInCondition)
        else { continue }
        limits.append(limit)
        isLimit = true
      }
    default: break
    }
    // Both sides of one are read: a constant, and a property of what may read further ones.
    let children = isLimit ? limits.compactMap(\.base) : expression.children
    for child in children {
      let inner = Self.limits(of: child, isInCondition: isInCondition)
      limits += inner.limits
      others.formUnion(inner.others)
    }
    return (limits, others)
  }

  private static func isComparison(_ binary: ShellLanguage.Expression.BinaryOperator) -> Bool {
    switch binary {
    case .less, .lessOrEqual, .greater, .greaterOrEqual: true
    default: false
    }
  }

  /// The constant; nil if it is not a length of time that an operation may reach.
  package func length(in context: ExecutionContext) -> Duration? {
    (try? context.evaluate(constant)).flatMap(Self.length)
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

  /// When the time of an operation began to grow; nil where it has not.
  package func beginning(of operation: ObservableOperation) -> ContinuousClock.Instant? {
    property == "running" ? operation.timestamps.executing : operation.timestamps.pending
  }

  /// Whether the time of an operation grows now.
  package func isGrowing(of operation: ObservableOperation) -> Bool {
    let times = operation.timestamps
    guard times.finished == nil else { return false }
    return property == "running"
      ? times.executing != nil : times.executing == nil && times.pending != nil
  }
}

/// The operations whose time grows towards a limit, in the order in which they reach it.
///
/// All have the same way to go, so that the one that began first comes first: what an event costs
/// does not depend on how many there are.
struct LimitQueue {
  private struct Entry {
    let id: Int
    let beginning: ContinuousClock.Instant
  }

  /// A time after which the comparison may give something else.
  private struct Change {
    /// How long after the beginning.
    let distance: Duration
    /// How long after the beginning it is to be looked at, if nothing happens before.
    let look: Duration
    /// The first entry that has not come so far.
    var next = 0
    /// The first of those whose time may still grow.
    var growing = 0
  }

  let limit: TimeLimit
  private let clock: SessionClock
  private var entries: [Entry] = []
  private var known: Set<Int> = []
  /// When the limit is reached, and when it is exceeded; empty where it never is.
  private var changes: [Change] = []

  init(_ limit: TimeLimit, in context: ExecutionContext, _ clock: SessionClock) {
    self.limit = limit
    self.clock = clock
    guard let length = limit.length(in: context) else { return }
    var (reached, exceeded) = (length, length + .nanoseconds(1))
    if clock.isVirtual {
      // A time is rounded to whole milliseconds before it is compared (`SessionClock.number`).
      let milliseconds = length / .milliseconds(1)
      reached = .milliseconds(milliseconds.rounded(.up) - 0.5)
      exceeded = .milliseconds(milliseconds.rounded(.down) + 0.5)
    }
    changes = [
      Change(distance: reached, look: length),
      Change(distance: exceeded, look: length + TimeLimit.resolution),
    ]
  }

  /// Notes an operation whose time grows.
  mutating func add(_ operation: ObservableOperation) {
    guard !changes.isEmpty, let beginning = limit.beginning(of: operation),
      known.insert(operation.id).inserted
    else { return }
    // They come almost in the order of their times.
    var place = entries.count
    while place > changes[0].next, entries[place - 1].beginning > beginning { place -= 1 }
    entries.insert(Entry(id: operation.id, beginning: beginning), at: place)
  }

  /// The operations for which the comparison may give something else than at the last call.
  mutating func due(at now: ContinuousClock.Instant) -> [Int] {
    var due: [Int] = []
    for index in changes.indices {
      let distance = changes[index].distance
      while changes[index].next < entries.count,
        entries[changes[index].next].beginning + distance <= now
      {
        due.append(entries[changes[index].next].id)
        changes[index].next += 1
      }
    }
    return due
  }

  /// The next time at which the comparison may give something else for one of them.
  ///
  /// - Parameters:
  ///   - now: The present time.
  ///   - isGrowing: Whether the time of an operation still grows.
  /// - Returns: The time; nil where only events change anything.
  mutating func next(
    after now: ContinuousClock.Instant, where isGrowing: (Int) -> Bool
  ) -> ContinuousClock.Instant? {
    var times: [ContinuousClock.Instant] = []
    for index in changes.indices {
      var place = max(changes[index].growing, changes[index].next)
      while place < entries.count, !isGrowing(entries[place].id) { place += 1 }
      changes[index].growing = place
      guard place < entries.count else { continue }
      times.append(clock.rounded(entries[place].beginning) + changes[index].look)
    }
    return times.filter { $0 > now }.min()
  }
}
