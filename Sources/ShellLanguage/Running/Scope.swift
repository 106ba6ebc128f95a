import Locking

/// The variables of one block, and the way to those around it.
final class Scope: Sendable {
  enum Assignment { case done, frozen }

  private let parent: Scope?
  /// A frozen scope is a picture taken for another thread: it can be read, not assigned.
  private let isFrozen: Bool
  /// Whether it is that of a call of a `def`, which assigns no variable further out.
  private let isCall: Bool
  private let variables: Locked<[String: Value]>

  init(
    parent: Scope? = nil, isFrozen: Bool = false, isCall: Bool = false,
    variables: [String: Value] = [:]
  ) {
    self.parent = parent
    self.isFrozen = isFrozen
    self.isCall = isCall
    self.variables = Locked(variables)
  }

  func value(of name: String) -> Value? {
    var scope: Scope? = self
    while let current = scope {
      if let value = current.variables.withLock({ $0[name] }) { return value }
      scope = current.parent
    }
    return nil
  }

  /// Gives a variable a value in this very scope, hiding any further out.
  func define(_ name: String, _ value: Value) {
    variables.withLock { $0[name] = value }
  }

  /// Assigns the variable where it lives, or makes it live here.
  ///
  /// In the call of a `def`, also in its blocks, a new one lives in the call, and one outside of the
  /// call is out of reach.
  func assign(_ name: String, _ value: Value) -> Assignment {
    var scope: Scope? = self
    while let current = scope {
      let isFrozen = current.isFrozen
      let found = current.variables.withLock { variables in
        guard let index = variables.index(forKey: name) else { return false }
        if !isFrozen { variables.values[index] = value }
        return true
      }
      if found { return isFrozen ? .frozen : .done }
      if current.isCall {
        current.define(name, value)
        return .done
      }
      scope = current.parent
    }
    define(name, value)
    return .done
  }

  /// All variables that can be seen from here.
  func visible() -> [String: Value] {
    var result = parent?.visible() ?? [:]
    result.merge(variables.withLock { $0 }) { $1 }
    return result
  }
}
