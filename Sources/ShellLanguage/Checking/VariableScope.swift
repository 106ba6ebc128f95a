/// The variables of a block, while it is checked.
final class VariableScope {
  struct Variable {
    let name: Name
    let source: SourceText
    /// Whether it is of the kind whose never being read is worth a warning.
    let isAssigned: Bool
    var isRead = false
    /// Where the name is.
    var spot: Spot { Spot(source: source, range: name.range) }
  }

  let parent: VariableScope?
  /// Whether the block runs on another thread, and variables further out cannot be assigned.
  let isBoundary: Bool
  /// Whether it is that of a call of a `def`, which assigns no variable further out.
  let isCall: Bool
  private var variables: [String: Variable] = [:]
  /// Where a call first reads a variable that lives outside of it.
  private var outerReads: [String: Spot] = [:]
  private var given: Set<String>
  private var forgotten: Set<String> = []

  init(
    parent: VariableScope? = nil, isBoundary: Bool = false, isCall: Bool = false,
    given: Set<String> = []
  ) {
    self.parent = parent
    self.isBoundary = isBoundary
    self.isCall = isCall
    self.given = given
  }

  /// That of the top level.
  var outermost: VariableScope { parent?.outermost ?? self }

  var visibleNames: [String] { (parent?.visibleNames ?? []) + given + variables.keys }

  /// The variables of the block that nothing has read.
  var unread: some Sequence<Variable> {
    variables.values.lazy.filter { $0.isAssigned && !$0.isRead && !$0.name.text.hasPrefix("_") }
  }

  /// Marks a variable as read, perhaps at a place; returns false if there is none.
  @discardableResult
  func read(_ name: String, at spot: @autoclosure () -> Spot? = nil) -> Bool {
    var scope: VariableScope? = self
    var call: VariableScope?
    while let current = scope {
      if current.knows(name) {
        current.variables[name]?.isRead = true
        if let call, call.outerReads[name] == nil { call.outerReads[name] = spot() }
        return true
      }
      if current.isCall { call = current }
      scope = current.parent
    }
    return false
  }

  /// Returns where the call around it has read a variable that lives outside of the call.
  func outerRead(of name: String) -> Spot? {
    var scope: VariableScope? = self
    while let current = scope, !current.isCall { scope = current.parent }
    return scope?.outerReads[name]
  }

  func define(_ name: Name, _ source: SourceText, isAssigned: Bool = false) {
    variables[name.text] = Variable(name: name, source: source, isAssigned: isAssigned)
  }

  /// Forgets all variables of the block.
  func removeAll() {
    forgotten.formUnion(given.union(variables.keys))
    variables = [:]
    given = []
  }

  /// Takes back that variables are forgotten.
  func restoreAll() { given.formUnion(forgotten) }

  /// Makes a variable that no statement at a place makes.
  func give(_ name: String) { given.insert(name) }

  /// Makes a variable of a script live here, or in the call of a `def`, unless there is one of that
  /// name; the script has been checked elsewhere.
  func giveIncluded(_ name: String) {
    var scope: VariableScope? = self
    var home = self
    while let current = scope {
      if current.knows(name) { return }
      if current.isCall { home = current }
      scope = current.parent
    }
    home.give(name)
  }

  enum Assignment {
    case done
    /// It is new in a call of a `def`, and one of that name lives outside of the call.
    case local(Variable?)
    /// It lives further out, where another thread is; made here, if a script makes it.
    case captured(Variable?)
  }

  /// Assigns where the variable lives, or makes it live here, or in the call of a `def`.
  func assign(_ name: Name, _ source: SourceText) -> Assignment {
    var scope: VariableScope? = self
    var isOutside = false
    while let current = scope {
      if current.knows(name.text) {
        return isOutside ? .captured(current.variables[name.text]) : .done
      }
      if current.isBoundary { isOutside = true }
      scope = current.parent
      if current.isCall, !isOutside {
        current.define(name, source, isAssigned: true)
        return scope?.knows(name.text) == true ? .local(scope?.variables[name.text]) : .done
      }
    }
    define(name, source, isAssigned: true)
    return .done
  }

  /// Returns whether a variable of that name lives here.
  private func knows(_ name: String) -> Bool { given.contains(name) || variables[name] != nil }
}
