import Operations
package import ShellLanguage

/// What the value of a condition depends on, and so which events can change it.
package struct ConditionReads {
  /// The properties of the operation that the condition is about.
  private(set) var properties: Set<String> = []
  /// The operations and queues that the condition names.
  private(set) var names: Set<String> = []
  /// The variables that the condition reads.
  private(set) var variables: Set<String> = []
  /// Whether it reads anything whose changes no event announces.
  private(set) var isOpaque = false

  /// Properties whose changes are entries of the log, or that never change.
  package static let logged = OperationProperty.names(.logged)

  /// Properties whose changes are announced by observers and receive handlers.
  static let observed = OperationProperty.names(.observed)

  /// These grow with the time.
  package static let live = OperationProperty.names(.timed)

  init(_ condition: ShellLanguage.Expression?) {
    if let condition { read(condition) }
    let known = Self.logged.union(Self.observed).union(Self.live)
    if !properties.isSubset(of: known) { isOpaque = true }
  }

  private mutating func read(_ expression: ShellLanguage.Expression) {
    switch expression.kind {
    case .literal: break
    case .bareWord(let word):
      if Self.isProperty(word) { properties.insert(word) }
    case .object(let word):
      if Self.isProperty(word) { properties.insert(word) } else { names.insert(word) }
    case .variable(let name): variables.insert(name)
    case .property(let base, let name, _):
      read(base)
      // Of another operation only what entries of the log tell of is followed.
      if base.isName, !Self.logged.contains(name) { isOpaque = true }
    case .element(let base, let index):
      read(base)
      read(index)
    case .call(_, let arguments, _): arguments.forEach { read($0) }
    case .unary(_, let operand): read(operand)
    case .binary(_, let left, let right, _):
      read(left)
      read(right)
    default: isOpaque = true
    }
  }

  /// Whether only entries of the log change what an expression gives, so that the log tells when it
  /// held.
  package static func areLogged(_ expression: ShellLanguage.Expression) -> Bool {
    switch expression.kind {
    case .property(let base, let name, _) where base.isName:
      return logged.contains(name) || OperationState(rawValue: name) != nil
    case .variable, .interpolation, .name, .reference: return false
    case .count(let clause):
      guard case .bareWord = clause.things.kind else { return false }
      let reads = ConditionReads(clause.condition)
      return !reads.isOpaque && reads.variables.isEmpty && reads.properties.isSubset(of: logged)
    default: return expression.children.allSatisfy(areLogged)
    }
  }

  private static let operationProperties = Set(OperationObject.propertyNames)

  static func isProperty(_ word: String) -> Bool { operationProperties.contains(word) }
}

extension ShellLanguage.Expression {
  /// Whether it names an operation or a queue, outside of a condition, or a variable.
  fileprivate var isName: Bool {
    switch kind {
    case .variable: true
    case .object(let name): !OperationObject.propertyNames.contains(name)
    default: false
    }
  }
}
