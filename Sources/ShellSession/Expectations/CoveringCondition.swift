import Operations
package import ShellLanguage
import ShellOutput

/// The condition of a met expectation, which tells later whether a failure was expected.
///
/// The failure of an operation is expected if the condition names the operation with a property that
/// tells how it ended (``JudgedEnd/properties``), if the whole condition holds with the values that
/// the operation ended with, and if one comparison about it holds with these values and would hold
/// for no success. Everything else keeps the value that it had when the condition was met. So neither
/// the order of evaluation nor the moment at which the condition was met decides.
package final class CoveringCondition: Sendable {
  /// A part of the condition without `and`, `or` and `not`.
  private struct Comparison: Sendable {
    let expression: Expression
    /// Whether it is required not to hold.
    let isNegated: Bool
    /// The operations that it names.
    let ids: Set<Int>
    /// The count in whose condition it is; nil outside of counts.
    let count: KeptCount?

    func isAbout(_ id: Int) -> Bool { ids.contains(id) || count?.counts(id) == true }
  }

  /// Equal for conditions that judge alike: the same expression in a loop, with the same values.
  struct Key: Hashable, Sendable {
    let expression: ObjectIdentifier
    fileprivate let values: Int
  }

  let key: Key
  /// The operations that it names by how they end, and that did not succeed so far.
  let operations: [ObservableOperation]
  /// Keeps the identity of the expression its own.
  private let original: Expression
  private let condition: Expression
  private let comparisons: [Comparison]
  private let context: ExecutionContext
  private let clock: SessionClock

  /// Keeps the values that a condition reads.
  ///
  /// - Returns: Nil if it can cover no failure.
  package init?(_ condition: Expression, _ invocation: Invocation) {
    guard condition.namesEnd else { return nil }
    var keeper = ConditionKeeper(invocation)
    self.condition = keeper.keep(condition)
    guard !keeper.named.isEmpty else { return nil }
    operations = Array(keeper.named.values)
    original = condition
    key = Key(expression: ObjectIdentifier(condition), values: keeper.values.finalize())
    var comparisons: [Comparison] = []
    Self.collect(from: self.condition, into: &comparisons)
    self.comparisons = comparisons
    // All variables have their values, and the judge may be another thread.
    context = invocation.context.withoutVariables()
    clock = invocation.run.clock
  }

  /// Whether it holds with the values that were kept.
  package var holds: Bool { holds(condition) }

  /// Whether it covers the failure of an operation that has ended.
  func covers(_ operation: ObservableOperation) -> Bool {
    let end = JudgedEnd(OperationObject(operation, clock: clock))
    return CurrentMoment.with(nil) {
      JudgedEnd.current.with(end) {
        holds(condition) && comparisons.contains { tells($0, end) }
      }
    }
  }

  /// Whether a comparison tells the end of an operation from a success.
  private func tells(_ comparison: Comparison, _ end: JudgedEnd) -> Bool {
    guard comparison.isAbout(end.object.operation.id) else { return false }
    var subject: Value?
    if let count = comparison.count {
      let operation = KeptOperation(end.object)
      // A count names what it counts.
      guard count.holds(operation) else { return false }
      subject = .object(operation)
    }
    let holds = { self.holds(comparison.expression, isNegated: comparison.isNegated, subject) }
    return holds() && !end.wouldSucceed(holds)
  }

  private func holds(
    _ expression: Expression, isNegated: Bool = false, _ subject: Value? = nil
  ) -> Bool {
    guard let value = try? context.evaluate(expression, subject: subject) else { return false }
    return value.isTruthy != isNegated
  }

  private static func collect(
    from expression: Expression, isNegated: Bool = false, in count: KeptCount? = nil,
    into comparisons: inout [Comparison]
  ) {
    switch expression.kind {
    case .unary(.not, let operand):
      collect(from: operand, isNegated: !isNegated, in: count, into: &comparisons)
    case .binary(.and, let left, let right, _), .binary(.or, let left, let right, _):
      collect(from: left, isNegated: isNegated, in: count, into: &comparisons)
      collect(from: right, isNegated: isNegated, in: count, into: &comparisons)
    default:
      let parts = expression.keptParts
      comparisons.append(
        Comparison(
          expression: expression, isNegated: isNegated, ids: Set(parts.operations.map(\.id)),
          count: count))
      for inner in parts.counts { collect(from: inner.condition, in: inner, into: &comparisons) }
    }
  }
}

/// Replaces what a condition reads by what it has read.
struct ConditionKeeper {
  /// The operations that the condition names by how they end, and that did not succeed so far.
  private(set) var named: [Int: ObservableOperation] = [:]
  /// All values that it has kept.
  private(set) var values = Hasher()
  private let jobs: Jobs
  private let context: ExecutionContext
  /// Whether the expression is the condition of a count, in which words are properties.
  private var isInCount = false

  init(_ invocation: Invocation) {
    jobs = invocation.jobs
    context = invocation.context
  }

  mutating func keep(_ expression: Expression) -> Expression {
    expression.replacing { replacement(of: $0) }
  }

  /// What stands for a part; nil where its own parts are to be replaced.
  private mutating func replacement(of part: Expression) -> Expression? {
    switch part.kind {
    case .property where isInCount && isOfCounted(part),
      .element where isInCount && isOfCounted(part):
      return nil
    case _ where isInCount && isOfCounted(part): return part
    case .variable, .name, .reference: return kept(part)
    case .property(let base, _, _) where base.isEnvironment: return kept(part)
    case .property(let base, let name, _): return property(name, of: base, part)
    case .element(let base, let index):
      guard case .string(let name)? = try? context.evaluate(index) else { return nil }
      return property(name, of: base, part)
    case .object: return missing(part)
    case .count(let clause): return count(clause, part)
    case .literal, .bareWord, .interpolation, .call, .unary, .binary: return nil
    }
  }

  /// Whether a part reads a property of the operation that the condition of a count is about.
  private func isOfCounted(_ part: Expression) -> Bool {
    switch part.kind {
    case .bareWord(let word), .object(let word): ConditionReads.isProperty(word)
    case .name(let word), .reference(let word):
      ConditionReads.isProperty(word) && context.variable(word) == nil
    case .property(let base, _, _), .element(let base, _): isOfCounted(base)
    default: false
    }
  }

  private mutating func kept(_ part: Expression) -> Expression {
    guard let value = try? context.evaluate(part) else { return missing(part) }
    values.combine(value.typeName)
    values.combine(value.text)
    return part.constant(value)
  }

  /// An expression without a value, in the place of a part that has none.
  private mutating func missing(_ part: Expression) -> Expression {
    values.combine(part.range.lower)
    return part.property("value", of: .null)
  }

  private mutating func property(
    _ name: String, of base: Expression, _ part: Expression
  ) -> Expression? {
    guard let value = try? context.evaluate(base) else { return missing(part) }
    switch value {
    case .object(let object as OperationObject):
      if JudgedEnd.properties.contains(name) { note(object.operation) }
      let operation = KeptOperation(object, keeping: [name])
      operation.combine(into: &values)
      return part.property(name, of: .object(operation))
    case .object: return kept(part)
    default: return nil
    }
  }

  private mutating func note(_ operation: ObservableOperation) {
    if operation.mayHaveFailed { named[operation.id] = operation }
  }

  private mutating func count(_ clause: CountClause, _ part: Expression) -> Expression {
    guard let condition = clause.condition, let elements = elements(of: clause.things) else {
      return kept(part)
    }
    let objects = elements.compactMap { element in
      if case .object(let object as OperationObject) = element { object } else { nil }
    }
    guard !objects.isEmpty, objects.count == elements.count else { return kept(part) }
    let isOuter = isInCount
    isInCount = true
    defer { isInCount = isOuter }
    let keptCondition = keep(condition)
    var number = 0
    var members: [Int: KeptCount.Member] = [:]
    let namesEnd = condition.namesEnd
    for object in objects {
      let value = try? context.evaluate(condition, subject: .object(object))
      let fits = value?.isTruthy ?? false
      if fits { number += 1 }
      guard namesEnd, object.operation.mayHaveFailed else { continue }
      note(object.operation)
      members[object.operation.id, default: .init(times: 0, fits: fits)].times += 1
    }
    let parts = keptCondition.keptParts
    let isEntangled = !parts.operations.isEmpty || !parts.counts.isEmpty
    let names = condition.propertyNames.union(condition.words)
    let count = KeptCount(
      keptCondition, in: context.withoutVariables(), number: number, members: members,
      elements: isEntangled ? objects.map { KeptOperation($0, keeping: names) } : nil)
    values.combine(number)
    values.combine(members)
    for element in count.elements ?? [] { element.combine(into: &values) }
    return part.property(KeptCount.number, of: .object(count))
  }

  private func elements(of things: Expression) -> [Value]? {
    if case .bareWord(let word) = things.kind { return jobs.collection(named: word) }
    guard case .list(let values)? = try? context.evaluate(things) else { return nil }
    return values
  }
}

extension Expression {
  /// Whether it reads, anywhere, a property that tells how an operation ended.
  fileprivate var namesEnd: Bool {
    var isFound = false
    visit { part in
      switch part.kind {
      case .property(_, let name, _), .bareWord(let name), .object(let name), .name(let name),
        .reference(let name), .literal(.string(let name)):
        if JudgedEnd.properties.contains(name) { isFound = true }
      default: break
      }
    }
    return isFound
  }

  /// The kept operations and counts in it, without those in the conditions of the counts.
  fileprivate var keptParts: (operations: [KeptOperation], counts: [KeptCount]) {
    var (operations, counts): ([KeptOperation], [KeptCount]) = ([], [])
    visit { part in
      guard case .literal(.object(let object)) = part.kind else { return }
      if let operation = object as? KeptOperation { operations.append(operation) }
      if let count = object as? KeptCount { counts.append(count) }
    }
    return (operations, counts)
  }

  private func visit(_ body: (Expression) -> Void) {
    _ = replacing { part in
      body(part)
      return nil
    }
  }
}

extension ObservableOperation {
  fileprivate var mayHaveFailed: Bool {
    switch outcome {
    case nil, .failed?: true
    case .succeeded?, .cancelled?, .skipped?: false
    }
  }
}
