import OpshLocking
package import Operations
import OpshSupport

/// How the latest operations of a session were built, so that `retry` can build them anew.
package final class BuildRecipes: Sendable {
  private struct Recipe {
    let invocation: Invocation
    /// Its place among what that use of the command built.
    let index: Int
    /// Whether its name was given, and not an automatic one.
    let isNamed: Bool
  }

  private struct State {
    var recipes: [Int: Recipe] = [:]
    /// The ids of their operations, the oldest first.
    var ids = FIFO<Int>()
    /// The ids of the operations that replace others, by the ids of those.
    var retries: [Int: Int] = [:]
  }

  /// How many are kept.
  package static let limit = 4096

  private let state = Locked(State())

  /// Remembers how an operation was built.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - invocation: The use of the command that built it.
  ///   - index: Its place among what that use has built, from 0.
  ///   - isNamed: Whether its name was given.
  package func note(
    _ operation: ObservableOperation, _ invocation: Invocation, index: Int, isNamed: Bool
  ) {
    var invocation = invocation
    // It would keep the operation that this one replaces.
    invocation.rebuilt = nil
    let recipe = Recipe(invocation: invocation, index: index, isNamed: isNamed)
    let released = state.withLock { state -> Recipe? in
      state.recipes[operation.id] = recipe
      state.ids.append(operation.id)
      // Those that were forgotten before are still in the line.
      guard state.ids.count > Self.limit, let oldest = state.ids.popFirst() else { return nil }
      return state.recipes.removeValue(forKey: oldest)
    }
    // What its arguments hold is released without the lock.
    withExtendedLifetime(released) {}
  }

  /// The use of the command that built an operation, for building that one anew; nil if it is not
  /// kept.
  package func rebuilding(_ operation: ObservableOperation) -> Invocation? {
    guard let recipe = state.withLock({ $0.recipes[operation.id] }) else { return nil }
    var invocation = recipe.invocation
    invocation.rebuilt = Invocation.Rebuilt(
      index: recipe.index, name: recipe.isNamed ? operation.displayName : nil, original: operation)
    return invocation
  }

  /// Remembers that an operation replaces another one.
  package func noteRetry(of former: ObservableOperation, by operation: ObservableOperation) {
    state.withLock { $0.retries[former.id] = operation.id }
  }

  /// The number of the newest operation that replaces another one; that of the other one where none
  /// does.
  package func newestRetry(of id: Int) -> Int {
    state.withLock { state in
      var newest = id
      while let next = state.retries[newest] { newest = next }
      return newest
    }
  }

  /// Forgets how an operation was built.
  func forget(_ id: Int) {
    let released = state.withLock { state in
      state.retries[id] = nil
      return state.recipes.removeValue(forKey: id)
    }
    withExtendedLifetime(released) {}
  }

  /// Forgets how all operations were built; a recipe keeps the session, because it has its place.
  func forgetAll() {
    let released = state.withLock { state in
      defer { state = State() }
      return state
    }
    withExtendedLifetime(released) {}
  }
}

extension OperationRegistry {
  /// The newest operation that `retry` has built in place of another one, or that one itself.
  package func newestRetry(of operation: ObservableOperation) -> ObservableOperation {
    self.operation(id: recipes.newestRetry(of: operation.id)) ?? operation
  }
}
