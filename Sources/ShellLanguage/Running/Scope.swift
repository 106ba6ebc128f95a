import OpshLocking

/// The variables of one block, and the way to those around it.
///
/// A scope belongs to the thread that runs the block, so that a variable is read without a lock. Where
/// another thread may come to it, it has been ``share()``d before.
final class Scope: @unchecked Sendable {
  // @unchecked because one thread uses it, or the lock that `share()` gives it guards it. Exclusivity
  // is unchecked because no access calls anything that could come back to the scope.

  enum Assignment { case done, frozen }

  private struct Variable {
    let symbol: Symbol
    var value: Value
    /// The size of a list that has grown; nil where it is not known.
    var size: ListSize?
  }

  /// So many variables are found faster one after the other than in a dictionary.
  private static let fewVariables = 8

  private let parent: Scope?
  /// A frozen scope is a picture taken for other threads: it can be read, not assigned.
  private let isFrozen: Bool
  /// Whether it is that of a call of a `def`, which assigns no variable further out.
  private let isCall: Bool
  @exclusivity(unchecked) private var variables: [Variable] = []
  /// Where each variable is, if there are many.
  @exclusivity(unchecked) private var places: [Symbol: Int] = [:]
  @exclusivity(unchecked) private var lock: Locked<Void>?

  init(parent: Scope? = nil, isCall: Bool = false) {
    self.parent = parent
    self.isFrozen = false
    self.isCall = isCall
  }

  /// Takes a picture of all variables that can be seen from a scope, for other threads.
  init(freezing scope: Scope) {
    parent = nil
    isFrozen = true
    isCall = false
    var next: Scope? = scope
    while let current = next {
      current.guarded {
        for variable in current.variables where place(of: variable.symbol) == nil {
          add(variable.symbol, variable.value)
        }
      }
      next = current.parent
    }
  }

  // MARK: Reading

  func value(of symbol: Symbol) -> Value? {
    let found = guarded { place(of: symbol).map { variables[$0].value } }
    if let found { return found }
    return parent?.value(of: symbol)
  }

  func value(of name: String) -> Value? { Symbol.known(name).flatMap(value) }

  /// All variables that can be seen from here.
  func visible() -> [String: Value] {
    var result = parent?.visible() ?? [:]
    guarded { for variable in variables { result[variable.symbol.name] = variable.value } }
    return result
  }

  // MARK: Writing

  /// Gives a variable a value in this very scope, hiding any further out.
  func define(_ symbol: Symbol, _ value: Value) {
    guarded {
      if let place = place(of: symbol) { set(place, value) } else { add(symbol, value) }
    }
  }

  /// Assigns the variable where it lives, or makes it live here.
  ///
  /// In the call of a `def`, also in its blocks, a new one lives in the call, and one outside of the
  /// call is out of reach.
  func assign(_ symbol: Symbol, _ value: Value) -> Assignment {
    if let assignment = reassign(symbol, value) { return assignment }
    define(symbol, value)
    return .done
  }

  /// Assigns the variable where it lives; nil if nowhere within reach.
  private func reassign(_ symbol: Symbol, _ value: Value) -> Assignment? {
    let isFound = guarded {
      guard let place = place(of: symbol) else { return false }
      if !isFrozen { set(place, value) }
      return true
    }
    if isFound { return isFrozen ? .frozen : .done }
    if isCall {
      define(symbol, value)
      return .done
    }
    return parent?.reassign(symbol, value)
  }

  /// Changes the value of a variable where it lives, so that it is not copied if nothing else holds it.
  ///
  /// - Parameters:
  ///   - symbol: The variable.
  ///   - change: Changes the value and its size; it must not come back to the scope.
  /// - Returns: What `change` returns; nil if no assignment would reach the variable.
  func change<Result>(
    _ symbol: Symbol, _ change: (inout Value, inout ListSize?) -> Result
  ) -> Result? {
    if isFrozen { return nil }
    let result = guarded {
      place(of: symbol).map { change(&variables[$0].value, &variables[$0].size) }
    }
    if let result { return result }
    return isCall ? nil : parent?.change(symbol, change)
  }

  /// Forgets the variables of one turn of a loop.
  func removeAll() {
    variables.removeAll(keepingCapacity: true)
    if !places.isEmpty { places.removeAll() }
  }

  // MARK: Threads

  /// Lets other threads use the scope and those around it from now on.
  func share() {
    guard !isFrozen else { return }
    if lock == nil { lock = Locked(()) }
    parent?.share()
  }

  @inline(__always)
  private func guarded<Result>(_ body: () -> Result) -> Result {
    if let lock { return lock.withLock { _ in body() } }
    return body()
  }

  // MARK: Places

  private func place(of symbol: Symbol) -> Int? {
    guard variables.count <= Self.fewVariables else { return places[symbol] }
    for place in variables.indices where variables[place].symbol == symbol { return place }
    return nil
  }

  private func set(_ place: Int, _ value: Value) {
    variables[place].value = value
    variables[place].size = nil
  }

  private func add(_ symbol: Symbol, _ value: Value) {
    variables.append(Variable(symbol: symbol, value: value))
    guard variables.count > Self.fewVariables else { return }
    if variables.count == Self.fewVariables + 1 {
      for (place, variable) in variables.enumerated() { places[variable.symbol] = place }
    } else {
      places[symbol] = variables.count - 1
    }
  }
}
